// The versions of the weights: what made each, and the way back to it.

import { at, get, post } from "../app/api.js";
import { $, bdi, button, h, put, select, table } from "../app/elements.js";
import { clock } from "../app/format.js";
import { actorText, rollbackText, shownName } from "../app/names.js";
import { attempt, may, say, sayError, study } from "../app/shell.js";
import { weightTable } from "./weights.js";

/** @import { Belief, Beliefs, Version } from "../app/types.js" */
/** @import { People } from "./people.js" */

const SHOWN = 50;

/**
 * @typedef {object} Context
 * @property {Beliefs} beliefs of the population now
 * @property {Promise<People>} people @property {() => Promise<void>} changed
 */

/** @param {HTMLElement} place @param {Version[]} versions @param {Context} context */
export function drawVersions(place, versions, context) {
  const preview = h("div", { id: "preview" });
  const current = versions.at(-1)?.version;
  const rows = versions
    .slice(-SHOWN)
    .reverse()
    .map((one) => [
      [
        h("b", { text: `${one.version} ` }),
        one.version === current
          ? "now"
          : button("Preview", () => show(one.version, preview, context), {
              class: "quiet",
              "aria-label": `Preview version ${one.version}`,
            }),
      ],
      [
        origin(one),
        one.reason ? `: ${one.reason}, ` : ", ",
        bdi(actorText(one.actor, one.how === "rolled back" ? "" : one.learned_for)),
      ],
      clock(one.time),
    ]);
  const head = ["Version", "Made by", "When"];
  put(
    place,
    table("Versions of the weights", head, rows),
    preview,
    versions.length > SHOWN ? h("p", { class: "hint", text: `The latest ${SHOWN}.` }) : null,
  );
}

/** What made a version. @param {Version} version */
function origin(version) {
  const { how, proposal } = version;
  if (how === "created") return "the start";
  if (how === "said") return "what was said";
  if (how === "told") return `proposal ${proposal}`;
  return how === "reopened" ? `reopening proposal ${proposal}` : bdi(rollbackText(version));
}

/** @param {number} version @param {HTMLElement} place @param {Context} context */
async function show(version, place, context) {
  try {
    const bars = h("div");
    const text =
      `The upper bar of each pair is version ${version}, ` +
      `the lower one version ${context.beliefs.version}, which is in use.`;
    await compare(version, bars, context);
    const look = (/** @type {string} */ expert) =>
      attempt(() => compare(version, bars, context, expert));
    const { names } = await context.people;
    put(
      place,
      h("h3", { tabindex: "-1", text: `Version ${version} beside now` }),
      bars,
      h("p", { class: "hint", text }),
      may("lead") ? rollbackForm(version, names, look, context.changed) : null,
    );
    $("h3", place).focus();
  } catch (error) {
    sayError(error);
  }
}

/**
 * Draw a version beside now: of all, or of one expert.
 * @param {number} version @param {HTMLElement} bars @param {Context} context @param {string} [expert]
 */
async function compare(version, bars, { beliefs }, expert = "") {
  const whose = new URLSearchParams({ learned_for: expert });
  const [then, now] = await Promise.all([
    get(at(study, `/beliefs?version=${version}&${whose}`)),
    expert ? get(at(study, `/beliefs?${whose}`)) : beliefs,
  ]);
  const tastes = now.features.map((/** @type {Belief} */ { taste }) => taste);
  weightTable(bars, then.features, { tastes, text: "now" });
}

/**
 * @param {number} version @param {string[]} names @param {(expert: string) => void} look
 * @param {() => Promise<void>} changed
 */
function rollbackForm(version, names, look, changed) {
  const reason = h("input", { type: "text", id: "reason", maxlength: "2000", required: true });
  const values = [["", "Everybody"], ...names.map((name) => [name, `Only ${shownName(name)}`])];
  const props = { id: "rollback-expert", "aria-label": "Roll back for", hidden: names.length < 2 };
  const expert = select(values, "", look, props);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    rollback(version, reason.value, expert.value, changed);
  };
  return h(
    "form",
    { class: "row", on: { submit } },
    h("label", { for: "reason", text: "Why go back?" }),
    reason,
    expert,
    h(
      "button",
      { class: "primary", type: "submit", id: "rollback" },
      `Roll back to version ${version}`,
    ),
  );
}

/** @param {number} to @param {string} reason @param {string} expert @param {() => Promise<void>} changed */
const rollback = (to, reason, expert, changed) =>
  attempt(async () => {
    const { version } = await post(at(study, "/rollback"), {
      body: { to, reason, learned_for: expert || null },
    });
    await changed();
    const whose = expert ? ` of ${shownName(expert)}` : "";
    say(`The weights${whose} are those of version ${to} again; that is version ${version}.`);
    scrollTo({ top: 0 });
  });

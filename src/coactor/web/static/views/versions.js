// The versions of the weights: what made each, and the way back to it.

import { at, get, post } from "../app/api.js";
import { $, button, h, put, table } from "../app/elements.js";
import { clock } from "../app/format.js";
import { attempt, may, say, sayError, study } from "../app/shell.js";
import { weightTable } from "./weights.js";

/** @import { Beliefs, Version } from "../app/types.js" */

const SHOWN = 50;

/** @typedef {{ beliefs: Beliefs, signs: number[], changed: () => Promise<void> }} Context */

/** @param {HTMLElement} place @param {Version[]} versions @param {Context} context */
export function drawVersions(place, versions, context) {
  const preview = h("div", { id: "preview" });
  const current = versions.at(-1)?.version;
  const rows = versions
    .slice(-SHOWN)
    .reverse()
    .map((one) => [
      h("b", { text: String(one.version) }),
      origin(one),
      one.actor || "–",
      clock(one.time),
      one.reason || "",
      one.version === current
        ? "now"
        : button("Preview", () => show(one.version, preview, context), {
            class: "quiet",
            "aria-label": `Preview version ${one.version}`,
          }),
    ]);
  const head = ["Version", "Made by", "Who", "When", "Reason", "Actions"];
  put(
    place,
    table("Versions of the weights", head, rows),
    preview,
    versions.length > SHOWN ? h("p", { class: "hint", text: `The latest ${SHOWN}.` }) : null,
  );
}

/** What made a version. @param {Version} version */
function origin({ how, proposal, to }) {
  if (how === "created") return "the start";
  if (how === "told") return `proposal ${proposal}`;
  return how === "reopened" ? `reopening proposal ${proposal}` : `rollback to version ${to}`;
}

/** @param {number} version @param {HTMLElement} place @param {Context} context */
async function show(version, place, context) {
  try {
    const then = await get(at(study, `/beliefs?version=${version}`));
    const bars = h("div");
    const text =
      `The upper bar of each pair is version ${version}, ` +
      `the lower one version ${context.beliefs.version}, which is in use.`;
    put(
      place,
      h("h3", { tabindex: "-1", text: `Version ${version} beside now` }),
      bars,
      h("p", { class: "hint", text }),
      may("lead") ? rollbackForm(version, context.changed) : null,
    );
    weightTable(bars, then, [], context.signs, { matter: context.beliefs.matter, text: "now" });
    $("h3", place).focus();
  } catch (error) {
    sayError(error);
  }
}

/** @param {number} version @param {() => Promise<void>} changed */
function rollbackForm(version, changed) {
  const reason = h("input", { type: "text", id: "reason", maxlength: "2000", required: true });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    rollback(version, reason.value, changed);
  };
  return h(
    "form",
    { class: "row", on: { submit } },
    h("label", { for: "reason", text: "Why go back?" }),
    reason,
    h(
      "button",
      { class: "primary", type: "submit", id: "rollback" },
      `Roll back to version ${version}`,
    ),
  );
}

/** @param {number} to @param {string} reason @param {() => Promise<void>} changed */
const rollback = (to, reason, changed) =>
  attempt(async () => {
    const { version } = await post(at(study, "/rollback"), { body: { to, reason } });
    await changed();
    say(`The weights are those of version ${to} again; that is version ${version}.`);
    scrollTo({ top: 0 });
  });

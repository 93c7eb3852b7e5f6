// What it thinks you want: what was learned in sentences, and a way to say otherwise.

import { at, get, post } from "../app/api.js";
import { $, bdi, button, card, h, put, select } from "../app/elements.js";
import { clock, feature, heard, isClear, list, percent } from "../app/format.js";
import { actorText, takenBack } from "../app/names.js";
import { attempt, may, name, say, sayError, study } from "../app/shell.js";
import { findTrial } from "../app/trials.js";
import { weightTable } from "../views/weights.js";

/** @import { Belief, Beliefs, Trial, Version } from "../app/types.js" */

/** @typedef {{ tastes: number[], text: string, sentence: string }} Taste the simulated expert's weights */

const bars = h("div");
const whose = h("div", { id: "whose" });
const reveal = h("div");
const said = h("ul", { id: "said" });
const spoken = card("What people said", said);
/** @type {Beliefs["features"]} */
let features = []; // as they are shown
let chosen = ""; // whose wishes are shown; empty: what a new person starts from

/** The weights of one expert now. @param {string} expert @returns {Promise<Beliefs>} */
const beliefsOf = (expert) =>
  get(at(study, `/beliefs?${new URLSearchParams({ learned_for: expert })}`));

async function draw() {
  const { version } = await get(at(study));
  /** @type {[Version[], Trial | null]} */
  const [versions, trial] = await Promise.all([
    get(at(study, `/versions?after=${Math.max(-1, version - 1000)}`)),
    findTrial(),
  ]);
  const known = new Set(versions.map((one) => one.learned_for).filter(Boolean));
  const names = [...known].filter((one) => one === name || may("lead"));
  if (!whose.children.length) {
    chosen = names.includes(name) ? name : (names[0] ?? "");
    drawWhose(names);
  }
  ({ features } = await beliefsOf(chosen));
  const canSay = chosen && (chosen === name ? may("edit") : may("tell"));
  weightTable(bars, features, null, (index) => row(features[index], Boolean(canSay)));
  const statements = versions.filter(({ how }) => how === "said").reverse();
  spoken.hidden = !statements.length;
  put(
    said,
    statements.map((one) => statement(one, one.version === version, takenBack(one, versions))),
  );
  put(reveal, trial && known.has(trial.actor) ? revealButton(trial, names) : null);
  $("#content").ariaBusy = "false";
}

/** @param {Trial} trial @param {string[]} names whose wishes may be shown */
function revealButton(trial, names) {
  const show = async () => {
    chosen = names.includes(trial.actor) ? trial.actor : "";
    drawWhose(names);
    await draw();
    await revealTaste(trial);
  };
  return button(`Reveal ${trial.colleague}'s taste`, () => attempt(show), { id: "reveal" });
}

/** Whose wishes are shown. @param {string[]} names */
function drawWhose(names) {
  const values = names.map((one) => [one, one === name ? "Mine" : one]);
  const change = (/** @type {string} */ value) => {
    chosen = value;
    draw().catch(sayError);
  };
  const start = ["", "What a new person starts from"];
  put(whose, select([...values, start], chosen, change, { "aria-label": "Whose wishes" }));
}

/** How sure a belief is, the corrections behind it, and what one can say to it. @param {Belief} belief @param {boolean} canSay */
function row(belief, canSay) {
  const { label } = feature(belief.feature);
  const clear = isClear(belief);
  const more = belief.taste > 0;
  /** @param {string} text @param {"more" | "less"} wish */
  const act = (text, wish) =>
    button(text, () => attempt(() => tell(belief, wish)), {
      class: "quiet small",
      "aria-label": `${text}: ${wish} “${label}”`,
    });
  const [same, other] = /** @type {["more" | "less", "more" | "less"]} */ (
    more ? ["more", "less"] : ["less", "more"]
  );
  return h(
    "span",
    { class: "hint belief" },
    clear && belief.sure !== null
      ? h("span", {}, `${percent(belief.sure)} sure`, belief.behind.flatMap(link))
      : null,
    canSay && clear
      ? [act(more ? "Even more" : "Even less", same), act("No, that is wrong", other)]
      : "",
    canSay && !clear ? [act("More", "more"), act("Less", "less")] : "",
  );
}

/** @param {number} proposal @param {number} i */
const link = (proposal, i) => [
  i ? " and " : ", from ",
  h("a", { href: `/s/${study}/p/${proposal}`, text: `proposal ${proposal}` }),
];

/** @param {Belief} before @param {"more" | "less"} wish */
async function tell(before, wish) {
  const body = {
    feature: before.feature,
    wish,
    ...(chosen === name ? {} : { actor: name, learned_for: chosen }),
  };
  await post(at(study, "/say"), { body });
  await draw();
  const after = features.find((one) => one.feature === before.feature) ?? before;
  say(heard(before, after, wish, chosen === name ? "You do" : `${chosen} does`));
}

/**
 * What a person said, and the way to take back the last one.
 * @param {Version} version @param {boolean} last @param {boolean} gone whether it was taken back
 */
function statement({ version, reason, actor, learned_for: other, time }, last, gone) {
  const back = async () => {
    const body = { to: version - 1, reason: `taken back: ${reason}` };
    await post(at(study, "/rollback"), { body });
    await draw();
    say("Taken back.");
  };
  return h(
    "li",
    {},
    bdi(actorText(actor, other)),
    `: ${reason} `,
    h("span", { class: "hint", text: `${clock(time)}${gone ? ", taken back" : ""}` }),
    last && may("lead")
      ? button("Take it back", () => attempt(back), { class: "quiet small" })
      : null,
  );
}

/** Show what was learned of the simulated expert beside the truth. @param {Trial} trial */
async function revealTaste({ colleague }) {
  const taste = await findTaste(features);
  const text = `The upper bar of each pair is what was learned, the lower one ${colleague}'s taste.`;
  weightTable(bars, features, taste);
  put(
    reveal,
    h("p", { class: "verdict revealed", text: taste.sentence }),
    h("p", { class: "hint", text }),
  );
}

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/**
 * The simulated expert's tastes, on the scale of what was learned.
 * @param {Beliefs["features"]} features
 * @returns {Promise<Taste>}
 */
async function findTaste(features) {
  /** @type {{ weights: number[], feature_names: string[], colleague: string }} */
  const taste = await get(`/try/${study}/taste`);
  const learned = features.map((one) => one.taste);
  const truth = taste.weights.map((weight, i) =>
    features[i].weight ? (weight * learned[i]) / features[i].weight : 0,
  );
  const cosine = dot(truth, learned) / Math.sqrt(dot(truth, truth) * dot(learned, learned) || 1);
  const scale = Math.max(1e-12, dot(truth, learned) / (dot(truth, truth) || 1));
  const cares = taste.feature_names
    .map((text, i) => ({ label: feature(text).label, size: Math.abs(truth[i]), i }))
    .filter(({ i }) => taste.weights[i])
    .sort((a, b) => b.size - a.size)
    .map(({ label }) => label);
  const match = Math.round(100 * Math.max(0, cosine));
  return {
    tastes: truth.map((value) => value * scale),
    text: `${taste.colleague}'s taste`,
    sentence:
      `${taste.colleague} cares about ${list(cares)} and does not mind the rest. ` +
      `${match} % of ${taste.colleague}'s taste was found.`,
  };
}

$("#content").ariaBusy = "true";
put(
  $("#content"),
  h(
    "div",
    { class: "row" },
    h("a", { class: "button", href: `/s/${study}`, text: "Back to the queue" }),
    h("a", { class: "button", href: `/s/${study}/report`, text: "Report" }),
  ),
  h("section", { class: "card" }, whose, bars, reveal),
  spoken,
);
await draw().catch(sayError);

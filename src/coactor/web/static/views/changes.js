// What the edits change, feature by feature, in the domain's own units.

import { button, h, plainTable, put } from "../app/elements.js";
import { amount, feature, plural, shownAs, signed, signedAmount } from "../app/format.js";

/** @import { Proposal } from "../app/types.js" */

const FEW = 12; // features shown
const NOTHING = 1e-9;

/**
 * @typedef {object} Row
 * @property {number} index of the feature @property {string} label @property {string} unit
 * @property {number} now the value of the draft
 * @property {number} total the change against the proposal
 * @property {number | null} last the change by the last edit
 * @property {number} gain the change times its weight
 */

/** One row per feature. @param {Proposal} data @param {number[] | null} last @returns {Row[]} */
function changeRows(data, last) {
  const { factors } = shownAs(data);
  return data.feature_names.map((name, i) => {
    const { label, unit, factor: step } = feature(name);
    const scale = factors[i] * step;
    return {
      index: i,
      label,
      unit,
      now: data.features[i] * scale,
      total: data.change[i] * scale,
      last: last ? last[i] * scale : null,
      gain: data.weights[i] * data.change[i],
    };
  });
}

/**
 * What the weights say about the edits so far.
 * @param {Proposal} data @param {Row[]} rows @param {boolean} learns whether a submit now would teach it
 */
function opinion(data, rows, learns) {
  if (!data.moves.length) return "";
  const gain = rows.reduce((total, row) => total + row.gain, 0);
  if (Math.abs(gain) < NOTHING) return "As far as we know, this is as good as the proposal.";
  if (gain > 0) return "As far as we know, this is better than the proposal.";
  return learns ? "The solver did not expect this edit. Submitted, it learns from it." : "";
}

/** @param {number | null} value @param {string} unit */
const cell = (value, unit) => {
  if (value === null || Math.abs(value) < NOTHING) return h("td", { class: "num" }, "·");
  return h("td", { class: "num" }, unit === "min" ? signedAmount(value, unit) : signed(value));
};

/** @typedef {((feature: number) => void) | undefined} Light shows what causes a feature */

/** @param {Row} row @param {Light} light */
const named = ({ label, index }, light) =>
  light ? button(label, () => light(index), { class: "plain", title: "Show where" }) : label;

/** @param {Row} row @param {number} largest @param {boolean} finished @param {Light} light */
function changedLine(row, largest, finished, light) {
  const bar = h("span", {
    class: `share ${row.gain >= 0 ? "better" : "worse"}`,
    "aria-hidden": "true",
  });
  bar.style.width = `${Math.round((100 * Math.abs(row.gain)) / largest)}%`;
  return h(
    "tr",
    { class: "moved" },
    h("th", { scope: "row" }, named(row, light), bar),
    h("td", { class: "num" }, amount(row.now, row.unit)),
    finished ? null : cell(row.last, row.unit),
    cell(row.total, row.unit),
  );
}

/** @param {Row} row @param {Light} light */
const sameLine = (row, light) =>
  h(
    "tr",
    { class: "same" },
    h("th", { scope: "row" }, named(row, light)),
    h("td", { class: "num" }, amount(row.now, row.unit)),
  );

/** @param {string} caption @param {string[]} head @param {HTMLElement[]} rows */
const tableOf = (caption, head, rows) => plainTable(caption, head, rows, "changes");

/**
 * Fill a list with edits in words.
 * @param {HTMLElement} place @param {string[]} lines @param {string} none what it says without edits
 */
export function drawEdits(place, lines, none) {
  const empty = h("li", { class: "none hint", text: none });
  put(place, lines.length ? lines.map((text) => h("li", { text })) : empty);
}

/** @param {string} text */
const hint = (text) => (text ? h("p", { class: "hint", text }) : null);

/**
 * Fill a place with the features that changed; the others follow in a fold.
 * @param {HTMLElement} place @param {Proposal} data @param {number[] | null} last
 * @param {{ finished?: boolean, learns?: boolean, light?: Light }} how `finished`: nothing can be edited
 * any more; `learns`: a submit now would teach the solver
 */
export function drawChanges(place, data, last, { finished = false, learns = false, light }) {
  const rows = changeRows(data, last);
  const changed = rows
    .filter((row) => Math.abs(row.total) >= NOTHING || Math.abs(row.last ?? 0) >= NOTHING)
    .sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain));
  const same = rows.filter((row) => !changed.includes(row));
  const shown = changed.slice(0, FEW);
  const largest = rows.reduce((most, row) => Math.max(most, Math.abs(row.gain)), 1e-12);
  const left = changed.length - shown.length;
  const head = finished
    ? ["Feature", "result", "change"]
    : ["Feature", "now", "last change", "total change"];
  const lines = shown.map((row) => changedLine(row, largest, finished, light));
  const rest = tableOf(
    "Features as they are",
    ["Feature", "now"],
    same.map((row) => sameLine(row, light)),
  );
  const others = `${plural(same.length, changed.length ? "other feature" : "feature")}: no change`;
  const open = place.querySelector("details")?.open ?? false;
  put(
    place,
    changed.length ? tableOf("What the edits change, feature by feature", head, lines) : null,
    hint(opinion(data, rows, learns)),
    hint(left ? `The ${shown.length} of ${changed.length} that matter most.` : ""),
    same.length ? h("details", { open }, h("summary", { text: others }), rest) : null,
    hint(shownAs(data).note),
  );
}

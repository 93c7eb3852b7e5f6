// What the edits change, feature by feature, in the domain's own units.

import { h, put } from "../app/elements.js";
import { amount, feature, shownAs, signed } from "../app/format.js";

/** @import { Proposal } from "../app/types.js" */

const FEW = 12; // features shown
const NOTHING = 1e-9;

/**
 * @typedef {object} Row
 * @property {string} label @property {string} unit
 * @property {number} now the value of the draft
 * @property {number} total the change against the proposal
 * @property {number | null} last the change by the last edit
 * @property {number} gain the change times its weight
 */

/** One row per feature. @param {Proposal} data @param {number[] | null} last @returns {Row[]} */
export function changeRows(data, last) {
  const { factor } = shownAs(data);
  return data.feature_names.map((name, i) => {
    const { label, unit, factor: step } = feature(name);
    const scale = factor * step;
    return {
      label,
      unit,
      now: data.features[i] * scale,
      total: data.change[i] * scale,
      last: last ? last[i] * scale : null,
      gain: data.weights[i] * data.change[i],
    };
  });
}

/** What the weights say about the edits so far. @param {Proposal} data @param {Row[]} rows */
export function opinion(data, rows) {
  if (!data.moves.length) return "";
  const gain = rows.reduce((total, row) => total + row.gain, 0);
  if (Math.abs(gain) < NOTHING) return "As far as we know, this is as good as the proposal.";
  if (gain > 0) return "As far as we know, this is better than the proposal.";
  return "The solver would not have chosen this. Submit it and it will learn from you.";
}

/** @param {Row} row @param {number} largest */
function line(row, largest) {
  const same = Math.abs(row.total) < NOTHING;
  const bar = h("span", {
    class: `share ${row.gain >= 0 ? "better" : "worse"}`,
    "aria-hidden": "true",
  });
  bar.style.width = `${same ? 0 : Math.round((100 * Math.abs(row.gain)) / largest)}%`;
  /** @param {number | null} value */
  const cell = (value) =>
    h("td", { class: "num" }, value === null || Math.abs(value) < NOTHING ? "·" : signed(value));
  return h(
    "tr",
    { class: same ? "same" : "moved" },
    h("th", { scope: "row" }, row.label, bar),
    h("td", { class: "num" }, amount(row.now, row.unit)),
    cell(row.last),
    cell(row.total),
  );
}

/** @param {Row[]} rows */
function largestFirst(rows) {
  if (rows.length <= FEW) return rows;
  return [...rows].sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain)).slice(0, FEW);
}

/** Fill a place with the table of changes. @param {HTMLElement} place @param {Proposal} data @param {number[] | null} last */
export function drawChanges(place, data, last) {
  const rows = changeRows(data, last);
  const shown = largestFirst(rows);
  const largest = rows.reduce((most, row) => Math.max(most, Math.abs(row.gain)), 1e-12);
  const head = ["Feature", "now", "last change", "total change"];
  const note = shownAs(data).note;
  const left = rows.length - shown.length;
  put(
    place,
    h(
      "table",
      { class: "changes" },
      h("caption", { class: "unseen", text: "What the edits change, feature by feature" }),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text) => h("th", { scope: "col", text })),
        ),
      ),
      h(
        "tbody",
        {},
        shown.map((row) => line(row, largest)),
      ),
    ),
    left ? hint(`The ${shown.length} of ${rows.length} features that matter most here.`) : null,
    note ? hint(note) : null,
    hint(opinion(data, rows)),
  );
}

/** @param {string} text */
const hint = (text) => h("p", { class: "hint", text });

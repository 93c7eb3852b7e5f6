// What has been learned, in words and bars.

import { h, put, s } from "../app/elements.js";
import { feature, plural } from "../app/format.js";

/** @import { Belief } from "../app/types.js" */

const FEW = 20; // features shown
const HALF = 70; // pixels of half a bar

/** @typedef {{ tastes: number[], text: string }} Other tastes to compare with, and their name */
/** @typedef {Pick<Belief, "feature" | "taste" | "words" | "worth">} Row */

/**
 * Draw how much each feature is wanted or avoided, and what it is worth.
 * @param {HTMLElement} place
 * @param {Row[]} beliefs
 * @param {Other | null} [other]
 * @param {(index: number) => Node} [more] what else belongs to a row
 */
export function weightTable(place, beliefs, other = null, more = undefined) {
  const rows = beliefs.map((belief, index) => ({
    ...belief,
    index,
    other: other?.tastes[index] ?? null,
  }));
  const largest = rows.reduce(
    (most, { taste, other }) => Math.max(most, Math.abs(taste), Math.abs(other ?? 0)),
    1e-12,
  );
  const shown = rows.sort((a, b) => Math.abs(b.taste) - Math.abs(a.taste)).slice(0, FEW);
  /** @param {typeof shown[number]} row */
  const line = (row) =>
    h(
      "div",
      { role: "listitem", class: row.words === "not known yet" ? "weight unknown" : "weight" },
      h(
        "span",
        { class: "called" },
        h("b", { text: feature(row.feature).label }),
        " ",
        h("small", { text: row.words }),
      ),
      bar(row.taste / largest, row.other === null ? null : row.other / largest, other?.text ?? ""),
      h("span", { class: "hint worth", text: row.worth }),
      more?.(row.index) ?? null,
    );
  const note = `The ${shown.length} of ${plural(beliefs.length, "feature")} that matter most.`;
  put(
    place,
    h("p", { class: "hint", text: "Bars to the left: avoided. Bars to the right: wanted." }),
    h("div", { class: "weights", role: "list" }, shown.map(line)),
    beliefs.length > shown.length ? h("p", { class: "hint", text: note }) : null,
  );
}

/** @param {number} share from -1 to 1 */
const bounds = (share) => ({
  x: HALF + Math.min(0, share) * HALF,
  width: Math.max(1, Math.abs(share) * HALF),
});

/** @param {number} share @param {number | null} other @param {string} text */
function bar(share, other, text) {
  const alone = other === null;
  const spoken = alone ? "" : `; ${text}: ${Math.round(other * 100)}`;
  return s(
    "svg",
    {
      class: "bar",
      viewBox: `0 0 ${2 * HALF} 18`,
      width: 2 * HALF,
      height: 18,
      role: "img",
      "aria-label": `${Math.round(share * 100)} of 100${spoken}`,
    },
    s("rect", {
      class: share < 0 ? "minus" : "plus",
      ...bounds(share),
      y: alone ? 4 : 1,
      height: alone ? 10 : 7,
    }),
    alone ? null : s("rect", { class: "other", ...bounds(other), y: 10, height: 7 }),
    s("line", { x1: HALF, x2: HALF, y1: 0, y2: 18 }),
  );
}

// What has been learned, in words and bars.

import { h, put, s } from "../app/elements.js";
import { feature, number, plural } from "../app/format.js";

/** @import { Beliefs } from "../app/types.js" */

const UNKNOWN = 0.15; // below this share of knowledge the page makes no statement
const FEW = 20; // features shown
const HALF = 70; // pixels of half a bar

/**
 * @typedef {object} Part
 * @property {number} index @property {string} label @property {string} unit @property {number} factor
 * @property {number} weight the weight as learned
 * @property {number} taste how much the feature is wanted (positive) or avoided (negative), comparable
 * @property {number} known the share of the prior uncertainty that is gone
 */

/** @typedef {{ matter: number[], text: string }} Other weights to compare with, and their name */

/** @param {Beliefs} beliefs @param {number[]} signs @returns {Part[]} */
function partsOf({ weights, matter, known, feature_names: names }, signs) {
  return names.map((name, index) => {
    const certainty = known?.[index] ?? 1;
    const taste = certainty < UNKNOWN ? 0 : matter[index] * signs[index];
    return { ...feature(name), index, weight: weights[index], taste, known: certainty };
  });
}

/** The feature that the others are compared with. @param {Part[]} parts @param {number} largest */
function referenceOf(parts, largest) {
  const [first] = parts;
  if (Math.abs(first.taste) > 0.05 * largest && first.known > 0.2) return first;
  return parts.reduce((a, b) => (Math.abs(b.taste) > Math.abs(a.taste) ? b : a));
}

/** @param {Part[]} parts */
const strongestFirst = (parts) =>
  [...parts].sort((a, b) => Math.abs(b.taste) - Math.abs(a.taste)).slice(0, FEW);

/**
 * Draw how much each feature is wanted or avoided, and what it is worth.
 * @param {HTMLElement} place @param {Beliefs} beliefs
 * @param {number[]} signs -1 for each feature that is a cost: a positive weight then avoids it
 * @param {Other | null} [other]
 */
export function weightTable(place, beliefs, signs, other = null) {
  const parts = partsOf(beliefs, signs);
  const sizes = [...parts.map(({ taste }) => taste), ...(other?.matter ?? [])].map(Math.abs);
  const largest = sizes.reduce((a, b) => Math.max(a, b), 1e-12);
  const reference = referenceOf(parts, largest);
  const shown = strongestFirst(parts);
  /** @param {Part} part */
  const row = (part) => {
    const { index } = part;
    return h(
      "div",
      { role: "listitem", class: "weight" },
      h(
        "span",
        { class: "called" },
        h("b", { text: part.label }),
        " ",
        h("small", { text: inWords(part, largest) }),
      ),
      bar(
        part.taste / largest,
        other && (signs[index] * other.matter[index]) / largest,
        other?.text ?? "",
      ),
      h("span", { class: "hint worth", text: worth(part, reference, largest) }),
    );
  };
  const note = `The ${shown.length} of ${plural(parts.length, "feature")} that matter most.`;
  put(
    place,
    h("p", { class: "hint", text: "Bars to the left: avoided. Bars to the right: wanted." }),
    h("div", { class: "weights", role: "list" }, shown.map(row)),
    parts.length > shown.length ? h("p", { class: "hint", text: note }) : null,
  );
}

/** @param {Part} part @param {number} largest */
export function inWords(part, largest) {
  if (part.known < UNKNOWN) return "not known yet";
  const share = Math.abs(part.taste) / largest;
  if (share < 0.05) return "makes no difference";
  const degree = share > 0.5 ? ", strongly" : "";
  return `${part.taste > 0 ? "wanted" : "avoided"}${share > 0.2 ? degree : ", a little"}`;
}

/** @param {Part} part @param {number} count */
const quantity = ({ label, unit }, count) =>
  unit ? `${number(count)} ${unit} of ${label}` : `${number(count)} of “${label}”`;

/** One of what a feature counts: "One traffic light". @param {string} label */
const singular = (label) =>
  /[a-z]{2}[^su]s$/.test(label) ? `One ${label.slice(0, -1)}` : `One of “${label}”`;

/**
 * How much of the reference a unit of a feature is worth.
 * @param {Part} part
 * @param {Part} reference
 * @param {number} largest
 */
function worth(part, reference, largest) {
  if (part.index === reference.index || part.known < UNKNOWN || !reference.weight) return "";
  if (Math.abs(part.taste) < 0.05 * largest) return "";
  const rate = Math.abs(part.weight / part.factor / (reference.weight / reference.factor));
  if (rate < 1e-3 || rate > 1e4) return "";
  const one = part.unit ? quantity(part, 1) : singular(part.label);
  const way = reference.label === "distance" && reference.unit;
  const other = way
    ? `a detour of ${number(rate, 2)} ${reference.unit}`
    : quantity(reference, rate);
  return `${one} is worth ${other}`;
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

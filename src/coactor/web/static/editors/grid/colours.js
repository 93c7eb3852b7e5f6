// Colours of chips, readable on light and on dark pages.

/** @import { Layout } from "./layout.js" */

const PALETTE = [
  "#8ecae6",
  "#ffd166",
  "#a7d08c",
  "#f4a582",
  "#c3b1e1",
  "#9fd8cb",
  "#f7b2c4",
  "#d9c27c",
  "#7fa8d9",
  "#e58f65",
  "#b5c99a",
  "#cdb4db",
];
const dark = matchMedia("(prefers-color-scheme: dark)");

/** @param {string} colour such as "#ffd166"; others are left as they are @returns {number[] | null} */
function channels(colour) {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  return match ? match.slice(1).map((hex) => Number.parseInt(hex, 16)) : null;
}

/** @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Set the background and the text of a chip. @param {HTMLElement} chip @param {string} colour */
export function paintChip(chip, colour) {
  const { ground, ink } = chipColours(colour);
  chip.style.setProperty("--ground", ground);
  chip.style.setProperty("--ink", ink);
}

/** @param {string} colour */
function chipColours(colour) {
  const rgb = channels(colour);
  if (!rgb) return { ground: "var(--tint)", ink: "var(--text)" };
  const grey = Math.max(...rgb) - Math.min(...rgb) < 24; // such as a day off: stays in the background
  const shown = dark.matches
    ? rgb.map((value) => Math.round((grey ? 0.2 : 0.42) * value + 8))
    : rgb;
  const ink = luminance(shown) > 0.179 ? "#10201c" : "#ffffff"; // at least 4.5 : 1
  return { ground: `rgb(${shown.join(" ")})`, ink };
}

/** The colour of each choice. @param {Layout} layout */
export function choiceColours({ view, choices, widths }) {
  const [axis] = view.choose;
  const own = view.colours[axis];
  const rest = choices.length / widths[0];
  return choices.map((_, k) => {
    const first = Math.floor(k / rest);
    return own?.[view.names[axis][first]] ?? PALETTE[first % PALETTE.length];
  });
}

/** The colour of each item: those whose names begin with the same word share one. @param {Layout} layout */
export function itemColours(layout) {
  const words = Array.from({ length: layout.size }, (_, part) => layout.nameOf(part).split(" ")[0]);
  const groups = [...new Set(words)];
  return words.map((word) => PALETTE[groups.indexOf(word) % PALETTE.length]);
}

/** Call when the page turns dark or light. @param {() => void} act */
export const onScheme = (act) => dark.addEventListener("change", act);

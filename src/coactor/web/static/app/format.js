// Numbers, times and features as people write them. Pure functions.

/** @import { Basis, Belief, Proposal } from "./types.js" */

const MINUTES = ["lateness", "waiting", "overtime", "longest shift"]; // what plans measure

/**
 * The parts of a feature's name: "distance (km)" is "distance" in "km"; "main road (×84 m)" is counted in
 * units of 84 m. What the label says already is no unit: "single nights (nights)" is "single nights".
 * @param {string} name
 */
export function feature(name) {
  const match = /^(.*\S)\s*\((?:×([0-9.e+]+) )?([^()]{1,12})\)$/.exec(name);
  if (!match) return { label: name, unit: MINUTES.includes(name) ? "min" : "", factor: 1 };
  const unit = match[1].split(" ").includes(match[3]) ? "" : match[3];
  return { label: match[1], unit, factor: Number(match[2] ?? 1) };
}

/**
 * Format a number with about three significant digits.
 * @param {number} value
 * @param {number} [digits]
 */
export function number(value, digits = 3) {
  if (value === 0) return "0";
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY) return value > 0 ? "∞" : "−∞";
  if (size >= 1e12 || size < 1e-3) return minus(value.toExponential(1));
  if (size >= 1e4) return minus(Math.round(value).toLocaleString("en").replaceAll(",", "\u202f"));
  const places = Math.max(0, Math.min(4, digits - 1 - Math.floor(Math.log10(size))));
  return minus(String(Number(value.toFixed(places))));
}

/** @param {string} text */
const minus = (text) => text.replaceAll("-", "−");

/** The same with its sign. @param {number} value */
export const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));

/**
 * Minutes as people say them: seconds below one, and no more than tenths.
 * @param {number} value @param {string} unit
 * @returns {[number, string]}
 */
function spoken(value, unit) {
  if (unit !== "min") return [value, unit];
  return Math.abs(value) < 1 ? [Math.round(60 * value), "s"] : [Number(value.toFixed(1)), unit];
}

/** @param {number} value @param {string} unit @param {(size: number) => string} [text] */
export function amount(value, unit, text = number) {
  const [size, of] = spoken(value, unit);
  const noun = Math.abs(size) === 1 ? of.replace(/^([a-z]{2,})s$/, "$1") : of; // 1 point, 2 points
  return of ? `${text(size)} ${noun}` : text(size);
}

/** @param {number} value @param {string} unit */
export const signedAmount = (value, unit) => amount(value, unit, signed);

/** @param {number} count @param {string} one */
export const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/**
 * How much was edited: one drag is one move, also where it counts as several edits.
 * @param {number} effort @param {number} gestures as many as the list of edits has lines
 */
export const edited = (effort, gestures) =>
  gestures && gestures < effort ? plural(gestures, "move") : plural(effort, "edit");

/**
 * How a study stands, in one line.
 * @param {{ told: number, open: number, untouched: number, effort: number }} study
 */
export function standing({ told, open, untouched, effort }) {
  const waiting = `${number(open)} open`;
  if (!told) return waiting;
  const each = plural(Number((effort / told).toPrecision(2)), "edit");
  return `${waiting}, ${number(told)} done (${number(untouched)} unchanged), ${each} per proposal`;
}

/** How long ago, roughly. @param {number} seconds since 1970 */
export function ago(seconds) {
  const past = Date.now() / 1000 - seconds;
  if (past < 60) return "just now";
  if (past < 3600) return `${Math.round(past / 60)} min ago`;
  if (past < 86400) return `${Math.round(past / 3600)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

/** @param {number} seconds */
export const duration = (seconds) =>
  seconds < 60 ? plural(Math.round(seconds), "second") : `${number(seconds / 60, 2)} minutes`;

/** The date alone. @param {number} seconds since 1970 */
export const day = (seconds) =>
  new Date(seconds * 1000).toLocaleDateString(undefined, { day: "numeric", month: "short" });

/** When a day of a calendar ("2026-11-16") begins and ends here; zeros if it is none. @param {string} text */
export function bounds(text) {
  const [year, month, date] = text.split("-").map(Number);
  if (!date) return [0, 0];
  return [date, date + 1].map((number) => new Date(year, month - 1, number).getTime() / 1000);
}

/** Date and time. @param {number} seconds since 1970 */
export const clock = (seconds) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Keep percentages in one piece at the end of a line. @param {string} text */
export const tight = (text) => text.replace(/(\d) %/g, "$1\u00a0%");

/** A chance in per cent; never 0 or 100. @param {number} share */
export const percent = (share) => `${Math.min(99, Math.max(1, Math.round(100 * share)))} %`;

/** Whether the words of a belief say what is wanted, not that it is unknown. @param {{ words: string }} belief */
export const isClear = ({ words }) => /wanted|avoided/.test(words);

/**
 * What is said back to a person who wants more or less of a feature.
 * @param {Belief} before @param {Belief} after @param {"more" | "less"} wish
 * @param {string} whom who wants it: "You do" or "Ben does"
 */
export function heard(before, after, wish, whom) {
  const { label } = feature(before.feature);
  const against = isClear(before) && before.taste > 0 !== (wish === "more");
  if (!against) return `Noted: ${wish} “${label}”. It is evidence, worth about one edit.`;
  if (before.words === after.words)
    return `Noted. More corrections against “${label}: ${after.words}” are needed.`;
  const minds = before.taste < 0 ? "mind" : "want";
  return `${whom} not ${minds} “${label}” as much as was thought: this counts as evidence.`;
}

/** The chance from which on a proposal is said to be likely fine. */
const FINE = 2 / 3;
/** The chance from which on an edit is a surprise, and proposals may be accepted together. */
export const SURE = 0.9;

/** Whether it was edited although that was very unlikely. @param {{ effort: number, basis: Basis }} row */
export const isSurprise = ({ effort, basis }) => effort > 0 && (basis.chance ?? 0) >= SURE;

/**
 * How likely a proposal is to be accepted unchanged; empty if unknown.
 * @param {number | null | undefined} chance
 */
export function likely(chance) {
  if (chance === null || chance === undefined) return "";
  if (chance >= FINE) return `likely fine as it is: ${percent(chance)}`;
  if (chance >= 1 / 3) return `may be fine as it is: ${percent(chance)}`;
  return `likely to need edits: ${percent(1 - chance)}`;
}

/** @param {string[]} parts */
export const list = (parts) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

/** @param {string} text */
export const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} text */
export const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);

/**
 * The letters of a route: A to Z, then AA, AB and so on.
 * @param {number} index
 * @returns {string}
 */
export function letters(index) {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? "" : letters(rest)) + String.fromCharCode(65 + (index % 26));
}

/**
 * How a proposal's features are shown: costs as the sums they are (the domain counts minus the sum), and a
 * ranking's features as averages. One factor per feature.
 * @param {{ signs: number[], domain: { name: string }, solution: unknown }} proposal
 */
export function shownAs({ signs, domain, solution }) {
  if (domain.name !== "ranking") return { factors: signs, note: "" };
  const count = Array.isArray(solution) ? solution.length : 0;
  let total = 0;
  for (let place = 1; place <= count; place += 1) total += 1 / Math.log2(place + 1);
  const factors = signs.map((sign) => sign / total);
  return { factors, note: "Average over the list; higher places count more." };
}

/**
 * What a move changes, in the domain's own units, what matters most first.
 * @param {Proposal} proposal @param {number[]} change of the features
 */
function changesOf(proposal, change) {
  const { factors } = shownAs(proposal);
  const { feature_names: names, weights } = proposal;
  return change
    .map((value, i) => {
      const { label, unit, factor } = feature(names[i]);
      const size = Math.abs(value * (weights[i] || 1e-9));
      return { label, unit, value: value * factors[i] * factor, size };
    })
    .filter(({ value }) => Math.abs(value) > 1e-9)
    .sort((a, b) => b.size - a.size);
}

/**
 * The same in words, the first few.
 * @param {Proposal} proposal @param {number[]} change @param {number} most
 */
export const changeTexts = (proposal, change, most) =>
  changesOf(proposal, change)
    .slice(0, most)
    .map(({ label, value, unit }) => `${label} ${signedAmount(value, unit)}`);

/** What the weights say about an edit. @param {number} gain */
export function verdict(gain) {
  if (gain > 1e-9) return "better as far as we know";
  return gain < -1e-9 ? "worse as far as we know" : "";
}

// The operators on routes: their names, their keys, and what they do in words.

import { wording } from "../../app/elements.js";
import { upper } from "../../app/format.js";
import { spotsOf } from "./moves.js";

/** @import { Move } from "../../app/types.js" */
/** @import { Operator, Rows, Spot } from "./moves.js" */
/** @import { Scene } from "./scene.js" */

/** @type {Record<Operator, { text: string, key: string, action: (a: string, b: string) => string, hint: string }>} */
export const OPERATORS = {
  reverse: {
    text: "Reverse",
    key: "v",
    action: (a, b) => `reverse ${a} to ${b}`,
    hint: "Drag from one end of a stretch to the other to reverse it, or choose both ends.",
  },
  move: {
    text: "Move",
    key: "m",
    action: (a, b) => `move ${a} after ${b}`,
    hint: "Drag a stop onto a line or onto the stop it should follow, or choose the two.",
  },
  swap: {
    text: "Swap",
    key: "s",
    action: (a, b) => `swap ${a} and ${b}`,
    hint: "Drag one stop onto another to swap them, or choose the two.",
  },
  tails: {
    text: "Swap rest",
    key: "t",
    action: (a, b) => `swap the rest of both routes after ${a} and ${b}`,
    hint: "Choose two stops of two routes: the rest of both routes after them is swapped.",
  },
};

/** A move in words. @param {Scene} scene @param {Rows} rows before it @param {Move} move */
export function describe(scene, rows, { op, args, text }) {
  if (text) return text;
  const [a, b] = spotsOf(scene.domain, { op, args }).map(({ r, k }) => scene.nameOf(rows[r]?.[k]));
  if (op === "reverse") return `Reverse ${a} to ${b}`;
  if (op === "swap") return `Swap ${a} and ${b}`;
  if (op === "tails") return `Swap the rest of both routes after ${a} and ${b}`;
  const [, , route, place] = args;
  if (place === 0) return `Move ${a} to the start of ${scene.routeName(route)}`;
  return `Move ${a} after ${b}`;
}

export const MISSING = "Choose a second stop, or press Escape and then Enter to submit.";

/** @param {string} name of the first stop that is chosen */
export const chosenText = (name) =>
  wording(
    `${name} is chosen. Choose the other stop, or Escape.`,
    `${name} is chosen. Tap the other stop, or the same one again to cancel.`,
  );

/** The question whether to perform an operator. @param {Operator} op @param {string} action */
export const askText = (op, action) =>
  `${upper(action)}? ${wording("Press Enter", `Tap ${OPERATORS[op].text}`)}.`;

/** What is said about stops outside the map. @param {number} count */
export function farText(count) {
  if (!count) return "";
  return count === 1
    ? " One stop is far away: ⤢ shows it."
    : ` ${count} stops are far away: ⤢ shows them.`;
}

/** All spots from one to another on the same route. @param {Spot} a @param {Spot} b */
export function between(a, b) {
  const [low, high] = [Math.min(a.k, b.k), Math.max(a.k, b.k)];
  return Array.from({ length: high - low + 1 }, (_, i) => ({ r: a.r, k: low + i }));
}

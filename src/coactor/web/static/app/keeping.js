// What stays in a re-plan: parts of a solution by their names, and the edits that lock and free them.

/** @import { Editor, Move, Proposal } from "./types.js" */

/** What a solution is made of, by the names that the domain gives it. @typedef {string[]} Part */

const FEW = 3; // parts named in a sentence

/** @param {Part} part */
export const keyOf = (part) => part.join("\n");

/** @param {Part[]} [parts] */
export const setOf = (parts = []) => new Set(parts.map(keyOf));

/** Whether an edit says only what must stay. @param {Move} move */
export const isLock = ({ op }) => op === "keep" || op === "free";

/** The edit that locks parts; if all of them are locked, the one that frees them. @param {Part[]} locked @param {Part[]} parts @returns {Move} */
export function toggled(locked, parts) {
  const known = setOf(locked);
  const open = parts.filter((part) => !known.has(keyOf(part)));
  return open.length
    ? { op: "keep", args: [], parts: open }
    : { op: "free", args: [], parts: [...parts] };
}

/** What is locked after some edits. @param {Part[]} locked @param {Move[]} moves @returns {Part[]} */
export function lockedAfter(locked, moves) {
  return moves.filter(isLock).reduce((now, { op, parts = [] }) => {
    const changed = setOf(parts);
    const others = now.filter((part) => !changed.has(keyOf(part)));
    return op === "keep" ? [...others, ...parts] : others;
  }, locked);
}

/** How parts are kept: all of them, or one of the two legs of a stop. @param {Part[]} parts @param {Set<string>} locked @param {Set<string>} own */
export function stateOf(parts, locked, own) {
  const keys = parts.map(keyOf);
  if (keys.length && keys.every((key) => locked.has(key))) return "locked";
  const kept = keys.filter((key) => locked.has(key) || own.has(key)).length;
  return kept && (keys.length < 3 || kept === keys.length) ? "kept" : "";
}

/** @param {Move} move @param {(part: Part) => string} nameOf */
export function lockText({ op, parts = [] }, nameOf = (part) => part.join(": ")) {
  const names = [...new Set(parts.map(nameOf))];
  const more = names.length > FEW ? ` and ${names.length - FEW} more` : "";
  return `${op === "keep" ? "Locked" : "Unlocked"} ${names.slice(0, FEW).join(", ")}${more}`;
}

/** The edits in words, one per gesture. @param {Editor} editor @param {Pick<Proposal, "moves" | "texts">} data */
export function linesOf(editor, { moves, texts }) {
  const worded = moves.map((move, i) => {
    if (isLock(move)) return { ...move, text: lockText(move, editor.partName) };
    return move.op === "replan" ? { ...move, text: texts?.[i] || "Re-planned" } : move;
  });
  return editor.history?.(worded) ?? worded.map((move) => move.text ?? editor.describe(move));
}

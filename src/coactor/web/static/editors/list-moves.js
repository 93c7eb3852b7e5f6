// The moves of lists: exchanges of neighbours in a ranking, orders of three in a row in a path of steps.
// One drag may be many of them. Pure functions.

import { plural } from "../app/format.js";

/** @import { Move } from "../app/types.js" */

/** One item carried from one place to another. @typedef {{ item: number, from: number, to: number }} Carry */

/** @param {number[]} order @param {number} from @param {number} to */
export function carried(order, from, to) {
  const next = [...order];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

/**
 * The exchanges that carry the item at one place to another.
 * @param {number} from
 * @param {number} to
 * @returns {Move[]}
 */
export function exchanges(from, to) {
  const step = Math.sign(to - from);
  return Array.from({ length: Math.abs(to - from) }, (_, n) => ({
    op: "exchange",
    args: [step > 0 ? from + n : from - n - 1],
  }));
}

/**
 * The orders of three in a row that carry the item at one place to another, two places at a time.
 * @param {number} count items in the list @param {number} from @param {number} to @returns {Move[]}
 */
export function reorders(count, from, to) {
  /** @type {Move[]} */
  const moves = [];
  for (let place = from; place !== to && count >= 3; ) {
    const next = place + Math.max(-2, Math.min(2, to - place));
    const start = Math.min(place, next, count - 3);
    moves.push({
      op: "reorder",
      args: [start, ...carried([0, 1, 2], place - start, next - start)],
    });
    place = next;
  }
  return moves;
}

/** The order after an order of three. @param {number[]} order @param {Move} move */
export function reordered(order, { op, args: [start, ...way], to, parts }) {
  if (op === "replan") return /** @type {number[]} */ (to);
  if (parts) return order;
  const next = [...order];
  way.forEach((k, i) => {
    next[start + i] = order[start + k];
  });
  return next;
}

/** The item that an order of three carries by two places, if it does. @param {number[]} order @param {Move} move */
function carriedByTwo(order, { args: [start, ...way] }) {
  if (String(way) === "1,2,0") return { item: order[start], from: start, to: start + 2 };
  if (String(way) === "2,0,1") return { item: order[start + 2], from: start + 2, to: start };
  return null;
}

/**
 * Orders of three read as people make them: a chain that carries one item in one direction is one carry.
 * @param {number[]} proposed @param {Move[]} moves @returns {(Carry | Move)[]}
 */
export function stepCarries(proposed, moves) {
  let order = proposed;
  /** @type {(Carry | Move)[]} */
  const edits = [];
  for (const move of moves) {
    const after = reordered(order, move);
    const last = edits.at(-1);
    const goal = last && "item" in last ? after.indexOf(last.item) : -1;
    if (!move.text && last && "item" in last && continues(last, goal, order, after)) last.to = goal;
    else edits.push(move.text ? move : (carriedByTwo(order, move) ?? move));
    order = after;
  }
  return edits;
}

/**
 * Whether the step from one order to the next does nothing but carry the item of a carry on.
 * @param {Carry} last @param {number} goal @param {number[]} order @param {number[]} after
 */
const continues = ({ from, to }, goal, order, after) =>
  (goal - to) * (to - from) > 0 && String(carried(order, to, goal)) === String(after);

/**
 * Exchanges read as carries, in order: a chain of exchanges that moves one item is one carry.
 * @param {number[]} proposed @param {Move[]} moves @returns {(Carry | Move)[]}
 */
export function carries(proposed, moves) {
  let order = [...proposed];
  /** @type {(Carry | Move)[]} */
  const chains = [];
  moves.forEach((move, n) => {
    const [i] = move.args;
    const next = moves[n + 1]?.args[0];
    const last = chains.at(-1);
    if (move.text) {
      order = [.../** @type {number[]} */ (move.to ?? order)];
      chains.push(move);
      return;
    }
    const goes = last && "item" in last && goesOn(last, i);
    if (!goes) chains.push(firstStep(order, i, next === i + 1));
    [order[i], order[i + 1]] = [order[i + 1], order[i]];
  });
  return chains;
}

/**
 * Whether an exchange carries the item of the last one on; if so, note it.
 * @param {Carry} last
 * @param {number} i
 */
function goesOn(last, i) {
  const down = last.to >= last.from && last.to === i;
  const up = last.to <= last.from && last.to === i + 1;
  if (down) last.to = i + 1;
  else if (up) last.to = i;
  return down || up;
}

/** @param {number[]} order @param {number} i @param {boolean} down @returns {Carry} */
const firstStep = (order, i, down) =>
  down ? { item: order[i], from: i, to: i + 1 } : { item: order[i + 1], from: i + 1, to: i };

/** @param {string} name @param {number} from @param {number} to */
export const carryText = (name, from, to) =>
  `${name} moved from place ${from + 1} to ${to + 1} (${plural(Math.abs(to - from), "exchange")})`;

/**
 * The items of a sequence that are not part of its longest increasing subsequence.
 * @param {number[]} values
 * @returns {Set<number>} indices
 */
export function outOfOrder(values) {
  /** @type {number[]} */
  const tails = []; // index of the smallest end of an increasing subsequence of each length
  const previous = values.map(() => -1);
  values.forEach((value, i) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]] < value) low = middle + 1;
      else high = middle;
    }
    previous[i] = low > 0 ? tails[low - 1] : -1;
    tails[low] = i;
  });
  const out = new Set(values.keys());
  for (let i = tails.at(-1) ?? -1; i >= 0; i = previous[i]) out.delete(i);
  return out;
}

/**
 * Rows of numbers, from dense or sparse data.
 * @param {any} documents
 * @param {number} width
 * @returns {number[][]}
 */
export function tableOf(documents, width) {
  if (Array.isArray(documents)) return documents;
  const { indptr, indices, values } = documents;
  return Array.from({ length: indptr.length - 1 }, (_, r) => {
    const row = Array(width).fill(0);
    for (let k = indptr[r]; k < indptr[r + 1]; k += 1) row[indices[k]] = values[k];
    return row;
  });
}

/** @param {number[]} values */
function deviation(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
}

/**
 * The features that tell the items apart most, in their own order.
 * @param {number[][]} rows @param {number[]} weights @param {number} most
 */
export function telling(rows, weights, most) {
  const known = weights.some((weight) => weight !== 0);
  const spread = weights.map((weight, i) => {
    const size = deviation(rows.map((row) => row[i])) * (known ? Math.abs(weight) : 1);
    return { i, size: size || 1e-9 / (i + 1) };
  });
  const chosen = spread.sort((a, b) => b.size - a.size).slice(0, most);
  return chosen.map(({ i }) => i).sort((a, b) => a - b);
}

// The moves of a ranking: exchanges of neighbours. One drag may be many of them. Pure functions.

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

/** The order after an exchange. @param {number[]} order @param {Move} move */
function exchanged(order, { args: [i], to, parts }) {
  if (parts) return order;
  return /** @type {number[]} */ (to) ?? carried(order, i, i + 1);
}

/** An exchange carries an item down if the next one does, else up. @param {number[]} order @param {Move} move @param {Move} [next] @returns {Carry} */
const carriedBy = (order, { args: [i] }, next) =>
  next?.args[0] === i + 1
    ? { item: order[i], from: i, to: i + 1 }
    : { item: order[i + 1], from: i + 1, to: i };

/**
 * Moves read as people make them: a chain that carries one item in one direction is one carry.
 * @param {number[]} proposed @param {Move[]} moves
 */
export function carries(proposed, moves) {
  let order = proposed;
  /** @type {(Carry | Move)[]} */
  const edits = [];
  moves.forEach((move, n) => {
    const after = exchanged(order, move);
    const last = edits.at(-1);
    const goal = last && "item" in last ? after.indexOf(last.item) : -1;
    if (!move.text && last && "item" in last && continues(last, goal, order, after)) last.to = goal;
    else edits.push(move.text ? move : carriedBy(order, move, moves[n + 1]));
    order = after;
  });
  return edits;
}

/**
 * Whether the step from one order to the next does nothing but carry the item of a carry on.
 * @param {Carry} last @param {number} goal @param {number[]} order @param {number[]} after
 */
const continues = ({ from, to }, goal, order, after) =>
  (goal - to) * (to - from) > 0 && String(carried(order, to, goal)) === String(after);

/**
 * How many items come before each one in the longest increasing subsequence that ends with it.
 * @param {number[]} values
 */
function increasingBefore(values) {
  /** @type {number[]} */
  const tails = []; // the smallest end of an increasing subsequence of each length
  return values.map((value) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle] < value) low = middle + 1;
      else high = middle;
    }
    tails[low] = value;
    return low;
  });
}

/**
 * The items of a sequence that are not part of all its longest increasing subsequences: of two neighbours
 * that are swapped, both.
 * @param {number[]} values
 * @returns {Set<number>} indices
 */
export function outOfOrder(values) {
  const before = increasingBefore(values);
  const after = increasingBefore(values.map((value) => -value).reverse()).reverse();
  const longest = before.reduce((most, count) => Math.max(most, count), -1);
  const stays = values.map((_, i) => before[i] + after[i] === longest);
  const places = before.filter((_, i) => stays[i]);
  const sole = (/** @type {number} */ place) => places.indexOf(place) === places.lastIndexOf(place);
  const out = [...values.keys()].filter((i) => !stays[i] || !sole(before[i]));
  return new Set(out);
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

// The moves of a domain of routes, as the server defines them. Pure functions on rows of stops.

import { outOfOrder } from "../list-moves.js";

/** @import { Move } from "../../app/types.js" */

/** @typedef {"tour" | "fleet" | "plan"} Domain */
/** @typedef {"reverse" | "move" | "swap" | "tails"} Operator */
/** @typedef {number[][]} Rows the stops of each route; row indices are the domain's positions */
/** @typedef {{ r: number, k: number }} Spot a position: route and place on it */
/** @typedef {{ move: Move, refusal?: undefined } | { move?: undefined, refusal: string }} Choice */

/** @param {Spot | null} a @param {Spot | null} b */
export const same = (a, b) => a === b || (a !== null && b !== null && a.r === b.r && a.k === b.k);

/**
 * Routes as rows: in a plan the depot is place 0 of every row.
 * @param {Domain} domain
 * @param {any} solution
 * @param {number[]} [starts] the depots of a plan's vehicles, if they are not all point 0
 * @returns {Rows}
 */
export function rowsOf(domain, solution, starts = []) {
  if (domain === "tour") return [solution];
  if (domain === "fleet") return solution;
  return solution.map((/** @type {number[]} */ stops, /** @type {number} */ r) => [
    starts[r] ?? 0,
    ...stops,
  ]);
}

/** The solution that rows stand for. @param {Domain} domain @param {Rows} rows */
export function solutionOf(domain, rows) {
  if (domain === "tour") return rows[0];
  return domain === "fleet" ? rows : rows.map((row) => row.slice(1));
}

/** @param {string} refusal @returns {Choice} */
const refuse = (refusal) => ({ refusal });

/** @param {Operator} op @param {number[]} args @returns {Choice} */
const allow = (op, ...args) => ({ move: { op, args } });

/**
 * The move that an operator makes of two stops, or a sentence why there is none.
 * @param {Domain} domain @param {Rows} rows @param {Operator} op @param {Spot} from @param {Spot} to
 * @returns {Choice}
 */
export function moveFor(domain, rows, op, from, to) {
  if (op === "reverse") return reversal(domain, rows, from, to);
  const refusal = REFUSALS[op](from, to);
  return refusal ? { refusal } : allow(op, from.r, from.k, to.r, to.k);
}

/** Why an operator cannot be used on two stops of a plan; empty if it can. @type {Record<string, (from: Spot, to: Spot) => string>} */
const REFUSALS = {
  move(from, to) {
    if (from.k === 0) return "The depot cannot be moved. Choose a stop.";
    const there = from.r === to.r && (to.k === from.k || to.k === from.k - 1);
    return there ? "The stop is already there." : "";
  },
  swap(from, to) {
    if (from.k === 0 || to.k === 0) return "The depot cannot be swapped. Choose two stops.";
    return from.r === to.r && from.k === to.k ? "Choose two different stops." : "";
  },
  tails: (from, to) => (from.r === to.r ? "Choose stops of two different routes." : ""),
};

/**
 * @param {Domain} domain
 * @param {Rows} rows
 * @param {Spot} from
 * @param {Spot} to
 * @returns {Choice}
 */
function reversal(domain, rows, from, to) {
  if (from.r !== to.r) return refuse("Choose both ends on the same route.");
  const last = rows[from.r].length - 1;
  const [i, j] = [Math.min(from.k, to.k), Math.max(from.k, to.k)];
  if (domain === "tour") return tourReversal(i, j, last);
  if (domain === "fleet" && (i === 0 || j === last)) {
    return refuse("The start and the end of a route are fixed. Choose stops in between.");
  }
  const first = domain === "plan" ? Math.max(1, i) : i;
  return j > first ? allow("reverse", from.r, first, j) : refuse("Choose at least two stops.");
}

/** @param {number} i @param {number} j @param {number} last @returns {Choice} */
function tourReversal(i, j, last) {
  // The first stop stays. Reversing a stretch that holds it is the same as reversing the rest.
  const [first, end] = i === 0 ? [j + 1, last] : [i, j];
  const nothing = end <= first || (first === 1 && end === last);
  return nothing ? refuse("That would not change the round.") : allow("reverse", first, end);
}

/**
 * The rows after a move.
 * @param {Domain} domain
 * @param {Rows} rows
 * @param {Move} move
 * @returns {Rows}
 */
export function applied(domain, rows, { op, args, parts, to }) {
  const starts = rows.map(([start]) => start);
  if (op === "replan") return rowsOf(domain, to, starts);
  if (parts) return rows;
  const next = rows.map((row) => [...row]);
  if (op === "reverse") {
    const [r, i, j] = domain === "tour" ? [0, ...args] : args;
    next[r].splice(i, j - i + 1, ...next[r].slice(i, j + 1).reverse());
    return next;
  }
  const [r, i, t, j] = args;
  if (op === "move") {
    const [stop] = next[r].splice(i, 1);
    next[t].splice(r === t && j > i ? j : j + 1, 0, stop);
  } else if (op === "swap") {
    [next[r][i], next[t][j]] = [next[t][j], next[r][i]];
  } else {
    const tails = [next[r].splice(i + 1), next[t].splice(j + 1)];
    next[r].push(...tails[1]);
    next[t].push(...tails[0]);
  }
  return next;
}

/** The two stops of a move. @param {Domain} domain @param {Move} move @returns {[Spot, Spot]} */
export function spotsOf(domain, { op, args }) {
  const [r, k, ...last] = domain === "tour" ? [0, ...args] : args;
  const [t, j] = op === "reverse" ? [r, ...last] : last;
  return [
    { r, k },
    { r: t, k: j },
  ];
}

/** An edge of a route, from one stop to the next. @typedef {{ r: number, k: number, a: number, b: number }} Edge */

/** Where each route ends, null: anywhere; a row without an entry is of stops that are left out. @typedef {(number | null)[]} Ends */

/**
 * The edges of each route; tours and plans return to where they began, or to other ends.
 * @param {Domain} domain
 * @param {Rows} rows
 * @param {Ends} [ends]
 * @returns {Edge[]}
 */
export function edgesOf(domain, rows, ends = rows.map(([start]) => start)) {
  return rows.slice(0, ends.length).flatMap((row, r) => {
    const end = domain === "fleet" || row.length < 2 ? null : ends[r];
    const next = end === null ? row.slice(1) : [...row.slice(1), end];
    return next.map((b, k) => ({ r, k, a: row[k], b }));
  });
}

/**
 * The names of edges as the domain has them: a plan's as they are driven, others in alphabetical order.
 * @param {Domain} domain @param {Edge[]} edges @param {(stop: number) => string} titleOf
 */
export const partsOf = (domain, edges, titleOf) =>
  edges.map(({ a, b }) => {
    const ends = [titleOf(a), titleOf(b)];
    return domain === "plan" || ends[0] <= ends[1] ? ends : ends.reverse();
  });

/** The name of an edge, whichever way it is driven. @param {Edge} edge */
const edgeName = ({ a, b }) => (a < b ? `${a} ${b}` : `${b} ${a}`);

/**
 * The edges that only one of two solutions has.
 * @param {Domain} domain
 * @param {Rows} before
 * @param {Rows} after
 * @param {Ends} [ends]
 */
export function edgeChanges(domain, before, after, ends) {
  const [old, now] = [edgesOf(domain, before, ends), edgesOf(domain, after, ends)];
  const [oldNames, newNames] = [new Set(old.map(edgeName)), new Set(now.map(edgeName))];
  return {
    removed: old.filter((edge) => !newNames.has(edgeName(edge))),
    added: now.filter((edge) => !oldNames.has(edgeName(edge))),
  };
}

/**
 * The stops that were moved and have another number now.
 * @param {Rows} before
 * @param {Rows} after
 * @returns {Set<number>}
 */
export function movedStops(before, after) {
  const places = new Map(before.flatMap((row, r) => row.map((stop, k) => [stop, { r, k }])));
  const moved = new Set();
  after.forEach((row, r) => {
    const stayed = row.filter((stop) => places.get(stop)?.r === r);
    const late = outOfOrder(stayed.map((stop) => places.get(stop)?.k ?? 0));
    for (const i of late) moved.add(stayed[i]);
    row.forEach((stop, k) => {
      const old = places.get(stop);
      if (old && same(old, { r, k })) moved.delete(stop);
      else if (old?.k !== 0 && old?.r !== r) moved.add(stop);
    });
  });
  return moved;
}

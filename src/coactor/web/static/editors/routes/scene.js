// What the stops and routes of a problem are called, and where they are.

import { letters } from "../../app/format.js";
import { eastScale } from "../geometry.js";
import { edgesOf, rowsOf } from "./moves.js";

/** @import { Point } from "../../app/types.js" */
/** @import { Domain, Ends, Rows, Spot } from "./moves.js" */

/**
 * The problem as far as it is shown.
 * @typedef {object} Problem
 * @property {Point[]} [coordinates] @property {number} [size]
 * @property {string[]} [names] @property {string[]} [stops]
 * @property {(number | number[])[]} [demand] @property {unknown[]} [capacity]
 * @property {string[]} [vehicles] @property {{ starts?: number[], ends?: number[] }} [shifts]
 */

/**
 * How stops and routes are called and where they are.
 * @typedef {object} Scene
 * @property {Domain} domain
 * @property {Point[]} points on a plane, north up
 * @property {number[] | undefined} starts of the routes of a plan
 * @property {Ends | undefined} ends
 * @property {(point: Point) => Point} project
 * @property {Point[]} coordinates as they were given; none if there are none
 * @property {(stop: number) => string} nameOf
 * @property {(stop: number) => string} titleOf as the server calls it
 * @property {(stop: number) => string} amountOf what a stop takes, such as "×3"
 * @property {(r: number) => string} routeName
 * @property {(spot: Spot) => string} short such as "A3"
 * @property {(spot: Spot) => boolean} isDepot
 * @property {(spot: Spot, row: number[]) => boolean} isFixed
 */

const COLOURS = 12;

/** The class of a route's colour. @param {number} r */
export const colour = (r) => `c${r % COLOURS}`;

/**
 * Points without coordinates stand on a circle, in the order of the proposal.
 * @param {number[]} order
 * @param {number} count
 * @returns {Point[]}
 */
function onCircle(order, count) {
  const stops = [...new Set(order)];
  const points = Array.from({ length: count }, () => /** @type {Point} */ ([0, 0]));
  stops.forEach((stop, i) => {
    const angle = (2 * Math.PI * i) / stops.length - Math.PI / 2;
    points[stop] = [1.5 * Math.cos(angle), Math.sin(angle)];
  });
  return points;
}

/** A number is no name to speak of. @param {string} text */
const named = (text) => (/^\d+$/.test(text) ? `Stop ${text}` : text);

const ANYWHERE = "anywhere"; // the name of the last point if a route may end at any stop

/** @param {Domain} domain @param {Problem} problem @returns {Ends | undefined} */
function endsOf(domain, { capacity, shifts, stops }) {
  if (domain !== "plan" || !capacity) return undefined;
  return capacity.map((_, r) => {
    const end = shifts?.ends?.[r] ?? 0;
    return end && stops?.[end] === ANYWHERE ? null : end;
  });
}

/** @param {Domain} domain @param {Problem} problem @param {any} proposed @returns {Scene} */
export function makeScene(domain, problem, proposed) {
  const starts = problem.shifts?.starts;
  const first = rowsOf(domain, proposed, starts);
  const ends = endsOf(domain, problem);
  const several = first.length > 1;
  const count = problem.size ?? problem.demand?.length ?? first.flat().length;
  const names = problem.names ?? problem.stops;
  const plan = domain === "plan";
  const east = eastScale(problem.coordinates ?? []);
  /** @param {Point} point @returns {Point} */
  const project = ([x, y]) => [east * x, -y];
  const titleOf = (/** @type {number} */ stop) => names?.[stop] ?? String(stop);
  const isDepot = (/** @type {Spot} */ { k }) => plan && k === 0;
  const isOut = (/** @type {number} */ r) => ends !== undefined && r >= ends.length;
  return {
    domain,
    starts,
    ends,
    project,
    coordinates: problem.coordinates ?? [],
    points: problem.coordinates?.map(project) ?? onCircle(first.flat(), count),
    nameOf: (stop) => (plan && stop === 0 ? "the depot" : named(titleOf(stop))),
    titleOf,
    amountOf: (stop) =>
      plan && problem.demand ? `×${[problem.demand[stop] ?? 0].flat().join(" ")}` : "",
    routeName: (r) => {
      if (isOut(r)) return "Left out";
      const own = problem.vehicles?.[r] ?? (plan ? `Vehicle ${r + 1}` : "");
      return own || (several ? `Route ${letters(r)}` : "Route");
    },
    short: ({ r, k }) => `${several ? letters(r) : ""}${plan ? k : k + 1}`,
    isDepot,
    isFixed: (spot, row) => {
      if (domain === "fleet") return spot.k === 0 || spot.k === row.length - 1;
      return domain === "tour" ? spot.k === 0 : isDepot(spot);
    },
  };
}

/**
 * Routes as lines between their stops; none without coordinates.
 * @param {Scene} scene @param {Rows} rows
 */
export function travelled({ domain, ends, coordinates, nameOf, routeName }, rows) {
  if (!coordinates.length) return [];
  return rows.slice(0, ends?.length).flatMap((row, r) => {
    if (row.length < 2) return [];
    const stops = row.map((stop) => ({ name: nameOf(stop), at: coordinates[stop] }));
    const last = edgesOf(domain, [row], ends && [ends[r]]).at(-1)?.b ?? row[0];
    const line = stops.map(({ at }) => at);
    const closed = last === row.at(-1) ? line : [...line, coordinates[last]];
    return { name: routeName(r), stops, line: closed };
  });
}

// What the stops and routes of a problem are called, and where they are.

import { letters } from "../../app/format.js";
import { eastScale } from "../geometry.js";

/** @import { Point } from "../../app/types.js" */
/** @import { Domain, Rows, Spot } from "./moves.js" */

/**
 * The problem as far as it is shown.
 * @typedef {object} Problem
 * @property {Point[]} [coordinates] @property {number} [size]
 * @property {string[]} [names] @property {string[]} [stops]
 * @property {number[]} [demand] @property {number[]} [capacity] @property {string[]} [vehicles]
 */

/**
 * How stops and routes are called and where they are.
 * @typedef {object} Scene
 * @property {Domain} domain
 * @property {Point[]} points on a plane, north up
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

/** @param {Domain} domain @param {Problem} problem @param {Rows} first @returns {Scene} */
export function makeScene(domain, problem, first) {
  const several = first.length > 1;
  const count = problem.size ?? problem.demand?.length ?? first.flat().length;
  const names = problem.names ?? problem.stops;
  const plan = domain === "plan";
  const east = eastScale(problem.coordinates ?? []);
  /** @param {Point} point @returns {Point} */
  const project = ([x, y]) => [east * x, -y];
  const titleOf = (/** @type {number} */ stop) => names?.[stop] ?? String(stop);
  const isDepot = (/** @type {Spot} */ { k }) => plan && k === 0;
  return {
    domain,
    project,
    coordinates: problem.coordinates ?? [],
    points: problem.coordinates?.map(project) ?? onCircle(first.flat(), count),
    nameOf: (stop) => (plan && stop === 0 ? "the depot" : named(titleOf(stop))),
    titleOf,
    amountOf: (stop) => (plan && problem.demand ? `×${problem.demand[stop]}` : ""),
    routeName: (r) => problem.vehicles?.[r] || (several ? `Route ${letters(r)}` : "Route"),
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
 * @param {Scene} scene @param {Rows} rows @param {boolean} closed whether routes return to where they start
 */
export function travelled({ coordinates, nameOf, routeName }, rows, closed) {
  if (!coordinates.length) return [];
  return rows
    .map((row, r) => ({ row, name: routeName(r) }))
    .filter(({ row }) => row.length > 1)
    .map(({ row, name }) => {
      const stops = row.map((stop) => ({ name: nameOf(stop), at: coordinates[stop] }));
      const line = stops.map(({ at }) => at);
      return { name, stops, line: closed ? [...line, line[0]] : line };
    });
}

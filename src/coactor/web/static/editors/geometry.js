// Points, distances and boxes on a plane. Pure functions.

/** @import { Point } from "../app/types.js" */

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Bounds */

/** @param {Point} a @param {Point} b */
export const distance = ([ax, ay], [bx, by]) => Math.hypot(bx - ax, by - ay);

/** From a point to a segment. @param {Point} point @param {Point} a @param {Point} b */
export function squaredDistance([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
  const share = Math.max(0, Math.min(1, along));
  return (x - ax - share * dx) ** 2 + (y - ay - share * dy) ** 2;
}

/** The middle of a segment. @param {Point} a @param {Point} b @returns {Point} */
export const middle = ([ax, ay], [bx, by]) => [(ax + bx) / 2, (ay + by) / 2];

/** A point as SVG writes it. @param {Point} point */
export const write = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;

/**
 * The smallest box around points; null without any.
 * @param {Iterable<Point>} points
 * @returns {Bounds | null}
 */
export function boundsOf(points) {
  const { POSITIVE_INFINITY: far, NEGATIVE_INFINITY: low } = Number;
  const box = { left: far, right: low, top: far, bottom: low };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box.left > box.right ? null : box;
}

const ENOUGH = 8; // points of which some can be called far away
const FAR = 10; // times the spread of the middle half

/**
 * Which points lie so far from the middle half of all that showing them would leave the others no room.
 * @param {Point[]} points
 * @returns {Set<number>}
 */
export function outliers(points) {
  /** @type {Set<number>} */
  const far = new Set();
  if (points.length < ENOUGH) return far;
  for (const axis of [0, 1]) {
    const values = points.map((point) => point[axis]).sort((a, b) => a - b);
    const [low, high] = [values[values.length >> 2], values[(3 * values.length) >> 2]];
    const reach = FAR * (high - low);
    if (!reach) continue;
    points.forEach((point, i) => {
      if (point[axis] < low - reach || point[axis] > high + reach) far.add(i);
    });
  }
  return far.size > points.length / ENOUGH ? new Set() : far;
}

const WIDEST = 15; // degrees that a map spans at most
const EQUATOR = 8; // degrees of latitude at which the scale is still 1, to a hundredth

/** Whether points can be longitudes and latitudes of one region. @param {Point[]} points */
export function isDegrees(points) {
  const box = boundsOf(points);
  if (!box || box.left < -180 || box.right > 180 || box.top < -90 || box.bottom > 90) return false;
  return box.right - box.left <= WIDEST && box.bottom - box.top <= WIDEST;
}

/**
 * What to multiply x with for true distances: the cosine of the latitude if the points are longitudes and
 * latitudes. Small plain coordinates lie near 0, where that is 1.
 * @param {Point[]} points
 */
export function eastScale(points) {
  const box = boundsOf(points);
  if (!box || !isDegrees(points)) return 1;
  const latitude = (box.top + box.bottom) / 2;
  return Math.abs(latitude) < EQUATOR ? 1 : Math.cos((Math.PI / 180) * latitude);
}

// A road network in the browser: links with ends and names, and routes read as streets. Pure functions.

import { boundsOf, eastScale, squaredDistance } from "../geometry.js";

/** @import { Point } from "../../app/types.js" */

/**
 * What the server sends: streets and kinds are numbered, so that each name is sent once.
 * @typedef {object} NetworkData
 * @property {Point[] | null} nodes @property {number[]} from @property {number[]} to
 * @property {string[] | null} ids @property {number[]} length
 * @property {string[]} streets @property {number[]} street
 * @property {string[]} kinds @property {number[]} kind
 */

/**
 * Part of a route on one street.
 * @typedef {object} Stretch
 * @property {string} name @property {number} first @property {number} last positions on the route
 * @property {number[]} links @property {number} length
 */

/** @typedef {"old" | "new" | "kept"} StretchState */
/** @typedef {Stretch & { state: StretchState }} ComparedStretch */
/** @typedef {ReturnType<typeof makeNetwork>} Network */

const SIDE = 1000; // the plane's longer side
const FEW = 3; // new streets that name a route

/** Put coordinates onto a plane of 1000 units, north up. @param {Point[]} nodes */
function makePlane(nodes) {
  const { left, right, top, bottom } = boundsOf(nodes) ?? { left: 0, right: 1, top: 0, bottom: 1 };
  const east = eastScale(nodes);
  const unit = SIDE / (Math.max(east * (right - left), bottom - top) || 1);
  /** @param {Point} point @returns {Point} */
  const put = ([x, y]) => [east * (x - left) * unit, (bottom - y) * unit];
  return { unit, put, nodes: nodes.map(put) };
}

/** @param {NetworkData} data */
export function makeNetwork(data) {
  const { from, to, ids, length, street, streets, kind, kinds } = data;
  const plane = data.nodes ? makePlane(data.nodes) : null;
  const nodes = plane?.nodes ?? [];
  const count = from.length;
  const byEnds = new Map(from.map((a, link) => [`${a} ${to[link]}`, link]));

  const idOf = (/** @type {number} */ link) => ids?.[link] ?? String(link);

  /**
   * The link nearest to a point, and the square of its distance.
   * @param {Point} point
   * @param {number} within
   * @param {number[]} [among]
   */
  function nearest(point, within, among) {
    /** @type {number | null} */
    let best = null;
    let far = within ** 2;
    /** @param {number} link */
    const test = (link) => {
      const distance = squaredDistance(point, nodes[from[link]], nodes[to[link]]);
      if (distance >= far) return;
      far = distance;
      best = link;
    };
    if (among) for (const link of among) test(link);
    else for (let link = 0; link < count; link += 1) test(link);
    return { link: /** @type {number | null} */ (best), far };
  }

  return {
    count,
    plane,
    coordinates: data.nodes ?? [],
    streets,
    length,
    from,
    to,
    nearest,
    /** @param {number} link */
    start: (link) => nodes[from[link]],
    /** @param {number} link */
    end: (link) => nodes[to[link]],
    /** The name of the street. @param {number} link */
    nameOf: (link) => streets[street[link]] || `Link ${idOf(link)}`,
    /** The id that the server knows it by. @param {number} link */
    idOf,
    /** @param {string} id */
    linkOf: (id) => (ids ? ids.indexOf(id) : Number(id)),
    /** How broad it is drawn. @param {number} link */
    breadth: (link) => breadth(kinds[kind[link]]),
    /** The same piece of road in the other direction, or null. @param {number} link */
    twin: (link) => byEnds.get(`${to[link]} ${from[link]}`) ?? null,
    /** All links of a street. @param {string} name */
    linksOf: (name) => street.flatMap((k, link) => (streets[k] === name ? [link] : [])),
  };
}

/** @param {string} kind @returns {"fast" | "broad" | "small"} */
function breadth(kind) {
  if (/motorway|trunk|express/i.test(kind)) return "fast";
  return /main|primary|secondary|tertiary/i.test(kind) ? "broad" : "small";
}

/** @param {Stretch} row @param {number} position @param {number} link @param {number} length */
function extend(row, position, link, length) {
  row.last = position;
  row.links.push(link);
  row.length += length;
}

/**
 * A route as streets: neighbouring links of one name are one row. `base` is the position of the first link.
 * @param {Network} network @param {number[]} links @param {number} [base] @returns {Stretch[]}
 */
export function asStreets(network, links, base = 1) {
  /** @type {Stretch[]} */
  const rows = [];
  links.forEach((link, i) => {
    const position = base + i;
    const name = network.nameOf(link);
    const length = position ? network.length[link] : 0; // the link where a trip begins is not driven
    const last = rows.at(-1);
    if (last?.name === name) extend(last, position, link, length);
    else rows.push({ name, first: position, last: position, links: [link], length });
  });
  return rows;
}

/**
 * Two routes as one list of streets: those that stay, new ones, and old ones where they were.
 * @param {Network} network @param {number[]} before @param {number[]} after @returns {ComparedStretch[]}
 */
export function compare(network, before, after) {
  /** @type {ComparedStretch[]} */
  const rows = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...common(before, after), [before.length, after.length]]) {
    for (const row of asStreets(network, before.slice(i, a))) rows.push({ ...row, state: "old" });
    for (const row of asStreets(network, after.slice(j, b), j)) rows.push({ ...row, state: "new" });
    if (b < after.length) keep(network, rows, after[b], b);
    [i, j] = [a + 1, b + 1];
  }
  return rows;
}

/**
 * @param {Network} network
 * @param {ComparedStretch[]} rows
 * @param {number} link
 * @param {number} position
 */
function keep(network, rows, link, position) {
  const last = rows.at(-1);
  if (last?.state === "kept" && last.name === network.nameOf(link)) {
    extend(last, position, link, network.length[link]);
  } else rows.push({ ...asStreets(network, [link], position)[0], state: "kept" });
}

/**
 * Positions of the longest common subsequence of two routes.
 * @param {number[]} a
 * @param {number[]} b
 * @returns {[number, number][]}
 */
function common(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i][j] =
        a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  /** @type {[number, number][]} */
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (table[i + 1][j] >= table[i][j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}

/**
 * The longest streets that only the second route uses, in driving order.
 * @param {Network} network
 * @param {number[]} before
 * @param {number[]} after
 */
export function newStreets(network, before, after) {
  const old = new Set(before);
  const rows = asStreets(
    network,
    after.filter((link) => !old.has(link)),
  );
  const longest = [...rows].sort((a, b) => b.length - a.length).slice(0, FEW);
  const names = new Set(longest.map((row) => row.name));
  return [...new Set(rows.map((row) => row.name))].filter((name) => names.has(name));
}

/** A route as a line between junctions; none without coordinates. @param {Network} network @param {number[]} links */
export function travelled({ coordinates, from, to }, links) {
  if (!coordinates.length || !links.length) return [];
  const line = [from[links[0]], ...links.map((link) => to[link])].map((node) => coordinates[node]);
  return [{ name: "Route", line, stops: [] }];
}

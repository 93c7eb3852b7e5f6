// Numbers and names over the map of roads, in pixels: they keep their size at every scale.

import { put, s } from "../../app/elements.js";
import { distance, middle, write } from "../geometry.js";

/** @import { Point } from "../../app/types.js" */
/** @import { MapSurface } from "../map-surface.js" */
/** @import { Network, Stretch } from "./network.js" */

/**
 * What is marked.
 * @typedef {object} Marked
 * @property {number[]} links of the route
 * @property {number[]} vias
 * @property {Stretch[]} rows the streets of the route
 * @property {{ links: number[], lit: boolean }[]} ways the new links of each other way
 * @property {number | null} hovered the road under the mouse
 */

/** A label's or a badge's place: middle and width. @typedef {[number, number, number]} Box */

const LETTER = 7.2; // pixels of a letter
const BADGE = 24;

/** @param {Box} a @param {Box} b */
const overlaps = (a, b) => Math.abs(a[0] - b[0]) < (a[2] + b[2]) / 2 && Math.abs(a[1] - b[1]) < 20;

export class RoadMarks {
  element = s("g", { class: "marks" });
  /** Where the number of each way stands. @type {Point[]} */
  badges = [];
  /** Places that are taken. @type {Box[]} */
  #taken = [];

  /** @param {Network} network */
  constructor(network) {
    this.network = network;
  }

  /** @param {MapSurface} surface @param {Marked} marked */
  draw(surface, marked) {
    const ends = [marked.links[0], marked.links[marked.links.length - 1]];
    this.#taken = [];
    for (const link of [...ends, ...marked.vias]) this.#take(this.#at(surface, link), BADGE);
    this.badges = marked.ways.map(({ links }) => this.#roomFor(surface, links));
    const labels = this.#labels(surface, marked);
    put(
      this.element,
      s("g", { class: "labels" }, labels),
      marked.ways.map(({ lit }, i) =>
        badge(this.badges[i], String(i + 1), `w${i}${lit ? " lit" : ""}`),
      ),
      marked.vias.map((link, i) => badge(this.#at(surface, link), String(i + 1), "via")),
      ends.map((link, i) => badge(this.#at(surface, link), i ? "B" : "A", "end")),
    );
  }

  /** The pixel of a link's middle. @param {MapSurface} surface @param {number} link */
  #at({ camera }, link) {
    return camera.pixel(middle(this.network.start(link), this.network.end(link)));
  }

  /** @param {Point} pixel @param {number} width */
  #take([x, y], width) {
    this.#taken.push([x, y, width]);
  }

  /**
   * Room for a number on a line: in the middle, if nothing stands there.
   * @param {MapSurface} surface
   * @param {number[]} links
   */
  #roomFor(surface, links) {
    const spots = [0.5, 0.35, 0.65, 0.2, 0.8].map((share) =>
      this.#at(surface, links[Math.floor(share * links.length)]),
    );
    const free = spots.find((spot) => this.#taken.every(([x, y]) => distance([x, y], spot) > 26));
    const spot = free ?? spots[0];
    this.#take(spot, BADGE);
    return spot;
  }

  /**
   * Names of streets where there is room; the one under the mouse always.
   * @param {MapSurface} surface
   * @param {Marked} marked
   */
  #labels(surface, { rows, hovered }) {
    const longest = [...rows].sort((a, b) => b.length - a.length);
    return [
      hovered === null ? null : this.#label(surface, hovered, this.network.nameOf(hovered), true),
      ...longest.map(({ links, name }) =>
        this.#label(surface, links[links.length >> 1], name, false),
      ),
    ];
  }

  /**
   * @param {MapSurface} surface
   * @param {number} link
   * @param {string} text
   * @param {boolean} always
   */
  #label(surface, link, text, always) {
    const [x, y] = this.#at(surface, link);
    const half = (LETTER * text.length) / 2;
    if (x < half || x > surface.width - half || y < 20 || y > surface.height - 4) return null;
    /** @type {Box} */
    const box = [x, y - 14, 2 * half];
    if (!always && this.#taken.some((other) => overlaps(box, other))) return null;
    this.#taken.push(box);
    return s("text", { x, y: y - 9, class: always ? "pointed" : "street", text });
  }
}

/** @param {Point} pixel @param {string} text @param {string} name */
function badge(pixel, text, name) {
  const shape =
    name === "via"
      ? s("rect", { x: -8, y: -8, width: 16, height: 16, transform: "rotate(45)", rx: 2 })
      : s("circle", { r: 11 });
  return s(
    "g",
    { class: `badge ${name}`, transform: `translate(${write(pixel)})` },
    shape,
    s("text", { dy: "0.36em", text }),
  );
}

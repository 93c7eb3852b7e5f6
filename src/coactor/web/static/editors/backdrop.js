// What a map is drawn on: map tiles, or lines and areas of a GeoJSON file. The server says which.

import { at, get } from "../app/api.js";
import { h, put, s } from "../app/elements.js";
import { study } from "../app/shell.js";
import { isDegrees } from "./geometry.js";

/** @import { Point } from "../app/types.js" */
/** @import { Camera } from "./camera.js" */

/** @typedef {(point: Point) => Point} Project */

const TILE = 256; // pixels of a tile
const DEEPEST = 19;

/** Longitude and latitude of a tile's north-west corner. @param {number} z @param {Point} tile @returns {Point} */
function cornerOf(z, [x, y]) {
  const n = 2 ** z;
  const latitude = Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / n)));
  return [(360 * x) / n - 180, (180 / Math.PI) * latitude];
}

/** The tile (with fractions) that a place is on. @param {number} z @param {Point} place @returns {Point} */
function tileOf(z, [longitude, latitude]) {
  const n = 2 ** z;
  const phi = (Math.PI / 180) * Math.max(-85, Math.min(85, latitude));
  return [(n * (longitude + 180)) / 360, (n / 2) * (1 - Math.asinh(Math.tan(phi)) / Math.PI)];
}

/** The way back from the plane; projections here are linear. @param {Project} project @returns {Project} */
function inverse(project) {
  const [ox, oy] = project([0, 0]);
  const [x1, y1] = project([1, 1]);
  return ([x, y]) => [(x - ox) / (x1 - ox), (y - oy) / (y1 - oy)];
}

/** Every line of a geometry. @param {any} geometry @returns {{ closed: boolean, points: Point[] }[]} */
function linesOf(geometry) {
  if (!geometry) return [];
  const { type, coordinates = [], geometries = [] } = geometry;
  /** @param {boolean} closed @param {Point[][]} parts */
  const each = (closed, parts) => parts.map((points) => ({ closed, points }));
  if (type === "LineString") return each(false, [coordinates]);
  if (type === "MultiLineString") return each(false, coordinates);
  if (type === "Polygon") return each(true, coordinates);
  if (type === "MultiPolygon") return each(true, coordinates.flat());
  return geometries.flatMap(linesOf);
}

/** @param {Point} point */
const exact = ([x, y]) => `${x.toFixed(6)} ${y.toFixed(6)}`;

/** @param {any} data GeoJSON @param {Project} project */
function pathsOf(data, project) {
  const geometries = data.features?.map((/** @type {any} */ one) => one.geometry) ?? [
    data.geometry ?? data,
  ];
  const lines = geometries.flatMap(linesOf);
  /** @param {boolean} closed */
  const d = (closed) =>
    lines
      .filter((/** @type {{ closed: boolean }} */ line) => line.closed === closed)
      .map(
        (/** @type {{ points: Point[] }} */ { points }) =>
          `M${points.map((point) => exact(project(point))).join("L")}${closed ? "Z" : ""}`,
      )
      .join("");
  return { areas: d(true), lines: d(false) };
}

export class Backdrop {
  #tiles = s("g", { class: "tiles" });
  #shapes = s("g", { class: "shapes" });
  #zoom = 0;

  /** @param {Project} project @param {Point[]} points of the map, before they are projected */
  constructor(project, points) {
    const { tiles = "", attribution = "", backdrop = "" } = document.body.dataset;
    this.project = project;
    this.address = isDegrees(points) ? tiles : "";
    this.element = s("svg", { class: "plane backdrop", "aria-hidden": "true" });
    this.element.append(this.#tiles, this.#shapes);
    this.credit = this.address ? h("p", { class: "attribution", text: attribution }) : null;
    if (backdrop) this.#load();
  }

  /** A backdrop that does not arrive is no trouble: the map works without it. */
  async #load() {
    const data = await get(at(study, "/backdrop")).catch(() => null);
    if (!data) return;
    const { areas, lines } = pathsOf(data, this.project);
    put(
      this.#shapes,
      s("path", { class: "area", d: areas }),
      s("path", { class: "line", d: lines }),
    );
  }

  /** Set everything where the camera wants it. @param {Camera} camera @param {number} width @param {number} height */
  place(camera, width, height) {
    const { k, x, y } = camera.view;
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#shapes.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    if (this.address) this.#placeTiles(camera, width, height);
  }

  /** @param {Camera} camera @param {number} width @param {number} height */
  #placeTiles(camera, width, height) {
    const back = inverse(this.project);
    const [west, north] = back(camera.point([0, 0]));
    const [east, south] = back(camera.point([width, height]));
    const z = Math.round(Math.log2((360 * width) / (TILE * (east - west))));
    this.#zoom = Math.max(0, Math.min(DEEPEST, z));
    const [left, top] = tileOf(this.#zoom, [west, north]).map(Math.floor);
    const [right, bottom] = tileOf(this.#zoom, [east, south]).map(Math.floor);
    const images = [];
    for (let ty = top; ty <= bottom; ty += 1) {
      for (let tx = left; tx <= right; tx += 1) images.push(this.#image(camera, [tx, ty]));
    }
    put(this.#tiles, images);
  }

  /** @param {Camera} camera @param {Point} tile */
  #image(camera, [tx, ty]) {
    const z = this.#zoom;
    const [x, y] = camera.pixel(this.project(cornerOf(z, [tx, ty])));
    const [right, bottom] = camera.pixel(this.project(cornerOf(z, [tx + 1, ty + 1])));
    const href = this.address
      .replace("{z}", String(z))
      .replace("{x}", String(tx))
      .replace("{y}", String(ty));
    const size = { width: right - x + 0.5, height: bottom - y + 0.5 };
    return s("image", { href, x, y, ...size, preserveAspectRatio: "none" });
  }
}

/**
 * The backdrop of a map, if the server has one for it.
 * @param {Project} project @param {Point[]} points
 */
export function makeBackdrop(project, points) {
  const { tiles, backdrop } = document.body.dataset;
  return tiles || backdrop ? new Backdrop(project, points) : null;
}

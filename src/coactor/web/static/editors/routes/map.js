// The map of routes: the proposal's lost edges pale, the draft's new ones bold, stops that can be dragged.

import { put, s } from "../../app/elements.js";
import { makeBackdrop } from "../backdrop.js";
import { boundsOf, outliers, write } from "../geometry.js";
import { layer, MapSurface } from "../map-surface.js";
import { RouteHand } from "./hand.js";
import { edgeChanges, edgesOf, same } from "./moves.js";
import { colour } from "./scene.js";
import { clockText, stopRemark } from "./times.js";

/** @import { Point, RouteTimes } from "../../app/types.js" */
/** @import { Edge, Rows, Spot } from "./moves.js" */
/** @import { Scene } from "./scene.js" */

/**
 * @typedef {object} MapEvents
 * @property {(spot: Spot) => void} pick a stop was chosen
 * @property {(from: Spot, to: Spot | null) => void} drag the hand is over a place to drop at, or over none
 * @property {(from: Spot, to: Spot | null) => void} drop
 * @property {(spot: Spot | null) => void} hover
 * @property {() => boolean} inserts whether a drop on a line inserts there
 * @property {() => boolean} editable
 */

export class RouteMap {
  #layers = {
    lit: layer("lit"),
    ghost: layer("ghost"),
    routes: layer("routes"),
    preview: layer("preview"),
    stops: layer("stops"),
    labels: layer("labels"),
  };
  /** @type {Rows} */
  rows = [];
  /** @type {Rows} */
  #first = [];
  /** @type {Rows | null} */
  #preview = null;
  /** Edges that are locked, and those that edits brought about. @type {{ locked: Edge[], own: Edge[] }} */
  kept = { locked: [], own: [] };
  /** Edges that cause a feature, and how much of it. @type {{ edge: Edge, share: number }[]} */
  lit = [];
  /** @type {RouteTimes[]} */
  #times = [];
  /** @type {Map<number, SVGGElement>} */
  #dots = new Map();
  /** @type {Spot[]} */
  #chosen = [];
  /** @type {Spot | null} */
  #hovered = null;
  /** @type {number | null} */
  #solo = null;
  /** Pixels that keep stops of one place apart. @type {Map<number, Point>} */
  #offsets = new Map();

  /** @param {Scene} scene @param {MapEvents} events */
  constructor(scene, events) {
    this.scene = scene;
    this.events = events;
    this.#offsets = apart(scene.points);
    this.far = outliers(scene.points);
    this.hand = new RouteHand(this);
    const { labels, ...shapes } = this.#layers;
    this.surface = new MapSurface({
      label: "Map of the routes. The list of stops does all that the map does.",
      layers: [...Object.values(shapes), ...this.hand.layers, labels],
      backdrop: makeBackdrop(scene.project, scene.coordinates),
      bounds: (all) => boundsOf(scene.points.filter((_, stop) => all || !this.far.has(stop))),
      place: () => this.#place(),
      grab: (pixel, hand) => this.hand.grab(pixel, hand),
      hover: (pixel) => this.#hover(pixel),
    });
  }

  get element() {
    return this.surface.element;
  }

  /** @param {Rows} rows as they are now @param {Rows} first as they were proposed @param {RouteTimes[]} times */
  draw(rows, first, times) {
    const begins = !this.rows.length;
    const hovered = this.#hovered && this.#stopAt(this.#hovered);
    const r = rows.findIndex((row) => hovered !== null && row.includes(hovered));
    this.#hovered = r < 0 || hovered === null ? null : { r, k: rows[r].indexOf(hovered) };
    [this.rows, this.#first, this.#preview] = [rows, first, null];
    this.#times = times;
    this.lit = [];
    this.#chosen = [];
    this.#drawStops();
    if (begins) this.surface.fit();
    else this.#place();
  }

  /**
   * Show which stops are chosen, and what a move would lead to.
   * @param {Spot[]} chosen
   * @param {Rows | null} preview
   */
  choose(chosen, preview) {
    this.#chosen = chosen;
    this.#preview = preview;
    const points = new Set(chosen.map((spot) => this.#stopAt(spot)));
    for (const [stop, dot] of this.#dots) dot.classList.toggle("chosen", points.has(stop));
    this.#drawPreview();
    this.#drawLabels();
  }

  /** Light a stop that is pointed at elsewhere. @param {Spot | null} spot */
  light(spot) {
    this.#hovered = spot;
    this.#drawLabels();
  }

  /** Show one route alone; null: all. @param {number | null} route */
  solo(route) {
    this.#solo = route;
    this.#drawStops();
    this.#place();
  }

  // -- drawing ----------------------------------------------------------------------------------------

  /** @param {Spot} spot */
  #stopAt({ r, k }) {
    return this.rows[r][k];
  }

  /** @param {number} stop @returns {Point} */
  pixelOf(stop) {
    const [x, y] = this.surface.camera.pixel(this.scene.points[stop]);
    const [dx, dy] = this.#offsets.get(stop) ?? [0, 0];
    return [x + dx, y + dy];
  }

  /** @param {number} r */
  isDim(r) {
    return this.#solo !== null && this.#solo !== r;
  }

  /** Whether there is room for numbers on the stops. */
  get #roomy() {
    const { width, height, camera } = this.surface;
    const spacing = Math.sqrt((width * height) / (this.scene.points.length || 1));
    return spacing * camera.closeness > 50;
  }

  #drawStops() {
    this.#dots = new Map();
    this.rows.forEach((row, r) => {
      row.forEach((stop, k) => {
        // The depot belongs to every route, but is drawn once.
        if (!this.#dots.has(stop)) this.#dots.set(stop, this.#dot({ r, k }, row));
      });
    });
    put(this.#layers.stops, [...this.#dots.values()]);
  }

  /** @param {Spot} spot @param {number[]} row */
  #dot(spot, row) {
    const { scene } = this;
    const depot = scene.isDepot(spot);
    const fixed = scene.isFixed(spot, row);
    const text = depot ? "D" : scene.short(spot);
    const half = text.length > 2 ? 14 : 11;
    const classes = ["stop", depot ? "depot" : colour(spot.r)];
    if (fixed) classes.push("fixed");
    if (/ late$/.test(this.#remark(spot))) classes.push("late");
    if (!depot && this.isDim(spot.r)) classes.push("dim");
    const size = { x: -half, y: -11, width: 2 * half, height: 22, rx: fixed ? 4 : 11 };
    return s(
      "g",
      { class: classes.join(" "), data: { stop: row[spot.k] } },
      s("circle", { r: 5, class: "small" }),
      s("rect", { class: "dot", ...size }),
      s("text", { dy: "0.36em", text }),
    );
  }

  /** @param {Spot} spot */
  #remark = ({ r, k }) => stopRemark(this.#times[r]?.stops?.[k - 1]);

  /** Set everything where the view wants it. */
  #place() {
    if (!this.rows.length) return;
    this.#layers.stops.classList.toggle("tiny", !this.#roomy);
    for (const [stop, dot] of this.#dots) {
      dot.setAttribute("transform", `translate(${write(this.pixelOf(stop))})`);
    }
    this.drawLit();
    this.#drawRoutes();
    this.#drawPreview();
    this.#drawLabels();
    this.hand.draw();
  }

  /** Edges are the wider the more they cause. */
  drawLit() {
    put(
      this.#layers.lit,
      this.lit.map(({ edge, share }) =>
        s("path", { d: this.#lines([edge]), "stroke-width": 6 + 14 * share }),
      ),
    );
  }

  /** @param {Edge[]} edges */
  #lines(edges) {
    return edges.map(({ a, b }) => `M${write(this.pixelOf(a))}L${write(this.pixelOf(b))}`).join("");
  }

  #drawRoutes() {
    const { domain, ends } = this.scene;
    const { removed, added } = edgeChanges(domain, this.#first, this.rows, ends);
    put(this.#layers.ghost, removed.length ? s("path", { d: this.#lines(removed) }) : []);
    const edges = edgesOf(domain, this.rows, ends);
    put(
      this.#layers.routes,
      this.rows.map((_, r) => {
        const mine = edges.filter((edge) => edge.r === r);
        const bold = added.filter((edge) => edge.r === r);
        return s(
          "g",
          { class: `${colour(r)}${this.isDim(r) ? " dim" : ""}` },
          s("path", { class: "line", d: this.#lines(mine) }),
          bold.length ? s("path", { class: "added", d: this.#lines(bold) }) : null,
          Object.entries(this.kept).map(([name, kept]) =>
            s("path", { class: name, d: this.#lines(kept.filter((edge) => edge.r === r)) }),
          ),
          s("path", { class: "arrows", d: mine.map((edge) => this.#arrow(edge)).join("") }),
        );
      }),
    );
  }

  /** A small triangle in the middle of an edge, if it is long enough. @param {Edge} edge */
  #arrow({ a, b }) {
    const [[ax, ay], [bx, by]] = [this.pixelOf(a), this.pixelOf(b)];
    const length = Math.hypot(bx - ax, by - ay);
    if (length < 56) return "";
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
    /** @param {number} along @param {number} aside @returns {Point} */
    const at = (along, aside) => [x + along * ux - aside * uy, y + along * uy + aside * ux];
    return `M${write(at(6, 0))}L${write(at(-5, 5))}L${write(at(-5, -5))}Z`;
  }

  #drawPreview() {
    if (!this.#preview) {
      put(this.#layers.preview);
      return;
    }
    const { domain, ends } = this.scene;
    const { removed, added } = edgeChanges(domain, this.rows, this.#preview, ends);
    put(
      this.#layers.preview,
      s("path", { class: "leaving", d: this.#lines(removed) }),
      s("path", { class: "coming", d: this.#lines(added) }),
    );
  }

  #drawLabels() {
    const spots = [...this.#chosen, ...(this.#hovered ? [this.#hovered] : [])];
    const stops = new Map(spots.map((spot) => [this.#stopAt(spot), spot]));
    const lit = this.#hovered && this.#stopAt(this.#hovered);
    for (const [stop, dot] of this.#dots) dot.classList.toggle("lit", stop === lit);
    const { width } = this.surface;
    put(
      this.#layers.labels,
      [...stops].map(([stop, spot]) => {
        const [x, y] = this.pixelOf(stop);
        const anchor = anchorOf(x, width);
        const time = this.#times[spot.r]?.stops?.[spot.k - 1];
        const facts = [this.scene.nameOf(stop), time && clockText(time[0]), this.#remark(spot)];
        const text = facts.filter(Boolean).join(", ");
        return s("text", { x, y: y < 40 ? y + 32 : y - 18, "text-anchor": anchor, text });
      }),
    );
  }

  /** @param {Point | null} pixel */
  #hover(pixel) {
    const spot = pixel && this.hand.stopNear(pixel);
    this.surface.svg.classList.toggle("over", spot !== null);
    if (same(spot, this.#hovered)) return;
    this.light(spot);
    this.events.hover(spot);
  }
}

/** @param {number} x @param {number} width */
function anchorOf(x, width) {
  if (x < 80) return "start";
  return x > width - 80 ? "end" : "middle";
}

/**
 * Offsets that set stops of the same place apart.
 * @param {Point[]} points
 * @returns {Map<number, Point>}
 */
export function apart(points) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  points.forEach((point, i) => {
    const key = point.join(" ");
    places.set(key, [...(places.get(key) ?? []), i]);
  });
  /** @type {Map<number, Point>} */
  const offsets = new Map();
  for (const group of places.values()) {
    if (group.length < 2) continue;
    const radius = Math.max(15, (group.length * 26) / (2 * Math.PI));
    group.forEach((stop, i) => {
      const angle = (2 * Math.PI * i) / group.length;
      offsets.set(stop, [radius * Math.cos(angle), radius * Math.sin(angle)]);
    });
  }
  return offsets;
}

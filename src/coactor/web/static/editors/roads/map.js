// The map of a road network: all roads faint, the route strong, its lost parts pale, other ways to take.

import { put, s } from "../../app/elements.js";
import { makeBackdrop } from "../backdrop.js";
import { boundsOf, distance, write } from "../geometry.js";
import { layer, MapSurface } from "../map-surface.js";
import { RoadMarks } from "./marks.js";

/** @import { Gesture, Hand } from "../../app/drag.js" */
/** @import { Move, Point } from "../../app/types.js" */
/** @import { Network, Stretch } from "./network.js" */

/**
 * Another way for the route or a part of it.
 * @typedef {object} Way
 * @property {Move} move @property {number[]} links @property {number[]} vias
 * @property {number[]} change @property {number} gain
 * @property {number} revision of the draft it was found for
 * @property {string[]} streets its longest new streets
 * @property {string} [name] of the street that was asked for
 */

/** @typedef {{ links: number[], proposed: number[], vias: number[], rows: Stretch[] }} Drawing */

/**
 * @typedef {object} RoadMapEvents
 * @property {(position: number) => void} stretch a place on the route was chosen
 * @property {(link: number) => void} point a road was chosen
 * @property {(way: Way) => void} way another way was chosen
 * @property {(link: number | null) => void} drag the route is pulled onto a road, or onto none
 * @property {(link: number | null) => void} drop
 * @property {() => boolean} editable
 */

const REACH = 14; // pixels within which a road is meant
const FINGER = 24;
const PULL = 40; // pixels within which a pulled route finds a road

/** @type {ReturnType<RoadMap["under"]>} */
const NOTHING = {};

export class RoadMap {
  #world = {
    ghost: layer("ghost"),
    others: layer("others"),
    route: layer("routes c0"),
    stretch: layer("chosenway"),
    preview: layer("preview"),
  };
  // The roads are a picture of their own, larger than what is seen. When something above it changes, or the
  // map is moved a little, its thousands of lines are not painted again.
  #floor = layer("roads");
  #floorplan = s("svg", { class: "roadground", "aria-hidden": "true" }, this.#floor);
  #plane = s("g", { class: "world" }, Object.values(this.#world));
  #handle = layer("hand");
  /** @type {Drawing | null} */
  #now = null;
  /** @type {Way[]} */
  #ways = [];
  /** @type {Way | null} */
  #lit = null;
  /** @type {number | null} */
  #hovered = null;
  /** The view in which the roads were painted last. @type {{ k: number, x: number, y: number } | null} */
  #painted = null;
  #size = [0, 0];
  #waiting = 0;

  /** @param {Network} network @param {RoadMapEvents} events */
  constructor(network, events) {
    this.network = network;
    this.events = events;
    this.marks = new RoadMarks(network);
    this.surface = new MapSurface({
      name: "roadmap",
      label: "Map of the roads. The list of streets and the other ways do all that the map does.",
      below: [this.#floorplan],
      layers: [this.#plane, this.marks.element, this.#handle],
      backdrop: network.plane && makeBackdrop(network.plane.put, network.coordinates),
      bounds: () => boundsOf(this.#trip()),
      place: () => this.#place(),
      grab: (pixel, hand) => this.#grab(pixel, hand),
      hover: (pixel) => this.#hover(pixel),
    });
    this.#drawGround();
  }

  get element() {
    return this.surface.element;
  }

  // -- what the editor asks for -----------------------------------------------------------------------

  /** @param {Drawing} drawing */
  draw(drawing) {
    const begins = this.#now === null;
    this.#now = drawing;
    [this.#ways, this.#lit] = [[], null];
    const { links, proposed } = drawing;
    const [old, now] = [new Set(proposed), new Set(links)];
    put(this.#world.ghost, s("path", { d: this.#line(proposed.filter((link) => !now.has(link))) }));
    put(
      this.#world.route,
      s("path", { class: "line", d: this.#line(links) }),
      s("path", { class: "added", d: this.#line(links.filter((link) => !old.has(link))) }),
    );
    put(this.#world.others);
    put(this.#world.preview);
    if (begins) this.surface.fit();
    else this.#keepInView(links);
    this.#drawMarks();
  }

  /**
   * The part of the route that is looked at; null: all of it.
   * @param {[number, number] | null} part
   */
  choose(part) {
    const links = this.#now?.links ?? [];
    const path = part ? s("path", { d: this.#line(links.slice(part[0], part[1] + 1)) }) : [];
    put(this.#world.stretch, path);
  }

  /** @param {Way[]} ways */
  offer(ways) {
    this.#ways = ways;
    put(
      this.#world.others,
      ways.map((way, i) => s("path", { class: `w${i}`, d: this.#line(this.changed(way.links)) })),
    );
    this.#keepInView(ways.flatMap(({ links }) => links));
    this.#drawMarks();
  }

  /** Show what a way would change. @param {Way | null} way */
  light(way) {
    this.#lit = way;
    const { preview } = this.#world;
    if (!way) put(preview);
    else {
      const now = new Set(way.links);
      const leaving = (this.#now?.links ?? []).filter((link) => !now.has(link));
      put(
        preview,
        s("path", { class: "leaving", d: this.#line(leaving) }),
        s("path", { class: "coming", d: this.#line(this.changed(way.links)) }),
      );
    }
    this.#keepInView(way?.links ?? []);
    this.#drawMarks();
  }

  /** Show everything if some links are not seen; the map stays under a hand, and where it was zoomed to. */
  #keepInView(/** @type {number[]} */ links) {
    const { drag, camera } = this.surface;
    if (!drag.active && camera.isHome && !this.#inView(links)) this.surface.fit();
  }

  // -- drawing ----------------------------------------------------------------------------------------

  *#trip() {
    const { start, end } = this.network;
    const offered = this.#ways.map(({ links }) => links);
    const links = [this.#now?.links, this.#now?.proposed, this.#lit?.links, ...offered].flatMap(
      (some) => some ?? [],
    );
    for (const link of links) {
      yield start(link);
      yield end(link);
    }
  }

  /** Links that follow each other as one line; a gap begins anew. @param {number[]} links */
  #line(links) {
    const { from, to, start, end } = this.network;
    let last = -1;
    return links
      .map((link) => {
        const joined = from[link] === last;
        last = to[link];
        return `${joined ? "" : `M${write(start(link))}`}L${write(end(link))}`;
      })
      .join("");
  }

  /** The links of a way that the route does not have. @param {number[]} links */
  changed(links) {
    const old = new Set(this.#now?.links ?? []);
    return links.filter((link) => !old.has(link));
  }

  /** @param {number[]} links */
  #inView(links) {
    const { camera, width, height } = this.surface;
    return links.every((link) => {
      const [x, y] = camera.pixel(this.network.end(link));
      return x > 18 && y > 18 && x < width - 18 && y < height - 18;
    });
  }

  #drawGround() {
    const { network } = this;
    /** @type {Record<string, string[]>} */
    const lines = { small: [], broad: [], fast: [] };
    for (let link = 0; link < network.count; link += 1) {
      const twin = network.twin(link);
      if (twin !== null && twin < link) continue;
      const line = `M${write(network.start(link))}L${write(network.end(link))}`;
      lines[network.breadth(link)].push(line);
    }
    put(
      this.#floor,
      Object.entries(lines).map(([kind, d]) => s("path", { class: kind, d: d.join("") })),
    );
  }

  #drawMarks() {
    if (!this.#now) return;
    this.marks.draw(this.surface, {
      ...this.#now,
      ways: this.#ways.map((way) => ({ links: this.changed(way.links), lit: way === this.#lit })),
      hovered: this.#hovered,
    });
  }

  /** Set everything where the view wants it. */
  #place() {
    const { width, height, camera } = this.surface;
    if (width !== this.#size[0] || height !== this.#size[1]) {
      this.#size = [width, height];
      this.#painted = null;
      const box = `${-width / 2} ${-height / 2} ${2 * width} ${2 * height}`;
      this.#floorplan.setAttribute("viewBox", box);
    }
    const { k, x, y } = camera.view;
    const matrix = `matrix(${k} 0 0 ${k} ${x} ${y})`;
    this.#plane.setAttribute("transform", matrix);
    this.#placeGround(matrix);
    this.#waiting ||= requestAnimationFrame(() => {
      this.#waiting = 0;
      this.#drawMarks();
    });
  }

  /**
   * Move the picture of the roads; paint it again only if the scale or much of the view changed.
   * @param {string} matrix
   */
  #placeGround(matrix) {
    const { width, height, camera } = this.surface;
    const { view } = camera;
    const last = this.#painted;
    const near =
      last?.k === view.k &&
      Math.abs(view.x - last.x) <= width / 2 &&
      Math.abs(view.y - last.y) <= height / 2;
    if (!near) {
      this.#painted = { ...view };
      this.#floor.setAttribute("transform", matrix);
    }
    const [dx, dy] = near ? [view.x - last.x, view.y - last.y] : [0, 0];
    this.#floorplan.style.transform = `translate(${dx}px, ${dy}px)`;
  }

  // -- the hand -----------------------------------------------------------------------------------------

  /**
   * What lies under a pointer: another way, a place on the route, or any road.
   * @param {Point} pixel @param {number} reach pixels
   * @returns {{ way?: Way, position?: number, link?: number | null, pull?: boolean }}
   */
  under(pixel, reach) {
    const { camera } = this.surface;
    const spot = camera.point(pixel);
    const within = reach / camera.view.k;
    const links = this.#now?.links ?? [];
    const route = this.network.nearest(spot, within, links);
    const pull = route.link !== null; // whatever else is there: what begins on the route pulls it
    const numbered = this.marks.badges.findIndex((at) => distance(at, pixel) < 14);
    if (numbered >= 0) return { way: this.#ways[numbered], pull };
    const [near] = this.#ways
      .map((way) => ({ way, ...this.network.nearest(spot, within, this.changed(way.links)) }))
      .filter(({ link }) => link !== null)
      .sort((a, b) => a.far - b.far);
    if (near && (!pull || near.far < route.far)) return { way: near.way, pull };
    if (route.link !== null) return { position: links.indexOf(route.link), pull };
    return { link: this.network.nearest(spot, within).link, pull };
  }

  /** @param {Point} pixel @param {Hand} hand @returns {Gesture | null} */
  #grab(pixel, { touch }) {
    if (!this.#now) return null;
    const target = this.under(pixel, touch ? FINGER : REACH);
    const tap = () => {
      if (target.way) this.events.way(target.way);
      else if (target.position !== undefined) this.events.stretch(target.position);
      else if (target.link !== null && target.link !== undefined) this.events.point(target.link);
    };
    if (target.pull && this.events.editable()) return this.#pull(pixel, tap);
    const nothing = !target.way && (target.link ?? null) === null;
    return nothing ? null : { ...this.surface.pan(), tap };
  }

  /** @param {Point} start @param {() => void} tap @returns {Gesture} */
  #pull(start, tap) {
    /** @type {number | null} */
    let over = null;
    const end = () => {
      this.element.classList.remove("pulling");
      this.#hovered = null;
      put(this.#handle);
      this.#drawMarks();
    };
    return {
      tap,
      begin: () => this.element.classList.add("pulling"),
      move: (hand) => {
        const pixel = this.surface.pixelOf(hand);
        const { camera } = this.surface;
        const { link } = this.network.nearest(camera.point(pixel), PULL / camera.view.k);
        put(
          this.#handle,
          s("path", { class: "string", d: `M${write(start)}L${write(pixel)}` }),
          s("circle", { class: "held", cx: pixel[0], cy: pixel[1], r: 9 }),
        );
        if (link === over) return;
        over = link;
        this.#hovered = link;
        this.#drawMarks();
        this.events.drag(link);
      },
      drop: () => {
        end();
        this.events.drop(over);
      },
      cancel: () => {
        end();
        this.events.drop(null);
      },
    };
  }

  /** @param {Point | null} pixel */
  #hover(pixel) {
    if (!this.#now) return;
    const target = pixel ? this.under(pixel, REACH) : NOTHING;
    const onRoute = target.position === undefined ? null : this.#now.links[target.position];
    const link = target.link ?? onRoute;
    this.surface.svg.classList.toggle("over", Boolean(target.way) || link !== null);
    if (link === this.#hovered) return;
    this.#hovered = link;
    this.#drawMarks();
  }
}

// A hand on the map of routes: which stop it holds, and where it would drop it.

import { put, s } from "../../app/elements.js";
import { letters } from "../../app/format.js";
import { distance, squaredDistance, write } from "../geometry.js";
import { edgesOf, same } from "./moves.js";
import { colour } from "./scene.js";

/** @import { Gesture, Hand } from "../../app/drag.js" */
/** @import { Point } from "../../app/types.js" */
/** @import { RouteMap } from "./map.js" */
/** @import { Spot } from "./moves.js" */

const REACH = { stop: 22, edge: 14, handle: 17 }; // pixels within which a thing is meant
const FINGER = 1.4; // times as far for a finger
const FAN = 46; // pixels from the depot to the handles of its routes
const REST = 400; // milliseconds on the depot before its routes are offered
const ROOM = 32; // pixels of a handle on the fan

export class RouteHand {
  /** @type {{ from: Spot, hand: Point, to: Spot | null } | null} */
  #held = null;
  #open = false;
  #rested = false; // whether the hand has rested on the depot
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #fan = s("g", { class: "fan" });
  #hand = s("g", { class: "hand" });

  /** @param {RouteMap} map */
  constructor(map) {
    this.map = map;
    this.layers = [this.#fan, this.#hand];
  }

  /** Offer the depot's routes to choose from. @param {boolean} open */
  openFan(open) {
    this.#open = open;
    this.#drawFan();
  }

  draw() {
    this.#drawFan();
    this.#drawHand();
  }

  /**
   * What a pressed pointer takes hold of.
   * @param {Point} pixel
   * @param {Hand} hand
   * @returns {Gesture | null}
   */
  grab(pixel, { touch }) {
    const { events } = this.map;
    const factor = touch ? FINGER : 1;
    const handle = this.#handleNear(pixel);
    const from = handle ?? this.stopNear(pixel, factor);
    if (!from) return null;
    const tap = () => events.pick(from);
    if (handle || !events.editable()) return { move: () => {}, drop: () => {}, tap };
    const end = () => {
      const to = this.#held?.to ?? null;
      this.#held = null;
      this.#rest(false);
      this.draw();
      return to;
    };
    return {
      tap,
      move: (hand) => this.#follow(from, this.map.surface.pixelOf(hand), factor),
      drop: () => events.drop(from, end()),
      cancel: () => {
        end();
        events.drop(from, null);
      },
    };
  }

  /** The stop at a pixel. @param {Point} pixel @param {number} [factor] @returns {Spot | null} */
  stopNear(pixel, factor = 1) {
    const { map } = this;
    /** @type {Spot | null} */
    let best = null;
    let least = REACH.stop * factor;
    map.rows.forEach((row, r) => {
      if (map.isDim(r)) return;
      row.forEach((stop, k) => {
        const far = distance(pixel, map.pixelOf(stop));
        if (far >= least) return;
        least = far;
        best = { r, k };
      });
    });
    return best;
  }

  /** @param {Spot} from @param {Point} hand @param {number} factor */
  #follow(from, hand, factor) {
    const first = !this.#held;
    const before = this.#held?.to ?? null;
    this.#held = { from, hand, to: before };
    this.#rest(this.#nearDepot(hand));
    const to = this.#goal(hand, from, factor);
    this.#held.to = to;
    this.draw();
    if (first || !same(to, before)) this.map.events.drag(from, to);
  }

  /**
   * Where a held stop would go.
   * @param {Point} pixel
   * @param {Spot} from
   * @param {number} factor
   * @returns {Spot | null}
   */
  #goal(pixel, from, factor) {
    const handle = this.#handleNear(pixel);
    if (handle) return handle;
    const inserts = this.map.events.inserts();
    const stop = this.stopNear(pixel, factor);
    const depot = stop && this.map.scene.isDepot(stop) && this.map.rows.length > 1;
    if (stop && !(depot && inserts)) return same(stop, from) ? null : stop;
    return stop || !inserts ? null : this.#edgeNear(pixel, from, factor);
  }

  /**
   * The stop before the nearest edge that does not touch the held stop.
   * @param {Point} pixel
   * @param {Spot} from
   * @param {number} factor
   * @returns {Spot | null}
   */
  #edgeNear(pixel, from, factor) {
    const { map } = this;
    const held = map.rows[from.r][from.k];
    /** @type {Spot | null} */
    let best = null;
    let least = (REACH.edge * factor) ** 2;
    for (const { r, k, a, b } of edgesOf(map.scene.domain, map.rows)) {
      if (a === held || b === held || map.isDim(r)) continue;
      const far = squaredDistance(pixel, map.pixelOf(a), map.pixelOf(b));
      if (far >= least) continue;
      least = far;
      best = { r, k };
    }
    return best;
  }

  /** @param {Point} pixel */
  #nearDepot(pixel) {
    return distance(pixel, this.map.pixelOf(this.map.rows[0][0])) < this.#radius + 24;
  }

  /** Offer the depot's routes once the hand rests there: on its way past it, it means a stop. @param {boolean} near */
  #rest(near) {
    clearTimeout(this.#timer);
    if (!near) this.#rested = false;
    else if (!this.#rested) {
      this.#timer = setTimeout(() => {
        this.#rested = true;
        this.draw();
      }, REST);
    }
  }

  // -- the depot belongs to every route: it fans out into handles, one for the start of each -------------

  get #radius() {
    return Math.max(FAN, (this.map.rows.length * ROOM) / (2 * Math.PI));
  }

  /** @returns {{ spot: Spot, at: Point }[]} */
  #handles() {
    const { rows } = this.map;
    const [x, y] = this.map.pixelOf(rows[0][0]);
    return rows.map((_, r) => {
      const angle = (2 * Math.PI * r) / rows.length - Math.PI / 2;
      const [dx, dy] = [this.#radius * Math.cos(angle), this.#radius * Math.sin(angle)];
      return { spot: { r, k: 0 }, at: [x + dx, y + dy] };
    });
  }

  /** Whether the handles are shown. */
  get #shown() {
    const { rows, scene, events } = this.map;
    if (rows.length < 2 || !scene.isDepot({ r: 0, k: 0 })) return false;
    if (this.#open) return true;
    return this.#held !== null && events.inserts() && this.#rested;
  }

  /** @param {Point} pixel @returns {Spot | null} */
  #handleNear(pixel) {
    if (!this.#shown) return null;
    const near = this.#handles().find(({ at }) => distance(pixel, at) < REACH.handle);
    const stop = near && this.stopNear(pixel);
    if (!near || !stop || this.map.scene.isDepot(stop)) return near?.spot ?? null;
    const far = distance(pixel, this.map.pixelOf(this.map.rows[stop.r][stop.k]));
    return distance(pixel, near.at) < far ? near.spot : null;
  }

  #drawFan() {
    const target = this.#held?.to ?? null;
    const handles = this.#shown ? this.#handles() : [];
    put(
      this.#fan,
      handles.map(({ spot, at }) =>
        s(
          "g",
          {
            class: `handle ${colour(spot.r)}${same(spot, target) ? " chosen" : ""}`,
            transform: `translate(${write(at)})`,
          },
          s("circle", { r: 14 }),
          s("text", { dy: "0.36em", text: letters(spot.r) }),
        ),
      ),
    );
  }

  /** What is held, at the hand, with a string to where it was. */
  #drawHand() {
    if (!this.#held) {
      put(this.#hand);
      return;
    }
    const { map } = this;
    const { from, hand } = this.#held;
    const origin = map.pixelOf(map.rows[from.r][from.k]);
    put(
      this.#hand,
      s("path", { class: "string", d: `M${write(origin)}L${write(hand)}` }),
      s(
        "g",
        { class: `stop held ${colour(from.r)}`, transform: `translate(${write(hand)})` },
        s("circle", { r: 13, class: "dot" }),
        s("text", { dy: "0.36em", text: map.scene.short(from) }),
      ),
    );
  }
}

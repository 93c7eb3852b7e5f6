// A hand on the map of routes: which stop it holds, and where it would drop it.

import { put, s } from "../../app/elements.js";
import { distance, squaredDistance, write } from "../geometry.js";
import { edgesOf, same } from "./moves.js";
import { colour } from "./scene.js";

/** @import { Gesture, Hand } from "../../app/drag.js" */
/** @import { Point } from "../../app/types.js" */
/** @import { RouteMap } from "./map.js" */
/** @import { Spot } from "./moves.js" */

const REACH = { stop: 22, edge: 14 }; // pixels within which a thing is meant
const FINGER = 1.4; // times as far for a finger

export class RouteHand {
  /** @type {{ from: Spot, hand: Point, to: Spot | null } | null} */
  #held = null;
  #hand = s("g", { class: "hand" });

  /** @param {RouteMap} map */
  constructor(map) {
    this.map = map;
    this.layers = [this.#hand];
  }

  /** Where the hand is while it holds a stop. @type {Point | null} */
  get place() {
    return this.#held?.hand ?? null;
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
    const from = this.stopNear(pixel, factor);
    if (!from) return null;
    const tap = () => events.pick(from);
    if (!events.editable()) return { move: () => {}, drop: () => {}, tap };
    const end = () => {
      const to = this.#held?.to ?? null;
      this.#held = null;
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
    const stop = this.stopNear(pixel, factor);
    if (!stop) return this.map.events.inserts() ? this.#edgeNear(pixel, from, factor) : null;
    return same(stop, from) ? null : this.placeAt(stop);
  }

  /** On the map the depot belongs to every route: to insert there is to use an idle vehicle, if there is one. @param {Spot} spot @returns {Spot | null} */
  placeAt(spot) {
    const { rows, scene, events } = this.map;
    if (!scene.isDepot(spot) || !events.inserts() || rows.length < 2) return spot;
    const vehicles = rows.slice(0, scene.ends?.length);
    const r = vehicles.findIndex((row) => row.length === 1 && row[0] === rows[spot.r][0]);
    return r < 0 ? null : { r, k: 0 };
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
    for (const { r, k, a, b } of edgesOf(map.scene.domain, map.rows, map.scene.ends)) {
      if (a === held || b === held || map.isDim(r)) continue;
      const far = squaredDistance(pixel, map.pixelOf(a), map.pixelOf(b));
      if (far >= least) continue;
      least = far;
      best = { r, k };
    }
    return best;
  }

  /** What is held, at the hand, with a string to where it was. */
  draw() {
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

// A view on a plane: what part of it is seen, and how large. Pure but for the callback.

/** @import { Point } from "../app/types.js" */
/** @import { Bounds } from "./geometry.js" */

/** @typedef {{ k: number, x: number, y: number }} View pixel = k * point + (x, y) */

const NEAREST = 40; // times the scale that shows everything
const FARTHEST = 0.5;

/**
 * The view that shows a box in the middle of what the margins leave.
 * @param {Bounds} box
 * @param {number} width
 * @param {number} height
 * @param {Bounds} margins
 * @returns {View}
 */
export function viewOf(box, width, height, { left, right, top, bottom }) {
  const [w, h] = [box.right - box.left, box.bottom - box.top];
  const wide = Math.max(1, width - left - right);
  const high = Math.max(1, height - top - bottom);
  // A box without extent in one direction is centred there; a single point gets some scale.
  const k = Math.min(w ? wide / w : Infinity, h ? high / h : Infinity);
  const scale = Number.isFinite(k) ? k : 1;
  return {
    k: scale,
    x: left + wide / 2 - (scale * (box.left + box.right)) / 2,
    y: top + high / 2 - (scale * (box.top + box.bottom)) / 2,
  };
}

export class Camera {
  /** @type {View} */
  view = { k: 1, x: 0, y: 0 };
  #home = 1;

  /** @param {(view: View) => void} changed called after every change of the view */
  constructor(changed) {
    this.changed = changed;
  }

  /** Whether the view is no closer than the one that shows everything. */
  get isHome() {
    return this.view.k <= this.#home * 1.01;
  }

  /** How much closer than the view that shows everything. */
  get closeness() {
    return this.view.k / this.#home;
  }

  /**
   * Show a box.
   * @param {Bounds} box
   * @param {number} width
   * @param {number} height
   * @param {Bounds} margins
   */
  fit(box, width, height, margins) {
    const view = viewOf(box, width, height, margins);
    this.#home = view.k;
    this.show(view);
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    this.changed(view);
  }

  /** Zoom around a pixel. @param {number} by @param {Point} pixel */
  zoom(by, [px, py]) {
    const { k, x, y } = this.view;
    const next = Math.max(this.#home * FARTHEST, Math.min(this.#home * NEAREST, k * by));
    const ratio = next / k;
    this.show({ k: next, x: px - (px - x) * ratio, y: py - (py - y) * ratio });
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    const { k, x, y } = this.view;
    this.show({ k, x: x + dx, y: y + dy });
  }

  /** The pixel of a point. @param {Point} point @returns {Point} */
  pixel([x, y]) {
    const { view } = this;
    return [view.k * x + view.x, view.k * y + view.y];
  }

  /** The point under a pixel. @param {Point} pixel @returns {Point} */
  point([x, y]) {
    const { view } = this;
    return [(x - view.x) / view.k, (y - view.y) / view.k];
  }
}

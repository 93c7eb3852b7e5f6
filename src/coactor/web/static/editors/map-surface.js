// A map that can be zoomed and moved: by wheel, by two fingers, by pulling its ground, by buttons.

import { makeDraggable } from "../app/drag.js";
import { button, h, s } from "../app/elements.js";
import { Camera } from "./camera.js";

/** @import { Gesture, Hand } from "../app/drag.js" */
/** @import { Point } from "../app/types.js" */
/** @import { Backdrop } from "./backdrop.js" */
/** @import { Bounds } from "./geometry.js" */

const STEP = 1.5; // how much one press on a button zooms
const NARROW = 600; // pixels; such a map is not as wide as what it shows
// Room for the tools above, the buttons on the right and the hint below: they must not hide what is drawn.
const MARGINS = { left: 36, right: 64, top: 64, bottom: 76 };
const LOW = 300; // pixels; above an open sheet there are no buttons and no hint
const LOW_MARGINS = { left: 24, right: 24, top: 60, bottom: 20 };

/**
 * @typedef {object} SurfaceOptions
 * @property {string} label what a screen reader says
 * @property {SVGElement[]} layers
 * @property {(all: boolean) => Bounds | null} bounds of everything, or of all but what is far away
 * @property {() => void} place called when the view or the size has changed
 * @property {(pixel: Point, hand: Hand) => Gesture | null} grab
 * @property {(pixel: Point | null) => void} hover where the mouse is; null: not over the map
 * @property {Node[]} [below] drawn below the layers
 * @property {Backdrop | null} [backdrop] drawn below everything
 * @property {string} [name] of a further class
 */

/** A group of shapes on a map. @param {string} name */
export const layer = (name) => s("g", { class: name });

export class MapSurface {
  width = 600;
  height = 400;
  #all = false;

  /** @param {SurfaceOptions} options */
  constructor(options) {
    this.options = options;
    this.camera = new Camera(() => this.#place());
    this.svg = s(
      "svg",
      { class: `plane ${options.name ?? ""}`, role: "img", "aria-label": options.label },
      options.layers,
    );
    const tools = h(
      "div",
      { class: "zoom", role: "group", "aria-label": "Map" },
      button("+", () => this.zoom(STEP), { "aria-label": "Zoom in" }),
      button("−", () => this.zoom(1 / STEP), { "aria-label": "Zoom out" }),
      button("⤢", () => this.fit(true), {
        "aria-label": "Show everything",
        title: "Show everything",
      }),
    );
    this.element = h(
      "div",
      { class: "map" },
      options.backdrop?.element,
      options.below ?? [],
      this.svg,
      options.backdrop?.credit,
      tools,
    );
    this.drag = makeDraggable(this.svg, (hand) => this.#grab(hand), {
      pinch: (scale, centre, dx, dy) => this.#pinch(scale, centre, dx, dy),
    });
    this.#listen();
  }

  /** Where a hand is on the map. @param {{ x: number, y: number }} hand @returns {Point} */
  pixelOf({ x, y }) {
    const box = this.svg.getBoundingClientRect();
    return [x - box.left, y - box.top];
  }

  #place() {
    this.options.backdrop?.place(this.camera, this.width, this.height);
    this.options.place();
  }

  /** Show everything, or all but what is far away. @param {boolean} [all] */
  fit(all = false) {
    this.#all = all;
    this.#resize();
    const box = this.options.bounds(all);
    const narrow = this.width < NARROW ? { ...MARGINS, right: MARGINS.left } : MARGINS;
    const margins = this.width < NARROW && this.height < LOW ? LOW_MARGINS : narrow;
    if (box) this.camera.fit(box, this.width, this.height, margins);
  }

  /** @param {number} by */
  zoom(by) {
    this.camera.zoom(by, [this.width / 2, this.height / 2]);
  }

  /** @param {Hand} hand */
  #grab(hand) {
    return this.options.grab(this.pixelOf(hand), hand) ?? this.pan();
  }

  /** A gesture that pulls the ground along. @returns {Gesture} */
  pan() {
    let [x, y] = [0, 0];
    return {
      begin: (hand) => {
        ({ x, y } = hand);
      },
      move: (hand) => {
        this.camera.pan(hand.x - x, hand.y - y);
        ({ x, y } = hand);
      },
      drop: () => {},
    };
  }

  /** @param {number} scale @param {Hand} centre @param {number} dx @param {number} dy */
  #pinch(scale, centre, dx, dy) {
    this.camera.pan(dx, dy);
    this.camera.zoom(scale, this.pixelOf(centre));
  }

  #listen() {
    const { hover } = this.options;
    this.svg.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
        this.camera.zoom(Math.exp((-event.deltaY * lines) / 400), this.pixelOf(event));
      },
      { passive: false },
    );
    this.svg.addEventListener("pointermove", (event) => {
      if (!event.buttons && event.pointerType === "mouse") hover(this.pixelOf(event));
    });
    this.svg.addEventListener("pointerleave", () => hover(null));
    new ResizeObserver(() => this.#measure()).observe(this.element);
  }

  /** Take the size of the element over, if it has one. @returns {boolean} whether it has changed */
  #resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height || (width === this.width && height === this.height)) return false;
    [this.width, this.height] = [width, height];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return true;
  }

  #measure() {
    const { width, height } = this;
    const home = this.camera.isHome;
    if (!this.#resize()) return;
    if (home) this.fit(this.#all);
    else this.camera.pan((this.width - width) / 2, (this.height - height) / 2);
  }
}

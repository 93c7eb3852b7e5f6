// The stops of all routes as a list: by keyboard, by click and by dragging.

import { makeDraggable } from "../../app/drag.js";
import { button, closest, h, put } from "../../app/elements.js";
import { same } from "./moves.js";
import { colour } from "./scene.js";
import { clockText, isOver, loadText, spanOf, stopRemark, timeBar } from "./times.js";

/** @import { Gesture, Hand } from "../../app/drag.js" */
/** @import { RouteTimes } from "../../app/types.js" */
/** @import { Rows, Spot } from "./moves.js" */
/** @import { Scene } from "./scene.js" */

/**
 * @typedef {object} ListEvents
 * @property {(spot: Spot, extend: boolean) => void} pick
 * @property {(from: Spot, to: Spot | null) => void} drag
 * @property {(from: Spot, to: Spot | null) => void} drop
 * @property {(spot: Spot | null) => void} hover
 * @property {(spot: Spot) => void} focus the keyboard is on another stop
 * @property {(route: number | null) => void} solo
 * @property {() => boolean} editable
 */

/** What the list shows of the draft. @typedef {{ rows: Rows, before: Map<number, Spot>, moved: Set<number>, times: RouteTimes[], stale: boolean }} Listing */

export class RouteList {
  /** @type {string[]} what each route's group shows, as text */
  #signatures = [];
  /** @type {number | null} */
  #solo = null;
  /** @type {Listing} */
  #listing = { rows: [], before: new Map(), moved: new Set(), times: [], stale: false };
  /** @type {Element[]} */
  #painted = [];
  /** The minutes that the bars of all routes have in common. @type {[number, number]} */
  #span = [0, 0];

  /** @param {Scene} scene @param {ListEvents} events */
  constructor(scene, events) {
    this.scene = scene;
    this.events = events;
    this.element = h("div", {
      class: "lists",
      role: "listbox",
      "aria-label": "Stops in order",
      "aria-multiselectable": "true",
    });
    makeDraggable(this.element, (hand) => this.#grab(hand), {
      scroller: () => this.element.closest(".panel-body"),
    });
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("focusin", ({ target }) => {
      const spot = this.spotOf(target);
      if (spot) events.focus(spot);
    });
    this.element.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && !event.buttons) events.hover(this.spotOf(event.target));
    });
    this.element.addEventListener("pointerleave", () => events.hover(null));
  }

  /** Whether the keyboard is in the list. */
  get focused() {
    return this.element.contains(document.activeElement);
  }

  /** @param {Listing} listing */
  render(listing) {
    this.#listing = listing;
    this.#span = spanOf(listing.times);
    this.element.classList.toggle("stale", listing.stale);
    const signatures = listing.rows.map((_, r) => this.#signature(r));
    if (signatures.length !== this.#signatures.length) {
      put(
        this.element,
        listing.rows.map((_, r) => this.#group(r)),
      );
    } else {
      signatures.forEach((text, r) => {
        if (text !== this.#signatures[r]) this.element.children[r].replaceWith(this.#group(r));
      });
    }
    this.#signatures = signatures;
    this.#painted = [];
  }

  /**
   * Show the chosen stops, and where the keyboard is.
   * @param {Spot[]} chosen
   * @param {Spot[]} ends
   * @param {Spot} active
   */
  paint(chosen, ends, active) {
    for (const element of this.#painted) {
      element.classList.remove("chosen", "mark");
      element.setAttribute("aria-selected", "false");
    }
    this.#painted = chosen.flatMap((spot) => this.elementAt(spot) ?? []);
    for (const element of this.#painted) {
      element.classList.add("chosen");
      element.setAttribute("aria-selected", "true");
    }
    for (const spot of ends) this.elementAt(spot)?.classList.add("mark");
    this.element.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    this.elementAt(active)?.setAttribute("tabindex", "0");
  }

  /** @param {Spot} spot */
  elementAt({ r, k }) {
    const element = this.element.querySelector(`[data-r="${r}"][data-k="${k}"]`);
    return element instanceof HTMLElement ? element : null;
  }

  /** Give a stop the keyboard focus. @param {Spot} spot */
  focus(spot) {
    this.elementAt(spot)?.focus();
  }

  /** Bring a stop into view and light it. @param {Spot | null} spot */
  light(spot) {
    this.element.querySelector(".lit")?.classList.remove("lit");
    if (spot) this.elementAt(spot)?.classList.add("lit");
  }

  /** @param {Spot} spot */
  reveal(spot) {
    this.elementAt(spot)?.scrollIntoView({ block: "nearest" });
  }

  /** Show one route alone, or all again. @param {number} route */
  toggleSolo(route) {
    this.#solo = this.#solo === route ? null : route;
    this.events.solo(this.#solo);
    this.render(this.#listing);
  }

  /** @param {number} r */
  #signature(r) {
    const { rows, moved, times, before } = this.#listing;
    const marks = rows[r].map((stop) =>
      moved.has(stop) ? `${stop}*${before.get(stop)?.k}` : stop,
    );
    return `${marks.join(" ")}|${JSON.stringify(times[r])}|${this.#span}|${this.#solo}`;
  }

  /** @param {number} r */
  #group(r) {
    const { rows } = this.#listing;
    const name = this.scene.routeName(r);
    return h(
      "div",
      { role: "group", "aria-label": name, class: `route ${colour(r)}` },
      rows.length > 1 ? this.#heading(r, name) : null,
      this.#bar(r),
      rows[r].map((stop, k) => this.#option(stop, { r, k })),
    );
  }

  /** @param {number} r */
  #bar(r) {
    const bar = timeBar(this.#listing.times[r] ?? {}, this.#span);
    const [first, last] = this.#span.map(clockText);
    return bar && h("p", { class: "times hint", "aria-hidden": "true" }, first, bar, last);
  }

  /** @param {number} r @param {string} name */
  #heading(r, name) {
    const route = this.#listing.times[r];
    const alone = this.#solo === r;
    return h(
      "p",
      { class: "routename", "aria-hidden": "true" },
      button(name, () => this.toggleSolo(r), {
        class: "quiet",
        tabindex: "-1",
        "aria-pressed": String(alone),
        title: alone ? "Show all routes" : "Show this route alone",
      }),
      route && h("span", { class: isOver(route) ? "load over" : "load", text: loadText(route) }),
      h("span", { class: "again", title: "Re-plan this route", data: { r } }),
      h("span", { class: "lock", title: "Lock this route", data: { r } }),
    );
  }

  /** @param {number} stop @param {Spot} spot */
  #option(stop, spot) {
    const { scene } = this;
    const depot = scene.isDepot(spot);
    const moved = !depot && this.#listing.moved.has(stop);
    const old = this.#listing.before.get(stop);
    const was =
      moved && old
        ? h("s", {}, h("span", { class: "unseen", text: "was " }), scene.short(old))
        : null;
    const name = depot ? "Depot" : scene.nameOf(stop);
    const amount = scene.amountOf(stop);
    const time = depot ? undefined : this.#listing.times[spot.r]?.stops?.[spot.k - 1];
    const remark = stopRemark(time);
    const late = / late$/.test(remark) ? " over" : "";
    return h(
      "div",
      {
        role: "option",
        class: moved ? "stop moved" : "stop",
        tabindex: "-1",
        "aria-selected": "false",
        data: { r: spot.r, k: spot.k },
      },
      h("span", { class: "place" }, depot ? "–" : [was, " ", h("b", { text: scene.short(spot) })]),
      h("span", { class: "called", dir: "auto", title: name, text: name }),
      time && h("span", { class: `hint at${late}`, text: clockText(time[0]), title: remark }),
      remark ? h("span", { class: `hint remark${late}`, text: remark }) : null,
      amount && !depot ? h("span", { class: "hint", text: amount }) : null,
      h("span", { class: "lock", "aria-hidden": "true", title: "Lock" }),
      h("span", { class: "grip", "aria-hidden": "true", text: "⠿" }),
    );
  }

  /** The stop that an element belongs to. @param {EventTarget | null} target @returns {Spot | null} */
  spotOf(target) {
    const element = closest(target, "[role=option]");
    if (!element || !this.element.contains(element)) return null;
    return { r: Number(element.dataset.r), k: Number(element.dataset.k) };
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const spot = this.spotOf(event.target);
    if (!spot) return;
    this.events.pick(spot, event.shiftKey);
    this.focus(spot);
  }

  /**
   * A finger drags by the grip, so that it can still scroll.
   * @param {Hand} hand
   * @returns {Gesture | null}
   */
  #grab({ target, touch, y: start }) {
    const from = this.spotOf(target);
    if (!from || !this.events.editable() || (touch && !closest(target, ".grip"))) return null;
    const scroller = this.element.closest(".panel-body");
    const scrolled = scroller?.scrollTop ?? 0;
    /** @type {Spot | null} */
    let to = null;
    const release = () => {
      const element = this.elementAt(from);
      element?.classList.remove("held");
      if (element) element.style.transform = "";
    };
    return {
      move: (hand) => {
        const element = this.elementAt(from);
        element?.classList.add("held");
        const by = hand.y - start + (scroller?.scrollTop ?? 0) - scrolled;
        if (element) element.style.transform = `translateY(${by}px)`;
        const under = this.spotOf(document.elementFromPoint(hand.x, hand.y));
        const next = under && same(under, from) ? null : under;
        if (same(next, to)) return;
        to = next;
        this.events.drag(from, to);
      },
      drop: () => {
        release();
        this.events.drop(from, to);
      },
      cancel: () => {
        release();
        this.events.drop(from, null);
      },
    };
  }
}

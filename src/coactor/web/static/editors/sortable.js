// A list whose items are put into another order: by dragging, by picking them up with Space, by Alt and
// the arrow keys, or by typing a place.

import { makeDraggable } from "../app/drag.js";
import { closest, leaveText } from "../app/elements.js";
import { plural } from "../app/format.js";
import { carried, carries, exchanges, outOfOrder } from "./list-moves.js";

/** @import { Gesture, Hand } from "../app/drag.js" */
/** @import { EditorContext, Move, Panel, Proposal } from "../app/types.js" */

/**
 * @typedef {object} SortableOptions
 * @property {HTMLElement} scroller the element that scrolls the list
 * @property {() => string} hint what can be done
 * @property {(item: number, place: number, was: number | null) => HTMLElement} row `was`: the place it was moved from
 * @property {(move: Move) => string} describe a move in words
 * @property {boolean} [numbers] whether typed digits are a place to move to
 */

/** @typedef {{ item: number, from: number, to: number }} Held */

const PAUSE = 1500; // milliseconds after which a digit begins another number

export class Sortable {
  /** @type {number[]} */
  order = [];
  /** Picked up by keyboard. @type {Held | null} */
  #held = null;
  #typed = "";
  #typedAt = 0; // when the last digit was typed
  /** Places whose rows are shifted. @type {number[]} */
  #shifted = [];

  /**
   * @param {HTMLElement} list its children are the items, with data-item
   * @param {EditorContext} context @param {SortableOptions} options
   */
  constructor(list, { draft, prompt, editable }, options) {
    const { problem, proposed, solution } = draft.data;
    this.list = list;
    this.draft = draft;
    this.prompt = prompt;
    this.editable = () => editable() && !this.#previewed;
    this.options = options;
    this.titles = /** @type {{ names?: string[] }} */ (problem).names;
    this.proposed = /** @type {number[]} */ (proposed);
    this.before = new Map(this.proposed.map((item, place) => [item, place]));
    /** The item that the keyboard is on. @type {number} */
    this.active = /** @type {number[]} */ (solution)[0];
    list.addEventListener("focusin", (event) => this.#onFocus(event));
    list.addEventListener("keydown", (event) => this.#onKey(event));
    makeDraggable(list, (hand) => this.#grab(hand), { scroller: () => options.scroller });
  }

  /** @param {string} text */
  #say(text) {
    this.prompt.textContent = text;
  }

  /** @param {number} item */
  nameOf(item) {
    return this.titles?.[item] || `Item ${item + 1}`;
  }

  /** @param {Held} carry */
  #carryText({ item, from, to }) {
    const size = plural(Math.abs(to - from), "exchange");
    return `${this.nameOf(item)} moved from place ${from + 1} to ${to + 1} (${size})`;
  }

  /** The edits in words, one for each drag. @param {Move[]} moves */
  history(moves) {
    const { describe } = this.options;
    return carries(this.proposed, moves).map((edit) =>
      "item" in edit ? this.#carryText(edit) : edit.text || describe(edit),
    );
  }

  /** Show an order. Only rows that changed are replaced, so that a long list stays quick. @param {Pick<Proposal, "solution">} data */
  render({ solution }) {
    const order = /** @type {number[]} */ (solution);
    const focused = this.list.contains(document.activeElement);
    this.#reset();
    this.order = [...order];
    const places = order.map((item) => this.before.get(item) ?? 0);
    const moved = outOfOrder(places);
    order.forEach((item, place) => {
      const was = moved.has(place) ? places[place] : null;
      const key = `${item} ${place} ${was}`;
      const old = this.rowAt(place);
      if (old?.dataset.key === key) return;
      const element = this.options.row(item, place, was);
      Object.assign(element.dataset, { item, key });
      element.tabIndex = item === this.active ? 0 : -1;
      if (old) old.replaceWith(element);
      else this.list.append(element);
    });
    if (focused) this.focus(this.active);
    this.#say(this.options.hint());
  }

  /** The parts of a row, or of the one that the keyboard is on; `onward`: of it and all behind it. @param {Element | null} element @param {boolean} [onward] */
  partsAt(element, onward = false) {
    const item = closest(element, "[data-item]")?.dataset.item ?? this.active;
    const place = this.order.indexOf(Number(item));
    const items = this.order.slice(place, onward ? undefined : place + 1);
    return items.map((one, k) => [`place ${place + k + 1}`, this.titles?.[one] ?? String(one)]);
  }

  /** Show another solution as a change of the present one. @param {Proposal | null} data null: the draft is shown next */
  preview(data) {
    const compared = data ? this.order : this.proposed;
    this.before = new Map(compared.map((item, place) => [item, place]));
    this.#previewed = data !== null;
    if (data) this.render(data);
  }

  #previewed = false; // what is shown is not the draft: nothing can be moved

  /** @param {number} place */
  rowAt(place) {
    const row = this.list.children[place];
    return row instanceof HTMLElement ? row : undefined;
  }

  /** @param {number} item */
  focus(item) {
    const row = this.rowAt(this.order.indexOf(item));
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }

  /** Highlight some places. @param {number[]} places */
  mark(places) {
    for (const row of this.list.querySelectorAll(".chosen")) row.classList.remove("chosen");
    for (const place of places) this.rowAt(place)?.classList.add("chosen");
  }

  /** Move the item to the place that was typed; false if none was. */
  enter() {
    if (!this.#typed) return false;
    const place = Number(this.#typed) - 1;
    this.#typed = "";
    this.carry(this.active, place);
    return true;
  }

  /** @param {number} item @param {number} goal */
  carry(item, goal) {
    if (!this.editable()) return;
    const { order } = this;
    const from = order.indexOf(item);
    const to = Math.max(0, Math.min(order.length - 1, goal));
    this.active = item;
    const moves = exchanges(from, to);
    const text = `${this.#carryText({ item, from, to })}.`;
    if (from === to) this.#say("It is there already.");
    else this.draft.edit(moves, text, carried(order, from, to));
  }

  #reset() {
    if (this.#held) this.rowAt(this.#held.from)?.classList.remove("held");
    this.#held = null;
    for (const place of this.#shifted) this.#move(place, 0);
    this.#shifted = [];
  }

  // -- keyboard -----------------------------------------------------------------------------------------

  /** @param {FocusEvent} event */
  #onFocus({ target }) {
    const row = closest(target, "[data-item]");
    const item = Number(row?.dataset.item);
    if (!row || item === this.active) return;
    this.rowAt(this.order.indexOf(this.active))?.setAttribute("tabindex", "-1");
    this.active = item;
    this.#typed = "";
    row.setAttribute("tabindex", "0");
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const row = closest(event.target, "[data-item]");
    if (!row || row !== event.target || event.ctrlKey || event.metaKey) return;
    const done = this.#held ? this.#heldKey(event.key, this.#held) : this.#key(event);
    if (done) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #key({ key, altKey }) {
    const place = this.order.indexOf(this.active);
    const goal = this.#goalOf(key, place);
    if (goal !== null) {
      if (altKey) this.carry(this.active, goal);
      else this.focus(this.order[goal]);
      return true;
    }
    return this.editable() && !altKey && this.#editKey(key, place);
  }

  /** @param {string} key @param {number} place */
  #editKey(key, place) {
    const { hint, numbers } = this.options;
    if (numbers && /^[0-9]$/.test(key)) {
      const fresh = performance.now() - this.#typedAt > PAUSE;
      this.#typed = `${fresh ? "" : this.#typed}${key}`.slice(-6);
      this.#typedAt = performance.now();
      const last = this.order.length;
      const where = Number(this.#typed) > last ? `the last place, ${last}` : `place ${this.#typed}`;
      this.#say(`Move ${this.nameOf(this.active)} to ${where}? Press Enter.`);
    } else if (key === "Escape" && this.#typed) {
      this.#typed = "";
      this.#say(hint());
    } else if (key === " ") {
      this.#held = { item: this.active, from: place, to: place };
      this.rowAt(place)?.classList.add("held");
      this.#sayHeld(this.#held);
    } else return false;
    return true;
  }

  /** The place that a key leads to. @param {string} key @param {number} place */
  #goalOf(key, place) {
    const last = this.order.length - 1;
    /** @type {Record<string, number>} */
    const goals = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: last };
    const goal = goals[key];
    return goal === undefined ? null : Math.max(0, Math.min(last, goal));
  }

  /** @param {Held} held */
  #sayHeld({ item, to }) {
    const keys = "Arrow keys move it, Space drops it, Escape puts it back.";
    this.#say(`${this.nameOf(item)}: place ${to + 1}. ${keys}`);
  }

  /** @param {string} key @param {Held} held */
  #heldKey(key, held) {
    const goal = this.#goalOf(key, held.to);
    if (goal !== null) {
      held.to = goal;
      this.#shift(held.from, held.to);
      this.rowAt(held.from)?.scrollIntoView({ block: "nearest" });
      this.#sayHeld(held);
    } else if (key === " " || key === "Enter") {
      this.#reset();
      this.carry(held.item, held.to);
    } else if (key === "Escape") {
      this.#reset();
      this.#say(`${this.nameOf(held.item)} is back at place ${held.from + 1}.`);
    } else return false;
    return true;
  }

  // -- dragging: rows are moved by transforms only, so that the browser lays nothing out -----------------

  /** @param {number} place @param {number} by */
  #move(place, by) {
    const row = this.rowAt(place);
    if (row) row.style.transform = by ? `translateY(${by}px)` : "";
  }

  /**
   * Show the row at `from` at place `to`, and the ones between aside.
   * @param {number} from
   * @param {number} to
   * @param {number} [offset]
   */
  #shift(from, to, offset) {
    const size = this.rowAt(from)?.offsetHeight ?? 0;
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    for (const place of this.#shifted) if (place < low || place > high) this.#move(place, 0);
    this.#shifted = [];
    const aside = to > from ? -size : size;
    for (let place = low; place <= high; place += 1) {
      this.#move(place, place === from ? (offset ?? (to - from) * size) : aside);
      this.#shifted.push(place);
    }
  }

  /**
   * A finger drags by the grip, so that it can still scroll.
   * @param {Hand} hand
   * @returns {Gesture | null}
   */
  #grab({ target, touch, y: start }) {
    const { scroller, hint } = this.options;
    const row = closest(target, "[data-item]");
    if (!row || !this.editable() || closest(target, "button")) return null;
    if (touch && !closest(target, ".grip")) return null;
    const item = Number(row.dataset.item);
    const from = this.order.indexOf(item);
    const middles = [...this.list.children].map(middleOf); // measured once
    const scrolled = scroller.scrollTop;
    let to = from;
    const end = () => {
      this.rowAt(from)?.classList.remove("held");
      this.list.classList.remove("dragging");
      this.#shift(from, from);
      this.#say(hint());
    };
    return {
      begin: () => {
        this.rowAt(from)?.classList.add("held");
        this.list.classList.add("dragging");
      },
      move: (hand) => {
        const offset = hand.y - start + scroller.scrollTop - scrolled;
        to = this.#near(hand) ? placeOf(middles, from, offset) : from;
        this.#shift(from, to, offset);
        const goal = `Let go to move ${this.nameOf(item)} to place ${to + 1}.`;
        this.#say(to === from ? leaveText() : goal);
      },
      drop: () => {
        end();
        if (to !== from) this.carry(item, to);
      },
      cancel: end,
    };
  }

  /** Whether a hand is over the list, or above or below it. @param {Hand} hand */
  #near({ x }) {
    const { left, right } = this.list.getBoundingClientRect();
    return x > left - 80 && x < right + 80;
  }
}

/** What the editors of lists have in common: a sortable list does most of it. */
export class ListEditor {
  /** @type {Panel[]} */
  panels = [];
  only = "from here on";

  /** @param {HTMLElement} list @param {EditorContext} context @param {SortableOptions} options */
  constructor(list, context, options) {
    this.list = list;
    this.draft = context.draft;
    this.editable = context.editable;
    this.sortable = new Sortable(list, context, options);
  }

  /** @param {Move[]} moves */
  history(moves) {
    return this.sortable.history(moves);
  }

  /** @param {Element | null} element @param {boolean} [onward] */
  partsAt(element, onward) {
    return this.sortable.partsAt(element, onward);
  }

  /** @param {Proposal | null} data */
  preview(data) {
    this.sortable.preview(data);
  }
}

/** @param {Element} element */
const middleOf = (element) => {
  const row = /** @type {HTMLElement} */ (element);
  return row.offsetTop + row.offsetHeight / 2;
};

/**
 * The place of a row that was moved by so many pixels.
 * @param {number[]} middles
 * @param {number} from
 * @param {number} offset
 */
export function placeOf(middles, from, offset) {
  const centre = middles[from] + offset;
  let to = from;
  while (to < middles.length - 1 && centre > (middles[to] + middles[to + 1]) / 2) to += 1;
  while (to > 0 && centre < (middles[to] + middles[to - 1]) / 2) to -= 1;
  return to;
}

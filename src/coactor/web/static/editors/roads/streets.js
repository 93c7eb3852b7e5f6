// The streets of a route as a list; some of them can be chosen.

import { closest, h, put } from "../../app/elements.js";
import { amount } from "../../app/format.js";

/** @import { ComparedStretch } from "./network.js" */

/** A row that can be chosen. @typedef {{ name: string, first: number, last: number, length: number }} Option */

const WHOLE = "The whole way";

export class StreetList {
  /** The whole way, then the streets of the route. @type {Option[]} */
  #options = [];
  /** @type {ComparedStretch[]} */
  #rows = [];
  #active = 0; // where the keyboard is
  #from = 0; // where a choice of several streets began

  /**
   * @param {{ unit: string, factor: number }} length how lengths are shown
   * @param {(part: [number, number] | null) => void} chosen
   */
  constructor(length, chosen) {
    this.length = length;
    this.chosen = chosen;
    this.element = h("div", {
      class: "lists streets",
      role: "listbox",
      "aria-label": "Streets in order",
      "aria-multiselectable": "true",
    });
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", ({ target }) => {
      const index = indexOf(target);
      if (index !== null && index !== this.#active) this.pick(index);
    });
  }

  /**
   * The first and last position of the chosen streets; null for the whole way.
   * @returns {[number, number] | null}
   */
  get part() {
    if (!this.#active) return null;
    const [low, high] = this.#range;
    return [this.#options[low].first, this.#options[high].last];
  }

  /** The first and last position of a row; of the chosen ones without a row. @param {Element | null} element @returns {[number, number] | null} */
  partAt(element) {
    const index = indexOf(element);
    const row = index === null ? null : this.#options[index];
    return row ? [row.first, row.last] : this.part;
  }

  /** The names of the chosen streets; none for the whole way. */
  get chosenNames() {
    if (!this.#active) return [];
    const [low, high] = this.#range;
    return [...new Set(this.#options.slice(low, high + 1).map(({ name }) => name))];
  }

  get #range() {
    const from = this.#from || this.#active;
    return [Math.min(this.#active, from), Math.max(this.#active, from)];
  }

  /** @param {ComparedStretch[]} rows @param {number} count links of the route */
  render(rows, count) {
    const position = this.part?.[0] ?? null;
    const focused = this.element.contains(document.activeElement);
    this.#rows = rows;
    const current = rows.filter(({ state }) => state !== "old");
    const length = current.reduce((sum, row) => sum + row.length, 0);
    this.#options = [{ name: WHOLE, first: 0, last: count - 1, length }, ...current];
    this.#active = position === null ? 0 : this.#indexAt(Math.min(position, count - 1));
    this.#from = this.#active;
    this.#build();
    this.#paint();
    if (focused) this.focus();
  }

  focus() {
    const row = this.element.querySelector(`[data-index="${this.#active}"]`);
    if (row instanceof HTMLElement) row.focus();
  }

  /** Choose the street at a position of the route. @param {number} position */
  pickAt(position) {
    this.pick(this.#indexAt(position));
    this.focus();
  }

  /** @param {number} index @param {boolean} [extend] */
  pick(index, extend = false) {
    this.#active = Math.max(0, Math.min(this.#options.length - 1, index));
    if (!extend || !this.#active) this.#from = this.#active;
    this.#paint();
    this.chosen(this.part);
  }

  /** @param {number} position */
  #indexAt(position) {
    const index = this.#options.findIndex(
      ({ first, last }, i) => i > 0 && position >= first && position <= last,
    );
    return Math.max(0, index);
  }

  #build() {
    let index = 0;
    const rows = this.#rows.map((row) => {
      if (row.state === "old") return gone(row.name);
      index += 1;
      return this.#option(row, index, row.state === "new");
    });
    put(this.element, this.#option(this.#options[0], 0, false), rows);
  }

  /** @param {Option} option @param {number} index @param {boolean} added */
  #option({ name, length }, index, added) {
    const state = added ? " moved" : "";
    const text = amount(length * this.length.factor, this.length.unit);
    return h(
      "div",
      {
        class: `stop${state}${index ? "" : " whole"}`,
        role: "option",
        tabindex: "-1",
        "aria-selected": "false",
        data: { index },
      },
      h(
        "span",
        { class: "called", title: name },
        added ? [h("span", { class: "unseen", text: "new: " }), h("b", { text: name })] : name,
      ),
      h("span", { class: "hint", text }),
      h("span", { class: "lock", "aria-hidden": "true", title: "Lock" }),
    );
  }

  #paint() {
    const [low, high] = this.#active ? this.#range : [0, 0];
    for (const row of this.element.querySelectorAll("[data-index]")) {
      const index = indexOf(row) ?? 0;
      const inside = index >= low && index <= high;
      row.classList.toggle("chosen", inside);
      row.setAttribute("aria-selected", String(inside));
      row.setAttribute("tabindex", index === this.#active ? "0" : "-1");
    }
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const index = indexOf(event.target);
    if (index === null) return;
    if (event.shiftKey && this.#from) this.pick(index, true);
    else if (index !== this.#active) this.pick(index);
    this.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.pick(this.#active + step, event.shiftKey && this.#active > 0);
    this.focus();
  }
}

/** @param {EventTarget | null} target */
function indexOf(target) {
  const index = closest(target, "[data-index]")?.dataset.index;
  return index === undefined ? null : Number(index);
}

/** A street that the route has left. @param {string} name */
const gone = (name) =>
  h(
    "div",
    { class: "stop gone", role: "option", "aria-disabled": "true", "aria-selected": "false" },
    h("s", { class: "called" }, h("span", { class: "unseen", text: "no longer: " }), name),
  );

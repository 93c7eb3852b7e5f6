// What a cell can become: a small list beside it, with what each choice changes, who to exchange it with, and
// what would break a rule: that needs a reason.

import { button, h, put } from "../../app/elements.js";
import { changeTexts } from "../../app/format.js";
import { may } from "../../app/shell.js";
import { paintChip } from "./colours.js";

/** @import { Option, Proposal } from "../../app/types.js" */

/** @typedef {{ key: string, text: string, colour: string, option: Option | null }} Entry */

const FEW = 2; // changes named for each choice
const MANY = 9; // choices beyond which they are sorted

/**
 * What breaks a rule, in one line; opened, each with its rule, and made for a reason by those who may.
 * @param {Entry[]} entries @param {(option: Option, anyway?: string) => void} take
 */
function refusals(entries, take) {
  const reason = h("input", { type: "text", maxlength: "200", "aria-label": "Reason" });
  reason.placeholder = "Why anyway? Such as: Ben is ill";
  const items = entries.map(({ text, option }) => {
    const act = () => {
      if (option && reason.value.trim()) take(option, reason.value.trim());
      else reason.focus();
    };
    return button(
      [
        h("span", { class: "chip" }, h("span", { text })),
        h("span", { class: "refusal", text: `breaks ${option?.refused}` }),
      ],
      act,
      { class: "menu-item anyway", disabled: !may("anyway") },
    );
  });
  const names = entries.map(({ text }) => text).join(", ");
  const rules = new Set(entries.map(({ option }) => option?.refused?.match(/'([^']+)'/)?.[1]));
  const summary = `Not possible alone: ${names} (${[...rules].join("; ")})`;
  return h(
    "details",
    { class: "menu-refused" },
    h("summary", { text: summary }),
    may("anyway") ? reason : null,
    items,
  );
}

/** Many choices: what can be done first, the most promising before the others. @param {Entry[]} entries */
function ordered(entries) {
  if (entries.length <= MANY) return entries;
  /** @param {Entry} entry */
  const rank = ({ option }) => (option && !option.refused ? option.gain : Number.NEGATIVE_INFINITY);
  return [...entries].sort((a, b) => Number(rank(b) > rank(a)) - Number(rank(a) > rank(b)));
}

export class CellMenu {
  /** The cell it belongs to; -1 while it is closed. */
  part = -1;

  constructor() {
    this.element = h("div", { class: "cell-menu", role: "group", hidden: true });
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get open() {
    return !this.element.hidden;
  }

  /**
   * @param {number} part @param {HTMLElement} cell @param {string} title
   * @param {Entry[]} entries choices @param {Entry[]} partners to exchange it with @param {Proposal} data
   * @param {(option: Option, anyway?: string) => void} take @param {HTMLElement[]} more further buttons
   */
  show(part, cell, title, entries, partners, data, take, more) {
    const all = ordered(entries);
    const possible = all.filter(({ option }) => !option?.refused);
    const refused = all.filter(({ option }) => option?.refused);
    const heading = h("p", { class: "hint menu-part", text: "Swap with" });
    this.#open(part, cell, title, [
      ...possible.map((entry) => this.#entry(entry, data, take)),
      ...(partners.length ? [heading] : []),
      ...partners.map((entry) => this.#entry(entry, data, take)),
      ...(refused.length ? [refusals(refused, take)] : []),
      ...more,
    ]);
    this.element.ariaBusy = "false";
  }

  /** Open at once, before the choices are known. @param {number} part @param {HTMLElement} cell @param {string} title */
  wait(part, cell, title) {
    this.#open(part, cell, title, [h("p", { class: "hint", text: "Looking at its choices …" })]);
    this.element.ariaBusy = "true";
  }

  get waiting() {
    return this.open && this.element.ariaBusy === "true";
  }

  /** @param {number} part @param {HTMLElement} cell @param {string} title @param {HTMLElement[]} content */
  #open(part, cell, title, content) {
    this.part = part;
    const heading = { class: "menu-title", dir: "auto", "aria-hidden": "true", text: title };
    put(this.element, h("p", heading), content);
    this.element.setAttribute("aria-label", title);
    this.element.hidden = false;
    this.#cell = cell;
    this.#place();
    this.element.querySelector("details")?.addEventListener("toggle", () => this.#place());
  }

  /** @type {HTMLElement | null} */
  #cell = null;

  /** Below its cell or above it, where there is more room: it never covers the cell. */
  #place() {
    if (!this.#cell) return;
    const box = this.#cell.getBoundingClientRect();
    const { style } = this.element;
    const below = Math.floor(window.innerHeight - box.bottom) - 12;
    style.maxHeight = `${Math.max(below, box.top - 12)}px`;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.max(8, Math.min(box.left, window.innerWidth - width - 8));
    style.left = `${left}px`;
    style.top = `${height > below ? box.top - height - 4 : box.bottom + 4}px`;
  }

  hide() {
    this.element.hidden = true;
    this.part = -1;
  }

  /** @param {Entry} entry @param {Proposal} data @param {(option: Option) => void} take */
  #entry({ key, text, colour, option }, data, take) {
    const chip = h("span", { class: "chip" }, h("span", { text }));
    paintChip(chip, colour);
    const changes = option ? changeTexts(data, option.change, FEW).join(", ") : "as it is";
    return button(
      [
        chip,
        h("span", { class: "hint", text: changes || "no wish is affected" }),
        h("kbd", { text: key }),
      ],
      () => option && take(option),
      { class: "menu-item", "aria-disabled": String(!option) },
    );
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    /** @type {NodeListOf<HTMLElement>} */
    const all = this.element.querySelectorAll("button, summary");
    const items = [...all].filter((item) => item.checkVisibility());
    const now = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    items[(now + step + items.length) % items.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}

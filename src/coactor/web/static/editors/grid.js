// A grid of choices: a roster, a timetable, jobs on machines. Drag to exchange or to move, click or press a
// key to change, lock what must stay. What a rule forbids is refused, with the rule's name, before it happens.

import { at, get } from "../app/api.js";
import { button, closest, h, kbd, leaveText, wording } from "../app/elements.js";
import { changeTexts, feature } from "../app/format.js";
import { keyOf as partKey, setOf } from "../app/keeping.js";
import { messageOf, sayError } from "../app/shell.js";
import { GridHand } from "./grid/hand.js";
import { GridKeys } from "./grid/keys.js";
import { Layout } from "./grid/layout.js";
import { CellMenu } from "./grid/menu.js";
import { brokenText, DENSE, GridTable } from "./grid/table.js";
import { OptionList } from "./option-list.js";

/** @import { Editor, EditorContext, GridView, Move, Option, Proposal } from "../app/types.js" */

/** @typedef {{ part: number, slot: number }} Target a cell or an item, or the place of a choice */
/** @typedef {{ option: Option | null, text: string }} Verdict */

const FEW = 3; // changes named in a sentence
const KEYS = 9; // choices with a number
const PARTNERS = 5; // to exchange a cell with, in its menu

/** The grid as it is shown now. @param {Proposal} data */
function viewOf({ moves, shown, shown_proposed: proposed }) {
  return /** @type {GridView | undefined} */ ((moves.length ? shown : proposed)?.[0]);
}

/** @param {Move} move */
const keyOf = ({ op, args }) => `${op} ${args.join(" ")}`;

export class GridEditor {
  /** @type {number[]} */
  now = [];
  /** Cells and items that are locked. @type {Set<number>} */
  locked = new Set();
  active = 0; // the cell that the keyboard is on
  length = 1; // how many cells from there on are taken together
  /** What can be done with a cell, and to which revision of the draft that belongs. @type {Map<number, Promise<Map<string, Option>>>} */
  #options = new Map();
  #revision = -1;

  /** @param {EditorContext} context */
  constructor({ draft, prompt, editable }) {
    const { shown, shown_proposed: proposed } = draft.data;
    const view = /** @type {GridView} */ ((proposed ?? shown)?.[0]);
    this.draft = draft;
    this.prompt = prompt;
    this.editable = editable;
    this.layout = new Layout(view);
    this.before = this.layout.flat(draft.data.proposed);
    this.view = view;
    this.table = new GridTable(this.layout);
    this.menu = new CellMenu();
    this.list = new OptionList(draft, editable, (option) => this.take(option));
    this.hand = new GridHand(this);
    const signs = view.marks.map(({ symbol, name }) => `${symbol} ${name}`).join(" · ");
    this.canvas = h(
      "div",
      { class: "grid-canvas" },
      this.table.element,
      signs ? h("p", { class: "hint legend", dir: "auto", text: signs }) : null,
      this.menu.element,
      this.hand.ghost,
    );
    const { table } = this.table;
    table.addEventListener("focusin", ({ target }) => this.#onFocus(target));
    table.addEventListener("click", ({ target, shiftKey }) => this.onClick(target, shiftKey));
    const hide = () => this.menu.waiting || this.menu.hide();
    this.table.element.addEventListener("scroll", hide, { passive: true });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!closest(target, ".cell-menu, .grid [data-part]")) this.menu.hide();
    });
    this.keyboard = new GridKeys(this);
    this.panels = [{ title: "All edits", content: this.list.element, folded: true, edits: true }];
    this.wide = this.layout.columns.length > DENSE;
  }

  only = "this row";

  /** @returns {[string, string][]} */
  get keys() {
    const { board, longest } = this.layout;
    /** @type {[string, string]} */
    const block = ["Shift →", "take the next cell as well, to move a block"];
    return [
      ["← ↑ ↓ →", board ? "go from item to item" : "go from cell to cell"],
      ["1 … 9", "give it this choice; so does the letter it begins with"],
      ["Space", "pick up, then arrows, Space drops"],
      ["F2", "its choices and what they change"],
      ...(longest > 1 ? [block] : []),
      ["Esc", "put back"],
    ];
  }

  /** The cells that are taken together: the active one, and those that follow it. */
  get cells() {
    return this.layout.line(this.active, this.length);
  }

  // -- what can be done --------------------------------------------------------------------------------

  /** Every edit of a cell by its move, as the server sees it. @param {number} part */
  optionsOf(part) {
    const { revision } = this.draft.data;
    if (revision !== this.#revision) this.#options.clear();
    this.#revision = revision;
    const known = this.#options.get(part);
    if (known) return known;
    const asked = this.#fetch(part);
    asked.catch(() => this.#options.delete(part));
    this.#options.set(part, asked);
    return asked;
  }

  /** @param {number} part @returns {Promise<Map<string, Option>>} */
  async #fetch(part) {
    if (this.draft.unsent) await this.draft.flush();
    const { study, data } = this.draft;
    /** @type {Option[]} */
    const options = await get(at(study, `/proposals/${data.id}/part?part=${part}`));
    return new Map(options.map((option) => [keyOf(option.move), option]));
  }

  /** The move that takes a cell or an item to a target; null if it would change nothing. @param {number} part @param {Target} target @returns {Move | null} */
  moveTo(part, { part: other, slot }) {
    const { layout, now, length } = this;
    const goal = other >= 0 && length > 1 ? layout.aligned(part, other) : other;
    if (goal >= 0 && goal !== part && layout.exchangeable(part, goal))
      return layout.exchange(now, part, goal, length);
    return length === 1 && slot >= 0 && slot !== now[part] ? layout.setMove(part, slot) : null;
  }

  /** Whether a cell may go to a target, in words. @param {number} part @param {Target} target @returns {Promise<Verdict>} */
  async verdict(part, target) {
    const move = this.moveTo(part, target);
    const parts = move ? this.layout.partsOf(move) : [part, target.part];
    const locked = parts.find((one) => this.locked.has(one));
    if (locked !== undefined) return { option: null, text: this.#lockedText(locked) };
    if (!move) return { option: null, text: this.whyNot(part, target) };
    const from = parts.includes(part) ? part : parts[0]; // a stretch is shorter where both are alike
    const option = (await this.optionsOf(from)).get(keyOf(move));
    return option ? this.#judge(option) : { option: null, text: "This cannot be done." };
  }

  /** @param {Option} option @returns {Verdict} */
  #judge(option) {
    if (option.refused)
      return { option: null, text: `${option.text}: not possible, it breaks ${option.refused}.` };
    const changes = changeTexts(this.draft.data, option.change, FEW).join(", ");
    return { option, text: `${option.text}: ${changes || "no wish changes"}` };
  }

  /** @param {number} part @param {Target} target */
  whyNot(part, { part: other }) {
    const { layout, now, length } = this;
    if (other < 0 || this.cells.includes(other)) return leaveText();
    if (layout.exchangeable(part, length > 1 ? layout.aligned(part, other) : other))
      return length > 1 ? "Both are alike." : `Both are ${layout.choices[now[part]]}.`;
    const axes = layout.view.swaps.join(" or ");
    return axes ? `Cells can be exchanged along ${axes} only.` : "Cells cannot be exchanged.";
  }

  /** @param {Option} option @param {string} [anyway] why, although it breaks a rule */
  take({ move, text }, anyway) {
    const { layout } = this;
    const locked = layout.partsOf(move).find((part) => this.locked.has(part));
    if (!this.editable()) return;
    this.menu.hide();
    this.#take(1);
    const made = anyway ? { ...move, anyway } : move;
    if (locked === undefined)
      this.draft.edit([made], `${text}.`, layout.nested(layout.apply(this.now, move)));
    else this.sayLocked(locked);
  }

  /** Go where a hand or a key has led, or say why not. @param {number} part @param {Target} target */
  async drop(part, target) {
    try {
      const { option, text } = await this.verdict(part, target);
      if (option) this.take(option);
      else this.say(text, true);
    } catch (error) {
      sayError(error);
    }
  }

  /** The parts of a cell, a row or a column, or of what is taken together. @param {Element | null} element @param {boolean} [onward] */
  partsAt(element, onward = false) {
    const { layout, now, table, menu, active } = this;
    const near = closest(element, ".cell-menu") ? menu.part : table.partOf(element);
    const part = near < 0 ? active : near;
    const head = closest(element, "[data-row], [data-column]")?.dataset;
    const cells = this.cells.includes(part) ? this.cells : [part];
    const { row, column } = head ?? layout.placeOf(now, part);
    const inLine = (/** @type {number} */ one) => {
      const place = layout.placeOf(now, one);
      if (row !== undefined) return place.row === Number(row);
      return place.column === Number(column) || (onward && place.column > Number(column));
    };
    const parts = head || onward ? [...now.keys()].filter(inLine) : cells;
    return parts.map((one) => layout.partOf(one, now[one]));
  }

  /** @param {string} text @param {boolean} [refused] */
  say(text, refused = false) {
    this.prompt.textContent = text;
    this.prompt.classList.toggle("refused", refused);
  }

  /** @param {number} part */
  #lockedText(part) {
    return `${this.layout.nameOf(part)} is locked. Shift L unlocks it.`;
  }

  /** @param {number} part */
  sayLocked(part) {
    this.say(this.#lockedText(part), true);
  }

  hint() {
    if (!this.editable()) return "";
    const what = this.layout.board ? "an item" : "a cell";
    const where = this.layout.board ? "to its place, or onto another one" : "onto another one";
    return wording(
      `Drag ${what} ${where} to exchange them. Click it, or press a key, to change it.`,
      `Tap ${what} for its choices, then drag it ${where} to exchange them.`,
    );
  }

  // -- mouse and finger --------------------------------------------------------------------------------

  /** @param {EventTarget | null} target */
  #onFocus(target) {
    const part = this.table.partOf(target);
    if (part >= 0 && !this.cells.includes(part)) this.activate(part);
  }

  /** @param {number} part */
  activate(part) {
    this.#anchor = this.active;
    if (part !== this.active) this.#take(1);
    this.active = part;
    this.table.activate(part);
  }

  #anchor = 0; // the active cell before

  /** Take so many cells together, from the active one on. @param {number} length */
  #take(length) {
    this.length = length;
    this.table.mark("chosen", length > 1 ? this.cells.map((part) => this.table.parts[part]) : []);
  }

  /** Take one cell more, or one less. @param {number} by */
  longer(by) {
    const { layout, active } = this;
    const length = this.length + by;
    if (length < 1 || length > layout.longest || layout.line(active, length).length < length)
      return;
    this.menu.hide();
    this.table.focus(active);
    this.#take(length);
    const name = layout.nameOf(active, length);
    this.say(length > 1 ? `${name} together. Drag it, or press Space.` : this.hint());
  }

  /** Take the cells from the one before to this one together. @param {number} part */
  #takeUpTo(part) {
    const [first, last] = [this.#anchor, part].sort((a, b) => a - b);
    const length = this.layout.reach(first, last);
    this.activate(length ? first : part);
    if (length) this.longer(length - this.length);
  }

  /** @param {EventTarget | null} target @param {boolean} [shift] */
  onClick(target, shift = false) {
    const part = this.table.partOf(target);
    if (part < 0) return;
    if (shift && this.editable()) {
      this.#takeUpTo(part);
      return;
    }
    const open = this.menu.part === part;
    this.activate(part);
    this.table.focus(part);
    if (open) this.menu.hide();
    else if (this.editable()) this.openMenu(part);
  }

  /** @param {number} part */
  async openMenu(part) {
    const { layout } = this;
    const cell = this.table.parts[part];
    const title = `${layout.nameOf(part)}: ${layout.choices[this.now[part]]}`;
    try {
      this.menu.wait(part, cell, title);
      const options = await this.optionsOf(part);
      if (this.menu.part !== part || !this.editable()) return;
      const colours = layout.board ? layout.choices.map(() => "") : this.table.colours;
      const entries = layout.choices.map((text, k) => ({
        key: k < KEYS ? String(k + 1) : "",
        text,
        colour: colours[k],
        option: k === this.now[part] ? null : (options.get(keyOf(layout.setMove(part, k))) ?? null),
      }));
      const partners = this.#partners(part, [...options.values()], colours);
      const more = [...this.#keepButtons(part), ...this.#longerButton(part)];
      /** @param {Option} option @param {string} [anyway] */
      const take = (option, anyway) => this.take(option, anyway);
      this.menu.show(part, cell, title, entries, partners, this.draft.data, take, more);
    } catch (error) {
      this.menu.hide();
      this.say(messageOf(error), true);
    }
  }

  /** @param {number} part */
  #keepButtons(part) {
    const { layout, now, locked, draft } = this;
    if (!draft.data.keeps) return [];
    const { row, column } = layout.placeOf(now, part);
    const [one, other] = [layout.rows[row].join(", "), layout.columns[column]];
    /** @type {[string, string, string, Record<string, number>][]} */
    const entries = [
      [locked.has(part) ? "Unlock" : "Lock", "Shift L", "lock", {}],
      [`Lock ${one}`, "", "lock", { row }],
      [`Lock ${other}`, "", "lock", { column }],
      [`Re-plan ${one} only`, "Shift R", "again", { row }],
      [`Re-plan from ${other} on`, "", "again", { column }],
    ];
    return entries.map(([text, key, kind, data]) =>
      button([text, kbd(key)], () => this.menu.hide(), { class: `menu-item ${kind}`, data }),
    );
  }

  /** The best exchanges of a cell. @param {number} part @param {Option[]} options @param {string[]} colours */
  #partners(part, options, colours) {
    const { layout, now } = this;
    return options
      .filter(({ move, refused }) => move.op === "swap" && !refused)
      .sort((a, b) => b.gain - a.gain)
      .slice(0, PARTNERS)
      .map((option) => {
        const [one, two] = layout.partsOf(option.move);
        const other = one === part ? two : one;
        const mine = layout.names(part);
        const who = layout.names(other).filter((name, axis) => name !== mine[axis]);
        const text = `${who.join(" ")}: ${layout.choices[now[other]]}`;
        return { key: "", text, colour: colours[now[other]], option };
      });
  }

  /** Light the cells that cause a feature. @param {number} index */
  async light(index) {
    const { data } = this.draft;
    try {
      const causes = await this.draft.causes(index);
      this.table.mark(
        "lit",
        causes.map(({ part }) => this.table.parts[part]),
      );
      const first = causes[0]?.part;
      if (first !== undefined) this.table.parts[first].scrollIntoView({ block: "nearest" });
      const { label } = feature(data.feature_names[index]);
      this.say(causes.length ? `Lit: what counts for ${label}.` : `Nothing counts for ${label}.`);
    } catch (error) {
      sayError(error);
    }
  }

  /** @param {number} part */
  #longerButton(part) {
    const { layout, length } = this;
    const cells = layout.line(part, length + 1);
    if (length >= layout.longest || cells.length <= length) return [];
    const text = `Include ${layout.placeAlong(cells[length])}`;
    return [
      button([text, kbd("Shift →")], () => this.longer(1), {
        class: "menu-item",
      }),
    ];
  }

  /** The elements that a cell, or what is taken with it, would go to. @param {number} part @param {Target} target */
  goals(part, { part: other, slot }) {
    const { layout, table, length } = this;
    if (other < 0 || this.cells.includes(other)) return slot >= 0 ? [table.slots[slot]] : [];
    const start = length > 1 ? layout.aligned(part, other) : other;
    return layout.line(start, length).map((one) => table.parts[one]);
  }

  /** Show what going to a target would do. @param {number} part @param {Target} target @param {string} how */
  async look(part, target, how) {
    const { table } = this;
    const goals = this.goals(part, target);
    table.mark("target", []);
    table.mark("refused", []);
    if (!goals.length) {
      this.say(leaveText());
      return;
    }
    const mine = { ...target };
    this.#looking = mine;
    const { option, text } = await this.verdict(part, target).catch((error) => ({
      option: null,
      text: messageOf(error),
    }));
    if (this.#looking !== mine || !(this.hand.holding || this.keyboard.held)) return;
    table.mark(option ? "target" : "refused", goals);
    this.say(option ? `${how}: ${text}.` : text, !option);
  }

  /** @type {Target | null} */
  #looking = null;

  // -- drawing -----------------------------------------------------------------------------------------

  /** Draw a solution with what has changed in it. @param {number[]} now @param {number[]} before */
  draw(now, before) {
    const { view, active } = this;
    this.table.render({ now, before, view, active });
  }

  /** @param {Proposal | null} data */
  preview(data) {
    if (data) this.draw(this.layout.flat(data.solution), this.now);
  }

  /** @param {Move} move */
  describe(move) {
    return this.layout.describe(move);
  }

  /** @param {Proposal} data */
  warning(data) {
    const [first, ...rest] = (viewOf(data) ?? this.view).broken;
    const more = rest.length ? ` and ${rest.length} more` : "";
    return first ? `Breaks ${brokenText(first.rule, first.place)}${more}` : "";
  }

  /** @param {Proposal} data */
  render(data) {
    const view = viewOf(data);
    this.now = this.layout.flat(data.solution);
    const names = setOf(data.locked);
    const keys = this.now.map((choice, part) => partKey(this.layout.partOf(part, choice)));
    this.locked = new Set([...keys.keys()].filter((part) => names.has(keys[part])));
    if (view && !this.draft.unsent) this.view = view;
    this.draw(this.now, this.before);
    this.table.mark("lit", []);
    this.say(this.hint());
    if (this.editable() && !this.draft.unsent && this.list.element.offsetParent)
      this.list.refresh();
  }
}

/** @param {EditorContext} context @returns {Editor} */
export const mount = (context) => new GridEditor(context);

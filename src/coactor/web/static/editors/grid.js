// A grid of choices: a roster, a timetable, jobs on machines. Drag to exchange or to move, click or press a
// key to change, lock what must stay. What a rule forbids is refused, with the rule's name, before it happens.

import { at, get } from "../app/api.js";
import { makeDraggable } from "../app/drag.js";
import { button, closest, h, kbd } from "../app/elements.js";
import { changeTexts } from "../app/format.js";
import { messageOf, sayError } from "../app/shell.js";
import { GridKeys } from "./grid/keys.js";
import { Layout } from "./grid/layout.js";
import { CellMenu } from "./grid/menu.js";
import { GridTable } from "./grid/table.js";
import { OptionList } from "./option-list.js";

/** @import { Gesture, Hand } from "../app/drag.js" */
/** @import { Editor, EditorContext, GridView, Move, Option, Proposal } from "../app/types.js" */

/** @typedef {{ part: number, slot: number }} Target a cell or an item, or the place of a choice */
/** @typedef {{ option: Option | null, text: string }} Verdict */

const FEW = 3; // changes named in a sentence
const KEYS = 9; // choices with a number
const NOWHERE = { part: -1, slot: -1 };

/** @param {Move} move */
const keyOf = ({ op, args }) => `${op} ${args.join(" ")}`;

export class GridEditor {
  /** @type {number[]} */
  now = [];
  active = 0; // the cell that the keyboard is on
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
    this.margins = view.margins;
    /** @type {Set<number>} */
    this.locked = new Set(draft.recall("locked") ?? []);
    this.table = new GridTable(this.layout);
    this.menu = new CellMenu();
    this.list = new OptionList(draft, editable, (option) => this.take(option));
    this.ghost = h("div", { class: "chip ghost-chip", "aria-hidden": "true", hidden: true });
    this.canvas = h(
      "div",
      { class: "grid-canvas" },
      this.table.element,
      this.menu.element,
      this.ghost,
    );
    const { table } = this.table;
    table.addEventListener("focusin", ({ target }) => this.#onFocus(target));
    table.addEventListener("click", ({ target }) => this.#onClick(target));
    this.table.element.addEventListener("scroll", () => this.menu.hide(), { passive: true });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!closest(target, ".cell-menu, .grid [data-part]")) this.menu.hide();
    });
    this.keys = new GridKeys(this);
    makeDraggable(table, (hand) => this.#grab(hand), { scroller: () => this.table.element });
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
    const { layout, now } = this;
    if (
      other >= 0 &&
      other !== part &&
      layout.exchangeable(part, other) &&
      now[part] !== now[other]
    )
      return layout.swapMove(part, other);
    return slot >= 0 && slot !== now[part] ? layout.setMove(part, slot) : null;
  }

  /** Whether a cell may go to a target, in words. @param {number} part @param {Target} target @returns {Promise<Verdict>} */
  async verdict(part, target) {
    const locked = [part, target.part].find((one) => this.locked.has(one));
    if (locked !== undefined) return { option: null, text: this.#lockedText(locked) };
    const move = this.moveTo(part, target);
    if (!move) return { option: null, text: this.#whyNot(part, target) };
    const option = (await this.optionsOf(part)).get(keyOf(move));
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
  #whyNot(part, { part: other }) {
    const { layout, now } = this;
    if (other < 0 || other === part) return "Let go here, or press Escape, to leave it as it is.";
    if (layout.exchangeable(part, other)) return `Both are ${layout.choices[now[part]]}.`;
    const axes = layout.view.swaps.join(" or ");
    return axes ? `Cells can be exchanged along ${axes} only.` : "Cells cannot be exchanged.";
  }

  /** @param {Option} option */
  take({ move, text }) {
    const { layout } = this;
    const locked = layout.partsOf(move).find((part) => this.locked.has(part));
    if (!this.editable()) return;
    this.menu.hide();
    if (locked === undefined)
      this.draft.edit([move], `${text}.`, layout.nested(layout.apply(this.now, move)));
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

  /** @param {number} part */
  lock(part) {
    if (!this.editable()) return;
    const was = this.locked.delete(part);
    if (!was) this.locked.add(part);
    this.draft.store("locked", [...this.locked]);
    this.menu.hide();
    this.#redraw();
    this.say(`${this.layout.nameOf(part)} is ${was ? "no longer locked" : "locked"}.`);
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
    return matchMedia("(pointer: coarse)").matches
      ? `Tap ${what} for its choices, then drag it ${where} to exchange them.`
      : `Drag ${what} ${where} to exchange them. Click it, or press a key, to change it.`;
  }

  // -- mouse and finger --------------------------------------------------------------------------------

  /** @param {EventTarget | null} target */
  #onFocus(target) {
    const part = target instanceof Element ? this.table.partOf(target) : -1;
    if (part >= 0) this.#activate(part);
  }

  /** @param {number} part */
  #activate(part) {
    this.active = part;
    this.table.activate(part);
  }

  /** @param {EventTarget | null} target */
  #onClick(target) {
    const part = target instanceof Element ? this.table.partOf(target) : -1;
    if (part < 0) return;
    const open = this.menu.part === part;
    this.table.focus(part);
    if (open) this.menu.hide();
    else if (this.editable()) this.openMenu(part);
  }

  /** @param {number} part */
  async openMenu(part) {
    const { layout } = this;
    try {
      const options = await this.optionsOf(part);
      if (this.active !== part || !this.editable()) return;
      const colours = layout.board ? layout.choices.map(() => "") : this.table.colours;
      const entries = layout.choices.map((text, k) => ({
        key: k < KEYS ? String(k + 1) : "",
        text,
        colour: colours[k],
        option: k === this.now[part] ? null : (options.get(keyOf(layout.setMove(part, k))) ?? null),
      }));
      const word = this.locked.has(part) ? "Unlock" : "Lock";
      const lock = button([word, kbd("Shift L")], () => this.lock(part), { class: "menu-item" });
      const title = `${layout.nameOf(part)}: ${layout.choices[this.now[part]]}`;
      const cell = this.table.parts[part];
      this.menu.show(part, cell, title, entries, this.draft.data, (option) => this.take(option), [
        lock,
      ]);
    } catch (error) {
      this.say(messageOf(error), true);
    }
  }

  /** @param {Hand} hand @returns {Target} */
  #targetAt({ x, y }) {
    const element = document.elementFromPoint(x, y);
    return { part: this.table.partOf(element), slot: this.table.slotOf(element) };
  }

  /**
   * A finger drags only the cell that it has chosen before, so that it can scroll everywhere else.
   * @param {Hand} hand
   * @returns {Gesture | null}
   */
  #grab({ target, touch }) {
    const part = target instanceof Element ? this.table.partOf(target) : -1;
    if (part < 0 || !this.editable()) return null;
    if (touch && (part !== this.active || document.activeElement !== this.table.parts[part]))
      return null;
    if (this.locked.has(part)) return null;
    this.optionsOf(part).catch(() => null);
    let over = NOWHERE;
    const end = () => {
      this.ghost.hidden = true;
      for (const name of ["held", "target", "refused", "open"]) this.table.mark(name, []);
    };
    return {
      tap: touch ? () => this.#onClick(target) : undefined,
      begin: () => {
        this.menu.hide();
        this.#activate(part);
        this.#lift(part);
      },
      move: (hand) => {
        this.ghost.style.transform = `translate(${hand.x}px, ${hand.y}px)`;
        const next = this.#targetAt(hand);
        if (next.part === over.part && next.slot === over.slot) return;
        over = next;
        this.look(part, over, "Let go");
      },
      drop: () => {
        end();
        if (this.moveTo(part, over)) this.drop(part, over);
        else this.say(over.part < 0 ? this.hint() : this.#whyNot(part, over));
      },
      cancel: () => {
        end();
        this.say(this.hint());
      },
    };
  }

  /** @param {number} part */
  async #lift(part) {
    const { table } = this;
    const chip = table.chipOf(part);
    const { width, height } = chip.getBoundingClientRect();
    this.ghost.replaceChildren(...[...chip.childNodes].map((node) => node.cloneNode(true)));
    for (const name of ["--ground", "--ink"])
      this.ghost.style.setProperty(name, chip.style.getPropertyValue(name));
    Object.assign(this.ghost.style, { width: `${width}px`, height: `${height}px` });
    this.ghost.hidden = false;
    table.mark("held", [table.parts[part]]);
    const options = await this.optionsOf(part).catch(() => new Map());
    if (this.ghost.hidden) return;
    const open = [...options.values()].filter((option) => !option.refused);
    table.mark(
      "open",
      open.map((option) => this.#goalOf(part, option)).filter((one) => one !== null),
    );
  }

  /** The element that an option leads to. @param {number} part @param {Option} option */
  #goalOf(part, { move }) {
    const { layout, table } = this;
    if (move.op === "swap") {
      const other = layout.partsOf(move).find((one) => one !== part);
      return other === undefined || this.locked.has(other) ? null : table.parts[other];
    }
    const choice = layout.apply(this.now, move)[part];
    return table.slots[choice] ?? null;
  }

  /** Show what going to a target would do. @param {number} part @param {Target} target @param {string} how */
  async look(part, target, how) {
    const { table } = this;
    const element = target.part >= 0 && target.part !== part ? table.parts[target.part] : null;
    const goal = element ?? table.slots[target.slot] ?? null;
    table.mark("target", []);
    table.mark("refused", []);
    if (!goal) {
      this.say("Let go here, or press Escape, to leave it as it is.");
      return;
    }
    const mine = { ...target };
    this.#looking = mine;
    const { option, text } = await this.verdict(part, target).catch((error) => ({
      option: null,
      text: messageOf(error),
    }));
    if (this.#looking !== mine || (this.ghost.hidden && !this.keys.held)) return;
    table.mark(option ? "target" : "refused", [goal]);
    this.say(option ? `${how}: ${text}.` : text, !option);
  }

  /** @type {Target | null} */
  #looking = null;

  // -- drawing -----------------------------------------------------------------------------------------

  #redraw() {
    const { now, before, locked, margins, active } = this;
    this.table.render({ now, before, locked, margins, active });
  }

  /** @param {Proposal} data */
  render(data) {
    const views = data.moves.length ? data.shown : data.shown_proposed;
    const view = /** @type {GridView | undefined} */ (views?.[0]);
    this.now = this.layout.flat(data.solution);
    if (view && !this.draft.unsent) this.margins = view.margins;
    this.#redraw();
    this.say(this.hint());
    if (this.editable() && !this.draft.unsent && this.list.element.offsetParent)
      this.list.refresh();
  }

  /** @param {Move} move */
  preview(move) {
    const parts = this.layout.partsOf(move);
    this.table.mark(
      "target",
      parts.map((part) => this.table.parts[part]),
    );
    this.table.parts[parts[0]]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** @param {EditorContext} context @returns {Editor} */
export function mount(context) {
  const editor = new GridEditor(context);
  const { board } = editor.layout;
  return {
    canvas: editor.canvas,
    panels: [{ title: "All edits", content: editor.list.element, folded: true }],
    keys: [
      ["← ↑ ↓ →", board ? "go from item to item" : "go from cell to cell"],
      ["1 … 9", "give it this choice; so does the letter it begins with"],
      ["Space", "pick up, then arrows, Space drops"],
      ["F2", "its choices and what they change"],
      ["Shift L", "lock or unlock"],
      ["Esc", "put back"],
    ],
    render: (data) => editor.render(data),
    describe: (move) => editor.layout.describe(move),
    preview: (move) => editor.preview(move),
  };
}

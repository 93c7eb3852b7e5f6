// The grid by keyboard: arrows go from cell to cell, a number or a letter changes one, Space picks it up.

/** @import { GridEditor, Target } from "../grid.js" */

/** @typedef {{ row: number, column: number }} Place */

const FAR = 10; // rows of a page

/** @param {number} k @param {number} n */
const clamp = (k, n) => Math.max(0, Math.min(n - 1, k));

export class GridKeys {
  /** What was picked up, and where it would go. @type {{ part: number, target: Target } | null} */
  held = null;

  /** @param {GridEditor} editor */
  constructor(editor) {
    this.editor = editor;
    this.layout = editor.layout;
    editor.table.table.addEventListener("keydown", (event) => this.#onKey(event));
    editor.menu.element.addEventListener("keydown", (event) => this.#onMenuKey(event));
  }

  /** @param {KeyboardEvent} event */
  #onMenuKey(event) {
    if (event.key !== "Escape") return;
    const { menu, table } = this.editor;
    const { part } = menu;
    menu.hide();
    table.focus(part);
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const done = this.held ? this.#heldKey(event.key, this.held) : this.#plainKey(event);
    if (done) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #plainKey({ key, shiftKey }) {
    const { editor } = this;
    const next = this.#neighbour(key, this.layout.placeOf(editor.now, editor.active));
    if (next) {
      if (!(shiftKey && this.#stretch(this.#index(next)))) this.#go(next, key);
      return true;
    }
    if (key === "Escape" && editor.menu.open) editor.menu.hide();
    else if (key === "Escape" && editor.length > 1) editor.longer(1 - editor.length);
    else if (!editor.editable()) return false;
    else if (key === " ") this.#pickUp(editor.active);
    else if (key === "F2" || key === "ContextMenu") editor.openMenu(editor.active);
    else return !shiftKey && this.#choose(key);
    return true;
  }

  /** Take one cell more or less together, if the arrow leads along a block. @param {number} next */
  #stretch(next) {
    const { editor, layout } = this;
    const by = layout.reach(editor.active, next) > 1 ? 1 : -1;
    if (layout.board || !editor.editable() || (by < 0 && layout.reach(next, editor.active) < 2))
      return false;
    editor.longer(by);
    return true;
  }

  /** Give the cell the choice of a key: its number, or the letter it begins with. @param {string} key */
  #choose(key) {
    const { editor, layout } = this;
    const named = layout.short.findIndex((text) => text.toLowerCase() === key.toLowerCase());
    const choice = /^[1-9]$/.test(key) ? Number(key) - 1 : named;
    if (choice < 0 || choice >= layout.choices.length) return false;
    if (choice === editor.now[editor.active])
      editor.say(`It is ${layout.choices[choice]} already.`);
    else editor.drop(editor.active, { part: -1, slot: choice });
    return true;
  }

  /** @param {Place} place */
  #index({ row, column }) {
    return row * this.layout.columns.length + column;
  }

  /** Where a key leads; null if it is no arrow. @param {string} key @param {Place} place @returns {Place | null} */
  #neighbour(key, { row, column }) {
    const { rows, columns } = this.layout;
    /** @type {Record<string, [number, number]>} */
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, columns.length - 1],
      PageUp: [row - FAR, column],
      PageDown: [row + FAR, column],
    };
    const goal = steps[key];
    if (!goal) return null;
    return { row: clamp(goal[0], rows.length), column: clamp(goal[1], columns.length) };
  }

  /** Move the keyboard to a cell, or to the next item in a direction. @param {Place} place @param {string} key */
  #go(place, key) {
    const { editor, layout } = this;
    editor.menu.hide();
    if (!layout.board) {
      editor.table.focus(this.#index(place));
      return;
    }
    const step = key === "ArrowUp" || key === "ArrowLeft" ? -1 : 1;
    const byColumns = key === "ArrowUp" || key === "ArrowDown";
    const order = editor.now
      .map((_, part) => ({ part, rank: this.#rank(part, byColumns) }))
      .sort((a, b) => a.rank - b.rank || a.part - b.part)
      .map(({ part }) => part);
    editor.table.focus(order[clamp(order.indexOf(editor.active) + step, order.length)]);
  }

  /** @param {number} part @param {boolean} byColumns */
  #rank(part, byColumns) {
    const { row, column } = this.layout.placeOf(this.editor.now, part);
    const { rows, columns } = this.layout;
    return byColumns ? column * rows.length + row : row * columns.length + column;
  }

  /** @param {number} part */
  #pickUp(part) {
    const { editor, layout } = this;
    if (editor.locked.has(part)) {
      editor.sayLocked(part);
      return;
    }
    const target = layout.board ? { part: -1, slot: editor.now[part] } : { part, slot: -1 };
    this.held = { part, target };
    editor.table.mark(
      "held",
      editor.cells.map((one) => editor.table.parts[one]),
    );
    editor.say(
      `${layout.nameOf(part, editor.length)} picked up. Arrow keys, then Space; Escape puts it back.`,
    );
  }

  /** @param {string} key @param {{ part: number, target: Target }} held */
  #heldKey(key, held) {
    const { editor, layout } = this;
    const { part, target } = held;
    const next = this.#neighbour(key, this.layout.split(layout.board ? target.slot : target.part));
    if (next) {
      const goal = this.#index(next);
      held.target = layout.board ? { part: -1, slot: goal } : { part: goal, slot: -1 };
      const element = layout.board ? editor.table.slots[goal] : editor.table.parts[goal];
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
      editor.look(part, held.target, "Space");
    } else if (key === " " || key === "Enter") {
      this.putDown();
      editor.drop(part, target);
    } else if (key === "Escape") {
      this.putDown();
      editor.say(editor.hint());
    } else return false;
    return true;
  }

  putDown() {
    this.held = null;
    for (const name of ["held", "target", "refused"]) this.editor.table.mark(name, []);
  }
}

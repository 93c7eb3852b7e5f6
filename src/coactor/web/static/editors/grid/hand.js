// The grid by mouse and finger: what is held follows the hand, and every cell says what a drop would do.

import { makeDraggable } from "../../app/drag.js";
import { h } from "../../app/elements.js";

/** @import { Gesture, Hand } from "../../app/drag.js" */
/** @import { Option } from "../../app/types.js" */
/** @import { GridEditor, Target } from "../grid.js" */

const NOWHERE = { part: -1, slot: -1 };

export class GridHand {
  /** @param {GridEditor} editor */
  constructor(editor) {
    this.editor = editor;
    this.ghost = h("div", { class: "chip ghost-chip", "aria-hidden": "true", hidden: true });
    const { table, element } = editor.table;
    makeDraggable(table, (hand) => this.#grab(hand), { scroller: () => element });
  }

  get holding() {
    return !this.ghost.hidden;
  }

  /** @param {Hand} hand @returns {Target} */
  #targetAt({ x, y }) {
    const { table } = this.editor;
    const element = document.elementFromPoint(x, y);
    return { part: table.partOf(element), slot: table.slotOf(element) };
  }

  /**
   * A finger drags only what it has chosen before, so that it can scroll everywhere else.
   * @param {Hand} hand
   * @returns {Gesture | null}
   */
  #grab({ target, touch }) {
    const { editor } = this;
    const { table } = editor;
    const touched = table.partOf(target);
    if (touched < 0 || !editor.editable()) return null;
    const taken = editor.cells.includes(touched);
    const part = taken ? editor.active : touched;
    if (touch && (!taken || document.activeElement !== table.parts[part])) return null;
    if (editor.locked.has(part)) return null;
    editor.optionsOf(part).catch(() => null);
    let over = NOWHERE;
    const end = () => {
      this.ghost.hidden = true;
      for (const name of ["held", "target", "refused", "open"]) table.mark(name, []);
    };
    return {
      tap: touch ? () => editor.onClick(target) : undefined,
      begin: () => {
        editor.menu.hide();
        editor.activate(part);
        this.#lift(part);
      },
      move: (hand) => {
        this.ghost.style.transform = `translate(${hand.x}px, ${hand.y}px)`;
        const next = this.#targetAt(hand);
        if (next.part === over.part && next.slot === over.slot) return;
        over = next;
        editor.look(part, over, "Let go");
      },
      drop: () => {
        end();
        if (editor.moveTo(part, over)) editor.drop(part, over);
        else editor.say(over.part < 0 ? editor.hint() : editor.whyNot(part, over));
      },
      cancel: () => {
        end();
        editor.say(editor.hint());
      },
    };
  }

  /** @param {number} part */
  async #lift(part) {
    const { editor, ghost } = this;
    const { table, layout, now, cells } = editor;
    const chip = table.chipOf(part);
    const { width, height } = chip.getBoundingClientRect();
    const several = cells.map((one) => layout.short[now[one]]).join(" ");
    const copies = [...chip.childNodes].map((node) => node.cloneNode(true));
    ghost.replaceChildren(...(cells.length > 1 ? [several] : copies));
    for (const name of ["--ground", "--ink"])
      ghost.style.setProperty(name, chip.style.getPropertyValue(name));
    Object.assign(ghost.style, { minWidth: `${width}px`, height: `${height}px` });
    ghost.hidden = false;
    table.mark(
      "held",
      cells.map((one) => table.parts[one]),
    );
    const options = await editor.optionsOf(part).catch(() => new Map());
    if (!this.holding) return;
    const open = [...options.values()].filter((option) => !option.refused);
    table.mark(
      "open",
      open.flatMap((option) => this.#goalsOf(part, option)),
    );
  }

  /** The elements that an option leads to. @param {number} part @param {Option} option @returns {HTMLElement[]} */
  #goalsOf(part, { move }) {
    const { layout, table, now, locked, length } = this.editor;
    const parts = layout.partsOf(move);
    if (move.op === "set") {
      const slot = table.slots[layout.apply(now, move)[part]];
      return slot && length === 1 ? [slot] : [];
    }
    if (parts.length !== 2 * length || parts.some((one) => locked.has(one))) return [];
    const held = new Set(this.editor.cells);
    return parts.filter((one) => !held.has(one)).map((one) => table.parts[one]);
  }
}

// A path of steps: drag a step to its place, or choose another order for three in a row.

import { at, get } from "../app/api.js";
import { button, h, kbd, put } from "../app/elements.js";
import { changesOf, signedAmount, verdict } from "../app/format.js";
import { sayError } from "../app/shell.js";
import { carried, reordered, reorders, stepCarries } from "./list-moves.js";
import { Sortable } from "./sortable.js";

/** @import { Editor, EditorContext, Move, Option, Proposal } from "../app/types.js" */

class StepsEditor {
  start = 0; // the first of the three steps
  /** @type {Option[]} */
  options = [];
  #asked = 0;

  /** @param {EditorContext} context */
  constructor({ draft, prompt, editable }) {
    const { problem, proposed, solution } = draft.data;
    this.draft = draft;
    this.editable = editable;
    this.titles = /** @type {{ names?: string[] }} */ (problem).names;
    this.proposed = /** @type {number[]} */ (proposed);
    this.list = h("ol", { class: "steps", role: "listbox", "aria-label": "Steps in order" });
    this.heading = h("h2", { id: "stretch" });
    this.choices = h("div", { class: "choices" });
    this.canvas = h(
      "div",
      { class: "steps-canvas" },
      h("div", {}, this.list),
      h("div", {}, this.heading, this.choices),
    );
    this.sortable = new Sortable(this.list, {
      scroller: this.canvas,
      prompt,
      editable,
      proposed: this.proposed,
      nameOf: (step) => this.nameOf(step),
      hint: () => this.hint(),
      row: (step, place, was) => this.row(step, place, was),
      carry: (_, from, to) => this.carry(from, to),
      step: "step",
      titleOf: (step) => this.titles?.[step] ?? String(step),
      focused: (step) => this.look(this.sortable.order.indexOf(step)),
    });
    this.sortable.active = /** @type {number[]} */ (solution)[0];
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("click", () => this.sortable.focus(this.sortable.active));
  }

  /** @param {number} step */
  nameOf(step) {
    return this.titles?.[step] || `Step ${step + 1}`;
  }

  hint() {
    if (!this.editable()) return "";
    return "Drag a step to its place, or choose another order for three in a row.";
  }

  /** @param {number} from @param {number} to */
  carry(from, to) {
    const { order } = this.sortable;
    const moves = reorders(order.length, from, to);
    const text = `${this.carryText(order[from], from, to)}.`;
    this.draft.edit(moves, text, carried(order, from, to));
  }

  /** @param {number} step @param {number} from @param {number} to */
  carryText(step, from, to) {
    return `${this.nameOf(step)} moved from place ${from + 1} to ${to + 1}`;
  }

  /** @param {Move[]} moves */
  history(moves) {
    return stepCarries(this.proposed, moves).map((edit) =>
      "item" in edit ? this.carryText(edit.item, edit.from, edit.to) : this.describe(edit),
    );
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !/^[1-5]$/.test(event.key)) return;
    const option = this.here()[Number(event.key) - 1];
    if (option) this.take(option);
    event.preventDefault();
  }

  /** The other orders of the three steps. */
  here() {
    return this.options.filter(({ move }) => move.args[0] === this.start);
  }

  /** @param {Option} option */
  take({ move }) {
    if (!this.editable()) return;
    const text = `${this.describe(move)}.`;
    this.draft.edit([move], text, reordered(this.sortable.order, move));
  }

  /** Look at three steps. @param {number} place */
  look(place) {
    const last = this.sortable.order.length - 3;
    this.start = Math.max(0, Math.min(last, place));
    this.sortable.mark(last < 0 ? [] : [this.start, this.start + 1, this.start + 2]);
    this.drawChoices();
  }

  drawChoices() {
    const short = this.sortable.order.length < 3;
    const title = `Other orders for steps ${this.start + 1} to ${this.start + 3}`;
    this.heading.textContent = short ? "Too short to reorder" : title;
    put(
      this.choices,
      this.here().map((option, i) => this.choice(option, i)),
    );
  }

  /** @param {Option} option @param {number} i */
  choice(option, i) {
    const [start, ...way] = option.move.args;
    const steps = way.map((k) => this.nameOf(this.sortable.order[start + k]));
    return button(
      [
        kbd(String(i + 1)),
        h("b", { text: steps.join(" → ") }),
        h("span", { class: "hint", text: verdict(option.gain) }),
        h(
          "span",
          { class: "facts" },
          changesOf(this.draft.data, option.change).map(({ label, value, unit }) =>
            h("span", {}, h("i", { text: label }), ` ${signedAmount(value, unit)}`),
          ),
        ),
      ],
      () => this.take(option),
      { class: "choice", disabled: !this.editable() },
    );
  }

  async fetchOptions() {
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const { study, data } = this.draft;
      const { moves } = await get(at(study, `/proposals/${data.id}/moves?limit=1000`));
      if (mine !== this.#asked) return;
      this.options = moves;
      this.drawChoices();
    } catch (error) {
      sayError(error);
    }
  }

  /** @param {Move} move */
  describe({ args: [i, ...way], text }) {
    if (text) return text;
    return `Reorder steps ${i + 1} to ${i + 3} as ${way.map((k) => i + k + 1).join(", ")}`;
  }

  /** @param {number} step @param {number} place @param {number | null} was */
  row(step, place, was) {
    const name = this.nameOf(step);
    const moved = was !== null;
    const old = moved ? h("s", {}, h("span", { class: "unseen", text: "was " }), was + 1) : null;
    return h(
      "li",
      { class: moved ? "stop moved" : "stop", role: "option", "aria-selected": "false" },
      h("span", { class: "place" }, old, " ", h("b", { text: String(place + 1) })),
      h("span", { class: "called", dir: "auto", title: name, text: name }),
      h("span", { class: "lock", "aria-hidden": "true", title: "Lock" }),
      h("span", { class: "grip", "aria-hidden": "true", text: "⠿" }),
    );
  }

  /** @param {Proposal} data */
  render({ solution }) {
    this.sortable.render(/** @type {number[]} */ (solution));
    this.options = [];
    this.look(this.start);
    if (!this.draft.unsent) this.fetchOptions();
  }
}

/** @param {EditorContext} context @returns {Editor} */
export function mount(context) {
  const editor = new StepsEditor(context);
  return {
    canvas: editor.canvas,
    panels: [],
    keys: [
      ["↑ ↓", "choose three steps"],
      ["1 … 5", "take another order"],
      ["Alt ↓", "move a step one place"],
      ["Space", "pick up, then arrows, Space drops"],
    ],
    render: (data) => editor.render(data),
    describe: (move) => editor.describe(move),
    history: (moves) => editor.history(moves),
    partsAt: (element, onward) => editor.sortable.partsAt(element, onward),
    preview: (data) => editor.sortable.preview(data?.solution),
    only: "from here on",
  };
}

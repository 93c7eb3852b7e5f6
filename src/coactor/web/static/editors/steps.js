// A path of steps: drag a step to its place, or choose another order for three in a row.

import { at, get } from "../app/api.js";
import { button, h, kbd, put } from "../app/elements.js";
import { changesOf, signedAmount, verdict } from "../app/format.js";
import { sayError } from "../app/shell.js";
import { reordered, STEPS } from "./list-moves.js";
import { ListEditor } from "./sortable.js";

/** @import { Editor, EditorContext, Move, Option, Proposal } from "../app/types.js" */

class StepsEditor extends ListEditor {
  start = 0; // the first of the three steps
  /** @type {Option[]} */
  options = [];
  #asked = 0;

  /** @type {[string, string][]} */
  keys = [
    ["↑ ↓", "choose three steps"],
    ["1 … 5", "take another order"],
    ["Alt ↓", "move a step one place"],
    ["Space", "pick up, then arrows, Space drops"],
  ];

  /** @param {EditorContext} context */
  constructor(context) {
    const list = h("ol", { class: "steps", role: "listbox", "aria-label": "Steps in order" });
    const canvas = h("div", { class: "steps-canvas" }, h("div", {}, list));
    super(list, context, {
      kind: STEPS,
      scroller: canvas,
      hint: () => this.hint(),
      row: (step, place, was) => this.row(step, place, was),
      describe: (move) => this.describe(move),
      focused: (step) => this.look(this.sortable.order.indexOf(step)),
    });
    this.canvas = canvas;
    this.heading = h("h2", { id: "stretch" });
    this.choices = h("div", { class: "choices" });
    canvas.append(h("div", {}, this.heading, this.choices));
    this.list.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("click", () => this.sortable.focus(this.sortable.active));
  }

  hint() {
    if (!this.editable()) return "";
    return "Drag a step to its place, or choose another order for three in a row.";
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
    const steps = way.map((k) => this.sortable.nameOf(this.sortable.order[start + k]));
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
  describe({ args: [i, ...way] }) {
    return `Reorder steps ${i + 1} to ${i + 3} as ${way.map((k) => i + k + 1).join(", ")}`;
  }

  /** @param {number} step @param {number} place @param {number | null} was */
  row(step, place, was) {
    const name = this.sortable.nameOf(step);
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
  render(data) {
    this.sortable.render(data);
    this.options = [];
    this.look(this.start);
    if (!this.draft.unsent) this.fetchOptions();
  }
}

/** @param {EditorContext} context @returns {Editor} */
export const mount = (context) => new StepsEditor(context);

// A ranking: items with their features, the best first.

import { button, h, wording } from "../app/elements.js";
import { feature, number } from "../app/format.js";
import { carried, carries, carryText, exchanges, tableOf, telling } from "./list-moves.js";
import { Sortable } from "./sortable.js";

/** @import { Editor, EditorContext, Proposal } from "../app/types.js" */

const SHOWN = 7; // features beside an item
const MANY = 30; // items from which on there is a search field

/** @typedef {{ label: string, unit: string, index: number, flag: boolean }} Column */

class RankingEditor {
  /** @param {EditorContext} context */
  constructor({ draft, prompt, editable }) {
    const { problem, feature_names: names, weights, proposed, solution } = draft.data;
    const { documents, names: titles } = /** @type {{ documents: unknown, names?: string[] }} */ (
      problem
    );
    this.draft = draft;
    this.editable = editable;
    this.titles = titles;
    this.rows = tableOf(documents, names.length);
    this.proposed = /** @type {number[]} */ (proposed);
    /** @type {Column[]} */
    this.columns = telling(this.rows, weights, SHOWN).map((index) => ({
      ...feature(names[index]),
      index,
      flag: this.rows.every((row) => row[index] === 0 || row[index] === 1),
    }));
    this.list = h("ol", { class: "ranking", "aria-label": "Items, best first" });
    this.canvas = h("div", { class: "ranking-canvas" }, this.search(), this.heading(), this.list);
    this.canvas.style.setProperty("--facts", String(this.columns.length));
    this.sortable = new Sortable(this.list, {
      scroller: this.canvas,
      prompt,
      editable,
      proposed: this.proposed,
      nameOf: (item) => this.nameOf(item),
      hint: () => this.hint(),
      row: (item, place, was) => this.row(item, place, was),
      carry: (item, from, to) => this.carry(item, from, to),
      step: "place",
      titleOf: (item) => this.titles?.[item] ?? String(item),
      numbers: true,
    });
    this.sortable.active = /** @type {number[]} */ (solution)[0];
  }

  /** @param {number} item */
  nameOf(item) {
    return this.titles?.[item] || `Item ${item + 1}`;
  }

  hint() {
    if (!this.editable()) return "";
    return wording(
      "Drag an item to its place, or type a place and press Enter.",
      "Drag an item to its place by its handle.",
    );
  }

  /** @param {number} item @param {number} from @param {number} to */
  carry(item, from, to) {
    const { order } = this.sortable;
    const text = carryText(this.nameOf(item), from, to);
    this.draft.edit(exchanges(from, to), `${text}.`, carried(order, from, to));
  }

  search() {
    if (this.proposed.length < MANY) return null;
    const field = h("input", { type: "search", id: "find", placeholder: "Find by name" });
    field.setAttribute("aria-label", "Find by name");
    field.addEventListener("input", () => {
      const { order } = this.sortable;
      const text = field.value.trim().toLowerCase();
      const place = order.findIndex((item) => this.nameOf(item).toLowerCase().includes(text));
      if (!text || place < 0) return;
      this.sortable.rowAt(place)?.scrollIntoView({ block: "center" });
      this.sortable.mark([place]);
    });
    return h("p", { class: "find" }, field);
  }

  heading() {
    return h(
      "div",
      { class: "doc head", "aria-hidden": "true" },
      h("span", { class: "grip" }),
      h("span", { class: "place" }),
      h("span", { class: "called" }),
      this.columns.map(({ label, unit }) =>
        h("span", { class: "fact", text: unit ? `${label} (${unit})` : label }),
      ),
      h("span", { class: "nudge" }),
    );
  }

  /** @param {number} item @param {Column} column */
  fact(item, { label, unit, index, flag }) {
    const value = this.rows[item][index];
    const yes = value ? "yes" : "–";
    return h(
      "span",
      { class: "fact" },
      h("i", { text: `${label} ` }),
      flag ? yes : number(value),
      unit ? h("i", { text: ` ${unit}` }) : null,
    );
  }

  /** @param {number} item @param {number} place @param {number | null} was */
  row(item, place, was) {
    const name = this.nameOf(item);
    const moved = was !== null;
    const label = `Place ${place + 1}: ${name}${moved ? `, was ${was + 1}` : ""}`;
    return h(
      "li",
      { class: moved ? "doc moved" : "doc", "aria-label": label },
      h("span", { class: "grip", "aria-hidden": "true", text: "⠿" }),
      h(
        "span",
        { class: "place", "aria-hidden": "true" },
        moved ? h("s", { text: String(was + 1) }) : null,
        " ",
        h("b", { text: String(place + 1) }),
      ),
      h("span", { class: "called", dir: "auto", title: name, text: name }),
      h(
        "span",
        { class: "facts-row" },
        this.columns.map((column) => this.fact(item, column)),
      ),
      h(
        "span",
        { class: "nudge" },
        h("span", { class: "lock", "aria-hidden": "true", title: "Lock" }),
        this.nudge("↑", `${name} up`, item, place - 1),
        this.nudge("↓", `${name} down`, item, place + 1),
      ),
    );
  }

  /** @param {string} text @param {string} label @param {number} item @param {number} goal */
  nudge(text, label, item, goal) {
    const disabled = goal < 0 || goal >= this.proposed.length;
    const act = () => this.sortable.carry(item, goal);
    return button(text, act, { "aria-label": label, tabindex: "-1", disabled });
  }

  /** @param {Proposal} data */
  render({ solution }) {
    this.sortable.render(/** @type {number[]} */ (solution));
    this.sortable.mark([]);
  }
}

/** @param {EditorContext} context @returns {Editor} */
export function mount(context) {
  const editor = new RankingEditor(context);
  return {
    canvas: editor.canvas,
    panels: [],
    keys: [
      ["↑ ↓", "go along the list"],
      ["Alt ↓", "move an item one place"],
      ["Alt Home", "move it to the top"],
      ["1 2", "type a place, Enter moves it there"],
      ["Space", "pick up, then arrows, Space drops"],
      ["Esc", "put back"],
    ],
    render: (data) => editor.render(data),
    describe: ({ args: [i] }) => `Exchange places ${i + 1} and ${i + 2}`,
    history: (moves) =>
      carries(editor.proposed, moves).map((edit) =>
        "item" in edit
          ? carryText(editor.nameOf(edit.item), edit.from, edit.to)
          : String(edit.text),
      ),
    partsAt: (element, onward) => editor.sortable.partsAt(element, onward),
    preview: (data) => editor.sortable.preview(data?.solution),
    only: "from here on",
    enter: () => editor.sortable.enter(),
  };
}

// A ranking: items with their features, the best first.

import { button, h, put, wording } from "../app/elements.js";
import { feature, number } from "../app/format.js";
import { tableOf, telling } from "./list-moves.js";
import { ListEditor } from "./sortable.js";

/** @import { Editor, EditorContext, Move, Proposal } from "../app/types.js" */

const SHOWN = 7; // features beside an item
const MANY = 30; // items from which on there is a search field

/** @typedef {{ label: string, unit: string, index: number, flag: boolean }} Column */

class RankingEditor extends ListEditor {
  /** @type {[string, string][]} */
  keys = [
    ["↑ ↓", "go along the list"],
    ["Alt ↓", "move an item one place"],
    ["Alt Home", "move it to the top"],
    ["1 2", "type a place, Enter moves it there"],
    ["Space", "pick up, then arrows, Space drops"],
    ["Esc", "put back"],
  ];

  /** @param {EditorContext} context */
  constructor(context) {
    const list = h("ol", { class: "ranking", "aria-label": "Items, best first" });
    const canvas = h("div", { class: "ranking-canvas" });
    super(list, context, {
      scroller: canvas,
      hint: () => this.hint(),
      row: (item, place, was) => this.row(item, place, was),
      describe: (move) => this.describe(move),
      numbers: true,
    });
    this.canvas = canvas;
    const { problem, feature_names: names, weights } = context.draft.data;
    const { documents } = /** @type {{ documents: unknown }} */ (problem);
    this.rows = tableOf(documents, names.length);
    /** @type {Column[]} */
    this.columns = telling(this.rows, weights, SHOWN).map((index) => ({
      ...feature(names[index]),
      index,
      flag: this.rows.every((row) => row[index] === 0 || row[index] === 1),
    }));
    put(canvas, this.search(), this.heading(), list);
    canvas.style.setProperty("--facts", String(this.columns.length));
  }

  hint() {
    if (!this.editable()) return "";
    return wording(
      "Drag an item to its place, or type a place and press Enter.",
      "Drag an item to its place by its handle.",
    );
  }

  search() {
    if (this.rows.length < MANY) return null;
    const field = h("input", { type: "search", id: "find", placeholder: "Find by name" });
    field.setAttribute("aria-label", "Find by name");
    field.addEventListener("input", () => {
      const { order } = this.sortable;
      const text = field.value.trim().toLowerCase();
      const place = order.findIndex((item) =>
        this.sortable.nameOf(item).toLowerCase().includes(text),
      );
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
    const name = this.sortable.nameOf(item);
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
    const disabled = goal < 0 || goal >= this.rows.length;
    const act = () => this.sortable.carry(item, goal);
    return button(text, act, { "aria-label": label, tabindex: "-1", disabled });
  }

  /** @param {Proposal} data */
  render(data) {
    this.sortable.render(data);
    this.sortable.mark([]);
  }

  /** @param {Move} move */
  describe({ args: [i] }) {
    return `Exchange places ${i + 1} and ${i + 2}`;
  }

  enter() {
    return this.sortable.enter();
  }
}

/** @param {EditorContext} context @returns {Editor} */
export const mount = (context) => new RankingEditor(context);

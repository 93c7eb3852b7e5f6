// The grid on the page: a table whose cells hold chips. Only what has changed is drawn again.

import { closest, h, put } from "../../app/elements.js";
import { choiceColours, itemColours, onScheme, paintChip } from "./colours.js";
import { countText } from "./layout.js";

/** @import { GridView, Margin } from "../../app/types.js" */
/** @import { Count, Layout, Line } from "./layout.js" */

/** @typedef {{ now: number[], before: number[], view: GridView, active: number }} Shown */

const WIDE = 10; // columns up to which choices are written out
export const DENSE = 20; // columns beyond which cells are narrow and the panels folded

export class GridTable {
  /** What each part looks like now. @type {string[]} */
  #keys = [];
  /** The element of each part. @type {HTMLElement[]} */
  parts = [];
  /** The place of each choice, where choices are rows by columns. @type {HTMLElement[]} */
  slots = [];
  /** @type {HTMLElement[]} */
  heads = [];
  /** @type {HTMLElement[]} */
  rowElements = [];
  /** @type {Shown | null} */
  #last = null;
  #active = 0;

  /** @param {Layout} layout */
  constructor(layout) {
    this.layout = layout;
    this.colours = layout.board ? itemColours(layout) : choiceColours(layout);
    this.head = h("thead");
    this.body = h("tbody");
    this.foot = h("tfoot");
    const label = `${layout.rowAxes.join(", ")} by ${layout.columnAxis}`;
    this.table = h(
      "table",
      { class: "grid", role: "grid", "aria-label": label },
      this.head,
      this.body,
      this.foot,
    );
    this.table.classList.toggle("roomy", layout.columns.length <= WIDE);
    this.table.classList.toggle("dense", layout.columns.length > DENSE);
    this.table.classList.toggle("board", layout.board);
    this.element = h("div", { class: "grid-scroller" }, this.table);
    this.#build();
    onScheme(() => {
      this.#keys = [];
      if (this.#last) this.render(this.#last);
    });
  }

  #build() {
    const { layout } = this;
    const { columns, rows, rowAxes, board } = layout;
    const mark = () => h("span", { class: "lock", "aria-hidden": "true", title: "Lock" });
    const heads = columns.map((text, column) =>
      h("th", { scope: "col", dir: "auto", data: { column } }, text, mark()),
    );
    this.heads.push(h("th", { class: "corner", text: rowAxes.at(-1) ?? "" }), ...heads);
    let group = "";
    rows.forEach((names, row) => {
      if (names.length > 1 && names[0] !== group) {
        [group] = names;
        this.body.append(h("tr", { class: "group" }, h("th", { colspan: 99, text: group })));
      }
      const cells = columns.map((_, column) => this.#cell(row * columns.length + column));
      const element = h(
        "tr",
        { role: "row" },
        h("th", { scope: "row", dir: "auto", data: { row } }, names.at(-1) ?? "", mark()),
        cells,
      );
      this.rowElements.push(element);
      this.body.append(element);
    });
    if (!board) return;
    for (let part = 0; part < layout.size; part += 1) {
      const chip = h("div", { class: "chip item", data: { part }, tabindex: "-1", role: "button" });
      this.parts.push(chip);
    }
  }

  /** @param {number} index */
  #cell(index) {
    if (this.layout.board) {
      const slot = h("td", { class: "slot", data: { slot: index }, role: "gridcell" });
      this.slots.push(slot);
      return slot;
    }
    const cell = h("td", { data: { part: index }, tabindex: "-1", role: "gridcell" });
    cell.append(h("div", { class: "chip" }));
    this.parts.push(cell);
    return cell;
  }

  /** @param {Shown} shown */
  render(shown) {
    const { now, before, active, view } = shown;
    this.#last = shown;
    const signs = this.#signs(view);
    const broken = rulesByCell(view);
    now.forEach((choice, part) => {
      const notes = { marks: signs.get(part) ?? [], rules: broken.get(part) ?? [] };
      const words = notes.marks.map(({ name }) => name).concat(notes.rules);
      const key = `${choice} ${choice !== before[part]} ${words}`;
      if (this.#keys[part] === key) return;
      this.#keys[part] = key;
      this.#draw(part, choice, before[part], notes);
    });
    this.activate(active);
    if (this.layout.board) this.#place(now);
    this.#margins(view.margins);
  }

  /** The marks of each cell; those of a row or a column are put beside its name. @param {GridView} view */
  #signs({ marks }) {
    const { layout } = this;
    /** @type {Map<number, { name: string, symbol: string }[]>} */
    const signs = new Map();
    /** @type {string[][]} */
    const rows = layout.rows.map(() => []);
    /** @type {string[][]} */
    const columns = layout.columns.map(() => []);
    for (const mark of marks) {
      if (mark.axis === null)
        for (const part of mark.at) signs.set(part, [...(signs.get(part) ?? []), mark]);
      else if (mark.axis === layout.columnAxis)
        for (const k of mark.at) columns[k].push(`${mark.symbol} ${mark.name}`);
      else
        layout.rows.forEach((names, row) => {
          const axis = layout.rowAxes.indexOf(mark.axis ?? "");
          const at = layout.view.names[mark.axis ?? ""]?.indexOf(names[axis]) ?? -1;
          if (axis >= 0 && mark.at.includes(at)) rows[row].push(`${mark.symbol} ${mark.name}`);
        });
    }
    rows.forEach((texts, row) => {
      note(/** @type {HTMLElement} */ (this.rowElements[row].firstElementChild), texts);
    });
    columns.forEach((texts, column) => {
      note(this.heads[column + 1], texts);
    });
    return signs;
  }

  /** Let the keyboard enter the grid at this part. @param {number} part */
  activate(part) {
    this.parts[this.#active].tabIndex = -1;
    this.#active = part;
    this.parts[part].tabIndex = 0;
  }

  /**
   * @param {number} part @param {number} choice @param {number} before
   * @param {{ marks: { name: string, symbol: string }[], rules: string[] }} notes
   */
  #draw(part, choice, before, { marks, rules }) {
    const { layout } = this;
    const element = this.parts[part];
    const chip = this.chipOf(part);
    paintChip(chip, this.colours[layout.board ? part : choice]);
    const changed = choice !== before;
    element.classList.toggle("changed", changed);
    const was = changed ? `, was ${layout.choices[before]}` : "";
    element.classList.toggle("breaks", rules.length > 0);
    const notes = marks.map(({ name }) => name).concat(rules.map((rule) => `breaks ${rule}`));
    const state = [was, ...notes.map((text) => `, ${text}`)].join("");
    const label = `${layout.nameOf(part)}: ${layout.choices[choice]}${state}`;
    element.setAttribute("aria-label", label);
    element.title = label;
    const [long, short] = layout.board
      ? [layout.nameOf(part), layout.nameOf(part)]
      : [layout.choices[choice], layout.short[choice]];
    const symbols = marks.map(({ symbol }) => symbol).join("");
    put(
      chip,
      h("span", { class: "long", text: long }),
      h("span", { class: "short", text: short }),
      symbols ? h("sup", { class: "marks", text: symbols }) : null,
    );
  }

  /** Put every item where it is. @param {number[]} now */
  #place(now) {
    /** @type {number[][]} */
    const lists = this.slots.map(() => []);
    now.forEach((choice, part) => {
      lists[choice].push(part);
    });
    lists.forEach((list, k) => {
      const key = list.join(" ");
      if (this.slots[k].dataset.items === key) return;
      this.slots[k].dataset.items = key;
      put(
        this.slots[k],
        list.map((part) => this.parts[part]),
      );
    });
  }

  /** @param {Margin[]} margins */
  #margins(margins) {
    const { layout } = this;
    const beside = layout.rowCounts(margins);
    const below = layout.columnCounts(margins);
    const space = layout.columns.length > DENSE ? "" : undefined;
    put(this.head, h("tr", {}, this.heads, beside.map(heading)));
    this.rowElements.forEach((element, row) => {
      while (element.lastElementChild?.classList.contains("count"))
        element.lastElementChild.remove();
      element.append(...beside.map(({ values }) => count(values[row], space)));
    });
    put(
      this.foot,
      below.map((line) =>
        h(
          "tr",
          {},
          h("th", { scope: "row", text: line.name }),
          line.values.map((value) => count(value, space)),
          beside.map(() => h("td")),
        ),
      ),
      layout.otherCounts(margins).map(({ name, values }) => {
        const text = values
          .map(({ name: whose, value }) => `${whose} ${value ? countText(value) : 0}`.trim())
          .join(", ");
        return h(
          "tr",
          {},
          h("th", { scope: "row", text: name }),
          h("td", { colspan: layout.columns.length, text }),
        );
      }),
    );
  }

  /** The coloured chip of a part. @param {number} part */
  chipOf(part) {
    const element = this.parts[part];
    return this.layout.board ? element : /** @type {HTMLElement} */ (element.firstElementChild);
  }

  /** The part that an element belongs to; -1 for none. @param {EventTarget | null} target */
  partOf(target) {
    return this.#numberOf(target, "part");
  }

  /** The choice whose place an element lies in; -1 for none. @param {EventTarget | null} target */
  slotOf(target) {
    return this.#numberOf(target, "slot");
  }

  /** @param {EventTarget | null} target @param {"part" | "slot"} name */
  #numberOf(target, name) {
    const element = closest(target, `[data-${name}]`);
    return element && this.table.contains(element) ? Number(element.dataset[name]) : -1;
  }

  /** @param {string} name of a class @param {Iterable<Element>} elements */
  mark(name, elements) {
    const wanted = new Set(elements);
    for (const old of this.table.querySelectorAll(`.${name}`))
      if (!wanted.has(old)) old.classList.remove(name);
    for (const element of wanted) element.classList.add(name);
  }

  /** Give a part the focus. @param {number} part */
  focus(part) {
    this.parts[part]?.focus({ preventScroll: true });
    this.parts[part]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/** @param {Line} line */
const heading = ({ name }) => h("th", { class: "count", scope: "col", text: name });

/** @param {Count | null} value @param {string} [space] */
const count = (value, space) => {
  const short = value?.need != null && value.value < value.need;
  return h("td", {
    class: short ? "count num short-of" : "count num",
    text: value ? countText(value, space) : "",
  });
};

/** Put marks behind a name. @param {HTMLElement} head @param {string[]} texts */
function note(head, texts) {
  const shown = texts.join(", ");
  if ((head.dataset.notes ?? "") === shown) return;
  head.dataset.notes = shown;
  head.querySelector(".marks")?.remove();
  const symbols = texts.map((text) => text.split(" ")[0]).join("");
  if (shown) head.append(h("sup", { class: "marks", title: shown, text: ` ${symbols}` }));
}

/** The rules that each cell breaks, with their places. @param {GridView} view */
function rulesByCell({ broken }) {
  /** @type {Map<number, string[]>} */
  const rules = new Map();
  for (const { rule, place, cells } of broken)
    for (const part of cells) {
      const known = rules.get(part) ?? [];
      rules.set(part, [...known, brokenText(rule, place)]);
    }
  return rules;
}

/** @param {string} rule @param {string} place */
export const brokenText = (rule, place) => `“${rule}”${place ? ` (${place})` : ""}`;

// Where everything of a grid is, in numbers and names. Pure functions of what the domain shows.
//
// With two or three axes of cells, rows by columns are cells and each holds a choice. With one axis, rows by
// columns are the choices, and the items lie in them: lessons in a timetable, jobs on machines. Cells, items
// and choices are numbered in the order of the nested lists.

import { number, upper } from "../../app/format.js";

/** @import { GridView, Margin, Move } from "../../app/types.js" */

/** @typedef {{ value: number, need: number | null }} Count */
/** @typedef {{ name: string, values: (Count | null)[] }} Line counts beside the rows or below the columns */

/** @param {number[]} numbers */
const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

/** @param {number} flat @param {number[]} shape */
export function unravel(flat, shape) {
  const place = [];
  let rest = flat;
  for (const size of [...shape].reverse()) {
    place.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return place;
}

/** @param {number[]} place @param {number[]} shape */
export const ravel = (place, shape) => place.reduce((flat, k, axis) => flat * shape[axis] + k, 0);

/**
 * Labels as short as possible: prefixes of at most three letters that differ.
 * @param {string[]} names
 */
export function shortNames(names) {
  for (const size of [1, 2, 3]) {
    const short = names.map((name) => name.slice(0, size));
    if (new Set(short.map((text) => text.toLowerCase())).size === names.length)
      return short.map(upper);
  }
  return names.map((name) => name.slice(0, 3));
}

export class Layout {
  /** @param {GridView} view */
  constructor(view) {
    const { over, choose, names } = view;
    this.view = view;
    this.shape = over.map((axis) => names[axis].length);
    this.widths = choose.map((axis) => names[axis].length);
    this.choices = Array.from({ length: product(this.widths) }, (_, k) => this.choiceName(k));
    this.short = shortNames(this.choices);
    /** Whether rows by columns are the choices. */
    this.board = over.length === 1;
    this.drawn = this.board ? choose : over;
    this.rowAxes = this.drawn.slice(0, -1);
    this.columnAxis = this.drawn[this.drawn.length - 1];
    this.columns = names[this.columnAxis];
    this.rowSizes = this.rowAxes.map((axis) => names[axis].length);
    this.rows = Array.from({ length: product(this.rowSizes) }, (_, row) =>
      unravel(row, this.rowSizes).map((k, axis) => names[this.rowAxes[axis]][k]),
    );
  }

  /** How many cells or items there are. */
  get size() {
    return product(this.shape);
  }

  /** @param {unknown} cells @returns {number[]} */
  flat(cells) {
    const numbers = Array.isArray(cells) ? cells.flat(Number.POSITIVE_INFINITY) : [];
    return /** @type {number[]} */ (numbers);
  }

  /** The nested lists that the server expects. @param {number[]} flat @returns {unknown} */
  nested(flat) {
    /** @param {unknown[]} list @param {number[]} shape @returns {unknown[]} */
    const fold = (list, shape) => {
      if (shape.length < 2) return list;
      const size = list.length / shape[0];
      return Array.from({ length: shape[0] }, (_, k) =>
        fold(list.slice(k * size, (k + 1) * size), shape.slice(1)),
      );
    };
    return fold(flat, this.shape);
  }

  /** The names of a cell. @param {number} part */
  names(part) {
    const { over, names } = this.view;
    return unravel(part, this.shape).map((k, axis) => names[over[axis]][k]);
  }

  /** @param {number} part @param {number} [length] of a stretch that begins there */
  nameOf(part, length = 1) {
    const last = this.names(this.line(part, length).at(-1) ?? part);
    return this.names(part)
      .map((name, axis) => (name === last[axis] ? name : `${name} to ${last[axis]}`))
      .join(", ");
  }

  /** @param {number} choice */
  choiceName(choice) {
    return this.#chosen(choice).join(", ");
  }

  /** What a cell and its choice are called as a part of the solution. @param {number} part @param {number} choice */
  partOf(part, choice) {
    return [...this.names(part), ...this.#chosen(choice)];
  }

  /** @param {number} choice */
  #chosen(choice) {
    const { choose, names } = this.view;
    return unravel(choice, this.widths).map((k, axis) => names[choose[axis]][k]);
  }

  /** Row and column of a cell or an item. @param {number[]} now @param {number} part */
  placeOf(now, part) {
    return this.split(this.board ? now[part] : part);
  }

  /** @param {number} index */
  split(index) {
    const width = this.columns.length;
    return { row: Math.floor(index / width), column: index % width };
  }

  /** @param {number} part @param {number} choice @returns {Move} */
  setMove(part, choice) {
    const args = [...unravel(part, this.shape), ...unravel(choice, this.widths)];
    return { op: "set", args };
  }

  /** @param {number} a @param {number} b @returns {Move} */
  swapMove(a, b) {
    const [one, two] = a < b ? [a, b] : [b, a];
    return { op: "swap", args: [...unravel(one, this.shape), ...unravel(two, this.shape)] };
  }

  /** Whether two cells may be exchanged at all: they differ on one axis only, and it is one for swaps. @param {number} a @param {number} b */
  exchangeable(a, b) {
    const [one, two] = [unravel(a, this.shape), unravel(b, this.shape)];
    const apart = this.view.over.filter((_, axis) => one[axis] !== two[axis]);
    return apart.length === 1 && this.view.swaps.includes(apart[0]);
  }

  // -- blocks: stretches along one axis ----------------------------------------------------------------

  get #axis() {
    return this.view.over.indexOf(this.view.along);
  }

  /** How many cells a block may have; 1 if there are no blocks. */
  get longest() {
    return this.view.longest;
  }

  /** The cells of a stretch that begins at a cell, as far as the grid goes. @param {number} part @param {number} length */
  line(part, length) {
    const axis = this.#axis;
    const step = product(this.shape.slice(axis + 1));
    const room = this.shape[axis] - unravel(part, this.shape)[axis];
    return Array.from({ length: Math.min(length, room) }, (_, k) => part + k * step);
  }

  /** How long the stretch from one cell to another is; 0 if there is none. @param {number} first @param {number} last */
  reach(first, last) {
    return this.line(first, this.longest).indexOf(last) + 1;
  }

  /** The cell beside another one, at the same position on the axis of blocks as a third. @param {number} part @param {number} other */
  aligned(part, other) {
    const [mine, place] = [part, other].map((one) => unravel(one, this.shape));
    place[this.#axis] = mine[this.#axis];
    return ravel(place, this.shape);
  }

  /** The name of a cell on the axis of blocks. @param {number} part */
  placeAlong(part) {
    return this.names(part)[this.#axis];
  }

  /**
   * The exchange of two stretches, without the cells at their ends that are alike; null if all are.
   * @param {number[]} now @param {number} a @param {number} b @param {number} length
   * @returns {Move | null}
   */
  exchange(now, a, b, length) {
    const [ones, twos] = [this.line(a, length), this.line(b, length)];
    const differ = [...ones.keys()].filter((k) => now[ones[k]] !== now[twos[k]]);
    const [first, last] = [differ[0], differ[differ.length - 1]];
    if (first === undefined) return null;
    const { args } = this.swapMove(ones[first], twos[first]);
    if (first === last) return { op: "swap", args };
    return { op: "block", args: [...args, last - first + 1] };
  }

  /** The cells that a move changes. @param {Move} move @returns {number[]} */
  partsOf({ op, args }) {
    const n = this.shape.length;
    const first = args.slice(0, n);
    if (op === "set") return [ravel(first, this.shape)];
    const second = args.slice(n, 2 * n);
    return Array.from({ length: op === "block" ? args[2 * n] : 1 }, (_, k) =>
      [first, second].map((place) => ravel(this.#along(place, k), this.shape)),
    ).flat();
  }

  /** @param {number[]} place @param {number} by */
  #along(place, by) {
    return place.map((k, i) => (i === this.#axis ? k + by : k));
  }

  /** The choices after a move. @param {number[]} flat @param {Move} move */
  apply(flat, move) {
    const now = [...flat];
    const parts = this.partsOf(move);
    if (move.op === "set") now[parts[0]] = ravel(move.args.slice(this.shape.length), this.widths);
    else
      for (let k = 0; k < parts.length; k += 2) {
        now[parts[k]] = flat[parts[k + 1]];
        now[parts[k + 1]] = flat[parts[k]];
      }
    return now;
  }

  /** A move in words, as `GridModel.describe` says it. @param {Move} move */
  describe(move) {
    return this.#described(move) + (move.anyway ? ` (anyway: ${move.anyway})` : "");
  }

  /** @param {Move} move */
  #described(move) {
    const parts = this.partsOf(move);
    const one = this.names(parts[0]);
    if (move.op === "set") {
      const choice = ravel(move.args.slice(this.shape.length), this.widths);
      return `${one.join(", ")}: ${this.choices[choice]}`;
    }
    const two = this.names(parts[1]);
    const last = this.names(parts[parts.length - 2]);
    const [who, whom] = [one, two].map((mine, k) =>
      mine.filter((name, i) => name !== [two, one][k][i]).join(" "),
    );
    const where = one
      .map((name, i) => (name === last[i] ? name : `${name} to ${last[i]}`))
      .filter((_, i) => one[i] === two[i]);
    return [`Exchange ${who} and ${whom}`, ...where].join(", ");
  }

  // -- counts beside the grid ---------------------------------------------------------------------------

  /** Counts for each row. @param {Margin[]} margins @returns {Line[]} */
  rowCounts(margins) {
    return this.#lines(margins, false, this.rows.length, (row) =>
      byAxis(this.rowAxes, unravel(row, this.rowSizes)),
    );
  }

  /** Counts for each column. @param {Margin[]} margins @returns {Line[]} */
  columnCounts(margins) {
    return this.#lines(margins, true, this.columns.length, (column) => ({
      [this.columnAxis]: column,
    }));
  }

  /**
   * Counts that belong to no row and no column, such as the hours of each person where people are the choices.
   * @param {Margin[]} margins
   */
  otherCounts(margins) {
    const others = margins.filter(({ at }) => !Object.keys(at).some((a) => this.drawn.includes(a)));
    return others.map(({ name, at, counts, need }) => {
      const axes = Object.keys(at);
      const sizes = axes.map((axis) => at[axis].length);
      const values = Array.from({ length: product(sizes) }, (_, k) => {
        const place = unravel(k, sizes).map((i, axis) => at[axes[axis]][i]);
        const words = axes.map((axis, i) => this.view.names[axis][place[i]]).join(" ");
        return { name: words, value: countAt(at, counts, need, byAxis(axes, place)) };
      });
      return { name, values };
    });
  }

  /**
   * @param {Margin[]} margins @param {boolean} below
   * @param {number} count @param {(k: number) => Record<string, number>} placeOf
   * @returns {Line[]}
   */
  #lines(margins, below, count, placeOf) {
    return margins.flatMap(({ name, at, counts, need }) => {
      const axes = Object.keys(at);
      const others = axes.filter((axis) => !this.drawn.includes(axis));
      const beside = axes.some((axis) => this.rowAxes.includes(axis));
      if (axes.includes(this.columnAxis) !== below || (below && beside) || (!below && !beside))
        return [];
      const sizes = others.map((axis) => at[axis].length);
      return Array.from({ length: product(sizes) }, (_, k) => {
        const chosen = unravel(k, sizes).map((i, axis) => at[others[axis]][i]);
        const fixed = byAxis(others, chosen);
        const words = others.map((axis, i) => this.view.names[axis][chosen[i]]);
        const values = Array.from({ length: count }, (_, i) =>
          countAt(at, counts, need, { ...placeOf(i), ...fixed }),
        );
        return { name: [name, ...words].join(" "), values };
      });
    });
  }
}

/** Positions by the names of their axes. @param {string[]} axes @param {number[]} place */
const byAxis = (axes, place) => Object.fromEntries(axes.map((axis, i) => [axis, place[i]]));

/**
 * One of the counts of a margin, with what is needed; null where it has none.
 * @param {Record<string, number[]>} at @param {unknown} counts @param {unknown} needs
 * @param {Record<string, number>} place @returns {Count | null}
 */
function countAt(at, counts, needs, place) {
  const [value, need] = [counts, needs].map((table) => {
    let found = table;
    for (const axis of Object.keys(at)) {
      const k = at[axis].indexOf(place[axis]);
      found = Array.isArray(found) && k >= 0 ? found[k] : null;
    }
    return typeof found === "number" ? found : null;
  });
  return value === null ? null : { value, need };
}

/** A count in words, such as "2 / 3". @param {Count} count @param {string} [space] around the stroke */
export const countText = ({ value, need }, space = "\u202f") =>
  need === null ? number(value) : [number(value), number(need)].join(`${space}/${space}`);

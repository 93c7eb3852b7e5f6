// Routes on a map and in a list. Every gesture names two stops and an operator of the domain.

import { button, closest, h, kbd, leaveText } from "../app/elements.js";
import { keyOf as partKey, setOf } from "../app/keeping.js";
import { may } from "../app/shell.js";
import { Consequence } from "./routes/consequence.js";
import { RouteList } from "./routes/list.js";
import { RouteMap } from "./routes/map.js";
import {
  applied,
  edgesOf,
  movedStops,
  moveFor,
  partsOf,
  rowsOf,
  same,
  solutionOf,
} from "./routes/moves.js";
import {
  askText,
  between,
  chosenText,
  describe,
  farText,
  MISSING,
  OPERATORS,
} from "./routes/operators.js";
import { makeScene, travelled } from "./routes/scene.js";
import { routesOf } from "./routes/times.js";

/** @import { Editor, EditorContext, Move, Proposal, RoutesView } from "../app/types.js" */
/** @import { Domain, Operator, Rows, Spot } from "./routes/moves.js" */
/** @import { Problem } from "./routes/scene.js" */

class RoutesEditor {
  /** @type {Spot | null} */
  mark = null;
  /** @type {Spot | null} */
  target = null;
  /** @type {Spot} where the keyboard is */
  active = { r: 0, k: 0 };
  dragging = false;
  drawn = ""; // the rows that are drawn, as text
  /** What a re-plan would lead to. @type {Proposal | null} */
  offered = null;
  /** The loads and times of the draft. @type {RoutesView} */
  times = routesOf(null);
  fresh = false; // an edit was made that the server has not confirmed yet

  /** @param {EditorContext} context */
  constructor({ draft, prompt, editable }) {
    const { data } = draft;
    this.draft = draft;
    this.prompt = prompt;
    this.editable = editable;
    this.domain = /** @type {Domain} */ (data.domain.name);
    this.problem = /** @type {Problem} */ (data.problem);
    this.scene = makeScene(this.domain, this.problem, data.proposed);
    this.first = this.rowsOf(data.proposed);
    this.rows = this.rowsOf(data.solution);
    this.before = new Map(this.first.flatMap((row, r) => row.map((stop, k) => [stop, { r, k }])));
    /** @type {Operator[]} */
    this.operators = this.domain === "plan" ? ["move", "reverse", "swap", "tails"] : ["reverse"];
    this.mode = this.operators[0];
    const shared = {
      editable,
      drag: (/** @type {Spot} */ from, /** @type {Spot | null} */ to) => this.dragTo(from, to),
      drop: (/** @type {Spot} */ from, /** @type {Spot | null} */ to) => this.drop(from, to),
    };
    this.map = new RouteMap(this.scene, {
      ...shared,
      pick: (spot) => this.pickOnMap(spot),
      hover: (spot) => this.list.light(spot),
      inserts: () => this.mode === "move",
    });
    this.list = new RouteList(this.scene, {
      ...shared,
      pick: (spot, extend) => this.pick(spot, extend),
      hover: (spot) => this.map.light(spot),
      focus: (spot) => {
        this.active = spot;
      },
      solo: (route) => this.map.solo(route),
    });
    this.list.element.addEventListener("keydown", (event) => this.onKey(event));
    this.tools = this.makeTools();
    this.consequence = new Consequence(draft, this.scene);
    this.canvas = h(
      "div",
      { class: "map-canvas" },
      this.map.element,
      this.tools,
      this.consequence.element,
    );
    this.panels = [{ title: "Stops", content: this.list.element, grows: true }];
    this.insists = this.domain === "plan" && may("anyway");
    this.only = this.domain === "tour" ? undefined : "this route";
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.mark) this.clear();
    });
  }

  /** @returns {[string, string][]} */
  get keys() {
    return [
      ["↑ ↓", "go along the stops"],
      ["Space", "choose a stop"],
      ["Shift ↓", "choose a stretch"],
      ...this.operators.map(keyOf),
      ["O", "show one route alone"],
      ["Esc", "choose nothing"],
    ];
  }

  /** @param {unknown} solution */
  rowsOf(solution) {
    return rowsOf(this.domain, solution, this.scene.starts);
  }

  makeTools() {
    const tools = this.operators.map((op) =>
      button(
        [`${OPERATORS[op].text} `, kbd(OPERATORS[op].key.toUpperCase())],
        () => this.choose(op),
        {
          "aria-pressed": String(op === this.mode),
          "aria-keyshortcuts": OPERATORS[op].key,
          data: { op },
        },
      ),
    );
    return h("div", { class: "tools", role: "toolbar", "aria-label": "Edits" }, tools);
  }

  // -- two stops and an operator ----------------------------------------------------------------------

  /** @param {Spot} spot */
  nameAt({ r, k }) {
    return this.scene.nameOf(this.rows[r][k]);
  }

  /** A place to drop at, in words. @param {Spot} spot */
  goalAt(spot) {
    if (!this.scene.isDepot(spot)) return this.nameAt(spot);
    return `the start of ${this.scene.routeName(spot.r)}`;
  }

  /** @param {Operator} op @param {Spot} from @param {Spot} to */
  actionText(op, from, to) {
    const text = OPERATORS[op].action(this.nameAt(from), this.goalAt(to));
    return op === "move" && this.scene.isDepot(to) ? text.replace(" after ", " to ") : text;
  }

  /** @param {Spot} spot @param {boolean} [extend] */
  pick(spot, extend = false) {
    this.active = spot;
    if (!this.editable()) return;
    if (!this.mark || (this.target && !extend)) [this.mark, this.target] = [spot, null];
    else if (same(this.mark, spot)) this.mark = this.target = null;
    else this.target = spot;
    this.paint();
  }

  /** @param {Spot} spot */
  pickOnMap(spot) {
    const at = this.mark && !this.target ? this.map.hand.placeAt(spot) : spot;
    if (!at) {
      this.prompt.textContent = "No vehicle is idle. Choose a stop, or a depot in the list.";
      return;
    }
    this.pick(at);
    this.list.reveal(at);
  }

  /** @param {Spot} from @param {Spot | null} to */
  dragTo(from, to) {
    [this.mark, this.target, this.dragging] = [from, to, true];
    this.paint();
  }

  /** @param {Spot} from @param {Spot | null} to */
  drop(from, to) {
    this.dragging = false;
    this.mark = this.target = null;
    if (to) {
      this.active = to;
      this.perform(this.mode, from, to);
    } else this.paint();
  }

  /** @param {Operator} op */
  choose(op) {
    this.mode = op;
    for (const tool of this.tools.children) {
      if (tool instanceof HTMLElement) tool.ariaPressed = String(tool.dataset.op === op);
    }
    if (this.mark && this.target) this.perform(op, this.mark, this.target);
    else this.paint();
  }

  /** @param {Operator} op @param {Spot} from @param {Spot} to */
  perform(op, from, to) {
    if (!this.editable()) return;
    const { move, refusal } = moveFor(this.domain, this.rows, op, from, to);
    this.mark = this.target = null;
    if (!move) {
      this.paint();
      this.prompt.textContent = refusal;
      return;
    }
    if (this.consequence.of(move)?.refused && may("anyway")) move.anyway = "seen on the page";
    const stop = this.rows[from.r][from.k];
    const focused = this.list.focused;
    const text = this.describe(move);
    this.draft.edit(
      [move],
      `${text}.`,
      solutionOf(this.domain, applied(this.domain, this.rows, move)),
    );
    this.active = this.find(stop) ?? this.active;
    this.fresh = true;
    this.paint();
    this.map.light(this.active);
    if (focused) this.list.focus(this.active);
    else this.list.reveal(this.active);
  }

  /** @param {number} stop @returns {Spot | null} */
  find(stop) {
    for (const [r, row] of this.rows.entries()) {
      const k = row.indexOf(stop);
      if (k >= 0) return { r, k };
    }
    return null;
  }

  /** Perform what the prompt asks for; with one stop chosen, only say what is missing. */
  enter() {
    if (!this.mark) return false;
    if (this.target) this.perform(this.mode, this.mark, this.target);
    else this.prompt.textContent = MISSING;
    return true;
  }

  // -- keyboard -----------------------------------------------------------------------------------------

  /** @param {number} by */
  step(by) {
    const spots = this.rows.flatMap((row, r) => row.map((_, k) => ({ r, k })));
    const here = spots.findIndex((spot) => same(spot, this.active));
    this.active = spots[Math.max(0, Math.min(spots.length - 1, here + by))];
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = STEPS[event.key];
    const op = this.operators.find((one) => OPERATORS[one].key === event.key.toLowerCase());
    if (by) this.walk(by, event.shiftKey);
    else if (event.key === " ") this.toggleMark();
    else if (event.key === "Escape") this.clear();
    else if (op) this.chooseByKey(op);
    else if (event.key.toLowerCase() === "o") this.showAlone();
    else return;
    event.preventDefault();
  }

  /** @param {number} by @param {boolean} extend */
  walk(by, extend) {
    if (extend && !this.mark) this.mark = this.active;
    this.step(by);
    if (this.mark && this.editable())
      this.target = same(this.mark, this.active) ? null : this.active;
    this.paint();
    this.list.focus(this.active);
  }

  toggleMark() {
    if (!this.editable()) return;
    this.mark = same(this.mark, this.active) ? null : this.active;
    this.target = null;
    this.paint();
  }

  /** Show the route that the keyboard is on alone, or all again. */
  showAlone() {
    this.list.toggleSolo(this.active.r);
    this.paint();
    this.list.focus(this.active);
  }

  /** Choose nothing. */
  clear() {
    this.mark = this.target = null;
    this.paint();
  }

  /** @param {Operator} op */
  chooseByKey(op) {
    const ready = this.mark && this.target;
    this.choose(op);
    if (ready) return;
    this.prompt.textContent =
      "Mark the first stop with Space, go to the second, then press the key.";
  }

  // -- what is shown --------------------------------------------------------------------------------

  paint() {
    const { mark, target } = this;
    const ends = [mark, target].flatMap((spot) => spot ?? []);
    const stretch = this.mode === "reverse" && mark && target && mark.r === target.r;
    this.list.paint(stretch ? between(mark, target) : ends, ends, this.active);
    const choice = mark && target ? moveFor(this.domain, this.rows, this.mode, mark, target) : null;
    const preview = choice?.move ? applied(this.domain, this.rows, choice.move) : null;
    this.consequence.look(choice?.move ?? null, this.times, this.map.hand.place);
    this.prompt.textContent = choice?.refusal ?? this.promptText();
    this.prompt.classList.toggle("idle", !mark);
    this.map.choose(ends, preview ?? (this.offered && this.rowsOf(this.offered.solution)));
  }

  promptText() {
    const { mark, target, mode } = this;
    if (!this.editable()) return "";
    if (!mark) return `${OPERATORS[mode].hint}${farText(this.map.far.size)}`;
    if (!target && this.dragging) return leaveText();
    if (!target) return chosenText(this.nameAt(mark));
    const action = this.actionText(mode, mark, target);
    return this.dragging ? `Let go to ${action}.` : askText(mode, action);
  }

  /** @param {Move} move */
  describe(move) {
    return describe(this.scene, this.rows, move);
  }

  /** Edits in words, each with the stops as they were before it. @param {Move[]} moves */
  history(moves) {
    let rows = this.first;
    return moves.map((move) => {
      const text = describe(this.scene, rows, move);
      rows = applied(this.domain, rows, move);
      return text;
    });
  }

  // -- what is kept ---------------------------------------------------------------------------------

  /** The edges of a stop, of the stretch that is chosen, or of a route: by its heading or its depot. @param {Element | null} target @param {boolean} [onward] */
  partsAt(target, onward = false) {
    const { domain, rows, mark, target: end } = this;
    const stop = closest(target, ".stops [data-stop]")?.dataset.stop;
    const heading = closest(target, ".routename [data-r]")?.dataset.r;
    const touched = stop === undefined ? this.list.spotOf(target) : this.find(Number(stop));
    const spot = heading ? { r: Number(heading), k: 0 } : (touched ?? mark ?? this.active);
    const depot = this.scene.isDepot(spot);
    if (depot && stop && rows.length > 1) return []; // on the map it belongs to every route
    const at = rows[spot.r][spot.k];
    const spots = mark && end && mark.r === end.r ? between(mark, end) : [];
    const stretch = spots.some((one) => same(one, spot)) ? spots.slice(0, -1) : null;
    const edges = edgesOf(domain, rows, this.scene.ends).filter(({ r, k, a, b }) => {
      if (r !== spot.r || onward || heading || depot) return r === spot.r;
      return stretch ? stretch.some((one) => one.k === k) : a === at || b === at;
    });
    return partsOf(domain, edges, this.scene.titleOf);
  }

  /** @param {string[]} part */
  partName = (part) => part.join(" to ");

  /** @param {Proposal | null} data */
  preview(data) {
    this.offered = data;
    if (data) this.clear();
  }

  /** @param {Proposal} data */
  travelled({ solution }) {
    return travelled(this.scene, this.rowsOf(solution));
  }

  /** The edges of the draft that are kept in one way. @param {string[][]} parts */
  keptEdges(parts) {
    const names = setOf(parts);
    const edges = edgesOf(this.domain, this.rows, this.scene.ends);
    const titles = partsOf(this.domain, edges, this.scene.titleOf);
    return edges.filter((_, i) => names.has(partKey(titles[i])));
  }

  /** The first rule that is broken, and how many more there are. @param {Proposal} data */
  warning({ shown }) {
    const { broken } = routesOf(shown);
    return broken.length > 1 ? `${broken[0]} ${broken.length - 1} more.` : (broken[0] ?? "");
  }

  /** Light the edges that cause a feature. @param {number} feature */
  async light(feature) {
    const causes = await this.draft.causes(feature);
    const edges = edgesOf(this.domain, this.rows, this.scene.ends);
    const parts = this.rows.flatMap((_, r) => {
      const own = edges.filter((edge) => edge.r === r);
      return own.length ? own : [null]; // an idle vehicle stays at its depot
    });
    const most = Math.max(...causes.map(({ amount }) => Math.abs(amount)));
    this.map.lit = causes.flatMap(({ part, amount }) => {
      const edge = parts[part];
      return edge ? [{ edge, share: Math.abs(amount) / most }] : [];
    });
    this.map.drawLit();
  }

  /** @param {Proposal} data */
  render({ solution, locked, own, shown }) {
    this.rows = this.rowsOf(solution);
    this.times = routesOf(this.offered?.shown ?? shown);
    if (this.rows[this.active.r]?.[this.active.k] === undefined) this.active = { r: 0, k: 0 };
    if (!this.dragging) this.mark = this.target = null;
    const focused = this.list.focused;
    this.map.kept = { locked: this.keptEdges(locked), own: this.keptEdges(own) };
    const rows = JSON.stringify([this.rows, this.map.kept, this.times, this.draft.unsent > 0]);
    if (rows !== this.drawn) this.draw();
    this.drawn = rows; // the server's answer to an edit is what the edit has drawn already
    this.paint();
    if (focused) this.list.focus(this.active);
    else if (this.fresh) this.list.reveal(this.active); // the panel may have changed its height
    this.fresh &&= this.draft.unsent > 0;
  }

  draw() {
    this.list.render({
      rows: this.rows,
      before: this.before,
      moved: movedStops(this.first, this.rows),
      times: this.times.routes,
      stale: this.draft.unsent > 0, // the server has not seen the last edit yet
    });
    this.map.draw(this.rows, this.first, this.times.routes);
  }
}

/** The key of an operator and what it does. @param {Operator} op @returns {[string, string]} */
const keyOf = (op) => [OPERATORS[op].key.toUpperCase(), OPERATORS[op].text.toLowerCase()];

/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6, PageDown: 10, PageUp: -10 };

/** Nothing on the page shows the features of every pair of stops. */
export const omits = ["arcs", "edges", "hidden", "minutes"];

/** @param {EditorContext} context @returns {Editor} */
export const mount = (context) => new RoutesEditor(context);

// A route through a road network. The one operator is "go via": by pulling the route onto a road, by
// pointing at one, by choosing another way, or by naming a street.

import { at, get } from "../app/api.js";
import { closest, h, leaveText, wording } from "../app/elements.js";
import { feature, list as inWords } from "../app/format.js";
import { messageOf } from "../app/shell.js";
import { TAKES, WayCards } from "./roads/cards.js";
import { RoadMap } from "./roads/map.js";
import { compare, makeNetwork, newStreets, travelled } from "./roads/network.js";
import { Pull } from "./roads/pull.js";
import { makeStreetField } from "./roads/street-field.js";
import { StreetList } from "./roads/streets.js";

/** @import { Editor, EditorContext, Move, Proposal } from "../app/types.js" */
/** @import { Way } from "./roads/map.js" */
/** @import { Network } from "./roads/network.js" */

/** @typedef {{ links: number[], vias: number[] }} Route */

const PAUSE = 60; // milliseconds of rest before other ways are fetched: arrow keys may be fast
const MOST = 2000; // links of a street that the server looks at
const twice = () => wording("Enter or a second click takes it.", "A second tap takes it.");

/** @param {string} study */
export async function prepare(study) {
  return makeNetwork(await get(at(study, "/network")));
}

class RoadsEditor {
  /** The ways for the chosen stretch. @type {Way[]} */
  ways = [];
  /** A way that was pointed at, or asked for by name. @type {Way | null} */
  pointed = null;
  /** The way that is looked at. @type {Way | null} */
  lit = null;
  answered = false;
  #asked = 0;
  #timer = 0;
  /** @type {Pull | null} */
  #pull = null;

  /** @param {EditorContext} context */
  constructor({ draft, prompt, editable, prepared }) {
    this.draft = draft;
    this.prompt = prompt;
    this.editable = editable;
    this.network = /** @type {Network} */ (prepared);
    this.features = draft.data.feature_names.map(feature);
    this.proposed = /** @type {Route} */ (draft.data.proposed).links;
    this.links = /** @type {Route} */ (draft.data.solution).links;
    const streets = makeStreetField(this.network.streets, {
      found: (name) => this.goVia(name),
      missing: (text) => {
        prompt.textContent = `There is no street called ${text} here.`;
      },
    });
    this.list = new StreetList(this.features[0], (part) => this.choose(part));
    this.heading = h("p", { class: "hint", id: "stretch" });
    this.cards = new WayCards(draft, this.network, {
      editable,
      take: (way) => this.take(way),
      look: (way, how) => {
        if (this.lit !== way) this.look(way, how);
      },
    });
    this.map = this.network.plane ? this.makeMap() : null;
    const panel = h("div", { class: "ways" }, this.heading, this.cards.element, streets);
    const rows = { title: "Streets", content: this.list.element, grows: true };
    const others = { title: "Other ways", content: panel, grows: true, edits: true };
    this.panels = this.map && editable() ? [others, rows] : [rows];
    this.canvas = this.map
      ? h("div", { class: "map-canvas" }, this.map.element)
      : h("div", { class: "plain-canvas" }, panel);
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @type {[string, string][]} */
  keys = [
    ["↑ ↓", "go along the streets"],
    ["Shift ↓", "choose several"],
    ["← →", "look at other ways"],
    ["1 … 5", "take one"],
    ["Enter", "take what is shown"],
    ["Esc", "leave it"],
  ];

  makeMap() {
    return new RoadMap(this.network, {
      editable: this.editable,
      stretch: (position) => this.list.pickAt(position),
      point: (link) => this.point(link),
      way: (way) => this.touch(way),
      drag: (link) => this.drag(link),
      drop: (link) => this.drop(link),
    });
  }

  hint() {
    if (!this.editable()) return "";
    if (!this.map) return "Choose a stretch, then another way for it.";
    return "Pull the route onto another street, click a street, or choose another way.";
  }

  // -- other ways -----------------------------------------------------------------------------------------

  /**
   * Ask the server for ways; null if the answer came too late.
   * @param {string} query
   * @returns {Promise<Way[] | null>}
   */
  async request(query) {
    this.#asked += 1;
    const mine = this.#asked;
    const { study, data } = this.draft;
    try {
      /** @type {Way[]} */
      const ways = await get(at(study, `/proposals/${data.id}/ways${query}`));
      if (mine !== this.#asked || data.revision !== this.draft.data.revision) return null;
      return ways.map((way) => ({
        ...way,
        revision: data.revision,
        streets: newStreets(this.network, this.links, way.links),
      }));
    } catch (error) {
      if (mine === this.#asked) this.prompt.textContent = messageOf(error);
      return null;
    }
  }

  /** Forget requests that are under way. */
  stop() {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  /** Fetch other ways for a part of the route. @param {[number, number] | null} part */
  choose(part) {
    this.pointed = this.lit = null;
    this.ways = [];
    this.answered = false;
    this.map?.choose(part);
    this.map?.light(null);
    this.map?.offer([]);
    this.stop();
    this.prompt.textContent = this.hint();
    this.drawChoices();
    // Unsent: the answer would be about the route as it was.
    if (this.draft.unsent || !this.editable()) return;
    const query = part ? `?first=${part[0]}&last=${part[1]}` : "";
    this.#timer = setTimeout(async () => {
      const ways = await this.request(query);
      if (!ways) return;
      this.ways = ways;
      this.answered = true;
      this.map?.offer(ways);
      this.drawChoices();
    }, PAUSE);
  }

  /** The best way through one of some links. @param {number[]} links */
  through(links) {
    return this.request(`?links=${links.join(",")}`);
  }

  /** A piece of road in both directions. @param {number} link */
  both(link) {
    const twin = this.network.twin(link);
    return twin === null ? [link] : [link, twin];
  }

  /**
   * A road was clicked: show the way through it, or take it at the second click.
   * @param {number} link
   */
  async point(link) {
    if (!this.editable()) return;
    if (this.pointed && this.both(link).includes(this.pointed.move.args[0])) {
      this.take(this.pointed);
      return;
    }
    this.stop();
    const ways = await this.through(this.both(link));
    if (this.show(ways, this.network.nameOf(link), twice()) && this.pointed)
      this.cards.focus(this.pointed);
  }

  /** A drawn way was clicked. @param {Way} way */
  touch(way) {
    if (this.lit === way) return this.take(way);
    this.look(way, twice());
    return this.cards.focus(way);
  }

  /**
   * Look at the one way that was found; whether there is one.
   * @param {Way[] | null} ways
   * @param {string} name
   * @param {string} [how]
   */
  show(ways, name, how = "") {
    if (!ways) return false;
    const [way] = ways;
    if (!way) {
      this.prompt.textContent = `The route passes ${name} already.`;
      return false;
    }
    this.pointed = way;
    this.drawChoices();
    this.look(way, how);
    return true;
  }

  /** Show the best way via a street; asked for twice, take it. @param {string} name */
  async goVia(name) {
    if (!this.editable()) return;
    if (this.pointed?.name === name) {
      this.take(this.pointed);
      return;
    }
    this.stop();
    this.prompt.textContent = `Looking for a way via ${name} …`;
    const ways = await this.through(this.network.linksOf(name).slice(0, MOST));
    if (ways?.[0]) ways[0].name = name;
    this.show(ways, name, TAKES);
  }

  // -- pulling the route ----------------------------------------------------------------------------------

  /** @param {number | null} link */
  drag(link) {
    clearTimeout(this.#timer);
    this.#pull ??= new Pull(
      (road) => this.through(this.both(road)),
      (way) => {
        this.pointed = way;
        this.look(way, "Let go to take it.");
      },
    );
    this.#pull.over(link);
    if (link !== null) return;
    this.#asked += 1;
    this.look(null);
    this.prompt.textContent = leaveText("the route");
  }

  /** @param {number | null} link */
  async drop(link) {
    const pull = this.#pull;
    this.#pull = null;
    const ways = link === null ? null : await pull?.end(link);
    const way = ways?.[0];
    if (way) {
      this.take(way);
      return;
    }
    this.choose(this.list.part);
    if (ways && link !== null) {
      this.prompt.textContent = `The route passes ${this.network.nameOf(link)} already.`;
    }
  }

  // -- looking and taking ---------------------------------------------------------------------------------

  /**
   * Draw a way without taking it, and say what it would change.
   * @param {Way | null} way
   * @param {string} [how]
   */
  look(way, how = "") {
    this.lit = way;
    this.map?.light(way);
    this.cards.mark(way);
    if (!way) {
      this.prompt.textContent = this.hint();
      return;
    }
    const parts = this.cards.changes(way).slice(0, 3).join(", ") || "nothing changes";
    this.prompt.textContent = `${this.cards.title(way)}: ${parts}. ${this.editable() ? how : ""}`;
  }

  /** @param {Way | null} way */
  take(way) {
    if (!way || !this.editable() || way.revision !== this.draft.data.revision) return;
    this.stop();
    this.pointed = this.lit = null;
    const solution = { links: way.links, vias: way.vias };
    this.draft.edit([way.move], `${this.describe(way.move)}.`, solution);
  }

  /** The cards: what was pointed at, then the ways. */
  shown() {
    const extra = this.pointed && !this.ways.includes(this.pointed) ? [this.pointed] : [];
    return [...extra, ...this.ways];
  }

  drawChoices() {
    const names = this.list.chosenNames;
    const instead = inWords(names.slice(0, 3));
    this.heading.textContent = names.length ? `Instead of ${instead}` : "For the whole way";
    this.cards.draw(this.shown(), this.ways, this.lit, this.answered);
  }

  // -- keyboard -----------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || closest(event.target, "input")) return;
    if (this.key(event)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  key({ key, target }) {
    const inList = target instanceof Node && this.list.element.contains(target);
    const inCards = target instanceof Node && this.cards.element.contains(target);
    const along = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const way = /^[1-9]$/.test(key) ? this.ways[Number(key) - 1] : undefined;
    if (along && (inList || inCards)) this.walk(along, inList);
    else if (way) this.take(way);
    else if (key === "Escape") return this.escape();
    else return false;
    return true;
  }

  /** Look at the next way. @param {number} by @param {boolean} inList */
  walk(by, inList) {
    const ways = this.shown();
    if (!ways.length) return;
    const here = this.lit ? ways.indexOf(this.lit) : -1;
    const start = here < 0 && by < 0 ? 0 : here;
    const next = ways[(start + by + ways.length) % ways.length];
    if (inList) this.look(next, TAKES);
    else this.cards.focus(next);
  }

  escape() {
    if (this.lit) {
      this.pointed = null;
      this.look(null);
      this.drawChoices();
      return true;
    }
    if (!this.list.part) return false;
    this.list.pick(0);
    return true;
  }

  /** Take the way that is looked at. */
  enter() {
    if (!this.lit) return false;
    this.take(this.lit);
    return true;
  }

  // -- what is shown ------------------------------------------------------------------------------------

  /** @param {Move} move */
  describe({ args: [link, leg] }) {
    return `Go via ${this.network.nameOf(link)}${leg ? `, after via-point ${leg}` : ""}`;
  }

  /** The links of a street, or of those that are chosen. @param {Element | null} element */
  partsAt(element) {
    const [first, last] = this.list.partAt(element) ?? [1, 0];
    return this.links.slice(first, last + 1).map((link) => [this.network.idOf(link)]);
  }

  /** @param {string[]} part */
  partName = ([id]) => this.network.nameOf(this.network.linkOf(id));

  /** @param {Proposal | null} data */
  preview(data) {
    if (data) this.map?.light(/** @type {Way} */ (data.solution));
  }

  /** @param {Proposal} data */
  travelled({ solution }) {
    return travelled(this.network, /** @type {Route} */ (solution).links);
  }

  /** @param {Proposal} data */
  render({ solution }) {
    const { links, vias } = /** @type {Route} */ (solution);
    this.links = links;
    const rows = compare(this.network, this.proposed, links);
    const focused = this.cards.element.contains(document.activeElement);
    this.pointed = this.lit = null;
    this.map?.draw({
      links,
      vias,
      proposed: this.proposed,
      rows: rows.filter(({ state }) => state !== "old"),
    });
    this.list.render(rows, links.length);
    this.choose(this.list.part);
    if (focused) this.list.focus();
  }
}

/** @param {EditorContext} context @returns {Editor} */
export const mount = (context) => new RoadsEditor(context);

// What a move that is being chosen would lead to, while the hand is still at it: the server computes it.

import { post } from "../../app/api.js";
import { h, put } from "../../app/elements.js";
import { changeTexts } from "../../app/format.js";
import { colour } from "./scene.js";
import { isOver, loadText, routeFacts, routesOf } from "./times.js";

/** @import { Draft } from "../../app/draft.js" */
/** @import { Move, Point, Preview, RoutesView } from "../../app/types.js" */
/** @import { Scene } from "./scene.js" */

const FEW = 3; // changes that are said

export class Consequence {
  element = h("div", { class: "consequence", role: "status", hidden: true });
  /** The move that is looked at, as text; empty if there is none. */
  #wanted = "";
  #asking = false;
  /** The last answer. @type {{ move: string, preview: Preview } | null} */
  #answer = null;
  /** @type {Point | null} */
  #place = null;
  #times = routesOf(null);

  /** @param {Draft} draft @param {Scene} scene */
  constructor(draft, scene) {
    this.draft = draft;
    this.scene = scene;
  }

  /** What is known of a move. @param {Move} move */
  of(move) {
    return this.#answer?.move === this.#key(move) ? this.#answer.preview : null;
  }

  /** @param {Move} move */
  #key = (move) => JSON.stringify([move, this.draft.data.revision]);

  /**
   * Show what a move would lead to, as soon as it is known.
   * @param {Move | null} move @param {RoutesView} times of the draft @param {Point | null} place of the hand
   */
  look(move, times, place) {
    const known = move && !this.draft.unsent; // the server knows the draft
    this.#wanted = known ? this.#key(move) : "";
    this.#place = place;
    this.#times = times;
    this.#draw();
    if (known && !this.#asking) this.#ask();
  }

  /** Ask for the latest move that is wanted, one after the other. */
  async #ask() {
    this.#asking = true;
    while (this.#wanted && this.#wanted !== this.#answer?.move) {
      const move = this.#wanted;
      const [body] = JSON.parse(move);
      /** @type {Preview | null} */
      const preview = await post(`${this.draft.path}/preview`, { body }).catch(() => null);
      if (preview) this.#answer = { move, preview };
      else this.#wanted = "";
      this.#draw();
    }
    this.#asking = false;
  }

  #draw() {
    const known = this.#wanted && this.#answer?.move === this.#wanted;
    this.element.hidden = !known;
    if (!known || !this.#answer) return;
    const { preview } = this.#answer;
    const { data } = this.draft;
    const lines = routesOf(preview.shown).routes.flatMap((route, r) => {
      if (JSON.stringify(route) === JSON.stringify(this.#times.routes[r])) return [];
      const facts = [loadText(route), ...routeFacts(route, data)].join(" · ");
      const bad = isOver(route) || / late| overtime/.test(facts);
      return h(
        "p",
        { class: colour(r) },
        h("b", { dir: "auto", text: this.scene.routeName(r) }),
        " ",
        h("span", { class: bad ? "over" : null, text: facts }),
      );
    });
    put(
      this.element,
      lines,
      h("p", { class: "hint", text: changeTexts(data, preview.change, FEW).join(", ") }),
      preview.refused ? h("p", { class: "over", text: preview.refused }) : null,
    );
    this.#put();
  }

  /** In the corner of the map that is farthest from the hand, to cover neither it nor its target. */
  #put() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.element.parentElement ?? {};
    const [x, y] = this.#place ?? [width, height];
    this.element.classList.toggle("right", 2 * x < width);
    this.element.classList.toggle("low", 2 * y < height);
  }
}

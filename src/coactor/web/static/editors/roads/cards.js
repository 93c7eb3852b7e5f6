// Other ways as cards: what each would change, and the way to take it.

import { button, h, put } from "../../app/elements.js";
import { changeTexts, list as inWords, verdict } from "../../app/format.js";

/** @import { Draft } from "../../app/draft.js" */
/** @import { Way } from "./map.js" */
/** @import { Network } from "./network.js" */

/** @typedef {{ editable: () => boolean, take: (way: Way) => void, look: (way: Way, how: string) => void }} CardEvents */

const FEW = 6; // changes named of each way
const BRIEF = 2; // while it is one line
export const TAKES = "Enter takes it.";

export class WayCards {
  element = h("div", { class: "choices", "aria-busy": "true" });
  /** @type {Map<HTMLElement, Way>} */
  #cards = new Map();

  /** @param {Draft} draft @param {Network} network @param {CardEvents} events */
  constructor(draft, network, events) {
    this.draft = draft;
    this.network = network;
    this.events = events;
  }

  /** @param {Way} way */
  title(way) {
    return `Via ${way.name || inWords(way.streets) || this.network.nameOf(way.move.args[0])}`;
  }

  /** What a way changes, what matters most first. @param {Way} way */
  changes(way) {
    return changeTexts(this.draft.data, way.change, FEW);
  }

  /** Give a card the focus, so that Enter takes it and does not submit. @param {Way} way */
  focus(way) {
    const entry = [...this.#cards].find(([, one]) => one === way);
    entry?.[0].focus({ preventScroll: true });
  }

  /** Mark the card of a way. @param {Way | null} way */
  mark(way) {
    for (const [card, one] of this.#cards) card.classList.toggle("chosen", one === way);
  }

  /**
   * @param {Way[]} ways all cards
   * @param {Way[]} numbered those with a number
   * @param {Way | null} lit
   * @param {boolean} answered
   */
  draw(ways, numbered, lit, answered) {
    const focused = [...this.#cards].find(([card]) => card === document.activeElement)?.[1];
    this.#cards = new Map(ways.map((way) => [this.#card(way, numbered.indexOf(way) + 1), way]));
    this.element.setAttribute("aria-busy", String(!answered));
    const text = answered
      ? "No good alternative here. Type a street below or click one."
      : "Looking for other ways …";
    put(
      this.element,
      [...this.#cards.keys()],
      ways.length ? null : h("p", { class: "hint", text }),
    );
    this.mark(lit);
    if (focused) this.focus(focused);
  }

  /** @param {Way} way @param {number} key */
  #card(way, key) {
    const { editable, take, look } = this.events;
    const facts = this.changes(way);
    const card = button(
      [
        h("span", { class: "number", text: key ? String(key) : "•" }),
        h("b", { text: this.title(way) }),
        h("span", { class: "brief", text: facts.slice(0, BRIEF).join(", ") }),
        h("span", { class: "hint", text: verdict(way.gain) }),
        h(
          "span",
          { class: "facts" },
          facts.map((text) => h("span", { text })),
        ),
      ],
      () => take(way),
      { class: `choice way${key ? ` w${key - 1}` : ""}`, disabled: !editable() },
    );
    card.addEventListener("focus", () => look(way, TAKES));
    // Only a mouse that really moves looks at a card: one that slides under it must not.
    card.addEventListener("pointermove", ({ movementX, movementY, pointerType }) => {
      if (pointerType === "mouse" && (movementX || movementY)) look(way, "Click takes it.");
    });
    return card;
  }
}

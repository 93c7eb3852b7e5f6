// The first minutes in a demo study: something to want, its number, and how the own edits become fewer.

import { button, h, put } from "../app/elements.js";
import { amount, feature, shownAs, upper } from "../app/format.js";
import { study } from "../app/shell.js";
import { windowMemory } from "../app/storage.js";

/** @import { Editor, Proposal, Round } from "../app/types.js" */

const memory = `coactor/taste/${study}`;
const TASTES = 3; // to choose from
const OWN = -1; // the person's own taste

export class Play {
  element = h("div", { class: "play", id: "play-card" });
  /** The number that is played for, over the canvas. */
  badge = h("p", { class: "played", hidden: true });
  /** What was lit last. */
  #lit = "";
  /** The feature that is played for; null until one is chosen. @type {number | null} */
  #chosen = windowMemory.read(memory);

  /** @param {Round[]} rounds what this person has done here @param {Editor} editor */
  constructor(rounds, editor) {
    this.rounds = rounds;
    this.editor = editor;
  }

  /** Whether it asks for a taste: on the first proposal. */
  get asks() {
    return this.#chosen === null && !this.rounds.length;
  }

  /** @param {number} index @param {Proposal} data */
  #choose(index, data) {
    this.#chosen = index;
    windowMemory.write(memory, index);
    this.render(data);
  }

  /** What there is to want: less of a cost, more of the rest. @param {Proposal} data */
  #choices(data) {
    const { feature_names: names, signs } = data;
    const start = signs[1] < 0 ? 1 : names.length - TASTES;
    const picks = names.slice(start, start + TASTES).map((name, k) => {
      const { label } = feature(name);
      const text = signs[start + k] < 0 ? `I hate ${label}` : `I want ${label}`;
      return button(text, () => this.#choose(start + k, data), { class: "small" });
    });
    const own = button("My own taste", () => this.#choose(OWN, data), { class: "small" });
    return [
      h("p", { text: "Want something, correct for it, and see it being learned." }),
      h("p", { class: "row" }, picks, own),
    ];
  }

  /** @param {Proposal} data @param {number} index */
  #number(data, index) {
    const { label, unit, factor } = feature(data.feature_names[index]);
    const value = data.features[index] * shownAs(data).factors[index] * factor;
    const wish =
      data.signs[index] < 0 ? `as ${unit ? "little" : "few"} as you can` : "as much as you can";
    put(
      this.badge,
      h("strong", { id: "played", text: amount(value, unit) }),
      ` ${label}`,
      h("span", { class: "phone", text: `: ${wish}` }),
    );
    const lit = `${index} ${data.revision}`;
    if (lit !== this.#lit) this.editor.light?.(index);
    this.#lit = lit;
    return h(
      "p",
      {},
      `${upper(label)}: ${wish}. `,
      button("Another taste", () => this.#choose(/** @type {any} */ (null), data), {
        class: "quiet",
      }),
    );
  }

  /** @param {Proposal} data */
  render(data) {
    const efforts = this.rounds.map(({ effort }) => effort);
    const course = efforts.length
      ? h("p", {
          id: "course",
          text: `You: ${efforts.join(" → ")} ${efforts.at(-1) === 1 ? "edit" : "edits"}`,
        })
      : null;
    const chosen = this.#chosen;
    const offered = chosen === null && !data.moves.length ? this.#choices(data) : null;
    this.badge.hidden = chosen === null || chosen === OWN;
    const about = chosen === null || chosen === OWN ? offered : this.#number(data, chosen);
    put(this.element, about, course);
  }
}

// Every edit that is possible now: the most promising first, by pages, with a search field.

import { at, get } from "../app/api.js";
import { button, h, put } from "../app/elements.js";
import { changeTexts, plural, verdict } from "../app/format.js";
import { sayError } from "../app/shell.js";

/** @import { Draft } from "../app/draft.js" */
/** @import { Option } from "../app/types.js" */

const PAGE = 50; // edits fetched at a time
const FEW = 4; // changes named for each edit

export class OptionList {
  /** @type {Option[]} */
  options = [];
  total = 0;
  #asked = 0;

  /** @param {Draft} draft @param {() => boolean} editable @param {(option: Option) => void} take */
  constructor(draft, editable, take) {
    this.draft = draft;
    this.editable = editable;
    this.take = take;
    this.search = h("input", { type: "search", id: "find-edit", placeholder: "Find an edit" });
    this.search.setAttribute("aria-label", "Find an edit");
    this.search.addEventListener("input", () => this.refresh());
    this.count = h("p", { class: "hint", role: "status" });
    this.list = h("ol", { class: "options", "aria-label": "Edits, most promising first" });
    this.more = button("Show more", () => this.#fetch(this.options.length), {
      class: "small",
      hidden: true,
    });
    this.element = h(
      "div",
      { class: "option-list" },
      this.search,
      this.count,
      this.list,
      this.more,
    );
  }

  /** The draft has changed, or the words searched for. */
  refresh() {
    return this.#fetch(0);
  }

  /** @param {number} offset */
  async #fetch(offset) {
    this.#asked += 1;
    const mine = this.#asked;
    const { study, data } = this.draft;
    const words = encodeURIComponent(this.search.value.trim());
    if (!this.options.length) this.count.textContent = "Looking for edits …";
    const query = `order=gain&limit=${PAGE}&offset=${offset}&search=${words}`;
    try {
      const page = await get(at(study, `/proposals/${data.id}/moves?${query}`));
      if (mine !== this.#asked) return;
      this.options = offset ? [...this.options, ...page.moves] : page.moves;
      this.total = page.total;
      this.draw();
    } catch (error) {
      sayError(error);
    }
  }

  draw() {
    const { options, total } = this;
    const shown = options.length < total ? `, the ${options.length} most promising` : "";
    const some = `${plural(total, "edit")}${shown}`;
    this.count.textContent = total ? some : "No edit matches.";
    this.more.hidden = options.length >= total;
    put(
      this.list,
      options.map((option) => this.#line(option)),
    );
  }

  /** The list is drawn again, so the keyboard goes to the search field: Enter there does not submit. @param {Option} option */
  #choose(option) {
    if (this.list.querySelector(":focus-visible")) this.search.focus({ preventScroll: true });
    this.take(option);
  }

  /** @param {Option} option */
  #line(option) {
    const changes = changeTexts(this.draft.data, option.change, FEW).join(", ");
    return h(
      "li",
      {},
      button(
        [
          h("b", { dir: "auto", text: option.text }),
          h("span", { text: changes || "changes no feature" }),
          h("span", { class: "hint", text: verdict(option.gain) }),
        ],
        () => this.#choose(option),
        { class: "option", disabled: !this.editable() },
      ),
    );
  }
}

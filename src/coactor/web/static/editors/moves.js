// Any other domain: the solution as the domain shows it, and every edit that it allows now.

import { button, closest, h, put } from "../app/elements.js";
import { drawShown } from "../views/shown.js";
import { OptionList } from "./option-list.js";

/** @import { Editor, EditorContext, Move, Option, Proposal } from "../app/types.js" */

/** @param {EditorContext} context @returns {Editor} */
export function mount({ draft, prompt, editable }) {
  const now = h("div", { class: "views" });
  const before = h("details", { class: "before" }, h("summary", { text: "As proposed" }));
  const texts = new Map(); // moves in words, as far as the server has said them
  const readTexts = () =>
    draft.data.moves.forEach((move, i) => {
      const text = draft.data.texts?.[i];
      if (text) texts.set(JSON.stringify(move), text);
    });
  readTexts();

  /** @param {Option} option */
  const take = ({ move, text }) => {
    if (!editable()) return;
    texts.set(JSON.stringify(move), text);
    draft.edit([move], `${text}.`);
  };
  const kept = h("ul", { class: "parts" });
  const list = new OptionList(draft, editable, take);
  before.append(...drawShown(draft.data.shown_proposed, draft.data.proposed));

  /** @param {Move} move */
  const describe = (move) =>
    texts.get(JSON.stringify(move)) ?? `${move.op} ${move.args.join(", ")}`;

  /** @param {Proposal} data */
  function render(data) {
    readTexts();
    const proposed = !data.moves.length;
    const views = proposed ? data.shown_proposed : data.shown;
    put(now, drawShown(views, data.solution, data.shown_proposed));
    const parts = JSON.stringify(data.parts ?? []);
    if (kept.dataset.parts !== parts) put(kept, (data.parts ?? []).map(partLine));
    kept.dataset.parts = parts; // else the keyboard stays where it is
    before.hidden = proposed;
    list.element.hidden = !editable();
    prompt.textContent = editable() ? "Choose an edit from the list." : "";
    if (editable() && !draft.unsent) list.refresh();
  }

  return {
    canvas: h("div", { class: "plain-canvas" }, now, before),
    panels: [
      { title: "Edits you can make", content: list.element, grows: true, edits: true },
      ...(draft.data.parts ? [{ title: "Parts", content: kept, folded: true, edits: true }] : []),
    ],
    keys: [],
    describe,
    // The words of a move may depend on the solution it was made on.
    history: (moves) =>
      moves.map((move, i) => {
        if (move.text) return move.text;
        const known = JSON.stringify(draft.data.moves[i]) === JSON.stringify(move);
        return (known && draft.data.texts?.[i]) || describe(move);
      }),
    render,
    partsAt(element) {
      const line = closest(element, ".parts li");
      return line ? [JSON.parse(String(line.dataset.names))] : [];
    },
    preview: (data) =>
      data && put(now, drawShown(data.shown, data.solution, draft.data.shown ?? undefined)),
  };
}

/** @param {string[]} names */
const partLine = (names) =>
  h(
    "li",
    { data: { names: JSON.stringify(names) } },
    names.join(": "),
    button("Lock", () => {}, { class: "small lock" }),
  );

// In a study to try: what the simulated expert would do with the draft.

import { get } from "../app/api.js";
import { button, h, put } from "../app/elements.js";
import { lower, plural } from "../app/format.js";
import { proposal, sayError, study } from "../app/shell.js";

/** @import { Draft } from "../app/draft.js" */
/** @import { Editor, Move, Trial } from "../app/types.js" */

/** @param {Trial} trial @param {Draft} draft @param {Editor} editor */
export function makeAdvice(trial, draft, editor) {
  const text = h("span", { id: "advice", role: "status" });
  const actions = h("span");
  let revision = -1; // of the draft that the advice is about

  /** @param {Move[]} moves */
  const follow = async (moves) => {
    draft.edit(moves, `${trial.colleague}'s advice followed.`);
    await ask();
  };

  /** @param {Move[]} moves */
  function show(moves) {
    const [first] = moves;
    if (!first) {
      text.textContent = `${trial.colleague} would leave it as it is. Press Enter.`;
      put(actions);
      return;
    }
    const rest = moves.length > 1 ? `, then make ${plural(moves.length - 1, "more edit")}` : "";
    text.textContent = `${trial.colleague} would ${lower(editor.describe(first, true))}${rest}.`;
    editor.preview?.(first);
    put(
      actions,
      button("Do it", () => follow([first]), { id: "do-it" }),
      " ",
      moves.length > 1
        ? button(`Do all ${moves.length}`, () => follow(moves), { id: "do-all" })
        : null,
    );
  }

  async function ask() {
    try {
      await draft.flush();
      text.textContent = `${trial.colleague} is looking at it …`;
      const { moves } = await get(`/try/${study}/advice/${proposal}`);
      revision = draft.data.revision;
      show(moves);
    } catch (error) {
      text.textContent = "";
      sayError(error);
    }
  }

  return {
    element: h(
      "div",
      { class: "advice" },
      button(`What would ${trial.colleague} do?`, ask, { id: "ask-colleague" }),
      text,
      actions,
    ),
    /** Forget advice about a draft that has changed since. */
    refresh() {
      if (revision === draft.data.revision && !draft.unsent) return;
      text.textContent = "";
      put(actions);
    },
  };
}

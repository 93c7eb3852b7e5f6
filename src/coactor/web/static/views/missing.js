// Which feature is missing: what no weights explain, on request, because the answer takes seconds.

import { at, get } from "../app/api.js";
import { button, card, h, put } from "../app/elements.js";
import { messageOf, study } from "../app/shell.js";

/** @import { MissingFeatures } from "../app/types.js" */

export function missingFeatures() {
  const answer = h("div", { id: "missing", role: "status" });

  async function look() {
    put(answer, h("p", { class: "hint", text: "Comparing finished proposals …" }));
    try {
      /** @type {MissingFeatures} */
      const { sentences } = await get(at(study, "/features"));
      put(answer, ...sentences.map((text) => h("p", { text })));
    } catch (error) {
      put(answer, h("p", { text: messageOf(error) }));
    }
  }

  const hint = "Looks for a reason behind edits that what is counted so far cannot explain.";
  return card(
    "Is something not counted yet?",
    h("p", { class: "hint", text: hint }),
    button("Look for it", look, { id: "look-for-missing" }),
    answer,
  );
}

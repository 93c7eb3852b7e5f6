// Which feature is missing: what no weights explain, on request, because the answer takes seconds.

import { at, get } from "../app/api.js";
import { button, h, put } from "../app/elements.js";
import { number } from "../app/format.js";
import { shownName } from "../app/names.js";
import { sayError, study } from "../app/shell.js";

/** @import { MissingFeatures } from "../app/types.js" */

const WHOSE = "Whose effort that was: "; // the one sentence with names

/** The sentences with names as the report shows them. @param {MissingFeatures} answer */
function shownSentences({ sentences, people }) {
  const shares = people.map(([name, effort]) => `${shownName(name)} ${number(effort)}`);
  return sentences.map((text) => (text.startsWith(WHOSE) ? `${WHOSE}${shares.join(", ")}.` : text));
}

export function missingFeatures() {
  const answer = h("div", { id: "missing", role: "status" });

  async function look() {
    put(answer, h("p", { class: "hint", text: "Comparing finished proposals …" }));
    try {
      /** @type {MissingFeatures} */
      const data = await get(at(study, "/features"));
      put(answer, ...shownSentences(data).map((text) => h("p", { text })));
    } catch (error) {
      put(answer);
      sayError(error);
    }
  }

  const hint =
    "Which feature would explain corrections that no weights of the present ones explain?";
  return h(
    "section",
    { class: "card" },
    h("h2", { text: "Is a feature missing?" }),
    h("p", { class: "hint", text: hint }),
    button("Look for it", look, { id: "look-for-missing" }),
    answer,
  );
}

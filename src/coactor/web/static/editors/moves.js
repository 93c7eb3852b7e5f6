// Any other domain: the edits that it allows now, and what each of them changes.

import { at, get } from "../app/api.js";
import { button, h, put, table } from "../app/elements.js";
import { feature, shownAs, signedAmount } from "../app/format.js";
import { sayError } from "../app/shell.js";

/** @import { Editor, EditorContext, Move } from "../app/types.js" */

const FEW = 4; // changes named for each edit

/** @typedef {{ move: Move, change: number[], gain: number }} Option */

/** @param {Move} move */
const describe = ({ op, args }) => `${op} ${args.join(", ")}`;

/** @param {EditorContext} context @returns {Editor} */
export function mount({ draft, prompt, editable }) {
  const features = draft.data.feature_names.map(feature);
  const now = h("pre", { class: "data" });
  const proposed = h("pre", { class: "data ghost", text: JSON.stringify(draft.data.proposed) });
  const choices = h("div");
  let asked = 0;

  /** @param {number[]} change */
  function changes(change) {
    const { factor } = shownAs(draft.data);
    const parts = change
      .map((value, i) => ({ ...features[i], value: value * factor * features[i].factor }))
      .filter(({ value }) => Math.abs(value) > 1e-9)
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
      .slice(0, FEW)
      .map(({ label, value, unit }) => `${label} ${signedAmount(value, unit)}`);
    return parts.join(", ") || "nothing";
  }

  /** @param {Option} option */
  const line = ({ move, change }) => [
    button(describe(move), () => draft.edit([move], `${describe(move)}.`), {
      disabled: !editable(),
    }),
    changes(change),
  ];

  async function fetchOptions() {
    asked += 1;
    const mine = asked;
    try {
      /** @type {Option[]} */
      const options = await get(at(draft.study, `/proposals/${draft.data.id}/moves`));
      if (mine !== asked) return;
      put(choices, table("Edits and what they change", ["Edit", "Changes"], options.map(line)));
    } catch (error) {
      sayError(error);
    }
  }

  return {
    canvas: h(
      "div",
      { class: "plain-canvas" },
      h("h2", { text: "Now" }),
      now,
      h("h2", { text: "Proposed" }),
      proposed,
      h("h2", { text: "Edits" }),
      choices,
    ),
    panels: [],
    keys: [],
    describe,
    render(data) {
      now.textContent = JSON.stringify(data.solution);
      prompt.textContent = editable() ? "Choose an edit from the list." : "";
      fetchOptions();
    },
  };
}

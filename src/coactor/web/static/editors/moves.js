// @ts-nocheck: rewritten next
// Any other domain: the edits it allows now, and what each of them changes.

import { at, get } from "../app/api.js";
import { button, h, put, table } from "../app/elements.js";
import { feature, signed } from "../app/format.js";
import { say } from "../app/shell.js";

export function mount(place, { draft, editable, make }) {
  const names = draft.data.feature_names.map((name) => feature(name).label);
  const now = h("pre", { class: "data" });
  const then = h("pre", { class: "data ghost" });
  const choices = h("div");
  let asked = 0;
  put(
    place,
    h("p", {
      class: "hint",
      id: "gesture",
      role: "status",
      text: "This kind of problem has no drawing here; choose an edit from the list.",
    }),
    h(
      "div",
      { class: "pair" },
      h("div", {}, h("h2", { text: "Now" }), now),
      h("div", {}, h("h2", { text: "Proposed" }), then),
    ),
    h("h2", { text: "Edits" }),
    choices,
  );

  const describe = ({ op, args }) => `${op} ${args.join(", ")}`;

  return {
    keys: [],
    describe,
    async render(data) {
      now.textContent = JSON.stringify(data.solution);
      then.textContent = JSON.stringify(data.proposed);
      asked += 1;
      const mine = asked;
      try {
        const found = await get(at(draft.study, `/proposals/${draft.data.id}/moves`));
        if (mine !== asked) return;
        const rows = found.map(({ move, change }) => {
          const parts = change
            .map((value, i) => ({ value, name: names[i] }))
            .filter((one) => Math.abs(one.value) > 1e-9)
            .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
            .slice(0, 4);
          return [
            button(describe(move), () => make([move]), { disabled: !editable() }),
            parts.map((one) => `${one.name} ${signed(one.value)}`).join(", ") || "nothing",
          ];
        });
        put(choices, table("Edits and what they change", ["Edit", "Changes"], rows));
      } catch (error) {
        say(error.message, true);
      }
    },
  };
}

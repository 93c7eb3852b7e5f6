// What the edits change, feature by feature, in the domain's own units; and what they cost.

import { h, put } from "../app/dom.js";
import { amount, feature, number, plural, shown, signed } from "../app/format.js";

const FEW = 12;

export function makePanel(place) {
  const effort = h("p", { class: "effort" });
  const opinion = h("p", { class: "hint" });
  const body = h("div");
  put(place, h("h2", { text: "What changes" }), effort, body, opinion);

  return function render(draft) {
    const { data, last } = draft;
    put(
      effort,
      h("strong", { text: number(data.effort) }),
      ` ${data.effort === 1 ? "edit" : "edits"} so far`,
      data.steps !== data.moves.length
        ? h(
            "span",
            { class: "hint" },
            ` (${plural(data.moves.length, "gesture step")}; what was undone by hand does not count)`,
          )
        : null,
    );
    const { factor, note } = shown(data.domain.name, data.solution.length);
    const rows = data.feature_names.map((name, i) => {
      const one = feature(name);
      const scale = factor * one.factor;
      return {
        ...one,
        now: data.features[i] * scale,
        all: data.change[i] * scale,
        last: last ? last[i] * scale : null,
        gain: data.weights[i] * data.change[i],
      };
    });
    const few =
      rows.length <= FEW
        ? rows
        : [...rows].sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain)).slice(0, FEW);
    const largest = Math.max(...rows.map((row) => Math.abs(row.gain)), 1e-12);
    put(
      body,
      h(
        "table",
        { class: "changes" },
        h("caption", { class: "unseen", text: "What the edits change, feature by feature" }),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Feature", "now", "last edit", "in all"].map((text) =>
              h("th", { scope: "col", text }),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          few.map((row) => line(row, largest)),
        ),
      ),
      rows.length > few.length
        ? h("p", {
            class: "hint",
            text: `The ${few.length} of ${rows.length} features that matter most here.`,
          })
        : null,
      note ? h("p", { class: "hint", text: note }) : null,
    );
    const gain = rows.reduce((total, row) => total + row.gain, 0);
    const by = data.version ? "By what has been learned so far" : "By what is assumed at the start";
    opinion.textContent = !data.moves.length
      ? ""
      : Math.abs(gain) < 1e-9
        ? `${by}, this is as good as the proposal.`
        : gain > 0
          ? `${by}, this is better than the proposal.`
          : `${by}, this is worse than the proposal: there is something to learn here.`;
  };
}

function line(row, largest) {
  const share = Math.round((100 * Math.abs(row.gain)) / largest);
  const bar = h("span", {
    class: `share ${row.gain >= 0 ? "better" : "worse"}`,
    "aria-hidden": "true",
  });
  bar.style.width = `${Math.abs(row.all) < 1e-9 ? 0 : share}%`;
  const cell = (value) =>
    h("td", { class: "num" }, value === null || Math.abs(value) < 1e-9 ? "·" : signed(value));
  return h(
    "tr",
    { class: Math.abs(row.all) < 1e-9 ? "same" : "moved" },
    h("th", { scope: "row" }, row.label, bar),
    h("td", { class: "num" }, amount(row.now, row.unit)),
    cell(row.last),
    cell(row.all),
  );
}

// The report in twenty seconds: the start against now, against no learning, week by week.

import { h, put, table } from "../app/elements.js";
import { feature, number, plural, signed, signedAmount } from "../app/format.js";

/** @import { Measure, Progress } from "../app/types.js" */

/** @type {Record<string, { label: string, good: -1 | 1 }>} */
const KINDS = {
  effort: { label: "edits per proposal", good: -1 },
  seconds: { label: "minutes per proposal", good: -1 },
  unchanged: { label: "accepted unchanged", good: 1 },
};

/** Whether the change is surely for the better, surely for the worse, or neither. @param {Measure} measure */
export function direction({ name, low, high }) {
  const { good } = KINDS[name];
  if (low * good > 0 && high * good > 0) return "better";
  return low * good < 0 && high * good < 0 ? "worse" : "unclear";
}

/** @param {Measure} measure */
function tile(measure) {
  const { first, last, low, high } = measure.texts;
  return h(
    "div",
    { class: `tile ${direction(measure)}` },
    h("dt", { text: KINDS[measure.name].label }),
    h(
      "dd",
      {},
      h("span", { class: "before", text: first }),
      h("span", { class: "unseen", text: " then, now " }),
      h("span", { class: "arrow", "aria-hidden": "true", text: "→" }),
      h("span", { class: "after", text: last }),
      h("small", { text: `change ${low} to ${high} (95 %)` }),
    ),
  );
}

/** @param {Progress["without_learning"]} compared */
export function comparison({ proposals, done, compared, saved = 0, low = 0, high = 0, ...means }) {
  if (!proposals) return "";
  if (done < proposals) {
    return `Compared with no learning: solving past problems again, ${done} of ${proposals} …`;
  }
  if (means.without === undefined) return "";
  const [without, having] = [
    plural(Number(means.without.toPrecision(2)), "edit"),
    number(means.with ?? 0, 2),
  ];
  const sure = low > 0 || high < 0 ? "" : " This may be chance.";
  return (
    `Compared with no learning: solved again without anything learned, the last ${plural(compared ?? 0, "problem")} ` +
    `would have needed about ${without} each instead of ${having}: ${number(saved, 2)} ` +
    `${saved < 0 ? "" : "saved "}(95 % interval ${signed(Number(low.toFixed(1)))} to ` +
    `${signed(Number(high.toFixed(1)))}).${sure}`
  );
}

const CAVEAT =
  "Estimated for both as the fewest edits from the proposal to what people made of it. People may settle " +
  "for something near to what they see, so the advantage is an upper estimate.";

/** @param {Progress["causes"]} causes */
function causesText(causes) {
  const parts = causes.map(({ feature: name, change }) => {
    const { label, unit, factor } = feature(name);
    return `${change < 0 ? "less" : "more"} ${label} (${signedAmount(change * factor, unit)})`;
  });
  return parts.length ? `Recent proposals were edited for: ${parts.join(", ")}, on average.` : "";
}

/** @param {Progress["weeks"]} weeks */
function weekTable(weeks) {
  const rows = [...weeks]
    .reverse()
    .map(({ monday, finished, texts }) => [
      monday,
      finished,
      texts.effort,
      texts.seconds,
      texts.unchanged,
    ]);
  const head = ["Week from", "Proposals", "Edits each", "Minutes each", "Unchanged"];
  return h(
    "details",
    { open: weeks.length < 6 },
    h("summary", { text: plural(weeks.length, "week") }),
    table("Week by week", head, rows),
  );
}

/** @param {HTMLElement} place @param {Progress} progress */
export function drawProgress(place, progress) {
  const against = comparison(progress.without_learning);
  const why = causesText(progress.causes);
  put(
    place,
    progress.measures.length ? h("dl", { class: "tiles" }, progress.measures.map(tile)) : null,
    against ? h("p", { id: "without-learning", title: CAVEAT, text: against }) : null,
    progress.without_learning.without === undefined
      ? null
      : h("p", { class: "hint", text: CAVEAT }),
    why ? h("p", { id: "causes", text: why }) : null,
    progress.weeks.length ? weekTable(progress.weeks) : null,
  );
}

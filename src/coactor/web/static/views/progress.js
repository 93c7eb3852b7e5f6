// The report in twenty seconds: the start against now, week by week, who did how much.

import { at, patch } from "../app/api.js";
import { bdi, button, h, put, table } from "../app/elements.js";
import { plural, tight } from "../app/format.js";
import { actorText } from "../app/names.js";
import { attempt, may, study } from "../app/shell.js";

/** @import { Group, Report } from "../app/types.js" */

/** @type {Record<string, string>} */
const LABELS = {
  effort: "edits per proposal",
  seconds: "minutes per proposal",
  unchanged: "accepted unchanged",
};
const SHARE = 0.1; // made without what was learned, if the report offers it

/** @param {Report["measures"][number]} measure @param {string} verdict */
const tile = ({ name, texts }, verdict) =>
  h(
    "div",
    { class: `tile ${name === "effort" ? verdict : ""}` },
    h("dt", { text: LABELS[name] }),
    h(
      "dd",
      {},
      h("span", { class: "before", text: texts.first }),
      h("span", { class: "unseen", text: " then, now " }),
      h("span", { class: "arrow", "aria-hidden": "true", text: "→" }),
      h("span", { class: "after", text: texts.last }),
    ),
  );

/** @param {string} title @param {string} first @param {Group[]} groups @param {boolean} people */
function groupTable(title, first, groups, people) {
  const unread = groups.some((group) => group.unread);
  const controls = groups.some((group) => group.controls);
  const without = controls ? ["of which without learning (only in “Minutes in all”)"] : [];
  const means = ["Edits each", "Minutes each", "Minutes in all", "Unchanged"];
  const head = [first, "Proposals", ...without, ...means];
  const rows = groups.map(({ name, finished, texts, ...group }) => [
    people ? bdi(actorText(name, "")) : name,
    finished,
    ...(controls ? [group.controls] : []),
    texts.effort,
    texts.seconds,
    texts.minutes,
    texts.unchanged,
    ...(unread ? [group.unread] : []),
  ]);
  return table(title, unread ? [...head, "Accepted within 3 s"] : head, rows);
}

/** How the comparison is made, and the way to start or to end it. @param {number} control @param {() => Promise<void>} changed */
function comparison(control, changed) {
  const text = control
    ? `${Math.round(100 * control)} % of the proposals are made without what was learned, to compare. Which ones is not shown.`
    : "Does learning save work, and how much? To measure it, one proposal in ten can be made without what was learned. Which ones is not shown; they teach as much as the others.";
  const set = () =>
    attempt(async () => {
      await patch(at(study), { body: { control: control ? 0 : SHARE } });
      await changed();
    });
  const act = button(control ? "End the comparison" : "Compare from now on", set, {
    id: "control",
    class: "small",
  });
  return h("p", { class: "hint" }, text, " ", may("lead") ? act : null);
}

/** @param {HTMLElement} place @param {Report} report @param {() => Promise<void>} changed */
export function drawProgress(place, { verdict, notes, measures, control }, changed) {
  put(
    place,
    measures.length
      ? h(
          "dl",
          { class: "tiles" },
          measures.map((measure) => tile(measure, verdict)),
        )
      : null,
    h(
      "div",
      { id: "notes" },
      notes.map((text) => h("p", { class: "hint", dir: "auto", text: tight(text) })),
    ),
    may("lead") || control ? comparison(control, changed) : null,
  );
}

/** What each person needed in each week. @param {Group[]} weeks @param {Group[]} people */
function crossTable(weeks, people) {
  /** @param {Group} week @param {Group} person */
  const cell = (week, person) => {
    const texts = person.weeks.find(({ name }) => name === week.name)?.texts;
    return texts ? `${texts.effort} · ${texts.seconds}` : "";
  };
  const rows = weeks.map((week) => [week.name, ...people.map((person) => cell(week, person))]);
  const head = people.map(({ name }) => actorText(name, ""));
  const title = "Edits · minutes of each person, by the week";
  return table(title, ["Edits · minutes each, week from", ...head], rows);
}

/** Tables that are open unless they are long. @param {Group[]} groups @param {string} noun @param {(Element | null)[]} tables */
function fold(groups, noun, tables) {
  const text = plural(groups.length, noun).replace("persons", "people");
  return h("details", { open: groups.length < 10 }, h("summary", { text }), tables);
}

/** By week and by person. @param {HTMLElement} place @param {Report} report */
export function drawGroups(place, { weeks, people }) {
  const latest = [...weeks].reverse();
  put(
    place,
    weeks.length > 1
      ? fold(weeks, "week", [groupTable("Week by week", "Week from", latest, false)])
      : null,
    people.length > 1
      ? fold(people, "person", [
          groupTable("By person", "Finished by", people, true),
          weeks.length > 1 ? crossTable(latest, people) : null,
        ])
      : null,
  );
}

// The study's log in sentences, the newest first.

import { at, get } from "../app/api.js";
import { bdi, button, h, put } from "../app/elements.js";
import { clock, feature, plural } from "../app/format.js";
import { rollbackText, shownName } from "../app/names.js";
import { attempt, study } from "../app/shell.js";

/** @import { Fact } from "../app/types.js" */

const PAGE = 30; // facts fetched at once
const LEASES = ["claimed", "released"]; // who had which proposal open: noise here

/**
 * Fill a place with the latest facts; a button fetches earlier ones.
 * @param {HTMLElement} place
 * @param {number} count facts there are
 */
export async function drawLog(place, count) {
  let from = Math.max(0, count - PAGE);
  const rows = h("ol", { class: "log", reversed: true }, await facts(from, count));
  const earlier = button("Earlier", async () => {
    const to = from;
    from = Math.max(0, from - PAGE);
    earlier.hidden = from === 0;
    await attempt(async () => rows.append(...(await facts(from, to))));
  });
  earlier.hidden = from === 0;
  const props = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Log" };
  put(place, h("div", props, rows), earlier);
}

/** The facts after one number and up to another. @param {number} after @param {number} to */
async function facts(after, to) {
  if (to <= after) return [];
  const { events } = await get(at(study, `/events?after=${after}&limit=${to - after}`));
  const told = events.filter((/** @type {Fact} */ { kind }) => !LEASES.includes(kind));
  return told.reverse().map(line);
}

/** @param {Fact} fact */
const edited = ({ action, proposal }) =>
  `${{ undo: "undid an edit of", redo: "redid an edit of" }[action ?? ""] ?? "edited"} proposal ${proposal}`;

/** @param {Fact} fact */
function told({ proposal, effort, learn, note }) {
  const today = learn === false ? ", just today" : "";
  const edits = plural(effort ?? 0, "edit");
  return `finished proposal ${proposal} with ${edits}${today}${note ? `: “${note}”` : ""}`;
}

/** @type {Record<string, (fact: Fact) => string>} */
const SENTENCES = {
  created: () => "created the study",
  asked: ({ proposal, label, revision, version }) =>
    revision
      ? `solved proposal ${proposal} again, after ${plural(version ?? 0, "correction")}`
      : `asked for proposal ${proposal}${label ? `, “${label}”` : ""}`,
  edited,
  told,
  said: ({ wish, feature: name }) => `said: ${wish} “${feature(name ?? "").label}”`,
  reopened: ({ proposal }) => `took back the submit of proposal ${proposal}`,
  configured: ({ settings }) => `changed ${Object.keys(settings ?? {}).join(", ")}`,
  "rolled back": (fact) => `made a ${rollbackText(fact)}: “${fact.reason}”`,
};

/** @param {Fact} fact */
function line(fact) {
  const { seq, time, actor, via, kind, learned_for: other } = fact;
  const another = kind !== "rolled back" && other && other !== actor;
  const sentence = SENTENCES[kind]?.(fact) ?? kind;
  const datetime = new Date(time * 1000).toISOString();
  return h(
    "li",
    { value: seq },
    h("b", {}, bdi(actor ? shownName(actor) : "An unnamed person")),
    another ? [", for ", bdi(shownName(other)), ","] : null,
    ` ${sentence} `,
    via ? h("span", { class: "hint" }, "(through ", bdi(shownName(via)), ") ") : null,
    h("time", { class: "hint", datetime, text: clock(time) }),
  );
}

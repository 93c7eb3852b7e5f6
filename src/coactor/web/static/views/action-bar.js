// The bar at the bottom of the editor: undo and redo, one status line, the note, and the way to submit.

import { $, button, h, kbd, put, wording } from "../app/elements.js";
import { edited, plural } from "../app/format.js";

/** @import { Draft } from "../app/draft.js" */
/** @import { Proposal } from "../app/types.js" */

/** @typedef {{ submit: () => void, editable: () => boolean, more: HTMLElement[] }} Actions */

/**
 * What the status line says about saving.
 * @param {Pick<Draft, "state" | "unsent" | "message" | "obstacle">} draft
 */
export function savingText({ state, unsent, message, obstacle }) {
  if (state === "saving") return "Saving …";
  if (state === "saved") return message ? `${message} Saved.` : "";
  const which = unsent === 1 ? "1 edit is" : `${unsent} edits are`;
  const why = obstacle?.status ? "The server cannot save now." : "The server cannot be reached.";
  return `${why} ${which} not saved yet; trying again …`;
}

/** @param {Proposal} data @param {number} gestures @param {number} waiting how many are not confirmed yet */
function submitText({ effort }, gestures, waiting) {
  if (waiting) return `Submit ${plural(gestures, "edit")} (${waiting} waiting) `;
  return effort ? `Submit ${edited(effort, gestures)} ` : "Accept as proposed ";
}

/** @param {Draft} draft @param {Actions} actions */
export function makeActionBar(draft, { submit, editable, more }) {
  const undo = button("Undo", () => draft.undo(), {
    id: "undo",
    title: "Ctrl Z",
    "aria-keyshortcuts": "Control+Z",
  });
  const redo = button("Redo", () => draft.redo(), {
    id: "redo",
    title: "Ctrl Y",
    "aria-keyshortcuts": "Control+Y",
  });
  const warning = h("strong", { class: "warning", id: "warning", role: "status" });
  const today = h("input", { type: "checkbox", id: "today" });
  const words = { placeholder: wording("Note (optional)", "Note"), "aria-label": "Note" };
  const note = h("input", { type: "text", id: "note", maxlength: "2000", ...words });
  note.value = draft.recall("note") ?? ""; // a reload loses nothing
  today.checked = draft.recall("today") ?? false;
  today.addEventListener("change", () => {
    draft.store("today", today.checked);
    draft.changed(); // what is said about learning
  });
  note.addEventListener("input", () => draft.store("note", note.value));
  note.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) submit();
  });
  const accept = button("", submit, { class: "primary", id: "submit" });
  const element = h(
    "div",
    { class: "bar", role: "group", "aria-label": "Actions" },
    undo,
    redo,
    more,
    $("#message"),
    warning,
    h(
      "label",
      { class: "switch" },
      today,
      h("span", {}, "Just today", h("small", { text: " (do not learn)" })),
    ),
    note,
    accept,
  );
  /** @param {Proposal} data @param {number} gestures @param {string} trouble what is wrong with the draft */
  const render = (data, gestures, trouble) => {
    const can = editable();
    undo.disabled = !can || !data.moves.length;
    redo.disabled = !can || !data.undone.length;
    accept.disabled = today.disabled = note.disabled = !can;
    warning.textContent = trouble;
    put(accept, submitText(data, gestures, draft.unsent), kbd("Enter"));
  };
  return { element, today, note, accept, render };
}

// What was just submitted: a notice on the page that opens next, with a way back.

import { at, post } from "./api.js";
import { button, h, kbd } from "./elements.js";
import { edited, isSurprise } from "./format.js";
import { attempt, name, ownsKeys, proposal, study } from "./shell.js";
import { windowMemory } from "./storage.js";

/** @import { Round } from "./types.js" */

/**
 * @typedef {{ study: string, proposal: number, text: string, left: number, until?: number, ask: boolean, note: string }}
 * Notice `ask`: whether the correction was a surprise, so that it may be for today only
 */

const LASTS = 10_000; // milliseconds in view
const OLD = 120_000; // milliseconds until a notice that was never shown is forgotten

/**
 * Keep a notice for the page that opens next.
 * @param {Round} round @param {number} gestures @param {string} meantFor as the proposal says
 */
export function leaveNotice(round, gestures, meantFor) {
  const { proposal, effort, lesson, learn, work } = round;
  const done = effort ? `Submitted, ${edited(effort, gestures)}.` : "Accepted as proposed.";
  const whole = lesson.startsWith("Accepted.") ? lesson : `${done} ${lesson}`;
  const ask = learn && isSurprise(round);
  const meant = learn && meantFor && meantFor !== name ? ` Learned for ${meantFor}.` : "";
  const text = `${whole}${meant}${ask ? " It seemed fine as it was. Just today, or always? Unanswered it counts half." : ""}`;
  windowMemory.write("notice", { study, proposal, text, left: Date.now(), ask, note: work.note });
}

/** Show the notice that the page before has left, if there is one. */
export function showNotice() {
  /** @type {Notice | null} */
  const notice = windowMemory.read("notice");
  if (notice?.study !== study || String(notice.proposal) === proposal) return;
  if (Date.now() > (notice.until ?? notice.left + OLD)) return;
  const until = notice.until ?? Date.now() + LASTS; // the next proposal may have taken long to compute
  windowMemory.write("notice", { ...notice, until });
  const undo = button(["Take back ", kbd("Z")], () => reopen(notice), { id: "undo-submit" });
  const [always, today] = [true, false].map((learn) => {
    const [text, key, id] = learn ? ["Always ", "A", "always"] : ["Just today ", "J", "just-today"];
    const act = () => answer(notice, learn, element);
    return button([text, kbd(key)], act, { id, hidden: !notice.ask });
  });
  const view = { href: `/s/${study}/p/${notice.proposal}`, text: "View" };
  const element = h(
    "div",
    { class: "notice", id: "notice", role: "status" },
    h("span", { id: "lesson", dir: "auto", text: notice.text }),
    h("a", view),
    today,
    always,
    undo,
  );
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!plain || ownsKeys(event)) return;
    if (event.key.toLowerCase() === "z") undo.click();
    if (event.key.toLowerCase() === "j" && !today.hidden) today.click();
    if (event.key.toLowerCase() === "a" && !always.hidden) always.click();
  };
  const hide = () => {
    if (element.matches(":hover, :focus-within")) {
      setTimeout(hide, 1000);
      return;
    }
    windowMemory.write("notice", null);
    document.removeEventListener("keydown", onKey);
    element.remove();
  };
  document.addEventListener("keydown", onKey);
  document.body.append(element);
  setTimeout(hide, until - Date.now());
}

/** Take a submit back and open the proposal again. @param {{ proposal: number }} notice */
export const reopen = ({ proposal }) =>
  attempt(async () => {
    await post(at(study, `/proposals/${proposal}/reopen`));
    windowMemory.write("notice", null);
    location.assign(`/s/${study}/p/${proposal}`);
  });

/**
 * Submit it again, to learn all of it or nothing.
 * @param {Notice} notice @param {boolean} learn @param {HTMLElement} element
 */
const answer = ({ proposal, note }, learn, element) =>
  attempt(async () => {
    const path = at(study, `/proposals/${proposal}`);
    const { revision } = await post(`${path}/reopen`);
    await post(`${path}/submit`, { body: { learn, note }, revision });
    windowMemory.write("notice", null);
    element.replaceChildren(
      learn ? "Always: it was learned." : "Just today: nothing was learned from it.",
    );
  });

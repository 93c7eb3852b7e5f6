// The frame around every page: messages, rights, log out.

import { $, closest } from "./elements.js";

/** What the server wrote into the page about itself. */
export const { study = "", proposal = "", name = "", editor = "" } = document.body.dataset;
export const free = Boolean(document.body.dataset.free);

/**
 * Whether the account may do something: "read", "ask", "tell", "edit", "lead" or "create".
 * @param {string} right
 */
export const may = (right) => (document.body.dataset.rights ?? "").split(" ").includes(right);

/**
 * Show a message at the top of the page, and tell it to screen readers.
 * @param {string} text
 * @param {boolean} [trouble]
 */
export function say(text, trouble = false) {
  const place = $("#message");
  place.textContent = text;
  place.className = text ? "banner" : "";
  place.classList.toggle("trouble", trouble);
}

/** Show an error at the top of the page. @param {unknown} error */
export const sayError = (error) => say(messageOf(error), true);

/** Do something, and show an error of it at the top of the page. @param {() => Promise<void>} work */
export const attempt = (work) => work().catch(sayError);

/**
 * Do something that takes time, and show each second how long it has taken, and of how many.
 * @template T @param {string} text @param {(text: string) => void} show @param {() => Promise<T>} work
 * @param {number | null} [seconds] how long it may take
 */
export async function counting(text, show, work, seconds = null) {
  const began = performance.now();
  const most = seconds === null ? "" : ` of about ${Math.ceil(seconds)} s`;
  const tick = () => show(`${text} ${Math.round((performance.now() - began) / 1000)} s${most}`);
  const timer = setInterval(tick, 1000);
  show(text);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The sentence of anything that was thrown. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Milliseconds that a page is in view, without an Enter, before one is obeyed: nothing is accepted unseen. */
export const QUIET = 600;

/** Whether a key press belongs to the field or button that has the focus. @param {Event} event */
export const ownsKeys = (event) =>
  closest(event.target, "button, a, textarea, select, summary, input:not([type=checkbox])") !==
  null;

document.querySelector("#logout")?.addEventListener("click", async () => {
  await fetch("/logout", { method: "POST" });
  location.assign("/login");
});

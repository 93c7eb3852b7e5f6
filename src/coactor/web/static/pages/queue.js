// The queue: what waits, what is begun, who has what. Enter opens the first.

import { at, get, post } from "../app/api.js";
import { $, button, h, kbd, put } from "../app/elements.js";
import { ago, likely, number, plural } from "../app/format.js";
import { showNotice } from "../app/notice.js";
import { may, name, ownsKeys, say, sayError, study } from "../app/shell.js";
import { fillQueue, findTrial, playButton } from "../app/trials.js";

/** @import { EffortSummary, Ticket } from "../app/types.js" */

const INTERVAL = 5000; // milliseconds between two looks

const trial = await findTrial().catch(() => null);
const figures = h("dl", { class: "figures wide" });
const rows = h("div", { id: "queue" });
const first = button(["Open the first ", kbd("Enter")], openFirst, {
  class: "primary",
  id: "open-first",
});
let shown = ""; // what the page shows now, as text
let offline = false;

function refreshIfVisible() {
  if (!document.hidden) refresh();
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.key !== "Enter" || event.repeat || ownsKeys(event)) return;
  event.preventDefault();
  openFirst();
}

async function refresh() {
  try {
    /** @type {[Ticket[], EffortSummary]} */
    const [tickets, efforts] = await Promise.all([
      get(at(study, "/proposals?state=open&limit=200")),
      get(at(study, "/effort/summary?days=7&last=10")),
    ]);
    if (offline) say("");
    offline = false;
    const news = JSON.stringify([tickets, efforts, Math.floor(Date.now() / 60000)]);
    if (news === shown) return;
    shown = news;
    draw(tickets, efforts);
  } catch (error) {
    offline = true;
    sayError(error);
  }
}

/** @param {Ticket[]} tickets @param {EffortSummary} efforts */
function draw(tickets, efforts) {
  put(figures, summary(tickets, efforts));
  first.disabled = !tickets.some((ticket) => ticket.state !== "held" || ticket.holder === name);
  put(rows, tickets.length ? h("ul", { class: "tickets" }, tickets.map(line)) : nothing());
  if (!tickets.length && trial && may("ask")) fillQueue().then(refresh, () => null);
}

const nothing = () =>
  h("p", { class: "card empty", text: "Nothing waits. New proposals of your solver appear here." });

/** @param {Ticket[]} tickets @param {EffortSummary} efforts */
function summary(tickets, { recent, last }) {
  /** @param {string} state */
  const count = (state) => tickets.filter((ticket) => ticket.state === state).length;
  const { finished, unchanged } = recent;
  const share = finished ? `${Math.round((100 * unchanged) / finished)} %` : "–";
  const base = finished ? `${unchanged} of ${finished}` : "nothing done yet";
  return [
    figure("waiting", count("waiting")),
    figure("unfinished drafts", count("draft")),
    figure("being edited", count("held")),
    figure("accepted unchanged this week", share, base),
    figure(
      "edits per proposal, last ten",
      last.finished ? number(last.effort / last.finished, 2) : "–",
    ),
  ];
}

/** @param {string} label @param {string | number} value @param {string} [more] */
const figure = (label, value, more = "") =>
  h(
    "div",
    {},
    h("dt", { text: label }),
    h("dd", {}, String(value), more ? h("small", { text: more }) : null),
  );

/** @param {Ticket} ticket */
function stateOf({ state, holder }) {
  if (state === "draft") return "unfinished draft";
  if (state !== "held") return "waiting";
  return holder === name ? "you are editing" : `${holder} is editing`;
}

/** @param {Ticket} ticket */
function outlook({ steps, effort, due, chance }) {
  if (steps) return `${plural(effort, "edit")} so far`;
  if (due) return "will be updated when you open it";
  return likely(chance) || "unchanged";
}

/** @param {Ticket} ticket */
function line(ticket) {
  const mine = ticket.holder === name;
  return h(
    "li",
    {},
    h(
      "a",
      { class: "ticket", href: `/s/${study}/p/${ticket.id}` },
      h("b", { dir: "auto", text: ticket.label || `Proposal ${ticket.id}` }),
      h("span", { class: `chip ${mine ? "mine" : ticket.state}`, text: stateOf(ticket) }),
      h("span", { class: "hint", text: outlook(ticket) }),
      h("span", { class: "hint", text: `arrived ${ago(ticket.asked)}` }),
    ),
  );
}

async function openFirst() {
  try {
    const next = await post(at(study, "/queue/next"));
    if (next) location.assign(`/s/${study}/p/${next.id}`);
    else say("Nothing waits.");
  } catch (error) {
    sayError(error);
  }
}

put(
  $("#content"),
  trial ? h("p", { class: "lead", text: trial.story }) : null,
  figures,
  h(
    "div",
    { class: "row" },
    may("edit") ? first : null,
    trial && may("tell") ? playButton(trial, refresh) : null,
    h("a", { class: "button", href: `/s/${study}/report`, text: "Report" }),
  ),
  rows,
);
showNotice();
await refresh();
if (may("edit")) document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", refreshIfVisible);
setInterval(refreshIfVisible, INTERVAL);

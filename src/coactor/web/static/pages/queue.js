// The queue: what waits, what is begun, who has what. Enter opens the first.

import { at, get, post } from "../app/api.js";
import { $, bdi, button, card, h, kbd, options, put, select } from "../app/elements.js";
import { ago, likely, number, plural, SURE } from "../app/format.js";
import { forWhom } from "../app/names.js";
import { showNotice } from "../app/notice.js";
import { EVERYTHING, openNext, parametersOf, readQuery, writeQuery } from "../app/queue-query.js";
import { attempt, may, name, ownsKeys, say, sayError, study } from "../app/shell.js";
import { fillQueue, findTrial, playButton } from "../app/trials.js";
import { Sketches } from "../views/sketches.js";

/** @import { EffortSummary, QueuePage, Row } from "../app/types.js" */

const INTERVAL = 5000; // milliseconds between two looks
const SIZE = 50; // proposals on a page
const FEW = 5; // a queue that needs no search
const TAKEN = "Others are editing these. What nobody edits for five minutes is free again.";

const STATES = [
  ["open", "All open"],
  ["waiting", "Waiting"],
  ["draft", "Unfinished drafts"],
  ["held", "Being edited"],
];
const ORDERS = [
  ["oldest", "Oldest first"],
  ["newest", "Newest first"],
  ["doubtful", "Most likely wrong first"],
  ["likely", "Likely fine first"],
];

const trial = await findTrial().catch(() => null);
const figures = h("dl", { class: "figures wide" });
const list = h("ul", { class: "tickets", id: "queue" });
const together = h("div", { id: "together" });
const empty = h("p", { class: "card empty", hidden: true });
const range = h("span", { id: "range", role: "status" });
const previous = button("Previous", () => turn(-SIZE), { id: "previous" });
const following = button("Next", () => turn(SIZE), { id: "following" });
const pager = h("div", { class: "row pager" }, previous, range, following);
const first = button(["Open the first ", kbd("Enter")], openFirst, {
  class: "primary",
  id: "open-first",
});
const query = readQuery();
const person = { id: "expert", "aria-label": "Person", hidden: true };
const expert = select([], "", (value) => look("expert", value), person);
const filters = makeFilters();

let offset = 0;
/** @type {QueuePage | null} */
let page = null;
let minute = 0; // when the page was drawn
let asked = 0; // requests so far
let offline = false;
const sketches = new Sketches();
/** Rows by the number of their proposal. @type {Map<number, HTMLElement>} */
const rows = new Map();

/** @param {string} label @param {"state" | "order"} field @param {string[][]} values */
function choice(label, field, values) {
  const props = { "aria-label": label, id: field };
  return select(values, query[field], (value) => look(field, value), props);
}

function makeFilters() {
  const search = h("input", {
    type: "search",
    id: "search",
    maxlength: "200",
    placeholder: "Search by name or number",
    "aria-label": "Search",
    value: query.search,
    on: { input: () => look("search", search.value) },
  });
  const arrived = { title: "Arrived on this day", "aria-label": "Arrived on this day" };
  const act = () => look("day", day.value);
  const day = h("input", {
    type: "date",
    id: "day",
    value: query.day,
    ...arrived,
    on: { change: act },
  });
  return h(
    "div",
    { class: "row filters", role: "search", hidden: true },
    search,
    choice("Show", "state", STATES),
    expert,
    day,
    choice("Order", "order", ORDERS),
  );
}

/** Everybody who can be chosen; the choice stays while it is looked for. @param {string[]} names */
function drawPeople(names) {
  const all = query.expert && !names.includes(query.expert) ? [...names, query.expert] : names;
  expert.hidden = !all.length;
  if (expert.dataset.names === JSON.stringify(all)) return;
  expert.dataset.names = JSON.stringify(all);
  const everybody = ["", "Everybody"];
  put(expert, options([everybody, ...all.map((name) => [name, name])], query.expert));
}

/** @param {keyof typeof EVERYTHING} field @param {string} value */
function look(field, value) {
  query[field] = value;
  writeQuery(query);
  offset = 0;
  page = null;
  refresh();
}

/** @param {number} by */
function turn(by) {
  offset = Math.max(0, offset + by);
  page = null;
  refresh();
  list.scrollIntoView({ block: "nearest" });
}

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
  asked += 1;
  const mine = asked;
  const since = page?.tag ?? "";
  const parameters = parametersOf(query);
  for (const [name, value] of Object.entries({ offset, limit: SIZE, since }))
    parameters.set(name, `${value}`);
  try {
    /** @type {QueuePage | null} */
    const news = await get(at(study, `/queue?${parameters}`));
    if (mine !== asked) return; // there is a newer question
    if (offline) say("");
    offline = false;
    if (news) {
      page = news;
      put(figures, summary(news, await get(at(study, "/effort/summary?days=7&last=10"))));
    }
    const now = Math.floor(Date.now() / 60_000);
    if (page && (news || now !== minute)) draw(page);
    minute = now;
  } catch (error) {
    offline = true;
    sayError(error);
  }
}

/** @param {QueuePage} page */
function draw({ drafts, matching, waiting, draft, held, people }) {
  const total = waiting + draft + held;
  if (!drafts.length && offset) {
    turn(-SIZE);
    return;
  }
  first.hidden = !drafts.some((ticket) => ticket.state !== "held" || ticket.holder === name);
  filters.hidden = total <= FEW && JSON.stringify(query) === JSON.stringify(EVERYTHING);
  drawPeople(people);
  drawRows(drafts);
  if (!together.querySelector(".card")) offerTogether(drafts);
  const taken = may("edit") && drafts.length > 0 && first.hidden;
  empty.hidden = drafts.length > 0 && !taken;
  empty.textContent = taken ? TAKEN : emptyText(total);
  pager.hidden = matching <= SIZE;
  range.textContent = `${number(offset + 1)} to ${number(offset + drafts.length)} of ${number(matching)}`;
  previous.disabled = offset === 0;
  following.disabled = offset + drafts.length >= matching;
  if (!total && trial && may("edit")) fillQueue().then(refresh, () => null);
}

/** @param {number} total */
function emptyText(total) {
  if (total) return "Nothing matches. Search for something else, or show all open proposals.";
  if (trial && may("edit")) return "The next proposal is being computed …";
  return "Nothing waits. New proposals of your solver appear here.";
}

/** Change only what is different, so that the focus and the reader's place stay. @param {Row[]} drafts */
function drawRows(drafts) {
  const present = new Set(drafts.map(({ id }) => id));
  let lost = -1; // where the focused row was that is gone
  for (const [id, row] of rows) {
    if (present.has(id)) continue;
    if (row.contains(document.activeElement)) lost = [...list.children].indexOf(row);
    row.remove();
    rows.delete(id);
  }
  let place = list.firstElementChild;
  for (const ticket of drafts) {
    const row = rows.get(ticket.id) ?? h("li", {}, h("a", { class: "ticket" }));
    rows.set(ticket.id, row);
    fillRow(row, ticket);
    if (row === place) place = row.nextElementSibling;
    else list.insertBefore(row, place);
  }
  const next = list.children[Math.min(lost, list.children.length - 1)]?.querySelector("a");
  if (lost >= 0) next?.focus();
}

/** @param {HTMLElement} row @param {Row} ticket */
function fillRow(row, ticket) {
  const mine = ticket.holder === name;
  const link = $(".ticket", row);
  const sketch = sketches.of(ticket);
  link.setAttribute("href", `/s/${study}/p/${ticket.id}`);
  put(
    link,
    sketch.drawing,
    h("b", { dir: "auto", text: ticket.label || `Proposal ${ticket.id}` }),
    ticket.state === "waiting"
      ? null
      : h("span", { class: `chip ${mine ? "mine" : ticket.state}` }, stateOf(ticket)),
    forWhom(ticket, name),
    sketch.facts,
    h("span", { class: "hint", text: outlook(ticket) }),
    h("span", { class: "hint", text: `arrived ${ago(ticket.asked)}` }),
  );
}

/** @param {QueuePage} page @param {EffortSummary} efforts */
function summary({ waiting, draft, held }, { recent, last }) {
  const { finished, unchanged } = recent;
  const share = finished ? `${Math.round((100 * unchanged) / finished)} %` : "–";
  const base = finished ? `${unchanged} of ${finished}` : "nothing done yet";
  return [
    figure("waiting", number(waiting)),
    draft ? figure("unfinished drafts", number(draft)) : null,
    held ? figure("being edited", number(held)) : null,
    finished ? figure("accepted unchanged this week", share, base) : null,
    last.finished
      ? figure("edits per proposal, last ten", number(last.effort / last.finished, 2))
      : null,
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

/** @param {Row} ticket */
function stateOf({ state, holder, editor }) {
  if (state === "draft")
    return editor && editor !== name ? ["unfinished draft of ", bdi(editor)] : ["unfinished draft"];
  return holder === name ? ["you are editing"] : [bdi(holder), " is editing"];
}

/** @param {Row} ticket */
function outlook({ steps, effort, due, basis }) {
  if (steps) return `${plural(effort, "edit")} so far`;
  if (due) return "more was learned since";
  return likely(basis.chance);
}

/** Those that are surely fine, and free. @param {Row[]} drafts */
const surelyFine = (drafts) =>
  drafts.filter(
    ({ state, due, basis }) => state === "waiting" && !due && (basis.chance ?? 0) >= SURE,
  );

/** Offer to accept what is surely fine, after a look at the list. @param {Row[]} drafts */
function offerTogether(drafts) {
  const fine = may("edit") ? surelyFine(drafts) : [];
  const text = `Accept all above ${100 * SURE} % (${fine.length})`;
  const look = () => previewTogether(fine);
  put(together, fine.length > 1 ? button(text, look, { id: "accept-all" }) : null);
}

/** @param {Row[]} fine */
function previewTogether(fine) {
  const close = () => {
    put(together);
    return refresh();
  };
  const accept = button(
    `Accept these ${fine.length}`,
    () =>
      attempt(async () => {
        accept.disabled = true;
        let done = 0;
        for (const { id } of fine) done += Number(await acceptOne(id));
        page = null;
        await close();
        say(`${plural(done, "proposal")} accepted as proposed.`);
      }),
    { class: "primary", id: "accept-these" },
  );
  put(
    together,
    card(
      "Accept these as they are?",
      h(
        "ul",
        { class: "tickets" },
        fine.flatMap(({ id }) => rows.get(id)?.cloneNode(true) ?? []),
      ),
      h("p", { class: "hint", text: "The report counts them as accepted unread." }),
      h("p", { class: "row" }, accept, button("Cancel", close)),
    ),
  );
}

/** Accept a proposal if it is free and as likely fine as it was. @param {number} id */
async function acceptOne(id) {
  const path = at(study, `/proposals/${id}`);
  const { basis, revision, moves } = await post(`${path}/claim`);
  if (moves.length || (basis.chance ?? 0) < SURE) {
    await post(`${path}/release`);
    return false;
  }
  await post(`${path}/submit`, { body: { seconds: 0 }, revision });
  return true;
}

function openFirst() {
  return attempt(async () => {
    const next = await openNext();
    if (next) location.assign(next);
    else say("Nothing waits.");
  });
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
    h("a", { class: "button", href: `/s/${study}/wants`, text: "What it thinks you want" }),
    h("a", { class: "button", href: `/s/${study}/report#finished`, text: "Finished proposals" }),
    h("a", { class: "button", href: `/s/${study}/report`, text: "Report" }),
  ),
  filters,
  together,
  empty,
  list,
  pager,
);
showNotice();
await refresh();
if (may("edit")) document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", refreshIfVisible);
setInterval(refreshIfVisible, INTERVAL);

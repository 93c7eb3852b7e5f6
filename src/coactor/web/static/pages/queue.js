// The queue: what waits, what is begun, who has what. Enter opens the first.

import { at, get, post } from "../app/api.js";
import { $, bdi, button, h, kbd, put } from "../app/elements.js";
import { ago, likely, number, plural } from "../app/format.js";
import { forWhom } from "../app/names.js";
import { showNotice } from "../app/notice.js";
import { EVERYTHING, openNext, parametersOf, readQuery, writeQuery } from "../app/queue-query.js";
import { attempt, may, name, ownsKeys, say, sayError, study } from "../app/shell.js";
import { fillQueue, findTrial, playButton } from "../app/trials.js";

/** @import { EffortSummary, QueuePage, Row } from "../app/types.js" */

const INTERVAL = 5000; // milliseconds between two looks
const SIZE = 50; // proposals on a page
const FEW = 5; // a queue that needs no search
const SURE = 0.9; // the chance from which proposals may be accepted together

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
const expert = h("select", { id: "expert", "aria-label": "Person", hidden: true });
expert.addEventListener("change", () => look("expert", expert.value));
const filters = makeFilters();

let offset = 0;
/** @type {QueuePage | null} */
let page = null;
let minute = 0; // when the page was drawn
let asked = 0; // requests so far
let offline = false;
/** Rows by the number of their proposal. @type {Map<number, HTMLElement>} */
const rows = new Map();

/** @param {string} label @param {"state" | "order"} field @param {string[][]} options */
function choice(label, field, options) {
  const element = h(
    "select",
    { "aria-label": label, id: field },
    options.map(([value, text]) => h("option", { value, selected: value === query[field] }, text)),
  );
  element.addEventListener("change", () => look(field, element.value));
  return element;
}

function makeFilters() {
  const search = h("input", { type: "search", id: "search", maxlength: "200" });
  search.placeholder = "Search by name or number";
  search.setAttribute("aria-label", "Search");
  search.value = query.search;
  search.addEventListener("input", () => look("search", search.value));
  const day = h("input", { type: "date", id: "day", title: "Arrived on this day" });
  day.setAttribute("aria-label", "Arrived on this day");
  day.value = query.day;
  day.addEventListener("change", () => look("day", day.value));
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
  put(
    expert,
    h("option", { value: "" }, "Everybody"),
    all.map((name) => h("option", { value: name, selected: name === query.expert }, name)),
  );
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
  first.disabled = !drafts.some((ticket) => ticket.state !== "held" || ticket.holder === name);
  filters.hidden = total <= FEW && JSON.stringify(query) === JSON.stringify(EVERYTHING);
  drawPeople(people);
  drawRows(drafts);
  if (!together.querySelector(".card")) offerTogether(drafts);
  empty.hidden = drafts.length > 0;
  empty.textContent = emptyText(total);
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
  link.setAttribute("href", `/s/${study}/p/${ticket.id}`);
  put(
    link,
    h("b", { dir: "auto", text: ticket.label || `Proposal ${ticket.id}` }),
    h("span", { class: `chip ${mine ? "mine" : ticket.state}` }, stateOf(ticket)),
    forWhom(ticket, name),
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
  if (state !== "held") return ["waiting"];
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
    h(
      "section",
      { class: "card" },
      h("h2", { text: "Accept these as they are?" }),
      h(
        "ul",
        {},
        fine.map(({ id, label, basis }) =>
          h(
            "li",
            {},
            h("a", { href: `/s/${study}/p/${id}`, dir: "auto", text: label || `Proposal ${id}` }),
            ` ${likely(basis.chance)}`,
          ),
        ),
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

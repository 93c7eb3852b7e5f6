// What waits, what is begun, who holds what; Enter opens the first.

import { at, get, post } from "../app/api.js";
import { $, busyTarget, button, h, kbd, put, say } from "../app/dom.js";
import { ago, likely, number, plural } from "../app/format.js";

const { study, name, rights } = document.body.dataset;
const content = $("#content");
const WEEK = 7 * 86400;
const STATES = { waiting: "waiting", held: "being edited", draft: "draft left behind" };
const MAY_EDIT = rights.split(" ").includes("edit");
let shown = "";
let lost = false; // whether the server could not be reached a moment ago

const trial = (await get("/try").catch(() => [])).find((one) => one.study === study) ?? null;
const figures = h("dl", { class: "figures wide" });
const first = button("", openFirst, { class: "primary", id: "open-first" });
put(first, "Open the first ", kbd("Enter"));
const rows = h("div", { id: "queue" });
put(
  content,
  trial ? h("p", { class: "lead", text: trial.story }) : null,
  figures,
  h(
    "div",
    { class: "row" },
    MAY_EDIT ? first : null,
    trial && rights.split(" ").includes("tell") ? play() : null,
    h("a", { class: "button", href: `/s/${study}/report`, text: "Report" }),
  ),
  rows,
);
await refresh();
if (MAY_EDIT)
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.repeat && !busyTarget(event.target)) {
      event.preventDefault();
      openFirst();
    }
  });
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
setInterval(() => {
  if (!document.hidden) refresh();
}, 5000);

async function refresh() {
  try {
    const [tickets, efforts] = await Promise.all([
      get(at(study, "/proposals?state=open&limit=200")),
      get(at(study, "/effort")),
    ]);
    if (lost) {
      lost = false;
      say("");
    }
    const news = JSON.stringify([tickets, efforts.length, Math.floor(Date.now() / 60000)]);
    if (news === shown) return;
    shown = news;
    draw(tickets, efforts);
  } catch (error) {
    lost = true;
    say(error.message, true);
  }
}

function draw(tickets, efforts) {
  const count = (state) => tickets.filter((one) => one.state === state).length;
  const week = efforts.filter((one) => one.time > Date.now() / 1000 - WEEK);
  const untouched = week.filter((one) => one.effort === 0).length;
  const lately = efforts.slice(-10);
  put(
    figures,
    figure("waiting", count("waiting")),
    figure("drafts", count("draft")),
    figure("being edited", count("held")),
    figure(
      "untouched this week",
      week.length ? `${Math.round((100 * untouched) / week.length)} %` : "–",
      week.length ? `${untouched} of ${week.length}` : "nothing done yet",
    ),
    figure(
      "edits each, last ten",
      lately.length
        ? number(lately.reduce((sum, one) => sum + one.effort, 0) / lately.length, 2)
        : "–",
    ),
  );
  first.disabled = !tickets.some((one) => one.state !== "held" || one.holder === name);
  put(
    rows,
    tickets.length
      ? h("ul", { class: "tickets" }, tickets.map(ticket))
      : h("p", {
          class: "card empty",
          text: "Nothing waits. What your solver asks next appears here.",
        }),
  );
  if (!tickets.length && trial && rights.split(" ").includes("ask"))
    post(`/try/${study}/fill`)
      .then(refresh)
      .catch(() => null);
}

function figure(label, value, more = "") {
  return h(
    "div",
    {},
    h("dt", { text: label }),
    h("dd", {}, String(value), more ? h("small", { text: more }) : null),
  );
}

function ticket(one) {
  const mine = one.holder === name;
  return h(
    "li",
    {},
    h(
      "a",
      { class: "ticket", href: `/s/${study}/p/${one.id}` },
      h("b", { dir: "auto", text: one.label || `Proposal ${one.id}` }),
      h("span", {
        class: `chip ${mine ? "mine" : one.state}`,
        text:
          one.state === "held"
            ? `${mine ? "you are" : `${one.holder} is`} editing`
            : STATES[one.state],
      }),
      h("span", {
        class: "hint",
        text: one.steps
          ? `${plural(one.effort, "edit")} so far`
          : one.due
            ? "solved again when opened"
            : likely(one.chance) || "untouched",
      }),
      h("span", { class: "hint", text: `asked ${ago(one.asked)}, version ${one.version}` }),
    ),
  );
}

async function openFirst() {
  try {
    const next = await post(at(study, "/queue/next"));
    if (next) location.assign(`/s/${study}/p/${next.id}`);
    else say("Nothing waits.");
  } catch (error) {
    say(error.message, true);
  }
}

function play() {
  const made = button(
    `Let ${trial.colleague} do ten`,
    async () => {
      made.disabled = true;
      say(`${trial.colleague} is at work …`);
      try {
        const done = await post(`/try/${study}/play`, { body: { rounds: 10 } });
        say(
          `${trial.colleague} corrected ten proposals. Edits each: ${done.map((one) => one.effort).join(", ")}. ${done.at(-1).sentence}`,
        );
        await refresh();
      } catch (error) {
        say(error.message, true);
      }
      made.disabled = false;
    },
    { id: "play" },
  );
  return made;
}

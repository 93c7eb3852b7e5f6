// All studies of the account, and those to try.

import { at, get, post } from "../app/api.js";
import { $, h, put, s } from "../app/elements.js";
import { lower, standing } from "../app/format.js";
import { sayError } from "../app/shell.js";

/** @import { Summary, Trial } from "../app/types.js" */

const SOON = 2000; // milliseconds until the next look while an example is being prepared
const WHAT =
  "A solver proposes, you correct. coactor learns from your corrections what you want, " +
  "so that there is less to correct next time.";

/** Lines of a small picture, by the kind of domain; 120 x 48. @type {Record<string, string>} */
const PICTURES = {
  tour: "M12 30L34 8L64 18L104 8L110 36L74 28L48 42Z",
  fleet: "M10 12L38 8L54 24L94 10M18 40L44 36L72 42L110 30",
  plan: "M60 26L34 6L12 18ZM60 26L88 6L110 20ZM60 26L38 44L86 44Z",
  list: "M12 10H108M12 20H84M12 30H96M12 40H60",
  roads: "M6 42C30 42 26 12 56 14S92 40 114 8M6 20H114M40 4V44M84 4V44",
  report: "M12 6V42H110M18 12L34 34L52 30L70 38L88 37L106 39",
  cells: "M12 8H108V40H12ZM36 8V40M60 8V40M84 8V40M12 24H108",
};
/** @type {Record<string, string>} */
const KINDS = {
  tour: "tour",
  fleet: "fleet",
  plan: "plan",
  ranking: "list",
  roads: "roads",
};

let shown = ""; // what the page shows now, as text

async function draw() {
  /** @type {[Summary[], Trial[]]} */
  const [studies, trials] = await Promise.all([get("/studies"), get("/try")]);
  const names = new Set(trials.map((trial) => trial.study));
  const own = studies.filter((study) => !names.has(study.name));
  if (studies.some((study) => names.has(study.name) && isNew(study))) setTimeout(draw, SOON);
  const content = $("#content");
  const first = !content.childElementCount;
  const news = JSON.stringify([studies, trials]);
  if (news === shown) return;
  shown = news;
  put(
    content,
    h("p", { class: "lead", text: WHAT }),
    own.length ? ownStudies(own, trials.length > 0) : null,
    trials.length ? tryOut(studies, trials) : null,
    studies.length ? null : nothing(),
    h(
      "p",
      { class: "hint" },
      "For programs: ",
      h("a", { href: "/api/openapi.json", text: "HTTP API (OpenAPI)" }),
      ".",
    ),
  );
  const main = content.querySelector(".card a.primary");
  if (first && main instanceof HTMLElement) main.focus({ preventScroll: true });
}

/** An example whose first proposal is still being computed. @param {Summary} study */
const isNew = (study) => study.usable && !study.open && !study.told;

/** @param {Summary[]} studies @param {Trial[]} trials */
function tryOut(studies, trials) {
  const [{ colleague }] = trials;
  const text =
    `Invented work to try it with. ${colleague} is a simulated colleague with a hidden taste: ` +
    `correct a few proposals yourself, or let ${colleague} correct ten and see what was learned.`;
  /** @param {Trial} trial */
  const cardOf = (trial) => {
    const study = studies.find((one) => one.name === trial.study);
    return study ? card(study, trial.title, trial) : null;
  };
  return h(
    "section",
    { class: "try" },
    h("h2", { text: "Try it" }),
    h("p", { class: "hint", text }),
    h("div", { class: "cards" }, trials.map(cardOf)),
  );
}

/** @param {Summary[]} own @param {boolean} titled */
const ownStudies = (own, titled) =>
  h(
    "section",
    {},
    titled ? h("h2", { text: "Your work" }) : null,
    h(
      "div",
      { class: "cards" },
      own.map((study) => card(study, study.name, null)),
    ),
  );

const nothing = () =>
  h(
    "p",
    { class: "card" },
    "There is nothing to correct here yet. Create a study with ",
    h("code", { text: "coactor study create" }),
    ", or start the server with ",
    h("code", { text: "coactor serve --try" }),
    " to look around.",
  );

/** @param {Summary} study */
const picture = ({ domain }, kind = KINDS[domain.name] ?? "cells") =>
  s(
    "svg",
    { class: "picture", viewBox: "0 0 120 48", "aria-hidden": "true" },
    s("path", { d: PICTURES[kind] }),
  );

/** @param {Summary} study @param {Trial | null} trial */
function actionOf({ name, open }, trial) {
  if (trial?.weeks) return ["See the report", `/s/${name}/report`];
  return [open || trial ? "Start correcting" : "Open the queue", `/s/${name}`];
}

/** @param {Summary} study @param {string} title @param {Trial | null} trial */
function card(study, title, trial) {
  if (!study.usable) {
    const text = "Its domain is not installed on this server.";
    return h(
      "article",
      { class: "card" },
      h("h3", { text: title }),
      h("p", { class: "hint", text }),
    );
  }
  const { told, name } = study;
  const busy = trial && isNew(study);
  const queue = `/s/${name}`;
  const [action, href] = actionOf(study, trial);
  const start = h(
    "a",
    {
      class: study.open || trial ? "button primary whole" : "button whole",
      href,
      "aria-label": `${title}: ${lower(action)}`,
    },
    action,
  );
  if (href === queue && study.open) start.addEventListener("click", (event) => begin(event, name));
  const report = { class: "button", href: `${queue}/report`, "aria-label": `Report of ${title}` };
  const others = { class: "button", href: queue, "aria-label": `Queue of ${title}` };
  return h(
    "article",
    { class: "card" },
    picture(study, trial?.weeks ? "report" : undefined),
    h("h3", { text: title }),
    trial ? h("p", { text: trial.story }) : null,
    h("p", {
      class: "hint",
      text: busy ? "The first proposal is being computed …" : standing(study),
    }),
    h(
      "p",
      { class: "row" },
      start,
      told && !trial?.weeks ? h("a", report, "Report") : null,
      told ? h("a", others, "Queue") : null,
    ),
  );
}

/**
 * Open the next proposal of a study; its queue if there is none to be had.
 * @param {MouseEvent} event @param {string} name
 */
async function begin(event, name) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const next = await post(at(name, "/queue/next?brief=true")).catch(() => null);
  location.assign(next ? `/s/${name}/p/${next.id}` : `/s/${name}`);
}

await draw().catch(sayError);

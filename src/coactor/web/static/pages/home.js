// All studies of the account, and those to try.

import { get } from "../app/api.js";
import { $, h, put } from "../app/elements.js";
import { number, plural } from "../app/format.js";
import { sayError } from "../app/shell.js";

/** @import { Summary, Trial } from "../app/types.js" */

async function draw() {
  /** @type {[Summary[], Trial[]]} */
  const [studies, trials] = await Promise.all([get("/studies"), get("/try")]);
  const names = new Set(trials.map((trial) => trial.study));
  const own = studies.filter((study) => !names.has(study.name));
  const content = $("#content");
  put(
    content,
    trials.length ? tryOut(studies, trials) : null,
    own.length ? ownStudies(own, trials.length > 0) : null,
    studies.length ? null : nothing(),
    h(
      "p",
      { class: "hint" },
      "For programs: ",
      h("a", { href: "/api/docs", text: "HTTP API" }),
      ".",
    ),
  );
  const first = content.querySelector(".card a");
  if (first instanceof HTMLElement) first.focus({ preventScroll: true });
}

/** @param {Summary[]} studies @param {Trial[]} trials */
function tryOut(studies, trials) {
  const [{ colleague }] = trials;
  const text =
    `${colleague} corrects what a solver proposes, and has never told anybody what they like. ` +
    `Correct a few proposals yourself, or let ${colleague} correct ten. The solver learns from ` +
    "the corrections, and there is less and less to correct.";
  /** @param {Trial} trial */
  const cardOf = (trial) => {
    const study = studies.find((one) => one.name === trial.study);
    return study ? card(study, trial.title, trial.story) : null;
  };
  return h(
    "section",
    { class: "try" },
    h("h2", { text: "Try it" }),
    h("p", { class: "lead", text }),
    h("div", { class: "cards" }, trials.map(cardOf)),
  );
}

/** @param {Summary[]} own @param {boolean} titled */
const ownStudies = (own, titled) =>
  h(
    "section",
    {},
    titled ? h("h2", { text: "Studies" }) : null,
    h(
      "div",
      { class: "cards" },
      own.map((study) => card(study, study.name, "")),
    ),
  );

const nothing = () =>
  h(
    "p",
    { class: "card" },
    "There is no study here yet. Create one with ",
    h("code", { text: "coactor study create" }),
    ", or start the server with ",
    h("code", { text: "coactor serve --try" }),
    " to look around.",
  );

/** @param {string} label @param {string | number} value */
const figure = (label, value) =>
  h("div", {}, h("dt", { text: label }), h("dd", { text: String(value) }));

/** @param {Summary} study @param {string} title @param {string} story */
function card(study, title, story) {
  if (!study.usable) {
    const text = "Its domain is not installed on this server.";
    return h(
      "article",
      { class: "card" },
      h("h3", { text: title }),
      h("p", { class: "hint", text }),
    );
  }
  const { told, open, untouched, effort, version, name } = study;
  const accepted = told ? `${Math.round((100 * untouched) / told)} %` : "–";
  const report = { href: `/s/${name}/report`, "aria-label": `Report of ${title}`, text: "Report" };
  return h(
    "article",
    { class: "card" },
    h("h3", {}, h("a", { href: `/s/${name}`, text: title })),
    story ? h("p", { text: story }) : null,
    h(
      "dl",
      { class: "figures" },
      figure("open", open),
      figure("done", told),
      figure("edits per proposal", told ? number(effort / told, 2) : "–"),
      figure("accepted unchanged", accepted),
    ),
    h(
      "p",
      { class: "row" },
      h("a", { class: "button", ...report }),
      version ? h("span", { class: "hint", text: plural(version, "version") }) : null,
    ),
  );
}

await draw().catch(sayError);

// The report of a study: is there less to correct, what has been learned, and how to take it back.

import { at, get } from "../app/api.js";
import { $, bdi, button, card, h, put, table } from "../app/elements.js";
import { clock, number, percent } from "../app/format.js";
import { actorText, hideNames, namesHidden, recallHidden } from "../app/names.js";
import { may, sayError, study } from "../app/shell.js";
import { findTrial, playButton } from "../app/trials.js";
import { drawCalibration } from "../views/calibration.js";
import { effortChart, legend } from "../views/chart.js";
import { drawLog } from "../views/log.js";
import { missingFeatures } from "../views/missing.js";
import { drawPeople, loadPeople } from "../views/people.js";
import { drawGroups, drawProgress } from "../views/progress.js";
import { drawVersions } from "../views/versions.js";

/** @import { Report, Round, Summary, Version } from "../app/types.js" */

const LATEST = 200; // rows in the table of numbers
const POINTS = 1000; // of the curve: those of `course` in the report

const chart = h("div", { class: "figure" });
const chartLegend = h("div");
const numbers = h("div");
const finished = h(
  "details",
  { id: "finished", open: location.hash === "#finished" },
  h("summary", { text: "Finished proposals" }),
  numbers,
);
const missing = h("div");
const peopleCard = h("section", { class: "card", id: "people", hidden: true });
const predictions = h("section", { class: "card", hidden: true });
const versionsPlace = h("div");
const log = h("div");
const verdict = h("p", { class: "verdict", id: "verdict", text: "Loading …" });
const progressPlace = h("div", { id: "progress" });
const groupsPlace = h("div");
const actions = h("div", { class: "row" });
if (may("lead")) recallHidden();
const hide = h("input", { type: "checkbox", id: "hide-names", checked: namesHidden() });
hide.addEventListener("change", () => {
  hideNames(hide.checked);
  draw().catch(sayError);
});

/** @param {string} title @param {...Node} children */

const csv = {
  class: "button small",
  href: `/api/studies/${study}/effort.csv`,
  download: `${study}-effort.csv`,
  text: "CSV",
};

const downloads = h(
  "div",
  { class: "row downloads" },
  h("a", csv),
  button("Print", () => print(), { class: "small" }),
);

async function draw() {
  /** @type {Summary} */
  const summary = await get(at(study)); // says how far back to look; all the rest is fetched at once
  const earliest = Math.max(-1, summary.version - 1000);
  const { signs } = summary;
  const people = loadPeople();
  const peopleDrawn = people.then((loaded) => drawPeople(peopleCard, loaded, signs));
  peopleDrawn.catch(sayError);
  if (namesHidden()) await peopleDrawn; // it has the labels that stand for names
  const [efforts, report, beliefs, calibration, versions, trial] = await Promise.all([
    get(at(study, `/effort?last=${POINTS}`)),
    get(at(study, "/report")),
    get(at(study, "/beliefs")),
    get(at(study, "/calibration")),
    get(at(study, `/versions?after=${earliest}`)),
    findTrial(),
    drawLog(log, summary.facts),
  ]);
  drawEffort(efforts, report, versions);
  drawProgress(progressPlace, report, draw);
  drawGroups(groupsPlace, report);
  drawCalibration(predictions, calibration);
  drawVersions(versionsPlace, versions, { beliefs, people, changed: draw });
  if (may("lead")) put(missing, missingFeatures());
  put(
    actions,
    h("a", { class: "button", href: `/s/${study}`, text: "Back to the queue" }),
    h("a", { class: "button", href: `/s/${study}/wants`, text: "What it thinks you want" }),
    trial && may("tell") ? playButton(trial, draw) : null,
  );
  await peopleDrawn;
  $("#content").ariaBusy = "false";
}

/** @param {Round[]} efforts @param {Report} report @param {Version[]} versions */
function drawEffort(efforts, report, versions) {
  verdict.textContent = report.headline;
  verdict.className = `verdict ${report.verdict}`;
  chart.hidden = chartLegend.hidden = !efforts.length;
  effortChart(chart, efforts, report, versions);
  const controls = efforts.some(({ basis }) => basis.proposer === "control");
  put(chartLegend, legend(report.course.window, controls));
  const head = [
    "Proposal",
    "Edits",
    "Steps",
    "Seconds",
    "Chance",
    "By",
    "When",
    "Version",
    "Learned",
  ];
  const rows = efforts.slice(-LATEST).reverse().map(numbersOf);
  put(numbers, table("Effort of each finished proposal", head, rows));
}

/** @param {Round} row */
const numbersOf = (row) => [
  h("a", { href: `/s/${study}/p/${row.proposal}`, text: String(row.proposal) }),
  `${number(row.effort)}${row.estimated ? " (estimated)" : ""}`,
  row.work.gestures,
  row.work.seconds === null ? "–" : number(row.work.seconds),
  row.basis.chance === null ? "–" : percent(row.basis.chance),
  bdi(actorText(row.work.actor, row.learned_for)),
  clock(row.time),
  row.version,
  row.learn ? "yes" : "just today",
];

$("#content").ariaBusy = "true";
put(
  $("#content"),
  h("div", { class: "row" }, actions, may("lead") ? h("label", {}, hide, " Hide names") : null),
  card(
    "Is there less to correct?",
    verdict,
    progressPlace,
    chart,
    chartLegend,
    groupsPlace,
    finished,
    downloads,
  ),
  peopleCard,
  missing,
  predictions,
  card("Versions", versionsPlace),
  card("Log", log),
);
await draw().catch(sayError);
if (finished.open) finished.scrollIntoView();

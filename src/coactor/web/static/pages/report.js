// The report of a study: is there less to correct, what has been learned, and how to take it back.

import { at, get } from "../app/api.js";
import { $, bdi, button, h, put, table } from "../app/elements.js";
import { clock, feature, list, number, percent } from "../app/format.js";
import { actorText, hideNames, namesHidden, recallHidden } from "../app/names.js";
import { attempt, may, name, sayError, study } from "../app/shell.js";
import { findTrial, playButton } from "../app/trials.js";
import { drawCalibration } from "../views/calibration.js";
import { effortChart, legend } from "../views/chart.js";
import { drawLog } from "../views/log.js";
import { missingFeatures } from "../views/missing.js";
import { drawPeople, loadPeople } from "../views/people.js";
import { drawGroups, drawProgress } from "../views/progress.js";
import { drawVersions } from "../views/versions.js";
import { weightTable } from "../views/weights.js";

/** @import { Beliefs, Report, Round, Summary, Trial, Version } from "../app/types.js" */
/** @import { People } from "../views/people.js" */

const LATEST = 200; // rows in the table of numbers

/** @typedef {{ tastes: number[], text: string, sentence: string }} Taste the simulated expert's weights */

const chart = h("div", { class: "figure" });
const chartLegend = h("div");
const numbers = h("div");
const bars = h("div");
const whose = h("div", { id: "whose" });
const reveal = h("div");
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
const section = (title, ...children) =>
  h("section", { class: "card" }, h("h2", { text: title }), children);

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
    get(at(study, "/effort?last=10000")),
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
  drawWeights(beliefs, trial);
  drawCalibration(predictions, calibration);
  drawVersions(versionsPlace, versions, { beliefs, people, changed: draw });
  if (may("lead")) put(missing, missingFeatures());
  put(
    actions,
    h("a", { class: "button", href: `/s/${study}`, text: "Back to the queue" }),
    trial && may("tell") ? playButton(trial, draw) : null,
  );
  await peopleDrawn;
  drawWhose(await people, beliefs, trial);
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

/** @param {Beliefs} beliefs @param {Trial | null} trial */
function drawWeights({ features }, trial) {
  weightTable(bars, features);
  if (!trial) return;
  const show = () => attempt(() => revealTaste(trial));
  put(reveal, button(`Reveal ${trial.colleague}'s taste`, show, { id: "reveal" }));
}

/** The weights of one expert now. @param {string} expert @returns {Promise<Beliefs>} */
const beliefsOf = (expert) =>
  get(at(study, `/beliefs?${new URLSearchParams({ learned_for: expert })}`));

/**
 * With several people: say whose weights these are, and offer the reader's own.
 * @param {People} people @param {Beliefs} beliefs of all @param {Trial | null} trial
 */
function drawWhose({ view, names }, beliefs, trial) {
  const own = view.reader || (may("lead") && names.includes(name));
  whose.hidden = view.people.length < 2;
  const choice = h(
    "select",
    { "aria-label": "Whose weights" },
    h("option", {}, "What a new person starts from"),
    h("option", {}, "Mine"),
  );
  choice.addEventListener("change", () =>
    attempt(async () => {
      drawWeights(choice.selectedIndex ? await beliefsOf(name) : beliefs, trial);
    }),
  );
  const hint = h("p", { class: "hint", text: "This is what a new person starts from." });
  put(whose, own ? choice : hint);
}

/** Show what was learned of the simulated expert beside the truth. @param {Trial} trial */
async function revealTaste({ colleague, actor }) {
  const { features } = await beliefsOf(may("lead") ? actor : "");
  const taste = await findTaste(features);
  const text = `The upper bar of each pair is what was learned, the lower one ${colleague}'s taste.`;
  weightTable(bars, features, taste);
  put(
    reveal,
    h("p", { class: "verdict revealed", text: taste.sentence }),
    h("p", { class: "hint", text }),
  );
}

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

/**
 * The simulated expert's tastes, on the scale of what was learned.
 * @param {Beliefs["features"]} features
 * @returns {Promise<Taste>}
 */
async function findTaste(features) {
  /** @type {{ weights: number[], feature_names: string[], colleague: string }} */
  const taste = await get(`/try/${study}/taste`);
  const learned = features.map((one) => one.taste);
  const truth = taste.weights.map((weight, i) =>
    features[i].weight ? (weight * learned[i]) / features[i].weight : 0,
  );
  const cosine = dot(truth, learned) / Math.sqrt(dot(truth, truth) * dot(learned, learned) || 1);
  const scale = Math.max(1e-12, dot(truth, learned) / (dot(truth, truth) || 1));
  const cares = taste.feature_names
    .map((text, i) => ({ label: feature(text).label, size: Math.abs(truth[i]), i }))
    .filter(({ i }) => taste.weights[i])
    .sort((a, b) => b.size - a.size)
    .map(({ label }) => label);
  const match = Math.round(100 * Math.max(0, cosine));
  return {
    tastes: truth.map((value) => value * scale),
    text: `${taste.colleague}'s taste`,
    sentence:
      `${taste.colleague} cares about ${list(cares)} and does not mind the rest. ` +
      `${match} % of ${taste.colleague}'s taste was found.`,
  };
}

$("#content").ariaBusy = "true";
put(
  $("#content"),
  h("div", { class: "row" }, actions, may("lead") ? h("label", {}, hide, " Hide names") : null),
  section(
    "Is there less to correct?",
    verdict,
    progressPlace,
    chart,
    chartLegend,
    groupsPlace,
    h("details", {}, h("summary", { text: "The numbers" }), numbers),
    downloads,
  ),
  section("What has been learned", whose, bars, reveal),
  peopleCard,
  missing,
  predictions,
  section("Versions", versionsPlace),
  section("Log", log),
);
await draw().catch(sayError);

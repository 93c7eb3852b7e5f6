// The study: is there less to correct, what has been learned, and how to take it back.

import { at, get, post } from "../app/api.js";
import { $, button, h, put, say, table } from "../app/dom.js";
import { clock, list, number, percent, tight } from "../app/format.js";
import { drawCalibration } from "../views/calibration.js";
import { effortChart, legend } from "../views/chart.js";
import { weightTable } from "../views/weights.js";

const { study, rights } = document.body.dataset;
const content = $("#content");
const LEAD = rights.split(" ").includes("lead");
const LOG = 30;

const chart = h("div", { class: "figure" });
const numbers = h("div");
const bars = h("div");
const chances = h("section", { class: "card", hidden: true });
const versionsPlace = h("div");
const log = h("div");
const reveal = h("div");
const verdict = h("p", { class: "verdict", id: "verdict" });
const actions = h("div", { class: "row" });
let trial = null;
let summary = null;
let beliefs = null;
let history = [];
let revealed = null;

put(
  content,
  actions,
  h(
    "section",
    { class: "card" },
    h("h2", { text: "Is there less to correct?" }),
    verdict,
    chart,
    h("div", { id: "legend" }),
    h("details", {}, h("summary", { text: "The numbers" }), numbers),
    h(
      "p",
      {},
      h("a", {
        href: `/api/studies/${study}/effort.csv`,
        download: `${study}-effort.csv`,
        text: "Download as CSV",
      }),
    ),
  ),
  h("section", { class: "card" }, h("h2", { text: "What has been learned" }), bars, reveal),
  chances,
  h("section", { class: "card" }, h("h2", { text: "Versions" }), versionsPlace),
  h("section", { class: "card" }, h("h2", { text: "Log" }), log),
);

await draw().catch((error) => say(error.message, true));

async function draw() {
  summary = await get(at(study)); // says how far back to look; all the rest is fetched at once
  const from = Math.max(0, summary.facts - LOG);
  const [efforts, trend, believed, past, calibration, versions, trials, facts] = await Promise.all([
    get(at(study, "/effort")),
    get(at(study, "/trend")),
    get(at(study, "/beliefs")),
    get(at(study, "/history")),
    get(at(study, "/calibration")),
    get(at(study, `/versions?after=${Math.max(-1, summary.version - 1000)}`)),
    get("/try"),
    events(from, summary.facts),
  ]);
  [beliefs, history] = [believed, past];
  trial = trials.find((one) => one.study === study) ?? null;
  verdict.textContent = tight(trend.sentence);
  verdict.className = `verdict ${trend.verdict}`;
  chart.hidden = $("#legend").hidden = !efforts.length; // nothing to draw yet
  effortChart(chart, efforts, trend, versions);
  put($("#legend"), legend(trend.window));
  put(
    numbers,
    table(
      "Effort of each finished proposal",
      ["Proposal", "Edits", "Gross", "Seconds", "Chance", "By", "When", "Version", "Learned"],
      efforts
        .slice(-200)
        .reverse()
        .map((row) => [
          h("a", { href: `/s/${study}/p/${row.proposal}`, text: row.proposal }),
          `${number(row.effort)}${row.estimated ? " (estimated)" : ""}`,
          row.gross,
          row.seconds === null ? "–" : number(row.seconds),
          row.chance === null ? "–" : percent(row.chance),
          row.actor || "–",
          clock(row.time),
          row.version,
          row.learned ? "yes" : "just today",
        ]),
    ),
  );
  drawWeights();
  drawCalibration(chances, calibration);
  drawVersions(versions);
  drawLog(facts, from);
  put(
    actions,
    h("a", { class: "button", href: `/s/${study}`, text: "To the queue" }),
    trial && LEAD ? play() : null,
  );
}

function drawWeights() {
  weightTable(bars, beliefs, history, summary.domain.name, revealed);
  if (!trial) return;
  put(
    reveal,
    revealed
      ? [
          h("p", { class: "verdict revealed" }, revealed.sentence),
          h("p", {
            class: "hint",
            text: `The upper bar of each pair is what was learned, the lower one ${trial.colleague}'s taste.`,
          }),
        ]
      : button(`Reveal ${trial.colleague}'s taste`, showTaste, { id: "reveal" }),
  );
}

/** The riddle's answer beside what was learned, both on the learner's own scale. */
async function showTaste() {
  try {
    const taste = await get(`/try/${study}/taste`);
    const unit = beliefs.matter.map((value, i) =>
      beliefs.weights[i] ? value / beliefs.weights[i] : 0,
    );
    const truth = taste.weights.map((weight, i) => weight * unit[i]);
    const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const close =
      dot(truth, beliefs.matter) /
      Math.sqrt(dot(truth, truth) * dot(beliefs.matter, beliefs.matter) || 1);
    const grow = dot(truth, beliefs.matter) / (dot(truth, truth) || 1);
    const names = taste.feature_names.map((name) => name.replace(/ \(.*\)$/, ""));
    const cares = taste.weights
      .map((weight, i) => ({ weight, i }))
      .filter((one) => one.weight)
      .sort((a, b) => Math.abs(truth[b.i]) - Math.abs(truth[a.i]))
      .map((one) => names[one.i]);
    revealed = {
      matter: truth.map((value) => value * Math.max(grow, 1e-12)),
      text: `${taste.colleague}'s taste`,
      sentence: `${taste.colleague} cares about ${list(cares)}; the rest is nothing to her. What was learned points the same way to ${Math.round(100 * Math.max(0, close))} %.`,
    };
    drawWeights();
  } catch (error) {
    say(error.message, true);
  }
}

function drawVersions(versions) {
  const preview = h("div", { id: "preview" });
  const rows = [...versions]
    .reverse()
    .slice(0, 50)
    .map((one) => [
      h("b", { text: one.version }),
      said(one),
      one.actor || "–",
      clock(one.time),
      one.reason || "",
      one.version === summary.version
        ? "now"
        : button("Preview", () => show(one.version, preview), {
            class: "quiet",
            "aria-label": `Preview version ${one.version}`,
          }),
    ]);
  put(
    versionsPlace,
    table("Versions of the weights", ["Version", "Made by", "Who", "When", "Reason", ""], rows),
    preview,
    versions.length > 50 ? h("p", { class: "hint", text: "The latest 50." }) : null,
  );
}

function said(one) {
  return {
    created: "the start",
    told: `proposal ${one.proposal}`,
    reopened: `taking back proposal ${one.proposal}`,
    "rolled back": `rollback to version ${one.to}`,
  }[one.how];
}

async function show(version, place) {
  try {
    const then = await get(at(study, `/beliefs?version=${version}`));
    const inner = h("div");
    const reason = h("input", { type: "text", id: "reason", maxlength: "2000", required: true });
    put(
      place,
      h("h3", { tabindex: "-1", text: `Version ${version} beside now` }),
      inner,
      h("p", {
        class: "hint",
        text: `The upper bar of each pair is version ${version}, the lower one version ${summary.version}, the one in use.`,
      }),
      LEAD
        ? h(
            "form",
            {
              class: "row",
              on: {
                submit: (event) => {
                  event.preventDefault();
                  rollback(version, reason.value);
                },
              },
            },
            h("label", { for: "reason", text: "Why go back?" }),
            reason,
            h(
              "button",
              { class: "primary", type: "submit", id: "rollback" },
              `Roll back to version ${version}`,
            ),
          )
        : null,
    );
    weightTable(inner, then, [], summary.domain.name, { matter: beliefs.matter, text: "now" });
    $("h3", place).focus();
  } catch (error) {
    say(error.message, true);
  }
}

async function rollback(to, reason) {
  try {
    const made = await post(at(study, "/rollback"), { body: { to, reason } });
    await draw();
    say(`The weights are those of version ${to} again; that is version ${made.version}.`);
    scrollTo({ top: 0 });
  } catch (error) {
    say(error.message, true);
  }
}

/** The facts after one and up to another, the newest first. */
async function events(after, upto) {
  return upto > after
    ? (await get(at(study, `/events?after=${after}&limit=${upto - after}`))).events
        .reverse()
        .map(fact)
    : [];
}

function drawLog(latest, from) {
  const rows = h("ol", { class: "log", reversed: true }, latest);
  const older = button("Earlier", async () => {
    const upto = from;
    from = Math.max(0, from - LOG);
    older.hidden = from === 0;
    rows.append(...(await events(from, upto)));
  });
  older.hidden = from === 0;
  put(
    log,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Log" }, rows),
    older,
  );
}

function fact(one) {
  const what =
    {
      created: "created the study",
      asked: `asked proposal ${one.proposal}${one.label ? `, “${one.label}”` : ""}`,
      renewed: `was shown proposal ${one.proposal} solved again, with version ${one.version}`,
      claimed: `took proposal ${one.proposal}`,
      released: `gave proposal ${one.proposal} back`,
      edited: `${one.action === "move" ? "edited" : one.action === "undo" ? "undid an edit of" : "redid an edit of"} proposal ${one.proposal}`,
      told: `finished proposal ${one.proposal} with ${number(one.effort ?? 0)} edits${one.learn === false ? ", just today" : ""}${one.note ? `: “${one.note}”` : ""}`,
      reopened: `took proposal ${one.proposal} back`,
      "rolled back": `rolled back to version ${one.to}: “${one.reason}”`,
    }[one.kind] ?? one.kind;
  return h(
    "li",
    { value: one.seq },
    h("b", { text: one.actor || "Somebody" }),
    ` ${what} `,
    one.via ? h("span", { class: "hint", text: `(through ${one.via}) ` }) : null,
    h("time", {
      class: "hint",
      datetime: new Date(one.time * 1000).toISOString(),
      text: clock(one.time),
    }),
  );
}

function play() {
  const made = button(
    `Let ${trial.colleague} do ten`,
    async () => {
      made.disabled = true;
      say(`${trial.colleague} is at work …`);
      try {
        const done = await post(`/try/${study}/play`, { body: { rounds: 10 } });
        revealed = null;
        await draw();
        say(
          `${trial.colleague} corrected ten more. Edits each: ${done.map((one) => one.effort).join(", ")}.`,
        );
      } catch (error) {
        say(error.message, true);
        made.disabled = false;
      }
    },
    { id: "play", class: "primary" },
  );
  return made;
}

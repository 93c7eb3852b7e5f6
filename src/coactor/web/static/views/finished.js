// A finished proposal, to look at: before, after or both; who did what, and what was learned.

import { at, get } from "../app/api.js";
import { Draft } from "../app/draft.js";
import { $, bdi, button, h, kbd, put } from "../app/elements.js";
import { saveText, toGeoJson, toGpx } from "../app/exports.js";
import { clock, duration, edited, upper } from "../app/format.js";
import { linesOf } from "../app/keeping.js";
import { forWhom, shownName } from "../app/names.js";
import { reopen } from "../app/notice.js";
import { attempt, may, name, ownsKeys, QUIET, study } from "../app/shell.js";
import { isDegrees } from "../editors/geometry.js";
import { drawChanges, drawEdits } from "./changes.js";
import { makePanels } from "./panels.js";

/** @import { EditorModule, Proposal, Round, TravelledRoute, Trial } from "../app/types.js" */

const ACCEPTED = "Accepted as proposed";

/** @typedef {"before" | "after" | "both"} Show */

/** @param {Proposal} data @param {Show} show @returns {Proposal} */
const shownData = (data, show) =>
  show === "before"
    ? { ...data, solution: data.proposed, shown: data.shown_proposed, moves: [] }
    : data;

/**
 * @param {Proposal} data @param {EditorModule} module @param {Trial | null} trial @param {unknown} prepared
 * @param {() => Promise<string>} next the page of the next proposal
 */
export async function showFinished(data, module, trial, prepared, next) {
  /** @type {Round} */
  const outcome = await get(at(study, `/proposals/${data.id}/outcome`));
  const draft = new Draft(study, data, () => {});
  const prompt = h("p", { class: "prompt", id: "gesture", role: "status" });
  const editor = module.mount({ draft, prompt, editable: () => false, prepared });
  const canvas = h("section", { class: "canvas", "aria-label": "Solution" }, editor.canvas, prompt);
  const changes = h("div");
  drawChanges(changes, data, null, { finished: true });
  const lines = linesOf(editor, data);

  /** @param {Show} show */
  const choose = (show) => {
    canvas.classList.toggle("without-marks", show !== "both");
    editor.render(shownData(data, show));
    for (const tool of switcher.children) {
      if (tool instanceof HTMLElement) tool.ariaPressed = String(tool.dataset.show === show);
    }
  };
  const switcher = h(
    "div",
    { class: "tools", role: "group", "aria-label": "Show" },
    /** @type {Show[]} */ (["before", "after", "both"]).map((show) =>
      button(upper(show), () => choose(show), { data: { show } }),
    ),
  );
  const goOn = () => attempt(async () => location.assign(await next()));
  const following = button(["Next proposal ", kbd("Enter")], goOn, {
    class: "primary",
    id: "next",
  });
  const edits = h("ol", { class: "edits" });
  drawEdits(edits, lines, "No edits.");
  put(
    $("#content"),
    canvas,
    makePanels([
      {
        title: "What was done",
        content: h("div", {}, facts(outcome, lines.length), edits),
      },
      ...editor.panels.filter(({ edits }) => !edits),
      { title: "What changed", content: changes },
    ]),
    h(
      "div",
      { class: "bar", role: "group", "aria-label": "Actions" },
      switcher,
      saveButtons(editor.travelled?.(data) ?? [], `${study}-${data.id}`, !trial),
      $("#message"),
      may("edit")
        ? button("Undo and edit again", () => reopen({ proposal: data.id }), { id: "reopen" })
        : null,
      may("edit") ? following : null,
    ),
  );
  $(".title").append(forWhom(data, name) ?? "");
  document.body.classList.add("finished");
  choose("both");
  const drawn = performance.now();
  document.addEventListener("keydown", (event) => {
    const late = performance.now() - drawn > QUIET;
    if (event.key === "Enter" && !event.repeat && late && !ownsKeys(event)) goOn();
  });
}

/** @param {TravelledRoute[]} routes @param {string} name @param {boolean} real not an invented town */
function saveButtons(routes, name, real) {
  if (!routes.length) return null;
  const points = routes.flatMap(({ line }) => line);
  return h(
    "div",
    { class: "tools", role: "group", "aria-label": "Save the routes" },
    button("GeoJSON", () => saveText(toGeoJson(routes), "application/geo+json", `${name}.geojson`)),
    real && isDegrees(points) // devices understand nothing else
      ? button("GPX", () => saveText(toGpx(routes), "application/gpx+xml", `${name}.gpx`))
      : null,
  );
}

/** @param {Round} round @param {number} gestures */
function facts({ effort, work: { actor, seconds, note, authors }, time, lesson, learn }, gestures) {
  const edits = effort ? edited(effort, gestures) : ACCEPTED;
  const took = seconds ? `, ${duration(seconds)}` : "";
  const people = [...new Set(authors)];
  const by = people.length
    ? [...people.flatMap((one, i) => [i ? " and " : "", bdi(shownName(one))]), ", submitted by "]
    : [];
  return [
    h(
      "p",
      {},
      h("strong", { text: edits }),
      " by ",
      by,
      bdi(shownName(actor) || "an unnamed person"),
      `, ${clock(time)}${took}`,
    ),
    h("p", { class: "lesson", id: "lesson", text: lesson.replace("Accepted. ", "") }),
    learn ? null : h("p", { class: "hint", text: "Just today: nothing was learned from it." }),
    note ? h("p", { class: "note", dir: "auto", text: `“${note}”` }) : null,
  ];
}

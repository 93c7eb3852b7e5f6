// The effort of each finished proposal: points, the running mean with its band, and rollbacks.

import { h, put, s } from "../app/elements.js";
import { clock, day, number, plural, upper } from "../app/format.js";
import { actorText, rollbackText } from "../app/names.js";

/** @import { Course, Report, Round, Version } from "../app/types.js" */

const [LEFT, RIGHT, TOP, BOTTOM] = [40, 14, 28, 42];
const FIRST = 2; // the band starts here: two points say nothing about their spread

/** @typedef {{ width: number, height: number, x: (i: number) => number, y: (value: number) => number }} Scale */

/** Round values for an axis from 0 to `most`, at most seven of them. @param {number} most */
export function ticks(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  const steps = [0.1, 0.2, 0.5, 1, 2, 5].map((one) => one * power);
  const step = steps.find((one) => most / one <= 6 && one >= 1) ?? Math.ceil(most / 5);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** @param {number} width @param {number} count @param {number} most @returns {Scale} */
function makeScale(width, count, most) {
  const height = Math.max(220, Math.min(320, width * 0.45));
  return {
    width,
    height,
    x: (i) => LEFT + (count < 2 ? 0.5 : i / (count - 1)) * (width - LEFT - RIGHT),
    y: (value) => TOP + (1 - value / most) * (height - TOP - BOTTOM),
  };
}

/** Points of a path. @param {Scale} scale @param {number[]} values @param {number} start */
const points = ({ x, y }, values, start) =>
  values.map((value, i) => `${x(i + start).toFixed(1)} ${y(value).toFixed(1)}`);

/** @param {Scale} scale @param {number} value */
function gridLine({ width, y }, value) {
  const label = { class: "axis", x: LEFT - 6, y: y(value), dy: "0.35em", "text-anchor": "end" };
  return s(
    "g",
    {},
    s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
    s("text", { ...label, text: number(value) }),
  );
}

/** @param {Scale} scale @param {Round[]} rows */
function captions({ width, height }, rows) {
  const base = { class: "axis", y: height - 4 };
  const middle = { x: (LEFT + width - RIGHT) / 2, "text-anchor": "middle" };
  const text = `${plural(rows.length, "proposal")}, oldest left`;
  const [begin, end] = [rows[0], rows[rows.length - 1]].map((row) => (row ? day(row.time) : ""));
  return [
    s("text", { class: "axis", x: 4, y: 12, text: "edits" }),
    s("text", { ...base, x: LEFT, text: begin === end ? "" : begin }),
    width < 560 ? null : s("text", { ...base, ...middle, text }),
    s("text", {
      ...base,
      x: width - RIGHT,
      "text-anchor": "end",
      text: end ? `${end} (latest)` : "",
    }),
  ];
}

/** @param {Scale} scale @param {Course} course */
function band(scale, course) {
  const upper = points(scale, course.high.slice(FIRST), FIRST);
  const lower = points(scale, course.low.slice(FIRST), FIRST).reverse();
  return s("path", { class: "band", d: `M${[...upper, ...lower].join("L")}Z` });
}

/**
 * A line where the weights were taken back.
 * @param {Scale} scale
 * @param {Round[]} rows
 * @param {Version} version
 */
function rollback({ height, x }, rows, version) {
  const next = rows.findIndex((row) => row.seq > version.seq);
  const at = x(next < 0 ? rows.length - 1 : next - 0.5);
  const reopened = version.how === "reopened";
  const text = reopened
    ? `Proposal ${version.proposal} reopened`
    : `${upper(rollbackText(version))}: ${version.reason}`;
  return s(
    "g",
    { class: "rolled" },
    s("line", { x1: at, x2: at, y1: TOP, y2: height - BOTTOM }),
    s("title", { text }),
  );
}

/** Whether it was made without what was learned. @param {Round} row */
const isControl = ({ basis }) => basis.proposer === "control";

/** @param {Round} row */
function describe(row) {
  const control = isControl(row) ? ", made without what was learned" : "";
  const notes = `${row.estimated ? ", estimated" : ""}${row.learn ? "" : ", just today"}${control}`;
  const edits = plural(row.effort, "edit");
  const who = actorText(row.work.actor, row.learned_for, "An unnamed person");
  return `Proposal ${row.proposal}: ${edits}${notes}. ${who}, ${clock(row.time)}.`;
}

/** @param {Scale} scale @param {Round[]} rows */
function effortPoints({ height, x, y }, rows) {
  const [top, bottom] = [height - BOTTOM + 4, height - BOTTOM + 10];
  return rows.map((row, i) => [
    row.learn ? s("line", { class: "tick", x1: x(i), x2: x(i), y1: top, y2: bottom }) : null,
    s(
      "circle",
      {
        class: `point${row.learn ? "" : " today"}${row.estimated ? " estimated" : ""}${isControl(row) ? " control" : ""}`,
        cx: x(i),
        cy: y(row.effort),
        r: rows.length > 150 ? 2 : 4,
      },
      s("title", { text: describe(row) }),
    ),
  ]);
}

/**
 * Draw the chart, and draw it again when its place changes its width.
 * @param {HTMLElement} place @param {Round[]} rows @param {Report} report @param {Version[]} versions
 */
export function effortChart(place, rows, { course, headline }, versions) {
  const values = [...rows.map((row) => row.effort), ...course.high.slice(FIRST)];
  const most = values.reduce((a, b) => Math.max(a, b), 4);
  const back = versions.filter(({ how }) => how === "rolled back" || how === "reopened");
  const draw = () => {
    const scale = makeScale(place.clientWidth || 700, rows.length, most);
    const picture = {
      class: "plane chart",
      role: "img",
      "aria-label": `Effort of each proposal. ${headline}`,
      height: scale.height,
      viewBox: `0 0 ${scale.width} ${scale.height}`,
    };
    const mean = `M${points(scale, course.mean, 0).join("L")}`;
    put(
      place,
      s(
        "svg",
        picture,
        ticks(most).map((value) => gridLine(scale, value)),
        captions(scale, rows),
        rows.length > FIRST ? band(scale, course) : null,
        back.map((version) => rollback(scale, rows, version)),
        effortPoints(scale, rows),
        rows.length > 1 ? s("path", { class: "mean", d: mean }) : null,
      ),
    );
  };
  draw();
  onResize(place, draw);
}

/**
 * Call something when an element has got another width.
 * @param {HTMLElement} place
 * @param {() => void} act
 */
function onResize(place, act) {
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    act();
  }).observe(place);
}

/** @param {number} window @param {boolean} controls whether some were made without what was learned */
export const legend = (window, controls) =>
  h(
    "ul",
    { class: "legend" },
    h("li", {}, h("i", { class: "point" }), "one proposal"),
    controls
      ? h("li", {}, h("i", { class: "point control" }), "made without what was learned")
      : null,
    h("li", {}, h("i", { class: "mean" }), `mean of the last ${window}`),
    h("li", {}, h("i", { class: "band" }), "two standard errors"),
    h("li", {}, h("i", { class: "rolled" }), "rolled back or reopened"),
  );

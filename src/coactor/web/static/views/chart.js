// The effort of each finished proposal: points, the running mean with its band, and where the weights were taken back.

import { h, put, s } from "../app/dom.js";
import { clock, number, plural } from "../app/format.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [40, 14, 16, 42];

export function effortChart(place, rows, trend, versions) {
  const draw = () => {
    const width = place.clientWidth || 700;
    const height = Math.max(220, Math.min(320, width * 0.45));
    const most = Math.max(4, ...rows.map((row) => row.effort), ...trend.high.slice(2));
    const x = (i) =>
      LEFT + (rows.length < 2 ? 0.5 : i / (rows.length - 1)) * (width - LEFT - RIGHT);
    const y = (value) => TOP + (1 - value / most) * (height - TOP - BOTTOM);
    const line = (values, start = 0) =>
      values
        .map((value, i) => `${i ? "L" : "M"}${x(i + start).toFixed(1)} ${y(value).toFixed(1)}`)
        .join("");
    const begin = 2; // two points say nothing about their spread
    const back = trend.low
      .slice(begin)
      .map((value, i) => `L${x(i + begin).toFixed(1)} ${y(value).toFixed(1)}`)
      .reverse()
      .join("");
    const marks = versions
      .filter((one) => one.how === "rolled back" || one.how === "reopened")
      .map((one) => ({ ...one, at: rows.findIndex((row) => row.seq > one.seq) }));
    put(
      place,
      s(
        "svg",
        {
          class: "plane chart",
          role: "img",
          "aria-label": `Effort of each proposal. ${trend.sentence}`,
          height,
          viewBox: `0 0 ${width} ${height}`,
        },
        ticks(most).map((value) =>
          s(
            "g",
            {},
            s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
            s("text", {
              class: "axis",
              x: LEFT - 6,
              y: y(value),
              dy: "0.35em",
              "text-anchor": "end",
              text: value,
            }),
          ),
        ),
        s("text", { class: "axis", x: LEFT, y: height - 4, text: "first" }),
        width < 560
          ? null
          : s("text", {
              class: "axis",
              x: (LEFT + width - RIGHT) / 2,
              y: height - 4,
              "text-anchor": "middle",
              text: `${plural(rows.length, "proposal")}, each tick a version of the weights`,
            }),
        s("text", {
          class: "axis",
          x: width - RIGHT,
          y: height - 4,
          "text-anchor": "end",
          text: "latest",
        }),
        rows.map((row, i) =>
          row.learned
            ? s("line", {
                class: "tick",
                x1: x(i),
                x2: x(i),
                y1: height - BOTTOM + 4,
                y2: height - BOTTOM + 10,
              })
            : null,
        ),
        rows.length > 2
          ? s("path", { class: "band", d: `${line(trend.high.slice(begin), begin)}${back}Z` })
          : null,
        marks.map((one) =>
          s(
            "g",
            { class: "rolled" },
            s("line", {
              x1: x(one.at < 0 ? rows.length - 1 : one.at - 0.5),
              x2: x(one.at < 0 ? rows.length - 1 : one.at - 0.5),
              y1: TOP,
              y2: height - BOTTOM,
            }),
            s("title", {
              text:
                one.how === "reopened"
                  ? `Proposal ${one.proposal} taken back`
                  : `Rolled back to version ${one.to}: ${one.reason}`,
            }),
          ),
        ),
        rows.map((row, i) =>
          s(
            "circle",
            {
              class: `point${row.learned ? "" : " today"}${row.estimated ? " estimated" : ""}`,
              cx: x(i),
              cy: y(row.effort),
              r: rows.length > 150 ? 2 : 4,
            },
            s("title", {
              text: `Proposal ${row.proposal}: ${plural(row.effort, "edit")}${row.estimated ? ", estimated" : ""}${row.learned ? "" : ", just today"}. ${row.actor || "Somebody"}, ${clock(row.time)}.`,
            }),
          ),
        ),
        rows.length > 1 ? s("path", { class: "mean", d: line(trend.mean) }) : null,
      ),
    );
  };
  draw();
  let seen = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth !== seen) {
      seen = place.clientWidth;
      draw();
    }
  }).observe(place);
}

export const legend = (window) =>
  h(
    "ul",
    { class: "legend" },
    h("li", {}, h("i", { class: "point" }), "one proposal"),
    h("li", {}, h("i", { class: "mean" }), `mean of the last ${window}`),
    h("li", {}, h("i", { class: "band" }), "two standard errors"),
    h("li", {}, h("i", { class: "rolled" }), "taken back"),
  );

function ticks(most) {
  const step =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => most / one <= 6) ?? most / 5;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => Number(number(i * step)));
}

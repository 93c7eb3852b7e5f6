// Whether what was said about acceptance came true: predicted against observed.

import { h, put, s, table } from "../app/dom.js";
import { percent, plural, tight } from "../app/format.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM, EDGE] = [340, 250, 46, 44, 20];

export function drawCalibration(place, found) {
  place.hidden = found.verdict === "silent";
  if (place.hidden) return;
  put(
    place,
    h("h2", { text: "Were the chances right?" }),
    h("p", {
      class: "hint",
      text: "Before somebody opens a proposal, the page says how likely it is to be fine as it is.",
    }),
    h("p", { class: "verdict", id: "calibration", text: tight(found.sentence) }),
    found.verdict === "early" ? null : picture(found.bins),
    h(
      "details",
      {},
      h("summary", { text: "Predicted and observed" }),
      table(
        "Chances told beforehand, and what happened",
        ["Said to be", "Proposals", "Mean chance", "Accepted untouched", "95 % interval"],
        found.bins.map((one) => [
          `${Math.round(100 * one.low)} to ${Math.round(100 * one.high)} %`,
          one.proposals,
          percent(one.predicted),
          `${Math.round(100 * one.observed)} %`,
          `${Math.round(100 * one.least)} to ${Math.round(100 * one.most)} %`,
        ]),
      ),
    ),
  );
}

function picture(bins) {
  const x = (share) => LEFT + share * (WIDTH - LEFT - EDGE);
  const y = (share) => EDGE + (1 - share) * (HEIGHT - EDGE - BOTTOM);
  const most = Math.max(...bins.map((one) => one.proposals));
  const said = bins
    .map((one) => `said ${percent(one.predicted)}, accepted ${Math.round(100 * one.observed)} %`)
    .join("; ");
  return h(
    "div",
    { class: "pictures" },
    s(
      "svg",
      {
        class: "plane chart calibration",
        role: "img",
        "aria-label": `Accepted against predicted: ${said}.`,
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        width: WIDTH,
        height: HEIGHT,
      },
      [0, 0.25, 0.5, 0.75, 1].map((share) =>
        s(
          "g",
          {},
          s("line", { class: "grid", x1: x(0), x2: x(1), y1: y(share), y2: y(share) }),
          s("text", {
            class: "axis",
            x: LEFT - 6,
            y: y(share),
            dy: "0.35em",
            "text-anchor": "end",
            text: `${100 * share} %`,
          }),
          s("text", {
            class: "axis",
            x: x(share),
            y: HEIGHT - BOTTOM + 16,
            "text-anchor": "middle",
            text: `${100 * share} %`,
          }),
        ),
      ),
      s("text", {
        class: "axis",
        x: x(0.5),
        y: HEIGHT - 6,
        "text-anchor": "middle",
        text: "chance told beforehand",
      }),
      s("line", { class: "truth", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
      bins.map((one) =>
        s(
          "g",
          { class: "bin" },
          s("line", {
            x1: x(one.predicted),
            x2: x(one.predicted),
            y1: y(one.least),
            y2: y(one.most),
          }),
          s(
            "circle",
            {
              cx: x(one.predicted),
              cy: y(one.observed),
              r: 4 + 5 * Math.sqrt(one.proposals / most),
            },
            s("title", {
              text: `${plural(one.proposals, "proposal")}: said ${percent(one.predicted)}, accepted ${Math.round(100 * one.observed)} %.`,
            }),
          ),
        ),
      ),
    ),
    h(
      "ul",
      { class: "legend" },
      h("li", {}, h("i", { class: "bin" }), "accepted untouched, larger for more proposals"),
      h("li", {}, h("i", { class: "whisker" }), "95 % interval"),
      h("li", {}, h("i", { class: "truth" }), "where every word is true"),
    ),
  );
}

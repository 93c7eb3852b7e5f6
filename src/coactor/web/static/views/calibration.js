// Whether the predictions of acceptance came true: predicted against observed.

import { h, put, s, table } from "../app/elements.js";
import { percent, plural, tight } from "../app/format.js";

/** @import { Calibration, CalibrationBin } from "../app/types.js" */

const [WIDTH, HEIGHT, LEFT, BOTTOM, EDGE] = [340, 250, 46, 44, 20];

/** @param {number} share */
const x = (share) => LEFT + share * (WIDTH - LEFT - EDGE);
/** @param {number} share */
const y = (share) => EDGE + (1 - share) * (HEIGHT - EDGE - BOTTOM);
/** @param {number} share */
const round = (share) => Math.round(100 * share);

/**
 * Fill a section, or hide it if nothing was predicted yet.
 * @param {HTMLElement} place
 * @param {Calibration} calibration
 */
export function drawCalibration(place, calibration) {
  const { verdict, sentence, bins } = calibration;
  place.hidden = verdict === "silent";
  if (place.hidden) return;
  const explanation =
    "Before a proposal is opened, the page says how likely it is to be fine as it is.";
  put(
    place,
    h("h2", { text: "Were the predictions right?" }),
    h("p", { class: "hint", text: explanation }),
    h("p", { class: "verdict", id: "calibration", text: tight(sentence) }),
    verdict === "early" ? null : h("div", { class: "pictures" }, picture(bins), legend()),
    h("details", {}, h("summary", { text: "Predicted and observed" }), numbers(bins)),
  );
}

/** @param {CalibrationBin[]} bins */
function numbers(bins) {
  const head = ["Predicted", "Proposals", "Mean", "Accepted unchanged", "95 % interval"];
  const rows = bins.map((bin) => [
    `${round(bin.low)} to ${round(bin.high)} %`,
    bin.proposals,
    percent(bin.predicted),
    `${round(bin.observed)} %`,
    `${round(bin.least)} to ${round(bin.most)} %`,
  ]);
  return table("Predicted chances and what happened", head, rows);
}

/** Grid lines and labels of both axes. @param {number} share */
function grid(share) {
  const text = `${100 * share} %`;
  const left = { x: LEFT - 6, y: y(share), dy: "0.35em", "text-anchor": "end" };
  const below = { x: x(share), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" };
  return s(
    "g",
    {},
    s("line", { class: "grid", x1: x(0), x2: x(1), y1: y(share), y2: y(share) }),
    s("text", { class: "axis", ...left, text }),
    s("text", { class: "axis", ...below, text }),
  );
}

/** @param {CalibrationBin} bin */
const describe = (bin) => `predicted ${percent(bin.predicted)}, accepted ${round(bin.observed)} %`;

/** A point with its interval. @param {CalibrationBin} bin @param {number} most */
function point(bin, most) {
  const at = x(bin.predicted);
  const radius = 4 + 5 * Math.sqrt(bin.proposals / most);
  return s(
    "g",
    { class: "bin" },
    s("line", { x1: at, x2: at, y1: y(bin.least), y2: y(bin.most) }),
    s(
      "circle",
      { cx: at, cy: y(bin.observed), r: radius },
      s("title", { text: `${plural(bin.proposals, "proposal")}: ${describe(bin)}.` }),
    ),
  );
}

/** @param {CalibrationBin[]} bins */
function picture(bins) {
  const most = Math.max(...bins.map((bin) => bin.proposals));
  const props = {
    class: "plane chart calibration",
    role: "img",
    "aria-label": `Accepted against predicted: ${bins.map(describe).join("; ")}.`,
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    width: WIDTH,
    height: HEIGHT,
  };
  const title = { x: x(0.5), y: HEIGHT - 6, "text-anchor": "middle", text: "predicted chance" };
  return s(
    "svg",
    props,
    [0, 0.25, 0.5, 0.75, 1].map(grid),
    s("text", { class: "axis", ...title }),
    s("line", { class: "truth", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    bins.map((bin) => point(bin, most)),
  );
}

const legend = () =>
  h(
    "ul",
    { class: "legend" },
    h("li", {}, h("i", { class: "bin" }), "accepted unchanged, larger for more proposals"),
    h("li", {}, h("i", { class: "whisker" }), "95 % interval"),
    h("li", {}, h("i", { class: "truth" }), "perfect prediction"),
  );

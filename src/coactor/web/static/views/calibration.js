// Whether the predictions of acceptance came true: predicted against observed.

import { h, put, table } from "../app/elements.js";
import { percent, tight } from "../app/format.js";

/** @import { Calibration, CalibrationBin } from "../app/types.js" */

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

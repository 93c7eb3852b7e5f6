// Studies with a simulated expert, to try the page with.

import { get, post } from "./api.js";
import { button } from "./elements.js";
import { say, sayError, study } from "./shell.js";

/** @import { Round, Trial } from "./types.js" */

/** This study's trial, or null if its experts are people. @returns {Promise<Trial | null>} */
export async function findTrial() {
  /** @type {Trial[]} */
  const trials = await get("/try");
  return trials.find((trial) => trial.study === study) ?? null;
}

/** Put a proposal into an empty queue. */
export const fillQueue = () => post(`/try/${study}/fill`);

/**
 * A button that lets the simulated expert correct ten proposals.
 * @param {Trial} trial @param {() => Promise<void>} done called when they are corrected
 */
export function playButton({ colleague }, done) {
  const play = async () => {
    element.disabled = true;
    say(`${colleague} is correcting ten proposals …`);
    try {
      /** @type {{ rounds: Round[], lesson: string }} */
      const { rounds, lesson } = await post(`/try/${study}/play`, { body: { rounds: 10 } });
      await done();
      const efforts = rounds.map(({ effort }) => effort).join(", ");
      say(`${colleague} corrected ten proposals. Edits: ${efforts}. ${lesson}`);
    } catch (error) {
      sayError(error);
    }
    element.disabled = false;
  };
  const element = button(`Let ${colleague} correct 10 proposals`, play, { id: "play" });
  return element;
}

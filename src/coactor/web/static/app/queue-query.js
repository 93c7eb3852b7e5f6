// What an expert looks for in the queue. This window remembers it, so that "next" means the next of these.

import { at, post } from "./api.js";
import { bounds } from "./format.js";
import { study } from "./shell.js";
import { windowMemory } from "./storage.js";

/** @typedef {{ state: string, search: string, order: string, expert: string, day: string }} Query */

/** @type {Query} */
export const EVERYTHING = { state: "open", search: "", order: "oldest", expert: "", day: "" };

const memory = `coactor/queue/${study}`;

/** @returns {Query} */
export const readQuery = () => ({ ...EVERYTHING, ...windowMemory.read(memory) });

/** @param {Query} query */
export const writeQuery = (query) => windowMemory.write(memory, query);

/** The query as the server understands it: a day is from midnight to midnight where the expert is. @param {Query} query */
export function parametersOf({ day, ...query }) {
  const parameters = new URLSearchParams(query);
  const [from, until] = bounds(day);
  if (until) {
    parameters.set("arrived_from", `${from}`);
    parameters.set("arrived_until", `${until}`);
  }
  return parameters;
}

/** Lease the next proposal; its page, or an empty string if nothing waits. */
export async function openNext() {
  const parameters = parametersOf(readQuery());
  parameters.set("brief", "true");
  const next = await post(at(study, `/queue/next?${parameters}`));
  return next ? `/s/${study}/p/${next.id}` : "";
}

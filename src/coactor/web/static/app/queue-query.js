// What a person looks for in the queue. This window remembers it, so that "next" means the next of these.

import { at, post } from "./api.js";
import { study } from "./shell.js";
import { windowMemory } from "./storage.js";

/** @typedef {{ state: string, search: string, order: string }} Query */

/** @type {Query} */
export const EVERYTHING = { state: "open", search: "", order: "oldest" };

const memory = `coactor/queue/${study}`;

/** @returns {Query} */
export const readQuery = () => ({ ...EVERYTHING, ...windowMemory.read(memory) });

/** @param {Query} query */
export const writeQuery = (query) => windowMemory.write(memory, query);

/** Lease the next proposal; its page, or an empty string if nothing waits. */
export async function openNext() {
  const parameters = new URLSearchParams({ ...readQuery(), brief: "true" });
  const next = await post(at(study, `/queue/next?${parameters}`));
  return next ? `/s/${study}/p/${next.id}` : "";
}

// The names of people. A lead can hide them on the report while others look at the screen.

import { bdi, h } from "./elements.js";
import { windowMemory } from "./storage.js";

/** @import { Version } from "./types.js" */

const HIDDEN = "coactor/hide-names";

/** What stands for each name while names are hidden. @type {Map<string, string>} */
const labels = new Map();

/**
 * For whom a proposal was asked, if `ask` named another expert.
 * @param {{ asked_for: string }} row @param {string} reader
 */
export const forWhom = ({ asked_for: other }, reader) =>
  other && other !== reader ? h("span", { class: "for-whom" }, "for ", bdi(other)) : null;

let hidden = false;

/** Whether the names on the report are hidden. */
export const namesHidden = () => hidden;

/** Hide names if this window did so before a reload. */
export function recallHidden() {
  hidden = Boolean(windowMemory.read(HIDDEN));
}

/** @param {boolean} hide */
export function hideNames(hide) {
  hidden = hide;
  windowMemory.write(HIDDEN, hide || null);
}

/** Use the labels that the server gives to people. @param {string[]} names @param {string[]} texts */
export function labelPeople(names, texts) {
  labels.clear();
  for (const [i, name] of names.entries()) labels.set(name, texts[i]);
}

/** A name as the report shows it: the same label everywhere while names are hidden. @param {string} name */
export function shownName(name) {
  if (!hidden) return name;
  const label = labels.get(name) ?? `Person ${labels.size + 1}`;
  labels.set(name, label);
  return label;
}

/**
 * Who acted, and whose weights that was about: "ana, for depot-7".
 * @param {string} actor @param {string} [other] @param {string} [unnamed]
 */
export function actorText(actor, other = "", unnamed = "–") {
  const who = actor ? shownName(actor) : unnamed;
  return other && other !== actor ? `${who}, for ${shownName(other)}` : who;
}

/** Whether a later rollback has taken a version back. @param {Version} said @param {Version[]} versions in their order */
export function takenBack(said, versions) {
  let reached = Infinity;
  for (const { version, how, to, learned_for: other } of [...versions].reverse()) {
    if (version <= said.version) break;
    const about = how === "rolled back" && (!other || other === said.learned_for);
    if (about && version <= reached) reached = to ?? reached;
  }
  return reached < said.version;
}

/** What a rollback did: "rollback of ana to version 30". @param {{ to?: number | null, learned_for?: string }} row */
export const rollbackText = ({ to, learned_for: expert }) =>
  `rollback ${expert ? `of ${shownName(expert)} ` : ""}to version ${to}`;

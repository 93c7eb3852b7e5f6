// What people share and how each of them differs.

import { at, get } from "../app/api.js";
import { h, put, select } from "../app/elements.js";
import { labelPeople, namesHidden } from "../app/names.js";
import { study } from "../app/shell.js";
import { weightTable } from "./weights.js";

/** @import { PeopleView, PersonView } from "../app/types.js" */

/** @typedef {{ view: PeopleView, names: string[] }} People the view as it is shown, and the names of its rows */

let chosen = ""; // the name of the person who is shown

/** The people of the study; the labels that stand for them are known afterwards. @returns {Promise<People>} */
export async function loadPeople() {
  /** @type {PeopleView[]} */
  const [view, hidden] = await Promise.all([
    get(at(study, "/people")),
    namesHidden() ? get(at(study, "/people?hide=true")) : null,
  ]);
  const names = view.people.map(({ name }) => name);
  if (!hidden) return { view, names };
  labelPeople(
    names,
    hidden.people.map(({ name }) => name),
  );
  return { view: { ...hidden, reader: null }, names };
}

/** Fill a card, which stays hidden while there is one person. @param {HTMLElement} card @param {People} people @param {number[]} signs */
export function drawPeople(card, { view, names }, signs) {
  card.hidden = view.people.length < 2;
  if (card.hidden) return;
  const one = h("div", { id: "person-view", "aria-live": "polite" });
  /** @param {PersonView} person */
  const isReader = ({ name }) => name === view.reader;
  /** @param {PersonView} person */
  const called = (person) => (isReader(person) ? `${person.name} (you)` : person.name);
  const draw = () => drawPerson(one, view, view.people[names.indexOf(chosen)], signs);
  const change = (/** @type {string} */ i) => {
    chosen = names[Number(i)];
    draw();
  };
  if (!names.includes(chosen)) chosen = names[view.people.findIndex(isReader)] ?? names[0];
  const values = view.people.map((person, i) => [`${i}`, called(person)]); // names may be hidden
  const start = `${names.indexOf(chosen)}`;
  put(
    card,
    h("h2", { text: "What people share, and how they differ" }),
    h("div", { id: "shared" }, sharedWords(view)),
    h(
      "p",
      { class: "row" },
      h("label", { for: "person", text: "One person" }),
      select(values, start, change, { id: "person" }),
    ),
    one,
  );
  draw();
}

/** @param {PersonView} person */
const same = ({ name }) => `${name} does not clearly differ from the others.`;

/** @param {string[]} texts @param {string} none what is said without any */
function sentences(texts, none) {
  if (!texts.length) return h("p", { text: none });
  const items = texts.map((text) => h("li", { dir: "auto", text }));
  return h("ul", {}, items);
}

/** @param {PeopleView} view */
function sharedWords({ shared, together, difference }) {
  const degrees = ["mostly want the same", "differ somewhat", "differ"];
  const much = degrees[Number(difference >= 0.35) + Number(difference >= 0.7)];
  return [
    sentences(shared, "Nothing that everybody wants or avoids is known yet."),
    together.map((text) => h("p", { dir: "auto", text })),
    h("p", { class: "hint", id: "difference", text: `People ${much}.` }),
  ];
}

/** @param {HTMLElement} place @param {PeopleView} view @param {PersonView} one @param {number[]} signs */
function drawPerson(place, { features, people }, one, signs) {
  const others = people.filter((other) => other !== one);
  /** @param {PersonView} person @param {number} i */
  const tasteOf = ({ shares }, i) => signs[i] * shares[i];
  const tastes = features.map(
    (_, i) => others.reduce((sum, other) => sum + tasteOf(other, i), 0) / others.length,
  );
  const bars = h("div");
  put(
    place,
    sentences(one.words, same(one)),
    bars,
    h("p", {
      class: "hint",
      dir: "auto",
      text: `The upper bar of each pair is ${one.name}, the lower one the mean of the others.`,
    }),
  );
  // Shares of all weights: comparable between people, but not worth anything of another feature.
  const beliefs = features.map((feature, i) => ({
    feature,
    taste: tasteOf(one, i),
    words: "",
    worth: "",
  }));
  weightTable(bars, beliefs, { tastes, text: "the others" });
}

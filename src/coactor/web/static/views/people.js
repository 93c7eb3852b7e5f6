// What people share and how each of them differs. A lead sees names, and can hide them.

import { at, get } from "../app/api.js";
import { h, put } from "../app/elements.js";
import { list } from "../app/format.js";
import { may, sayError, study } from "../app/shell.js";
import { windowMemory } from "../app/storage.js";
import { weightTable } from "./weights.js";

/** @import { PeopleView, PersonView } from "../app/types.js" */

const HIDDEN = "coactor/hide-names";

/** Fill a card, which stays hidden while there is one person. @param {HTMLElement} card @param {number[]} signs */
export async function drawPeople(card, signs) {
  const hide = Boolean(windowMemory.read(HIDDEN));
  /** @type {PeopleView} */
  const view = await get(at(study, `/people?hide=${hide}`));
  card.hidden = view.people.length < 2;
  if (card.hidden) return;
  const box = h("input", { type: "checkbox", id: "hide-names", checked: hide });
  box.addEventListener("change", () => {
    windowMemory.write(HIDDEN, box.checked);
    drawPeople(card, signs)
      .then(() => document.querySelector("#hide-names"))
      .then((again) => again instanceof HTMLElement && again.focus())
      .catch(sayError);
  });
  const one = h("div", { id: "person-view", "aria-live": "polite" });
  const draw = () => drawPerson(one, view, view.people[choice.selectedIndex], signs);
  const choice = h(
    "select",
    { id: "person" },
    view.people.map(({ name }) => h("option", { text: name })),
  );
  choice.addEventListener("change", draw);
  put(
    card,
    h("h2", { text: "What people share, and how they differ" }),
    may("lead") ? h("p", {}, h("label", {}, box, " Hide names")) : null,
    h("div", { id: "shared" }, sharedWords(view)),
    h("p", { class: "row" }, h("label", { for: "person", text: "One person" }), choice),
    one,
  );
  draw();
}

/** @param {string[]} texts @param {string} none what is said without any */
function sentences(texts, none) {
  if (!texts.length) return h("p", { text: none });
  const items = texts.map((text) => h("li", { text }));
  return h("ul", {}, items);
}

/** @param {PeopleView} view */
function sharedWords({ shared, people }) {
  const groups = new Map();
  for (const { name, group } of people) groups.set(group, [...(groups.get(group) ?? []), name]);
  const together = [...groups.values()].filter((names) => names.length > 1);
  const none = "Nothing that everybody wants or avoids is known yet.";
  return [
    sentences(shared, none),
    groups.size > 1
      ? together.map((names) => h("p", { text: `${list(names)} want much the same.` }))
      : h("p", { text: "All of them want much the same." }),
  ];
}

/** @param {HTMLElement} place @param {PeopleView} view @param {PersonView} one @param {number[]} signs */
function drawPerson(place, { features, people }, one, signs) {
  const others = people.filter((other) => other !== one);
  const matter = features.map(
    (_, i) => others.reduce((sum, { shares }) => sum + shares[i], 0) / others.length,
  );
  const bars = h("div");
  const same = `${one.name} does not clearly differ from the others.`;
  put(
    place,
    sentences(one.words, same),
    bars,
    h("p", {
      class: "hint",
      text: `The upper bar of each pair is ${one.name}, the lower one the mean of the others.`,
    }),
  );
  // Shares of all weights: comparable between people, but not worth anything of another feature.
  const beliefs = {
    version: 0,
    weights: features.map(() => 0),
    matter: one.shares,
    known: null,
    feature_names: features,
  };
  weightTable(bars, beliefs, [], signs, { matter, text: "the others" });
}

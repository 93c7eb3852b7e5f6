// @ts-nocheck: rewritten next
// A route through a road network. The one operator is "go via": by pulling the route, by pointing, or by choosing.

import { at, get } from "../app/api.js";
import { button, h, put } from "../app/elements.js";
import { feature, list as inWords, number, signed } from "../app/format.js";
import { makeRoadMap } from "./road-map.js";
import { compare, makeNetwork, newStreets } from "./road-network.js";

// Styles of its own, in place before anything is drawn.
await new Promise((done) => {
  document.head.append(
    h("link", {
      rel: "stylesheet",
      href: new URL("../styles/roads.css", import.meta.url).pathname,
      on: { load: done, error: done },
    }),
  );
});

const FEW = 6; // changes said of each way
const [ENTER, TWICE] = ["Enter takes it", "Enter or a second click takes it"];
const PAUSE = 60; // milliseconds of rest before other ways are asked for: arrow keys may be fast

export async function prepare(study) {
  return makeNetwork(await get(at(study, "/network")));
}

export function mount(place, { draft, editable, trial, makeFrom, prepared: network }) {
  const features = draft.data.feature_names.map(feature);
  const proposed = draft.data.proposed.links;
  let links = draft.data.solution.links;
  let rows = []; // the streets of both routes
  let active = 0; // the row the keyboard is on; 0 is the whole way
  let from = 0; // where a stretch of several rows began
  let ways = []; // the other ways for the stretch
  let pointed = null; // a way somebody pointed at
  let lit = null; // the way that is looked at
  let asked = 0;
  let answered = false;

  const status = h("p", { class: "hint", role: "status", id: "gesture" });
  const figure = h("div");
  const list = h("div", {
    class: "lists streets",
    role: "listbox",
    "aria-label": "Streets in order",
    "aria-multiselectable": "true",
  });
  const heading = h("h2", { id: "stretch" });
  const choices = h("div", { class: "choices" });
  const via = h("input", {
    type: "text",
    id: "via",
    list: "street-names",
    autocomplete: "off",
    placeholder: "Any street",
    maxlength: "200",
  });
  const known = [...new Set(network.streets)].filter(Boolean);
  // Below the map: what it says must not push the map away under a pointer.
  put(
    place,
    h(
      "div",
      { class: "pair" },
      h("div", { class: "map" }, network.plane ? figure : null, status),
      list,
    ),
    heading,
    choices,
    known.length
      ? h(
          "div",
          { class: "row go-via" },
          h("label", { for: "via", text: "Go via" }),
          via,
          button("Show", () => goVia(), { id: "show-via" }),
          h(
            "datalist",
            { id: "street-names" },
            known.map((value) => h("option", { value })),
          ),
        )
      : null,
  );
  const map = network.plane
    ? makeRoadMap(figure, {
        network,
        background: trial?.background ?? [],
        editable,
        onStretch: (position) => {
          pick(rowAt(position));
          focusActive();
        },
        onPoint: (link) => point(link),
        onWay: (way) => {
          if (lit === way) take(way);
          else {
            look(way, TWICE);
            hold(way);
          }
        },
        onDrag: (link) => drag(link),
        onDrop: (link) => drop(link),
      })
    : null;

  // -- the stretch ---------------------------------------------------------------------------------------

  const options = () => [
    {
      name: "The whole way",
      first: 0,
      last: links.length - 1,
      length: rows.reduce((sum, row) => sum + (row.state === "old" ? 0 : row.length), 0),
    },
    ...rows.filter((row) => row.state !== "old"),
  ];
  const rowAt = (position) =>
    options().findIndex((row, i) => i && position >= row.first && position <= row.last);

  /** The first and last position of the chosen streets; null for the whole way. */
  function stretch() {
    if (!active) return null;
    const [low, high] = [Math.min(active, from || active), Math.max(active, from || active)];
    return [options()[low].first, options()[high].last];
  }

  function pick(index, extend = false) {
    active = Math.max(0, Math.min(options().length - 1, index));
    if (!extend || !active) from = active;
    pointed = lit = null;
    paint();
    ask();
  }

  // -- other ways -------------------------------------------------------------------------------------------

  const place_ = () => at(draft.study, `/proposals/${draft.data.id}/ways`);

  /** Ask the server; nothing when something newer was asked meanwhile. */
  async function request(query) {
    asked += 1;
    const mine = asked;
    const { revision } = draft.data;
    try {
      const found = await get(`${place_()}${query}`);
      if (mine !== asked || revision !== draft.data.revision) return null;
      return found.map((way) => ({
        ...way,
        revision,
        streets: newStreets(network, links, way.links),
      }));
    } catch (error) {
      if (mine === asked) status.textContent = error.message;
      return null;
    }
  }

  let timer = 0;
  function ask() {
    ways = [];
    map?.offer([]);
    clearTimeout(timer);
    asked += 1;
    const part = stretch();
    timer = setTimeout(async () => {
      const found = await request(part ? `?first=${part[0]}&last=${part[1]}` : "");
      if (!found) return;
      ways = found;
      answered = true;
      map?.offer(ways);
      choose();
    }, PAUSE);
    answered = false;
    choose();
  }

  /** The best way through a road, in whichever direction. */
  const through = (some) => request(`?links=${some.join(",")}`);
  const both = (link) => [link, network.twin(link)].filter((one) => one !== null);

  async function point(link) {
    if (!editable()) return;
    if (pointed && both(link).includes(pointed.move.args[0])) {
      take(pointed);
      return;
    }
    clearTimeout(timer);
    if (show(await through(both(link)), network.nameOf(link), TWICE)) hold(pointed);
  }

  /** Look at the one way that was found; answers whether there is one. */
  function show(found, name, how = "") {
    if (!found) return false;
    if (!found.length) {
      status.textContent = `The route passes ${name} already.`;
      return false;
    }
    [pointed] = found;
    choose();
    look(pointed, how);
    return true;
  }

  /** Give the focus to a way that was pointed at, so that Enter takes it and does not submit. */
  const hold = (way) =>
    [...choices.children].find((one) => one.way === way)?.focus({ preventScroll: true });

  async function goVia() {
    const wanted = via.value.trim().toLowerCase();
    if (!wanted || !editable()) return;
    const name =
      known.find((one) => one.toLowerCase() === wanted) ??
      known.find((one) => one.toLowerCase().startsWith(wanted));
    if (!name) {
      status.textContent = `There is no street called ${via.value.trim()} here.`;
      return;
    }
    if (pointed?.name === name) {
      take(pointed);
      return;
    }
    clearTimeout(timer);
    const found = await through(network.linksOf(name).slice(0, 2000));
    if (found?.length) found[0].name = name;
    show(found, name, ENTER);
  }

  // While the route is pulled, one question is under way at a time; those that were overtaken are never asked.
  let pull = null;
  function drag(link) {
    pull ??= { next: null, link: null, found: null, running: null };
    const mine = pull;
    clearTimeout(timer);
    mine.next = link;
    mine.running ??= follow(mine).finally(() => {
      mine.running = null;
    });
  }

  async function follow(mine) {
    while (mine.next !== null) {
      [mine.link, mine.next] = [mine.next, null];
      mine.found = await through(both(mine.link));
      if (pull === mine && mine.found) {
        pointed = mine.found[0] ?? null;
        look(pointed, "Let go to take it");
      }
    }
  }

  async function drop(link) {
    const mine = pull;
    await mine?.running;
    pull = null;
    const found = link !== null && mine?.link === link ? mine.found : null;
    if (found?.length) {
      take(found[0]);
      return;
    }
    pointed = null;
    look(null);
    ask();
    if (found) status.textContent = `The route passes ${network.nameOf(link)} already.`;
  }

  /** Draw a way without taking it, and say what it would change. */
  function look(way, how = "") {
    lit = way;
    map?.light(way);
    for (const one of choices.children)
      one.classList.toggle("chosen", way !== null && one.way === way);
    if (!way) {
      status.textContent = hint();
      return;
    }
    const parts = changes(way)
      .slice(0, 3)
      .map((part) => `${part.label} ${part.text}`);
    status.textContent = `Via ${inWords(way.streets) || network.nameOf(way.move.args[0])}: ${parts.join(", ") || "nothing changes"}. ${editable() && how ? `${how}.` : ""}`;
  }

  function take(way) {
    if (!editable() || !way) return;
    clearTimeout(timer);
    asked += 1; // what is still under way is about the route as it was
    pointed = lit = null;
    status.textContent = `${describe(way.move)}.`;
    makeFrom((data) => (data.revision === way.revision ? [way.move] : null));
  }

  /** What a way changes, feature by feature, what matters most first. */
  const changes = (way) =>
    way.change
      .map((value, i) => ({
        ...features[i],
        value: -value * features[i].factor,
        weight: Math.abs(value * (draft.data.weights[i] || 1e-9)),
      }))
      .filter((part) => Math.abs(part.value) > 1e-9)
      .sort((a, b) => b.weight - a.weight)
      .map((part) => ({
        ...part,
        text: `${signed(part.value)}${part.unit ? ` ${part.unit}` : ""}`,
      }));

  const shown = () => [...(pointed && !ways.includes(pointed) ? [pointed] : []), ...ways];

  function choose() {
    const part = stretch();
    const names = part
      ? [
          ...new Set(
            options()
              .slice(Math.min(active, from), Math.max(active, from) + 1)
              .map((row) => row.name),
          ),
        ]
      : [];
    heading.textContent = part
      ? `Other ways instead of ${inWords(names.slice(0, 3))}`
      : "Other ways";
    const none = answered && !shown().length;
    const held = choices.contains(document.activeElement) ? document.activeElement.way : null;
    put(
      choices,
      none
        ? h("p", {
            class: "hint",
            text: "There is no other way worth showing for this stretch. Name a street below, or point at one.",
          })
        : shown().map((way) => {
            const key = ways.indexOf(way) + 1;
            const made = button("", () => take(way), {
              class: `choice way${key ? ` w${key - 1}` : ""}${way === lit ? " chosen" : ""}`,
              disabled: !editable(),
              on: {
                pointerenter: () => look(way, "Click to take it"),
                focus: () => {
                  if (lit !== way) look(way, ENTER);
                },
              },
            });
            made.way = way;
            return put(
              made,
              h("span", { class: "number", text: key || "•" }),
              h("b", { text: `via ${inWords(way.streets) || network.nameOf(way.move.args[0])}` }),
              h("span", {
                class: "hint",
                text:
                  way.gain > 1e-9
                    ? "better by what is known"
                    : way.gain < -1e-9
                      ? "worse by what is known"
                      : "",
              }),
              h(
                "span",
                { class: "facts" },
                changes(way)
                  .slice(0, FEW)
                  .map((one) => h("span", {}, h("i", { text: one.label }), ` ${one.text}`)),
              ),
            );
          }),
    );
    if (held) hold(held);
  }

  // -- the list ---------------------------------------------------------------------------------------------

  const unit = features[0].unit;
  const amount = (length) => `${number(length * features[0].factor)}${unit ? ` ${unit}` : ""}`;

  function build() {
    let index = 0;
    const row = (one, state) => {
      if (state === "old")
        return h(
          "div",
          { class: "stop gone", role: "option", "aria-disabled": "true", "aria-selected": "false" },
          h(
            "s",
            { class: "called" },
            h("span", { class: "unseen", text: "no longer: " }),
            one.name,
          ),
        );
      const mine = index;
      index += 1;
      return h(
        "div",
        {
          class: `stop${state === "new" ? " moved" : ""}${mine ? "" : " whole"}`,
          role: "option",
          tabindex: "-1",
          "aria-selected": "false",
          data: { index: mine },
        },
        h(
          "span",
          { class: "called" },
          state === "new" ? h("span", { class: "unseen", text: "new: " }) : null,
          state === "new" ? h("b", { text: one.name }) : one.name,
        ),
        h("span", { class: "hint", text: amount(one.length) }),
      );
    };
    put(
      list,
      row(options()[0], "kept"),
      rows.map((one) => row(one, one.state)),
    );
  }

  const elementAt = (index) => list.querySelector(`[data-index="${index}"]`);
  const focusActive = () => elementAt(active)?.focus();

  function paint() {
    const [low, high] = [Math.min(active, from), Math.max(active, from)];
    for (const one of list.querySelectorAll("[data-index]")) {
      const mine = Number(one.dataset.index);
      const inside = mine >= low && mine <= high;
      one.classList.toggle("chosen", inside);
      one.setAttribute("aria-selected", String(inside));
      one.setAttribute("tabindex", mine === active ? "0" : "-1");
    }
    map?.choose(stretch());
    map?.light(lit);
    status.textContent = hint();
  }

  const hint = () =>
    !editable()
      ? ""
      : network.plane
        ? "Pull the route onto another street, point at a street, or choose a stretch and another way for it."
        : "Choose a stretch, then another way for it.";

  const indexOf = (element) => {
    const found = element.closest?.("[data-index]");
    return found ? Number(found.dataset.index) : null;
  };
  list.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index === null) return;
    if (event.shiftKey && from) pick(index, true);
    else if (index !== active) pick(index);
    focusActive();
  });
  list.addEventListener("focusin", (event) => {
    const index = indexOf(event.target);
    if (index !== null && index !== active) pick(index);
  });
  place.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === via) {
      if (event.key === "Enter" && !event.isComposing) {
        event.preventDefault();
        goVia();
      }
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 }[event.key];
    const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const onList = list.contains(event.target);
    if (step && onList) {
      pick(active + step, event.shiftKey && active > 0);
      focusActive();
    } else if (along && (onList || choices.contains(event.target))) {
      const some = shown();
      if (!some.length) return;
      const next =
        some[
          (some.indexOf(lit) + along + some.length + (lit ? 0 : along < 0 ? 1 : 0)) % some.length
        ];
      if (onList) look(next, ENTER);
      else hold(next);
    } else if (/^[1-9]$/.test(event.key) && ways[Number(event.key) - 1])
      take(ways[Number(event.key) - 1]);
    else if (event.key === "Enter" && lit && onList) take(lit);
    else if (event.key === "Escape" && (lit || active)) {
      if (lit) {
        pointed = null;
        look(null);
        choose();
      } else pick(0);
    } else return;
    event.preventDefault();
  });

  function describe({ args: [link, leg] }) {
    return `Go via ${network.nameOf(link)}${leg ? `, after via-point ${leg}` : ""}`;
  }

  return {
    keys: [
      ["↑ ↓", "go along the streets"],
      ["Shift ↓", "choose several"],
      ["← →", "look at other ways"],
      ["1 … 5", "take one"],
      ["Enter", "take what is shown"],
      ["Esc", "leave it"],
    ],
    describe,
    async show({ args: [link, leg] }) {
      clearTimeout(timer);
      show(await request(`?links=${link}&leg=${leg}`), network.nameOf(link));
    },
    render(data) {
      const inside =
        list.contains(document.activeElement) || choices.contains(document.activeElement);
      const position = active ? stretch()[0] : null;
      links = data.solution.links;
      rows = compare(network, proposed, links);
      pointed = lit = null;
      active = position === null ? 0 : Math.max(0, rowAt(Math.min(position, links.length - 1)));
      from = active;
      build();
      map?.draw(
        links,
        proposed,
        data.solution.vias,
        rows.filter((row) => row.state !== "old"),
      );
      paint();
      ask();
      if (inside) focusActive();
    },
  };
}

// @ts-nocheck: rewritten next
// Routes on a map and in a list, in step. Every gesture names two stops and an operator of the domain.

import { button, h, kbd, put } from "../app/elements.js";
import { makeMap } from "./route-map.js";
import { applied, moveFor, rowsOf } from "./route-moves.js";

const OPERATORS = {
  reverse: {
    text: "Turn stretch round",
    key: "r",
    say: (a, b) => `Turn the stretch from ${a} to ${b} round`,
    hint: "Choose both ends of the stretch, or drag from one to the other.",
  },
  move: {
    text: "Move after",
    key: "m",
    say: (a, b) => `Move ${a} after ${b}`,
    hint: "Choose a stop, then the stop it should follow, or drag it there.",
  },
  swap: {
    text: "Swap",
    key: "s",
    say: (a, b) => `Swap ${a} and ${b}`,
    hint: "Choose two stops, or drag one onto the other.",
  },
  tails: {
    text: "Swap ends",
    key: "t",
    say: (a, b) => `Swap what follows ${a} and ${b}`,
    hint: "Choose two stops of two routes: what follows them changes routes.",
  },
};

export function mount(place, { draft, editable, trial, makeFrom }) {
  const domain = draft.data.domain.name;
  const problem = draft.data.problem;
  const names = problem.names ?? problem.stops ?? null;
  const called = (point) => names?.[point] ?? `Stop ${point}`;
  const wanted = domain === "plan" ? ["move", "reverse", "swap", "tails"] : ["reverse"];
  let mode = wanted[0];
  let rows = rowsOf(domain, draft.data.solution);
  const first = rowsOf(domain, draft.data.proposed);
  const before = new Map(first.flatMap((stops, r) => stops.map((point, k) => [point, { r, k }])));
  let mark = null; // the first of the two stops, as {r, k}
  let target = null; // the second
  let active = { r: 0, k: 0 }; // where the keyboard is

  const status = h("p", { class: "hint", role: "status", id: "gesture" });
  const tools = h(
    "div",
    { class: "tools", role: "toolbar", "aria-label": "Edits" },
    wanted.map((op) => {
      const made = button("", () => choose(op), {
        "aria-pressed": String(op === mode),
        data: { op },
        "aria-keyshortcuts": OPERATORS[op].key,
      });
      return put(made, `${OPERATORS[op].text} `, kbd(OPERATORS[op].key.toUpperCase()));
    }),
  );
  const figure = h("div", { class: "map" });
  const lists = h("div", {
    class: "lists",
    role: "listbox",
    "aria-label": "Stops in order",
    "aria-multiselectable": "true",
  });
  put(place, tools, status, h("div", { class: "pair" }, figure, lists));
  const map = makeMap(figure, {
    problem,
    domain,
    called,
    background: trial?.background ?? [],
    editable,
    onPick: pick,
    onDrag: drag,
    onDrop: drop,
  });

  // -- two stops and an operator ---------------------------------------------------------------------

  const same = (a, b) => a && b && a.r === b.r && a.k === b.k;
  const pointAt = (spot) => rows[spot.r][spot.k];
  const title = (spot) => (domain === "plan" && spot.k === 0 ? "the depot" : called(pointAt(spot)));

  function pick(spot) {
    if (!editable()) return;
    active = spot;
    if (!mark || target) {
      mark = spot;
      target = null;
    } else if (same(mark, spot)) mark = null;
    else target = spot;
    paint();
  }

  function drag(from, to) {
    mark = from;
    target = same(from, to) ? null : to;
    paint();
  }

  function drop(from, to) {
    if (!to || same(from, to)) return;
    active = to;
    perform(mode, from, to);
  }

  function choose(op) {
    mode = op;
    for (const one of tools.children)
      one.setAttribute("aria-pressed", String(one.dataset.op === op));
    if (mark && target) perform(op, mark, target);
    else paint();
  }

  function perform(op, from, to) {
    if (!editable()) return;
    const { move, refusal } = moveFor(domain, rows, op, from, to);
    mark = target = null;
    if (refusal) {
      paint();
      status.textContent = refusal;
      return;
    }
    const point = pointAt(active);
    makeFrom(() => [move]).then(() => {
      const now = find(point);
      if (now) active = now;
      if (lists.contains(document.activeElement) || document.activeElement === document.body)
        focusActive();
    });
    paint();
    status.textContent = `${describe(move)}.`;
  }

  function find(point) {
    for (let r = 0; r < rows.length; r += 1) {
      const k = rows[r].indexOf(point);
      if (k >= 0) return { r, k };
    }
    return null;
  }

  // -- the list ----------------------------------------------------------------------------------------

  const routeName = (r) => (rows.length === 1 ? "Route" : `Route ${String.fromCharCode(65 + r)}`);
  const short = ({ r, k }) =>
    `${rows.length > 1 ? String.fromCharCode(65 + r) : ""}${domain === "plan" ? k : k + 1}`;

  let listed = []; // what each row of the list says
  function build() {
    const says = rows.map((stops, r) => stops.map((point, k) => `${point} ${r} ${k}`));
    const kept =
      listed.length === says.length && says.every((row, r) => row.length === listed[r].length);
    if (kept && domain !== "plan") {
      // only rows that changed are made anew: a long list stays quick
      says.forEach((row, r) => {
        row.forEach((text, k) => {
          if (text !== listed[r][k]) elementAt({ r, k }).replaceWith(option(rows[r][k], { r, k }));
        });
      });
      listed = says;
      return;
    }
    listed = says;
    put(
      lists,
      rows.map((stops, r) =>
        h(
          "div",
          { role: "group", "aria-label": routeName(r), class: `route c${r % 6}` },
          rows.length > 1
            ? h("p", { class: "routename", "aria-hidden": "true" }, routeName(r), load(r))
            : null,
          stops.map((point, k) => option(point, { r, k })),
        ),
      ),
    );
  }

  function load(r) {
    if (domain !== "plan") return null;
    const used = rows[r].slice(1).reduce((total, point) => total + problem.demand[point], 0);
    const over = used > problem.capacity[r];
    return h("span", {
      class: over ? "load over" : "load",
      text: ` ${used} of ${problem.capacity[r]}${over ? ": too much" : ""}`,
    });
  }

  function option(point, spot) {
    const depot = domain === "plan" && spot.k === 0;
    const old = depot ? null : before.get(point);
    const moved = old && (old.r !== spot.r || old.k !== spot.k);
    return h(
      "div",
      {
        role: "option",
        class: moved ? "stop moved" : "stop",
        tabindex: "-1",
        "aria-selected": "false",
        data: { r: spot.r, k: spot.k },
      },
      h(
        "span",
        { class: "place" },
        depot
          ? "–"
          : [
              moved ? h("s", {}, h("span", { class: "unseen", text: "was " }), short(old)) : null,
              " ",
              h("b", { text: short(spot) }),
            ],
      ),
      h("span", {
        class: "called",
        dir: "auto",
        title: depot ? null : called(point),
        text: depot ? "Depot" : called(point),
      }),
      domain === "plan" && !depot
        ? h("span", { class: "hint", text: `×${problem.demand[point]}` })
        : null,
      h("span", { class: "grip", "aria-hidden": "true", text: "⠿" }),
    );
  }

  const spotOf = (element) => {
    const found = element?.closest?.("[role=option]");
    return found && lists.contains(found)
      ? { r: Number(found.dataset.r), k: Number(found.dataset.k) }
      : null;
  };
  const elementAt = (spot) => lists.querySelector(`[data-r="${spot.r}"][data-k="${spot.k}"]`);
  const focusActive = () => elementAt(active)?.focus({ preventScroll: false });

  function step(by) {
    const flat = rows.flatMap((stops, r) => stops.map((_, k) => ({ r, k })));
    const here = flat.findIndex((spot) => same(spot, active));
    active = flat[Math.max(0, Math.min(flat.length - 1, here + by))];
  }

  lists.addEventListener("click", (event) => {
    const spot = spotOf(event.target);
    if (!spot || dragged) return;
    if (event.shiftKey && mark) {
      target = same(mark, spot) ? null : spot;
      active = spot;
      paint();
    } else pick(spot);
    focusActive();
  });
  lists.addEventListener("focusin", (event) => {
    const spot = spotOf(event.target);
    if (spot) active = spot;
  });
  lists.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6, PageDown: 10, PageUp: -10 }[
      event.key
    ];
    const op = wanted.find((one) => OPERATORS[one].key === event.key.toLowerCase());
    if (by) {
      if (event.shiftKey && !mark) mark = active;
      step(by);
      if (mark && editable()) target = same(mark, active) ? null : active;
      paint();
      focusActive();
    } else if (event.key === " ") {
      if (!editable()) return;
      mark = same(mark, active) ? null : active;
      target = null;
      paint();
    } else if (event.key === "Escape") {
      mark = target = null;
      paint();
    } else if (op) {
      if (mark && target) {
        mode = op;
        choose(op);
      } else {
        choose(op);
        status.textContent =
          "Mark the first stop with Space, go to the second, then press the key.";
      }
    } else return;
    event.preventDefault();
  });

  // Dragging in the list: by the grip, so that a finger can still scroll.
  let dragged = false;
  lists.addEventListener("pointerdown", (event) => {
    const from = spotOf(event.target);
    if (
      !from ||
      !editable() ||
      event.button !== 0 ||
      (event.pointerType !== "mouse" && !event.target.closest(".grip"))
    )
      return;
    dragged = false;
    const start = event.clientY;
    const spots = [...lists.querySelectorAll("[role=option]")].map((one) =>
      one.getBoundingClientRect(),
    ); // once: no layout while dragging
    const flat = rows.flatMap((stops, r) => stops.map((_, k) => ({ r, k })));
    const scrolled = [lists.scrollTop, window.scrollY];
    let over = null;
    const move = (now) => {
      if (!dragged && Math.abs(now.clientY - start) < 5) return;
      if (!dragged) {
        dragged = true;
        lists.setPointerCapture(event.pointerId);
        lists.classList.add("dragging");
      }
      const y = now.clientY + lists.scrollTop - scrolled[0] + window.scrollY - scrolled[1];
      const index = spots.findIndex(
        (box) =>
          y >= box.top &&
          y < box.bottom &&
          now.clientX >= box.left - 40 &&
          now.clientX <= box.right + 40,
      );
      const to = index < 0 ? null : flat[index];
      if (to && !same(to, over)) {
        over = to;
        drag(from, to);
      }
    };
    const end = (now) => {
      lists.removeEventListener("pointermove", move);
      lists.removeEventListener("pointerup", end);
      lists.removeEventListener("pointercancel", end);
      lists.classList.remove("dragging");
      if (dragged) {
        if (now.type === "pointerup" && over && !same(over, from)) drop(from, over);
        else {
          mark = target = null;
          paint();
        }
        setTimeout(() => {
          dragged = false;
        }); // the click that follows is not a choice
      }
    };
    lists.addEventListener("pointermove", move);
    lists.addEventListener("pointerup", end);
    lists.addEventListener("pointercancel", end);
  });

  // -- what is seen -----------------------------------------------------------------------------------

  let painted = [];
  function paint() {
    const spots = mark ? stretch() : [];
    const wantedNow = spots.map(elementAt).filter(Boolean);
    for (const one of painted)
      if (!wantedNow.includes(one)) {
        one.classList.remove("chosen", "mark");
        one.setAttribute("aria-selected", "false");
      }
    for (const one of wantedNow) {
      one.classList.add("chosen");
      one.setAttribute("aria-selected", "true");
    }
    for (const one of wantedNow)
      one.classList.toggle("mark", same(spotOf(one), mark) || same(spotOf(one), target));
    painted = wantedNow;
    lists.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    elementAt(active)?.setAttribute("tabindex", "0");
    let preview = null;
    if (mark && target) {
      const { move, refusal } = moveFor(domain, rows, mode, mark, target);
      preview = refusal ? null : applied(domain, rows, move);
      status.textContent =
        refusal ??
        `${OPERATORS[mode].say(title(mark), title(target))}? Press ${OPERATORS[mode].key.toUpperCase()} or the button.`;
    } else
      status.textContent = mark
        ? `${title(mark)} is marked. Choose the other stop.`
        : editable()
          ? OPERATORS[mode].hint
          : "";
    map.choose(mark, target, preview);
  }

  function stretch() {
    if (!target) return [mark];
    if (mode !== "reverse" || mark.r !== target.r) return [mark, target];
    const [low, high] = [Math.min(mark.k, target.k), Math.max(mark.k, target.k)];
    return Array.from({ length: high - low + 1 }, (_, i) => ({ r: mark.r, k: low + i }));
  }

  function describe({ op, args }) {
    if (op === "reverse") {
      const [i, j] = args.slice(-2);
      const where =
        args.length === 3 && rows.length > 1
          ? ` of route ${String.fromCharCode(65 + args[0])}`
          : "";
      const base = domain === "plan" ? 0 : 1;
      return `Turn round stops ${i + base} to ${j + base}${where}`;
    }
    const [r, i, t, j] = args;
    const [a, b] = [`${String.fromCharCode(65 + r)}${i}`, `${String.fromCharCode(65 + t)}${j}`];
    if (op === "move")
      return j === 0
        ? `Move stop ${a} to the start of route ${String.fromCharCode(65 + t)}`
        : `Move stop ${a} after stop ${b}`;
    return op === "swap" ? `Swap stops ${a} and ${b}` : `Swap what follows ${a} and ${b}`;
  }

  return {
    keys: [
      ["↑ ↓", "go along the stops"],
      ["Space", "mark a stop"],
      ["Shift ↓", "choose a stretch"],
      ...wanted.map((op) => [OPERATORS[op].key.toUpperCase(), OPERATORS[op].text.toLowerCase()]),
      ["Esc", "choose nothing"],
    ],
    describe,
    show({ op, args }) {
      mode = op;
      for (const one of tools.children)
        one.setAttribute("aria-pressed", String(one.dataset.op === op));
      [mark, target] =
        domain === "tour"
          ? [
              { r: 0, k: args[0] },
              { r: 0, k: args[1] },
            ]
          : op === "reverse"
            ? [
                { r: args[0], k: args[1] },
                { r: args[0], k: args[2] },
              ]
            : [
                { r: args[0], k: args[1] },
                { r: args[2], k: args[3] },
              ];
      paint();
    },
    render(data) {
      rows = rowsOf(domain, data.solution);
      mark = target = null;
      if (!rows[active.r]?.[active.k] && rows[active.r]?.[active.k] !== 0) active = { r: 0, k: 0 };
      const inside = lists.contains(document.activeElement);
      build();
      map.draw(rows, first);
      paint();
      if (inside) focusActive();
    },
  };
}

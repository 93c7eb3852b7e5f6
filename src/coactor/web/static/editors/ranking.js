// @ts-nocheck: rewritten next
// A ranking: drag a document to its place, or move it by keys. Neighbours are exchanged one by one, and so counted.

import { button, h, put } from "../app/elements.js";
import { feature, number, plural } from "../app/format.js";

const SHOWN = 7; // features shown beside a document

export function mount(place, { draft, editable, makeFrom }) {
  const { problem, feature_names: names, weights } = draft.data;
  const documents = table(problem.documents, names.length);
  const called = (doc) => problem.names?.[doc] ?? `Document ${doc + 1}`;
  const matter = names
    .map((_, i) => i)
    .sort((a, b) => spread(b) - spread(a))
    .slice(0, SHOWN)
    .sort((a, b) => a - b);
  const before = new Map(draft.data.proposed.map((doc, i) => [doc, i]));
  let order = [...draft.data.solution];
  let active = order[0];
  let held = null; // by keyboard: {doc, from, to}

  const status = h("p", { class: "hint", role: "status", id: "gesture" });
  const hint = () =>
    editable()
      ? "Drag a document to its place, or use Alt with the arrow keys. Each place is one exchange."
      : "";
  const list = h("ol", { class: "ranking", "aria-label": "Documents, best first" });
  place.style.setProperty("--facts", matter.length);
  put(
    place,
    status,
    h(
      "div",
      { class: "doc head", "aria-hidden": "true" },
      h("span"),
      h("span"),
      h("span"),
      h(
        "span",
        { class: "facts" },
        matter.map((k) => h("span", { text: names[k] })),
      ),
      h("span", { class: "nudge" }),
    ),
    list,
  );

  function spread(i) {
    const column = documents.map((row) => row[i]);
    const mean = column.reduce((a, b) => a + b, 0) / column.length;
    return (
      (weights.some((w) => w) ? Math.abs(weights[i]) : 1) *
        Math.sqrt(column.reduce((a, b) => a + (b - mean) ** 2, 0) / column.length) +
      (weights[i] ? 0 : 1e-9 / (i + 1))
    );
  }

  /** The exchanges that carry a document from one place to another. */
  function exchanges(from, to) {
    const step = Math.sign(to - from);
    return Array.from({ length: Math.abs(to - from) }, (_, n) => ({
      op: "exchange",
      args: [step > 0 ? from + n : from - n - 1],
    }));
  }

  function carry(doc, by) {
    if (!editable()) return;
    active = doc;
    makeFrom((data) => {
      const from = data.solution.indexOf(doc);
      const to = Math.max(0, Math.min(data.solution.length - 1, by(from)));
      status.textContent =
        from === to
          ? "It is there already."
          : `${called(doc)}: from place ${from + 1} to ${to + 1}, ${plural(Math.abs(to - from), "exchange")}.`;
      return exchanges(from, to);
    });
  }

  function row(doc, i) {
    const old = before.get(doc);
    const moved = old !== i;
    return h(
      "li",
      {
        class: moved ? "doc moved" : "doc",
        tabindex: doc === active ? "0" : "-1",
        data: { doc },
        "aria-label": label(doc, i),
      },
      h("span", { class: "grip", "aria-hidden": "true", text: "⠿" }),
      h(
        "span",
        { class: "place", "aria-hidden": "true" },
        moved ? h("s", { text: old + 1 }) : null,
        " ",
        h("b", { text: i + 1 }),
      ),
      h("span", { class: "called", dir: "auto", title: called(doc), text: called(doc) }),
      h(
        "span",
        { class: "facts" },
        matter.map((k) => {
          const { label: said, unit } = feature(names[k]);
          return h(
            "span",
            {},
            h("i", { text: `${said} ` }),
            number(documents[doc][k]),
            h("i", { text: unit ? ` ${unit}` : "" }),
          );
        }),
      ),
      h(
        "span",
        { class: "nudge" },
        button("↑", () => carry(doc, (at) => at - 1), {
          "aria-label": `${called(doc)} up`,
          tabindex: "-1",
          disabled: i === 0,
        }),
        button("↓", () => carry(doc, (at) => at + 1), {
          "aria-label": `${called(doc)} down`,
          tabindex: "-1",
          disabled: i === order.length - 1,
        }),
      ),
    );
  }

  const label = (doc, i) =>
    `Place ${i + 1}: ${called(doc)}${before.get(doc) === i ? "" : `, was ${before.get(doc) + 1}`}`;
  const item = (doc) => list.querySelector(`[data-doc="${doc}"]`);

  list.addEventListener("focusin", (event) => {
    const found = event.target.closest("li");
    if (!found || Number(found.dataset.doc) === active) return;
    item(active)?.setAttribute("tabindex", "-1");
    active = Number(found.dataset.doc);
    found.setAttribute("tabindex", "0");
  });

  list.addEventListener("keydown", (event) => {
    const found = event.target.closest("li");
    if (!found || event.ctrlKey || event.metaKey) return;
    const doc = Number(found.dataset.doc);
    const at = order.indexOf(doc);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.target !== found) return;
    if (held) {
      if (by) {
        held.to = Math.max(0, Math.min(order.length - 1, held.to + by));
        shift(held.from, held.to);
        status.textContent = `${called(doc)}: place ${held.to + 1}. Space drops it, Escape puts it back.`;
      } else if (event.key === " " || event.key === "Enter") {
        const { to } = held;
        letGo();
        carry(doc, () => to);
      } else if (event.key === "Escape") {
        letGo();
        status.textContent = `${called(doc)} is back at place ${at + 1}.`;
      } else return;
    } else if (by && event.altKey) carry(doc, (here) => here + by);
    else if (by) item(order[Math.max(0, Math.min(order.length - 1, at + by))]).focus();
    else if (event.key === "Home") item(order[0]).focus();
    else if (event.key === "End") item(order.at(-1)).focus();
    else if (event.key === " " && editable()) {
      held = { doc, from: at, to: at };
      found.classList.add("held");
      status.textContent = `${called(doc)} is picked up at place ${at + 1}. Arrow keys move it, Space drops it, Escape puts it back.`;
    } else return;
    event.preventDefault();
  });

  function letGo() {
    item(held.doc).classList.remove("held");
    shift(held.from, held.from);
    held = null;
  }

  // -- dragging: rows are moved by transforms only, so that the browser lays nothing out ---------------------

  let shifted = [];
  /** Show the row at `from` at place `to`, the ones between aside. */
  function shift(from, to, offset = null) {
    const items = list.children;
    const size = items[from].offsetHeight;
    const low = Math.min(from, to);
    const high = Math.max(from, to);
    for (const i of shifted) if (i < low || i > high) items[i].style.transform = "";
    shifted = [];
    for (let i = low; i <= high; i += 1) {
      const far = i === from ? (offset ?? (to - from) * size) : to > from ? -size : size;
      items[i].style.transform = far ? `translateY(${far}px)` : "";
      shifted.push(i);
    }
  }

  list.addEventListener("pointerdown", (event) => {
    const found = event.target.closest("li");
    if (!found || !editable() || event.button !== 0 || event.target.closest("button")) return;
    if (event.pointerType !== "mouse" && !event.target.closest(".grip")) return;
    const doc = Number(found.dataset.doc);
    const from = order.indexOf(doc);
    const middles = [...list.children].map((one) => one.offsetTop + one.offsetHeight / 2); // measured once
    const half = found.offsetHeight / 2; // half way over a neighbour, they change places
    const startY = event.clientY + window.scrollY;
    let to = from;
    let begun = false;
    let frame = 0;
    let y = event.clientY;
    const paint = () => {
      frame = 0;
      const room = 60;
      const push =
        y < room ? y - room : y > window.innerHeight - 120 ? y - window.innerHeight + 120 : 0;
      if (push) window.scrollBy(0, push / 4);
      const offset = y + window.scrollY - startY;
      const centre = middles[from] + offset;
      to = from;
      while (to < order.length - 1 && centre > middles[to + 1] - half) to += 1;
      while (to > 0 && centre < middles[to - 1] + half) to -= 1;
      shift(from, to, offset);
      status.textContent = `${called(doc)}: from place ${from + 1} to ${to + 1}.`;
      if (push && begun) frame = requestAnimationFrame(paint);
    };
    const move = (next) => {
      y = next.clientY;
      if (!begun) {
        if (Math.abs(y + window.scrollY - startY) < 5) return;
        begun = true;
        list.setPointerCapture(event.pointerId);
        found.classList.add("held");
        list.classList.add("dragging");
      }
      if (!frame) frame = requestAnimationFrame(paint);
    };
    const end = (last) => {
      list.removeEventListener("pointermove", move);
      list.removeEventListener("pointerup", end);
      list.removeEventListener("pointercancel", end);
      cancelAnimationFrame(frame);
      found.classList.remove("held");
      list.classList.remove("dragging");
      if (!begun) return;
      begun = false;
      y = last.clientY;
      paint();
      cancelAnimationFrame(frame);
      if (last.type === "pointerup" && to !== from) {
        shift(from, to);
        const goal = to;
        carry(doc, () => goal);
      } else shift(from, from);
    };
    list.addEventListener("pointermove", move);
    list.addEventListener("pointerup", end);
    list.addEventListener("pointercancel", end);
  });

  return {
    keys: [
      ["↑ ↓", "go along the list"],
      ["Alt ↓", "move a document one place"],
      ["Space", "pick up, then arrows, Space drops"],
      ["Esc", "put back"],
    ],
    describe: ({ args: [i] }) => `Exchange places ${i + 1} and ${i + 2}`,
    show({ args: [i] }) {
      for (const one of list.children) one.classList.remove("chosen");
      list.children[i].classList.add("chosen");
      list.children[i + 1].classList.add("chosen");
    },
    render(data) {
      const inside = list.contains(document.activeElement);
      const before = order;
      order = [...data.solution];
      held = null;
      for (const i of shifted) list.children[i].style.transform = "";
      shifted = [];
      // Only rows that changed are made anew: a long list stays quick.
      order.forEach((doc, i) => {
        const old = list.children[i];
        if (!old) list.append(row(doc, i));
        else if (before[i] !== doc) old.replaceWith(row(doc, i));
        else old.classList.remove("chosen");
      });
      if (inside) item(active)?.focus({ preventScroll: true });
      if (!status.textContent || !data.moves.length) status.textContent = hint();
    },
  };
}

/** Rows of numbers, from dense or sparse data. */
function table(documents, width) {
  if (Array.isArray(documents)) return documents;
  const { indptr, indices, values } = documents;
  return Array.from({ length: indptr.length - 1 }, (_, r) => {
    const row = Array(width).fill(0);
    for (let k = indptr[r]; k < indptr[r + 1]; k += 1) row[indices[k]] = values[k];
    return row;
  });
}

// @ts-nocheck: rewritten next
// A path of steps: choose another order for three in a row.

import { at, get } from "../app/api.js";
import { button, h, kbd, put, s } from "../app/elements.js";
import { feature, signed } from "../app/format.js";
import { say } from "../app/shell.js";

export function mount(place, { draft, editable, make }) {
  const { problem, feature_names: names, proposed } = draft.data;
  const called = (bit) => problem.names?.[bit] ?? `Step ${String.fromCharCode(65 + bit)}`;
  let order = [...draft.data.solution];
  let from = 0; // the first step of the stretch looked at
  let options = [];
  let asked = 0;

  const figure = h("div", { class: "map steps" });
  const list = h("ol", {
    class: "steps",
    role: "listbox",
    "aria-label": "Stretches of three steps",
  });
  const choices = h("div", { class: "choices" });
  const heading = h("h2", { id: "stretch" });
  put(
    place,
    h("p", {
      class: "hint",
      id: "gesture",
      role: "status",
      text: "Choose a stretch of three steps, then another order for it.",
    }),
    h("div", { class: "pair" }, figure, h("div", {}, list)),
    heading,
    choices,
  );

  function draw() {
    const width = figure.clientWidth || 500;
    const n = order.length;
    const [left, top, gap] = [110, 24, Math.min(46, 300 / n)];
    const x = (i) => left + 20 + (i * (width - left - 50)) / Math.max(1, n - 1);
    const y = (bit) => top + bit * gap;
    const line = (steps) => steps.map((bit, i) => `${i ? "L" : "M"}${x(i)} ${y(bit)}`).join("");
    const height = top + n * gap + 20;
    put(
      figure,
      s(
        "svg",
        {
          class: "plane",
          role: "img",
          height,
          viewBox: `0 0 ${width} ${height}`,
          "aria-label": "The steps in order, from left to right. The list beside it says the same.",
        },
        s("rect", {
          class: "stretch",
          x: x(from) - 16,
          y: 4,
          width: x(Math.min(n - 1, from + 2)) - x(from) + 32,
          height: height - 26,
          rx: 8,
        }),
        order.map((_, bit) =>
          s("text", {
            class: "axis",
            x: left - 6,
            y: y(bit),
            dy: "0.35em",
            "text-anchor": "end",
            text: short(called(bit)),
          }),
        ),
        order.map((_, i) =>
          s("text", {
            class: "axis",
            x: x(i),
            y: height - 4,
            "text-anchor": "middle",
            text: i + 1,
          }),
        ),
        String(order) === String(proposed)
          ? null
          : s("g", { class: "ghost" }, s("path", { d: line(proposed) })),
        s("g", { class: "routes" }, s("path", { class: "c0", d: line(order) })),
        s(
          "g",
          { class: "stops" },
          order.map((bit, i) =>
            s(
              "g",
              { class: "stop c0", transform: `translate(${x(i)} ${y(bit)})` },
              s("circle", { class: "dot", r: 7 }),
              s("title", { text: called(bit) }),
            ),
          ),
        ),
      ),
    );
  }

  const short = (text) => (text.length > 12 ? `${text.slice(0, 11)}…` : text);

  function build() {
    const inside = list.contains(document.activeElement);
    put(
      list,
      order.map((bit, i) => {
        const old = proposed.indexOf(bit);
        const starts = i <= order.length - 3;
        return h(
          "li",
          {
            class: `stop${old === i ? "" : " moved"}${i >= from && i < from + 3 ? " chosen" : ""}`,
            role: "option",
            "aria-selected": String(i === from),
            "aria-disabled": starts ? null : "true",
            tabindex: i === from ? "0" : "-1",
            data: { i },
          },
          h(
            "span",
            { class: "place" },
            old === i
              ? null
              : h("s", {}, h("span", { class: "unseen", text: "was " }), String(old + 1)),
            " ",
            h("b", { text: i + 1 }),
          ),
          h("span", { class: "called", dir: "auto", title: called(bit), text: called(bit) }),
        );
      }),
    );
    if (inside) list.children[from].focus();
  }

  function look(at) {
    from = Math.max(0, Math.min(order.length - 3, at));
    build();
    draw();
    choose();
  }

  list.addEventListener("click", (event) => {
    const found = event.target.closest("li");
    if (found) {
      look(Number(found.dataset.i));
      list.children[from].focus();
    }
  });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      look(from + by);
      list.children[from].focus();
    } else if (/^[1-5]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey)
      here()[Number(event.key) - 1]?.act();
    else return;
    event.preventDefault();
  });

  const here = () =>
    options
      .filter((one) => one.move.args[0] === from)
      .map((one) => ({ ...one, act: () => editable() && make([one.move]) }));

  function choose() {
    heading.textContent =
      order.length < 3
        ? "Too short to reorder"
        : `Other orders for steps ${from + 1} to ${from + 3}`;
    const rows = here();
    put(
      choices,
      rows.map((one, i) => {
        const steps = one.move.args.slice(1).map((k) => called(order[from + k]));
        const top = one.change
          .map((value, k) => ({ value: -value, ...feature(names[k]) }))
          .filter((part) => Math.abs(part.value) > 1e-9);
        const made = button("", one.act, {
          class: `choice${one.gain > 0 ? " better" : ""}`,
          disabled: !editable(),
        });
        return put(
          made,
          kbd(String(i + 1)),
          h("b", { text: steps.join(" → ") }),
          h("span", {
            class: "hint",
            text:
              one.gain > 1e-9
                ? "better by what is known"
                : one.gain < -1e-9
                  ? "worse by what is known"
                  : "",
          }),
          h(
            "span",
            { class: "facts" },
            top.map((part) =>
              h(
                "span",
                {},
                h("i", { text: part.label }),
                ` ${signed(part.value)}${part.unit ? ` ${part.unit}` : ""}`,
              ),
            ),
          ),
        );
      }),
    );
  }

  async function fetchOptions() {
    asked += 1;
    const mine = asked;
    try {
      const found = await get(at(draft.study, `/proposals/${draft.data.id}/moves?limit=1000`));
      if (mine === asked) {
        options = found;
        choose();
      }
    } catch (error) {
      say(error.message, true);
    }
  }

  new ResizeObserver(draw).observe(figure);

  return {
    keys: [
      ["↑ ↓", "choose a stretch"],
      ["1 … 5", "take another order"],
    ],
    describe: ({ args: [i, ...way] }, next = false) =>
      `Reorder steps ${i + 1} to ${i + 3} as ${way.map((k) => (next ? called(order[i + k]) : i + k + 1)).join(", ")}`,
    show({ args: [i, ...way] }) {
      look(i);
      const found = here().findIndex((one) => String(one.move.args.slice(1)) === String(way));
      choices.children[found]?.classList.add("chosen");
    },
    render(data) {
      order = [...data.solution];
      options = [];
      look(from);
      fetchOptions();
    },
  };
}

// @ts-nocheck: rewritten next
// The map: the problem's own coordinates, the proposal as a grey ghost, the routes as they are now.

import { put, s } from "../app/elements.js";

const EDGE = 28; // pixels around the points

export function makeMap(
  place,
  { problem, domain, called, background, editable, onPick, onDrag, onDrop },
) {
  const layers = Object.fromEntries(
    ["under", "ghost", "routes", "preview", "stops", "labels"].map((name) => [
      name,
      s("g", { class: name }),
    ]),
  );
  const svg = s(
    "svg",
    {
      role: "img",
      "aria-label": "Map of the routes. The list beside it does all that the map does.",
      class: "plane",
    },
    Object.values(layers),
  );
  put(place, svg);
  const count = problem.size ?? problem.demand.length;
  let spots = []; // pixels, by point
  let scale = (p) => p;
  let now = null;
  let dots = new Map(); // by point
  let chosen = [];

  function measure() {
    const width = place.clientWidth || 600;
    const given = problem.coordinates ?? circle(now.first.flat(), count);
    const pool = [...given, ...background.flatMap((one) => (one.points ? one.points : []))];
    const [xs, ys] = [pool.map((p) => p[0]), pool.map((p) => p[1])];
    const [x0, y0] = [Math.min(...xs), Math.min(...ys)];
    const [w, t] = [Math.max(...xs) - x0 || 1, Math.max(...ys) - y0 || 1];
    const height = Math.max(
      240,
      Math.min(640, Math.round(((width - 2 * EDGE) * t) / w) + 2 * EDGE),
    );
    const unit = Math.min((width - 2 * EDGE) / w, (height - 2 * EDGE) / t);
    const left = (width - unit * w) / 2;
    const top = (height - unit * t) / 2;
    scale = ([x, y]) => [left + unit * (x - x0), top + unit * (t - (y - y0))]; // north is up
    scale.unit = unit;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    spots = given.map(scale);
  }

  const path = (row) => {
    const points = domain === "plan" ? [...row, 0] : row;
    const line = points
      .map(
        (point, i) => `${i ? "L" : "M"}${spots[point][0].toFixed(1)} ${spots[point][1].toFixed(1)}`,
      )
      .join("");
    return domain === "tour" ? `${line}Z` : line;
  };

  function draw(current, first) {
    now = { current, first };
    measure();
    put(layers.under, background.map(landmark));
    put(
      layers.ghost,
      first.map((row, r) => (same(row, current[r]) ? null : s("path", { d: path(row) }))),
    );
    put(
      layers.routes,
      current.map((row, r) => s("path", { d: path(row), class: `c${r % 6}` })),
    );
    put(layers.preview);
    put(layers.labels);
    dots = new Map();
    const small = count > 60;
    put(
      layers.stops,
      current.flatMap((row, r) =>
        row.map((point, k) => {
          if (domain === "plan" && k === 0 && r > 0) return null;
          const depot = domain === "plan" && k === 0;
          const fixed =
            depot ||
            (domain === "fleet" && (k === 0 || k === row.length - 1)) ||
            (domain === "tour" && k === 0);
          const [x, y] = spots[point];
          const radius = small ? 5 : 11;
          const dot = s(
            "g",
            {
              class: `stop c${r % 6}${depot ? " depot" : ""}${fixed ? " fixed" : ""}`,
              transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
            },
            s("circle", { r: small ? 9 : 18, class: "touch" }),
            fixed
              ? s("rect", {
                  x: -radius,
                  y: -radius,
                  width: 2 * radius,
                  height: 2 * radius,
                  rx: 3,
                  class: "dot",
                })
              : s("circle", { r: radius, class: "dot" }),
            small
              ? null
              : s("text", { dy: "0.36em", text: depot ? "D" : domain === "plan" ? k : k + 1 }),
            s("title", { text: depot ? "Depot" : called(point) }),
          );
          dots.set(point, dot);
          return dot;
        }),
      ),
    );
  }

  function landmark(one) {
    const name = s("text", { class: "landmark", text: one.name });
    if (one.kind === "area") {
      const [x, y] = scale(one.at);
      name.setAttribute("x", x);
      name.setAttribute(
        "y",
        Math.min(y + one.radius * scale.unit - 5, svg.viewBox.baseVal.height - 6),
      ); // some lie over the edge
      return s(
        "g",
        { class: one.name },
        s("circle", { cx: x, cy: y, r: one.radius * scale.unit }),
        name,
      );
    }
    const points = one.points.map(scale);
    const [x, y] = points.at(-1);
    name.setAttribute("x", x + 10);
    name.setAttribute("y", y + 20);
    name.classList.add("end");
    return s(
      "g",
      { class: one.name },
      s("polyline", { points: points.map((p) => p.join(" ")).join(",") }),
      name,
    );
  }

  /** Show the two stops of a gesture, and what it would lead to. */
  function choose(mark, target, preview) {
    const points = [mark, target].filter(Boolean).map(({ r, k }) => now.current[r][k]);
    for (const point of chosen)
      if (!points.includes(point)) dots.get(point)?.classList.remove("chosen");
    for (const point of points) dots.get(point)?.classList.add("chosen");
    chosen = points;
    put(
      layers.labels,
      points.map((point) => {
        const [x, y] = spots[point];
        const wide = svg.viewBox.baseVal.width;
        const anchor = x < 80 ? "start" : x > wide - 80 ? "end" : "middle";
        return s("text", {
          x: x + (anchor === "start" ? 14 : anchor === "end" ? -14 : 0),
          y: y < 40 ? y + 30 : y - 18,
          "text-anchor": anchor,
          text: domain === "plan" && point === 0 ? "Depot" : called(point),
        });
      }),
    );
    put(
      layers.preview,
      preview
        ? preview.map((row, r) => (same(row, now.current[r]) ? null : s("path", { d: path(row) })))
        : [],
    );
  }

  // -- pointer: a click chooses, a drag from stop to stop does ----------------------------------------------

  const where = (event) => {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function nearest([x, y], within) {
    let best = null;
    let least = within ** 2;
    for (let r = 0; r < now.current.length; r += 1) {
      for (let k = 0; k < now.current[r].length; k += 1) {
        const [px, py] = spots[now.current[r][k]];
        const far = (px - x) ** 2 + (py - y) ** 2;
        if (far < least) {
          least = far;
          best = { r, k };
        }
      }
    }
    return best;
  }

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !now) return;
    const from = nearest(where(event), 22);
    if (!from) return;
    let over = null;
    let begun = false;
    const start = where(event);
    svg.setPointerCapture(event.pointerId);
    const move = (next) => {
      const [x, y] = where(next);
      if (!begun && Math.hypot(x - start[0], y - start[1]) < 6) return;
      if (!editable()) return;
      begun = true;
      svg.classList.add("dragging");
      const to = nearest([x, y], 40);
      if (to && !(over && to.r === over.r && to.k === over.k)) {
        over = to;
        onDrag(from, to);
      }
    };
    const end = (last) => {
      svg.removeEventListener("pointermove", move);
      svg.removeEventListener("pointerup", end);
      svg.removeEventListener("pointercancel", end);
      svg.classList.remove("dragging");
      if (!begun && last.type === "pointerup") onPick(from);
      else if (begun) {
        onDrag(from, from);
        if (last.type === "pointerup") onDrop(from, over);
      }
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
  });

  let width = 0;
  new ResizeObserver(() => {
    if (now && place.clientWidth !== width) {
      width = place.clientWidth;
      draw(now.current, now.first);
    }
  }).observe(place);

  return { draw, choose };
}

const same = (a, b) => a.length === b?.length && a.every((value, i) => value === b[i]);

/** Points without coordinates stand on a circle, in the order of the proposal. */
function circle(order, count) {
  const seen = [...new Set(order)];
  const spots = Array.from({ length: count }, () => [0, 0]);
  seen.forEach((point, i) => {
    const angle = Math.PI / 2 - (2 * Math.PI * i) / seen.length;
    spots[point] = [1.5 * Math.cos(angle), Math.sin(angle)];
  });
  return spots;
}

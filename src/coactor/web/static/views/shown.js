// What a domain shows of a solution: text, lists, tables and drawings. Data only; text is set as text.

import { h, s, table } from "../app/elements.js";
import { number } from "../app/format.js";

/** @import { Shape, View } from "../app/types.js" */

/** @param {unknown} value */
const text = (value) => {
  if (value === null || value === undefined) return "–";
  return typeof value === "number" ? number(value) : String(value);
};

/** @param {[number, number][]} points */
const joined = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");

/** @type {Record<Shape["shape"], (shape: Required<Shape>) => SVGElement>} */
const SHAPES = {
  line: ({ points }) => s("polyline", { points: joined(points) }),
  polygon: ({ points }) => s("polygon", { points: joined(points) }),
  circle: ({ at: [cx, cy], radius: r }) => s("circle", { cx, cy, r }),
  box: ({ at: [x, y], size: [width, height] }) => s("rect", { x, y, width, height }),
  text: ({ at: [x, y], text: words }) => s("text", { x, y, text: String(words) }),
};

/** @param {Shape} shape */
function draw(shape) {
  const element = SHAPES[shape.shape]?.(/** @type {Required<Shape>} */ (shape));
  if (!element) return null;
  if (shape.colour) element.style.setProperty("--colour", shape.colour);
  if (shape.title) element.append(s("title", { text: String(shape.title) }));
  return element;
}

/**
 * The cells of a table, marked where they differ from the table before.
 * @param {Extract<View, { kind: "table" }>} view @param {View} [before]
 */
function cells(view, before) {
  const old = before?.kind === "table" && before.rows.length === view.rows.length ? before : view;
  return view.rows.map((row, i) =>
    row.map((cell, j) => {
      const [now, then] = [text(cell), text(old.rows[i][j])];
      return now === then ? now : h("span", { class: "changed", title: `was ${then}`, text: now });
    }),
  );
}

/** @param {View} view @param {View} [before] @returns {Element} */
function content(view, before) {
  const label = view.title ?? "Solution";
  if (view.kind === "list")
    return h(
      "ol",
      { class: "shown-list" },
      view.items.map((item) => h("li", { dir: "auto", text: text(item) })),
    );
  if (view.kind === "table") return table(label, view.head, cells(view, before));
  if (view.kind === "drawing") {
    const viewBox = `0 0 ${view.size[0]} ${view.size[1]}`;
    const fontSize = Math.max(...view.size) / 40; // sizes are in the drawing's own unit
    return s(
      "svg",
      { class: "drawing", viewBox, "font-size": fontSize, role: "img", "aria-label": label },
      view.shapes.map(draw),
    );
  }
  const words = view.kind === "text" ? view.text : JSON.stringify(view);
  return h("p", { class: "shown-text", dir: "auto", text: text(words) });
}

/** What is known of a solution that its domain does not show: its entries, or its JSON. @param {any} solution */
function plain(solution) {
  const entries = solution?.tuple ?? solution;
  const simple =
    Array.isArray(entries) && entries.every((one) => one === null || typeof one !== "object");
  if (!simple) return h("pre", { class: "data", text: JSON.stringify(solution) });
  const rows = entries.map((one, k) => [number(k), text(one)]);
  return table("Solution", ["entry", "value"], rows);
}

/**
 * Elements for a solution; its entries if the domain does not show it.
 * @param {View[] | null} views @param {unknown} solution
 * @param {View[] | null} [before] views of the proposal: cells of tables that differ from it are marked
 */
export function drawShown(views, solution, before) {
  if (!views) return [plain(solution)];
  return views.map((view, i) =>
    h(
      "section",
      { class: "shown" },
      view.title ? h("h3", { text: view.title }) : null,
      content(view, before?.[i]),
    ),
  );
}

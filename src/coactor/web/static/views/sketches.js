// Small drawings of the proposals in the queue, how large they are, and what is wrong with them.

import { at, get } from "../app/api.js";
import { loadEditor } from "../app/editors.js";
import { h, put, s } from "../app/elements.js";
import { plural } from "../app/format.js";
import { study } from "../app/shell.js";
import { boundsOf } from "../editors/geometry.js";
import { rowsOf } from "../editors/routes/moves.js";
import { colour, makeScene, travelled } from "../editors/routes/scene.js";

/** @import { GridView, Proposal, Row } from "../app/types.js" */

const [WIDTH, HEIGHT] = [72, 48];
const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };
const ROUTES = ["tour", "fleet", "plan"];

/** @param {Proposal} data */
function drawRoutes({ domain, problem, solution }) {
  const kind = /** @type {import("../editors/routes/moves.js").Domain} */ (domain.name);
  const scene = makeScene(kind, /** @type {any} */ (problem), solution);
  const routes = travelled(scene, rowsOf(kind, solution, scene.starts));
  const lines = routes.map(({ line }) => line.map(scene.project));
  const { left, top, right, bottom } = boundsOf(lines.flat()) ?? NOWHERE;
  const k = Math.min(WIDTH / (right - left || 1), HEIGHT / (bottom - top || 1));
  return lines.map((line, r) => {
    const points = line.map(([x, y]) => `${k * (x - left)},${k * (y - top)}`).join(" ");
    return s("polyline", { class: colour(r), points });
  });
}

/** @param {GridView} view */
function drawCells({ cells, choose, names, colours }) {
  const rows = /** @type {number[][]} */ (cells);
  const [axis] = choose;
  const [width, height] = [WIDTH / rows[0].length, HEIGHT / rows.length];
  return rows.flatMap((row, i) =>
    row.map((value, j) => {
      const fill = colours[axis]?.[names[axis][value]] ?? "none";
      return s("rect", { x: j * width, y: i * height, width, height, fill });
    }),
  );
}

/** @param {Proposal} data */
function draw(data) {
  const [view] = data.shown ?? [];
  const flat = view?.kind === "grid" && view.over.length === 2 && view.choose.length === 1;
  if (flat) return drawCells(view);
  const drawn = ROUTES.includes(data.domain.name) && /** @type {any} */ (data.problem).coordinates;
  return drawn ? drawRoutes(data) : null;
}

/** How large it is and what is wrong with it. @param {Proposal} data @returns {[string, string]} */
function factsOf({ domain, solution, shown }) {
  const [view] = shown ?? [];
  const stops = [solution].flat(2).length;
  const size = ROUTES.includes(domain.name) ? plural(stops, "stop") : "";
  const broken = view && "broken" in view ? view.broken.length : 0;
  return [size, broken ? `${plural(broken, "rule")} broken` : ""];
}

/** @typedef {{ drawing: HTMLElement, facts: HTMLElement }} Sketch */

/** Each is fetched when its row comes into view, one after the other. */
export class Sketches {
  /** @type {Map<string, Sketch>} by the number and the revision of the proposal */
  #sketches = new Map();
  #module = loadEditor();
  #last = Promise.resolve();
  #seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      this.#seen.unobserve(target);
      const key = /** @type {HTMLElement} */ (target).dataset.key ?? "";
      this.#last = this.#last.then(() => this.#fetch(key)).catch(() => undefined);
    }
  });

  /** @param {string} key */
  async #fetch(key) {
    const { omitted } = await this.#module;
    /** @type {Proposal} */
    const data = await get(`${at(study, `/proposals/${key.split(" ")[0]}`)}?${omitted}`);
    const shapes = draw(data);
    const box = {
      class: "sketch",
      viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`,
      "aria-hidden": true,
    };
    const [size, broken] = factsOf(data);
    const sketch = this.#sketches.get(key);
    if (!sketch) return;
    put(sketch.drawing, shapes && s("svg", box, shapes));
    put(sketch.facts, size, broken && h("strong", { class: "over", text: ` ${broken}` }));
  }

  /** @param {Row} ticket @returns {Sketch} */
  of({ id, revision }) {
    const key = `${id} ${revision}`;
    const known = this.#sketches.get(key);
    if (known) return known;
    const sketch = {
      drawing: h("span", { class: "thumb" }),
      facts: h("span", { class: "hint", data: { key } }),
    };
    this.#sketches.set(key, sketch);
    this.#seen.observe(sketch.facts);
    return sketch;
  }
}

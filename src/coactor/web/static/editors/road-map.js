// @ts-nocheck: rewritten next
// The map of a road network: all roads faint, the route strong, the proposal as a grey ghost, other ways to take.

import { button, h, put, s } from "../app/elements.js";

const EDGE = 44; // pixels around the trip
const NEAR = 14; // pixels within which a road is meant
const FINGER = 22;

export function makeRoadMap(
  place,
  { network, background, editable, onStretch, onPoint, onWay, onDrag, onDrop },
) {
  const { plane: places } = network;
  const layer = (name) => s("g", { class: name });
  // The roads are a picture of their own, larger than what is seen: what moves above it, or the map when it is
  // pulled along, does not paint thousands of lines again.
  const base = { under: layer("under"), roads: layer("roads") };
  const floor = s("g", {}, Object.values(base));
  const floorplan = s("svg", { class: "roadground", "aria-hidden": "true" }, floor);
  const world = {
    ghost: layer("ghost"),
    others: layer("others"),
    route: layer("routes"),
    stretch: layer("chosenway"),
    preview: layer("preview"),
    grab: layer("grab"),
  };
  const plane = s("g", { class: "world" }, Object.values(world));
  const marks = layer("marks");
  const svg = s(
    "svg",
    {
      class: "plane roadmap",
      role: "img",
      "aria-label":
        "Map of the roads. The list of streets and the other ways below do all that the map does.",
    },
    plane,
    marks,
  );
  const tools = h(
    "div",
    { class: "zoom", role: "group", "aria-label": "Map" },
    button("+", () => zoom(1.5), { "aria-label": "Zoom in" }),
    button("−", () => zoom(1 / 1.5), { "aria-label": "Zoom out" }),
    button("Whole trip", () => fit(), { class: "fit" }),
  );
  put(place, h("div", { class: "sheet" }, floorplan, svg), tools);

  let now = null; // what is drawn: links, ghost, vias, ends
  let ways = [];
  let badges = []; // where the number of each way stands
  let lit = null; // the way that is looked at
  let stretch = null;
  let hover = null;
  let size = [600, 400];
  let view = { k: 1, x: 0, y: 0 };
  let home = 1;
  let painted = null; // the view in which the roads were painted last

  const pixel = ([x, y]) => [x * view.k + view.x, y * view.k + view.y];
  const ground = ([x, y]) => [(x - view.x) / view.k, (y - view.y) / view.k];
  const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  /** Links that follow each other as one line; a gap begins anew. */
  const line = (links) => {
    let last = -1;
    return links
      .map((link) => {
        const joined = network.from[link] === last;
        last = network.to[link];
        return `${joined ? "" : `M${point(network.start(link))}`}L${point(network.end(link))}`;
      })
      .join("");
  };
  const middle = (link) =>
    network.start(link).map((value, i) => (value + network.end(link)[i]) / 2);

  // -- what is under everything, drawn once ------------------------------------------------------------

  function drawRoads() {
    const drawn = { small: [], broad: [], fast: [] };
    for (let link = 0; link < network.count; link += 1) {
      const twin = network.twin(link);
      if (twin === null || twin > link)
        drawn[network.breadth(link)].push(
          `M${point(network.start(link))}L${point(network.end(link))}`,
        );
    }
    put(
      base.roads,
      Object.entries(drawn).map(([kind, lines]) => s("path", { class: kind, d: lines.join("") })),
    );
    put(
      base.under,
      background
        .filter((one) => one.name !== "motorway")
        .map((one) => {
          if (one.kind === "area") {
            const [x, y] = places.put(one.at);
            return s(
              "g",
              { class: one.name },
              s("circle", { cx: x, cy: y, r: one.radius * places.unit }),
            );
          }
          return s(
            "g",
            { class: one.name },
            s("polyline", { points: one.points.map((p) => point(places.put(p))).join(",") }),
          );
        }),
    );
  }

  // -- the view -----------------------------------------------------------------------------------------

  function measure() {
    const width = place.clientWidth || 600;
    size = [width, Math.max(280, Math.min(520, Math.round(width * 0.66)))];
    svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    svg.setAttribute("height", size[1]);
    floorplan.setAttribute(
      "viewBox",
      `${-size[0] / 2} ${-size[1] / 2} ${2 * size[0]} ${2 * size[1]}`,
    );
    painted = null;
  }

  /** Bring the whole trip into view, and another way with it. */
  function fit(more = []) {
    const spots = [...now.links, ...now.ghost, ...more].flatMap((link) => [
      network.start(link),
      network.end(link),
    ]);
    const [xs, ys] = [spots.map((p) => p[0]), spots.map((p) => p[1])];
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const k = Math.min(
      (size[0] - 2 * EDGE) / (x1 - x0 || 1),
      (size[1] - 2 * EDGE) / (y1 - y0 || 1),
      40,
    );
    home = k;
    look({ k, x: size[0] / 2 - (k * (x0 + x1)) / 2, y: size[1] / 2 - (k * (y0 + y1)) / 2 });
  }

  const inView = (links) =>
    links.every((link) => {
      const [x, y] = pixel(network.end(link));
      return x > 18 && y > 18 && x < size[0] - 18 && y < size[1] - 18;
    });

  let panning = null; // the view a pan began with: marks then move with the map, and are set anew at its end
  let waiting = false;
  function look(next) {
    view = next;
    plane.setAttribute("transform", `matrix(${view.k} 0 0 ${view.k} ${view.x} ${view.y})`);
    let [x, y] =
      painted?.k === view.k ? [view.x - painted.x, view.y - painted.y] : [Infinity, Infinity];
    if (Math.abs(x) > size[0] / 2 || Math.abs(y) > size[1] / 2) {
      painted = view;
      [x, y] = [0, 0];
      floor.setAttribute("transform", plane.getAttribute("transform"));
    }
    floorplan.style.transform = `translate(${x}px, ${y}px)`;
    svg.classList.toggle("near", view.k > home * 1.01); // a finger then moves the map, not the page
    if (panning) {
      marks.setAttribute("transform", `translate(${view.x - panning.x} ${view.y - panning.y})`);
      return;
    }
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawMarks();
    });
  }

  function zoom(by, [x, y] = [size[0] / 2, size[1] / 2]) {
    const k = Math.max(home / 3, Math.min(home * 30, view.k * by));
    look({ k, x: x - (x - view.x) * (k / view.k), y: y - (y - view.y) * (k / view.k) });
  }

  // -- what is over it, in pixels -----------------------------------------------------------------------

  const badge = (spot, text, name, title) => {
    const [x, y] = pixel(spot);
    return s(
      "g",
      { class: `badge ${name}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
      name === "via"
        ? s("rect", { x: -8, y: -8, width: 16, height: 16, transform: "rotate(45)", rx: 2 })
        : s("circle", { r: 11 }),
      s("text", { dy: "0.36em", text }),
      s("title", { text: title }),
    );
  };

  function drawMarks() {
    if (!now) return;
    marks.removeAttribute("transform");
    const [first, last] = [now.links[0], now.links.at(-1)];
    const taken = [];
    const free = (box) =>
      !taken.some(
        (other) =>
          Math.abs(box[0] - other[0]) < (box[2] + other[2]) / 2 && Math.abs(box[1] - other[1]) < 20,
      );
    for (const link of [first, last, ...now.vias]) taken.push([...pixel(middle(link)), 24]);
    badges = ways.map((way) => {
      const spot = roomy(changed(way.links), taken);
      taken.push([...pixel(spot), 24]);
      return spot;
    });
    const signs = [
      ...ways.map((way, i) =>
        badge(badges[i], i + 1, `w${i}${lit === way ? " lit" : ""}`, `Other way ${i + 1}`),
      ),
      ...now.vias.map((link, i) =>
        badge(middle(link), i + 1, "via", `Via-point ${i + 1}: ${network.nameOf(link)}`),
      ),
      badge(middle(first), "A", "end", `From ${network.nameOf(first)}`),
      badge(middle(last), "B", "end", `To ${network.nameOf(last)}`),
    ];
    const [names, top] = [[], []];
    const label = (link, name, className) => {
      const [x, y] = pixel(middle(link));
      const box = [x, y - 14, 7.2 * name.length];
      if (x < box[2] / 2 || x > size[0] - box[2] / 2 || y < 20 || y > size[1] - 4) return;
      if (className !== "pointed" && !free(box)) return;
      taken.push(box);
      (className === "pointed" ? top : names).push(
        s("text", { x: x.toFixed(1), y: (y - 9).toFixed(1), class: className, text: name }),
      );
    };
    const landmarks = background
      .filter((one) => one.name !== "motorway")
      .map((one) => {
        const spots = (one.points ?? [one.at]).map((p) => pixel(places.put(p)));
        const [x, y] = spots.find(
          ([px, py]) => px > 40 && px < size[0] - 40 && py > 30 && py < size[1] - 10,
        ) ?? [-1, -1];
        return x < 0 ? null : s("text", { x, y: y + 4, class: "landmark", text: one.name });
      });
    if (hover !== null) label(hover, network.nameOf(hover), "pointed");
    for (const row of [...now.rows].sort((a, b) => b.length - a.length))
      label(row.links[Math.floor(row.links.length / 2)], row.name, "street");
    put(
      marks,
      s("g", { class: "under" }, landmarks),
      s("g", { class: "labels" }, names),
      signs,
      s("g", { class: "labels" }, top),
    );
  }

  /** Where on a line there is room for a mark: in the middle, if nothing stands there. */
  function roomy(links, taken) {
    const spots = [0.5, 0.35, 0.65, 0.2, 0.8].map((share) =>
      middle(links[Math.floor(share * links.length)]),
    );
    return (
      spots.find((spot) => {
        const [x, y] = pixel(spot);
        return taken.every((box) => Math.hypot(box[0] - x, box[1] - y) > 26);
      }) ?? spots[0]
    );
  }

  const changed = (links) => {
    const old = new Set(now.links);
    return links.filter((link) => !old.has(link));
  };

  // -- what the editor says ---------------------------------------------------------------------------------

  function draw(links, ghost, vias, rows) {
    const begin = now === null;
    now = { links, ghost, vias, rows };
    [ways, lit] = [[], null];
    if (begin) {
      measure();
      drawRoads();
      fit();
    }
    put(world.ghost, String(ghost) === String(links) ? [] : s("path", { d: line(ghost) }));
    put(world.route, s("path", { class: "c0", d: line(links) }));
    put(world.grab, s("path", { d: line(links) }));
    put(world.others);
    put(world.preview);
    if (!begin && view.k <= home * 1.01 && !inView(links)) fit();
    drawMarks();
  }

  /** The stretch that is looked at: positions in the route, or null for all of it. */
  function choose(part) {
    stretch = part;
    put(
      world.stretch,
      stretch ? s("path", { d: line(now.links.slice(stretch[0], stretch[1] + 1)) }) : [],
    );
  }

  function offer(some) {
    ways = some;
    put(
      world.others,
      ways.map((way, i) =>
        s("g", { class: `w${i}`, data: { way: i } }, s("path", { d: line(changed(way.links)) })),
      ),
    );
    drawMarks();
  }

  function light(way) {
    lit = way;
    put(world.preview, way ? s("path", { d: line(changed(way.links)) }) : []);
    const held = svg.classList.contains("dragging"); // the map stays under a hand that pulls the route
    if (way && !held && view.k <= home * 1.01 && !inView(way.links)) fit(way.links);
    drawMarks();
  }

  // -- pointer ----------------------------------------------------------------------------------------------

  const where = (event) => {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const reach = (event) => (event.pointerType === "touch" ? FINGER : NEAR) / view.k;

  /** What lies under a pointer: another way (by its number or its line), a place on the route, or any road. */
  function under(event) {
    const [x, y] = where(event);
    const spot = ground([x, y]);
    const route = network.nearest(spot, reach(event), now.links);
    const pull = route.link !== null; // whatever else is there: what begins on the route pulls it
    const marked = badges.findIndex((one) => {
      const [bx, by] = pixel(one);
      return Math.hypot(bx - x, by - y) < 14;
    });
    if (marked >= 0) return { way: ways[marked], pull };
    const near = ways
      .map((way) => ({ way, ...network.nearest(spot, reach(event), changed(way.links)) }))
      .filter((one) => one.link !== null)
      .sort((a, b) => a.far - b.far)[0];
    if (near && (!pull || near.far < route.far)) return { way: near.way, pull };
    if (pull) return { position: now.links.indexOf(route.link), pull };
    const { link } = network.nearest(spot, reach(event));
    return link === null ? {} : { link };
  }

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !now) return;
    const target = under(event);
    const start = where(event);
    const from = { ...view };
    const finger = event.pointerType === "touch";
    let doing = null; // "route" or "map"
    let over = null;
    const move = (next) => {
      const [x, y] = where(next);
      if (!doing) {
        if (Math.hypot(x - start[0], y - start[1]) < 6) return;
        doing = target.pull && editable() ? "route" : "map";
        if (doing === "map" && finger && !svg.classList.contains("near")) {
          end(next);
          return;
        }
        svg.setPointerCapture(event.pointerId);
        svg.classList.add("dragging");
        if (doing === "map") panning = view;
      }
      if (doing === "map") {
        look({ ...from, x: from.x + x - start[0], y: from.y + y - start[1] });
        return;
      }
      const { link } = network.nearest(ground([x, y]), 40 / view.k);
      if (link !== null && link !== over) {
        over = link;
        hover = link;
        onDrag(link);
        drawMarks();
      }
    };
    const end = (last) => {
      for (const [kind, act] of [
        ["pointermove", move],
        ["pointerup", end],
        ["pointercancel", end],
      ])
        svg.removeEventListener(kind, act);
      svg.classList.remove("dragging");
      [hover, panning] = [null, null];
      if (doing === "map") drawMarks();
      if (doing === "route") onDrop(last.type === "pointerup" ? over : null);
      else if (!doing && last.type === "pointerup") {
        if (target.way) onWay(target.way);
        else if (target.position !== undefined) onStretch(target.position);
        else if (target.link !== undefined) onPoint(target.link);
      }
    };
    for (const [kind, act] of [
      ["pointermove", move],
      ["pointerup", end],
      ["pointercancel", end],
    ])
      svg.addEventListener(kind, act);
  });

  svg.addEventListener("pointermove", (event) => {
    if (event.buttons || event.pointerType === "touch" || !now) return;
    const found = under(event);
    const next = found.link ?? (found.position !== undefined ? now.links[found.position] : null);
    svg.classList.toggle("over", Boolean(found.way) || next !== null);
    if (next !== hover) {
      hover = next;
      drawMarks();
    }
  });
  svg.addEventListener("pointerleave", () => {
    if (hover !== null) {
      hover = null;
      drawMarks();
    }
  });
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 300), where(event));
    },
    { passive: false },
  );

  let width = 0;
  new ResizeObserver(() => {
    if (!now || place.clientWidth === width) return;
    width = place.clientWidth;
    measure();
    fit();
  }).observe(place);

  return { draw, choose, offer, light, fit };
}

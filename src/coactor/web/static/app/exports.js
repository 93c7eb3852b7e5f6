// Routes as files that maps and navigation devices read.

import { h } from "./elements.js";

/** @import { Point, TravelledRoute } from "./types.js" */

/** @param {string} text @param {string} type @param {string} name */
export function saveText(text, type, name) {
  const href = `data:${type};charset=utf-8,${encodeURIComponent(text)}`;
  h("a", { href, download: name }).click();
}

/** GeoJSON: a line per route and a point per stop. @param {TravelledRoute[]} routes */
export function toGeoJson(routes) {
  /** @param {string} type @param {unknown} coordinates @param {Record<string, unknown>} properties */
  const feature = (type, coordinates, properties) => ({
    type: "Feature",
    properties,
    geometry: { type, coordinates },
  });
  const features = routes.flatMap(({ name, line, stops }) => [
    feature("LineString", line, { name }),
    ...stops.map((stop, i) =>
      feature("Point", stop.at, { name: stop.name, route: name, place: i }),
    ),
  ]);
  return JSON.stringify({ type: "FeatureCollection", features }, null, 1);
}

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

/** @param {string} tag @param {Point} at @param {string} [name] */
function gpxPoint(tag, [longitude, latitude], name) {
  const inside = name === undefined ? "" : `<name>${escaped(name)}</name>`;
  return `<${tag} lat="${latitude}" lon="${longitude}">${inside}</${tag}>`;
}

/** GPX 1.1: a route of named stops, and a track of the line, for each route. @param {TravelledRoute[]} routes */
export function toGpx(routes) {
  const parts = routes.map(({ name, line, stops }) => [
    stops.length
      ? `<rte><name>${escaped(name)}</name>${stops.map((stop) => gpxPoint("rtept", stop.at, stop.name)).join("")}</rte>`
      : "",
    `<trk><name>${escaped(name)}</name><trkseg>${line.map((at) => gpxPoint("trkpt", at)).join("")}</trkseg></trk>`,
  ]);
  // The format wants all routes before all tracks.
  const body = [...parts.map(([route]) => route), ...parts.map(([, track]) => track)].join("\n");
  const head = '<gpx version="1.1" creator="coactor" xmlns="http://www.topografix.com/GPX/1/1">';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${body}\n</gpx>\n`;
}

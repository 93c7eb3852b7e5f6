// Loads and times of routes, as the server has computed them: in words and as bars.

import { h } from "../../app/elements.js";
import { amount, feature, number, plural } from "../../app/format.js";

/** @import { Proposal, RouteTimes, RoutesView, View } from "../../app/types.js" */

const SOME = 0.5; // minutes that are worth a word

/** What the server shows of routes; nothing of tours. @param {View[] | null} shown @returns {RoutesView} */
export function routesOf(shown) {
  const [view] = shown ?? [];
  return view?.kind === "routes" ? view : { kind: "routes", routes: [], broken: [] };
}

/** Minutes since midnight as a time of day. @param {number} minutes */
export function clockText(minutes) {
  const whole = Math.round(minutes);
  return `${Math.floor(whole / 60)}:${String(((whole % 60) + 60) % 60).padStart(2, "0")}`;
}

/** @param {RouteTimes} route */
export const loadText = ({ load, capacity }) =>
  load.map((amount, k) => `${number(amount)} of ${number(capacity[k])}`).join(", ");

/** @param {RouteTimes} route */
export const isOver = ({ load, capacity }) => load.some((one, k) => one > capacity[k] + 1e-6);

/** @param {RouteTimes} route */
const lateOf = ({ stops = [] }) => stops.reduce((sum, [, , , late]) => sum + late, 0);

/** @param {RouteTimes} route */
const overtimeOf = ({ end = 0, until }) => Math.max(0, end - (until ?? end));

/** What is wrong with a stop's time, or that there is waiting. @param {number[] | undefined} stop */
export function stopRemark(stop) {
  if (!stop) return "";
  const [at, begin, , late] = stop;
  if (late > SOME) return `${Math.round(late)} min late`;
  return begin - at > SOME ? `waits ${Math.round(begin - at)} min` : "";
}

/** The length, the lateness and the overtime of a route. @param {RouteTimes} route @param {Proposal} data */
export function routeFacts(route, { feature_names: names }) {
  const at = Math.max(
    0,
    names.findIndex((name) => /distance|km/.test(name)),
  );
  const { label, unit, factor } = feature(names[at]);
  const length = amount(route.amounts[at] * factor, unit);
  const [late, over] = [lateOf(route), overtimeOf(route)].map(Math.round);
  return [
    unit ? length : `${label} ${length}`,
    late ? `${late} min late` : "",
    over ? `${over} min overtime` : "",
  ].filter(Boolean);
}

/** When all is done: a late stop may be served after the end, which counts as if it had been on time. @param {RouteTimes} route */
const lastOf = ({ end = 0, stops = [] }) =>
  Math.max(end, ...stops.map(([at, begin, leave]) => Math.max(at, begin) + leave - begin));

/** The first and the last minute of all routes. @param {RouteTimes[]} routes @returns {[number, number]} */
export function spanOf(routes) {
  const driven = routes.filter(({ stops }) => stops?.length);
  const ends = driven.flatMap((route) => [route.start ?? 0, lastOf(route), route.until ?? 0]);
  return [Math.min(...ends.filter(Boolean)), Math.max(...ends)];
}

/**
 * A route as a bar from its start to its end: driving, service, waiting, lateness, and where the shift ends.
 * @param {RouteTimes} route @param {[number, number]} span of the whole bar
 */
export function timeBar(route, [first, last]) {
  const { start = 0, end = 0, until, stops } = route;
  if (!stops?.length) return null;
  /** @param {string} kind @param {number} from @param {number} to */
  const piece = (kind, from, to) => {
    const element = h("i", { class: kind });
    const share = 100 / (last - first || 1);
    element.style.left = `${share * (from - first)}%`;
    element.style.width = `${share * (to - from)}%`;
    return element;
  };
  const pieces = stops.flatMap(([at, begin, leave, late]) => [
    begin - at > SOME ? piece("waiting", at, begin) : null,
    late > SOME ? piece("service late", at, at + leave - begin) : piece("service", begin, leave),
  ]);
  const shift = until === null || until === undefined ? "" : `, shift until ${clockText(until)}`;
  return h(
    "span",
    {
      class: "timebar",
      title: `${clockText(start)} to ${clockText(end)}${shift}, ${plural(stops.length, "stop")}. Blocks are stops; red is late.`,
    },
    piece("drive", start, lastOf(route)),
    pieces,
    until && end > until + SOME ? piece("overtime", until, end) : null,
    until ? piece("shift", until, until) : null,
  );
}

// What has been learned, in words and bars.

import { h, put, s } from "../app/dom.js";
import { feature, number, plural } from "../app/format.js";

const UNKNOWN = 0.15; // with less of the doubt gone, nothing is said

/** Bars of how much each feature matters, how it moved, and what it is worth. */
export function weightTable(place, beliefs, history, domain, compare = null) {
  const { weights, matter, known, feature_names: names } = beliefs;
  const sure = matter.map((value, i) => ((known?.[i] ?? 1) < UNKNOWN ? 0 : value)); // a guess is no knowledge: it gets no bar
  const largest = Math.max(...sure.map(Math.abs), ...(compare?.matter ?? []).map(Math.abs), 1e-12);
  const parts = names.map((name, i) => ({
    ...feature(name),
    i,
    weight: weights[i],
    matter: sure[i],
    known: known?.[i] ?? 1,
  }));
  const reference =
    Math.abs(parts[0].matter) > 0.05 * largest && parts[0].known > 0.2
      ? parts[0]
      : parts.reduce((a, b) => (Math.abs(b.matter) > Math.abs(a.matter) ? b : a));
  const few =
    parts.length > 20
      ? [...parts].sort((a, b) => Math.abs(b.matter) - Math.abs(a.matter)).slice(0, 20)
      : parts;
  put(
    place,
    h(
      "div",
      { class: "weights", role: "list" },
      few.map((part) =>
        h(
          "div",
          { role: "listitem", class: "weight" },
          h(
            "span",
            { class: "called" },
            h("b", { text: part.label }),
            " ",
            h("small", { text: inWords(part, largest, domain) }),
          ),
          bar(
            part.matter / largest,
            compare ? compare.matter[part.i] / largest : null,
            compare?.text ?? "",
          ),
          history.length > 1
            ? spark(
                history.map((row) => row.matter[part.i]),
                largest,
              )
            : h("span"),
          h("span", {
            class: "hint worth",
            text: Math.abs(part.matter) < 0.05 * largest ? "" : worth(part, reference),
          }),
        ),
      ),
    ),
    parts.length > few.length
      ? h("p", {
          class: "hint",
          text: `The ${few.length} of ${plural(parts.length, "feature")} that matter most.`,
        })
      : null,
  );
}

function inWords(part, largest, domain) {
  if (part.known < UNKNOWN) return "not known yet";
  const share = Math.abs(part.matter) / largest;
  if (share < 0.05) return "makes no difference";
  const wanted = domain === "ranking" ? part.weight > 0 : part.weight < 0;
  return `${wanted ? "wanted" : "avoided"}${share > 0.5 ? ", strongly" : share > 0.2 ? "" : ", a little"}`;
}

const one = ({ label, unit }, count) =>
  unit ? `${number(count)} ${unit} of ${label}` : `+${number(count)} in “${label}”`;

function worth(part, reference) {
  if (part.i === reference.i || part.known < UNKNOWN || !reference.weight) return "";
  const rate = Math.abs(part.weight / part.factor / (reference.weight / reference.factor));
  return rate < 1e-3 || rate > 1e4 ? "" : `${one(part, 1)} counts like ${one(reference, rate)}`;
}

function bar(share, other, text) {
  const half = 70;
  const from = (value) => ({
    x: half + Math.min(0, value) * half,
    width: Math.max(1, Math.abs(value) * half),
  });
  return s(
    "svg",
    {
      class: "bar",
      viewBox: `0 0 ${2 * half} 18`,
      width: 2 * half,
      height: 18,
      role: "img",
      "aria-label": `${Math.round(share * 100)} of 100${other === null ? "" : `; ${text}: ${Math.round(other * 100)}`}`,
    },
    s("rect", {
      class: share < 0 ? "minus" : "plus",
      ...from(share),
      y: other === null ? 4 : 1,
      height: other === null ? 10 : 7,
    }),
    other === null ? null : s("rect", { class: "other", ...from(other), y: 10, height: 7 }),
    s("line", { x1: half, x2: half, y1: 0, y2: 18 }),
  );
}

function spark(values, largest) {
  const [w, t] = [90, 18];
  const d = values
    .map(
      (value, i) =>
        `${i ? "L" : "M"}${((i / (values.length - 1)) * w).toFixed(1)} ${(t / 2 - (value / largest) * (t / 2 - 1)).toFixed(1)}`,
    )
    .join("");
  return s(
    "svg",
    {
      class: "spark",
      viewBox: `0 0 ${w} ${t}`,
      width: w,
      height: t,
      role: "img",
      "aria-label": "how it moved",
    },
    s("line", { x1: 0, x2: w, y1: t / 2, y2: t / 2 }),
    s("path", { d }),
  );
}

// Numbers, times and features as people write them.

/** "distance (km)" is the feature "distance" in "km"; "main road (×84 m)" is counted in steps of 84 m. */
export function feature(name) {
  const found = /^(.*\S)\s*\((?:×([0-9.e+]+) )?([^()]{1,12})\)$/.exec(name);
  return found
    ? { label: found[1], unit: found[3], factor: Number(found[2] ?? 1) }
    : { label: name, unit: "", factor: 1 };
}

/** A number with as many digits as it deserves. */
export function number(value, digits = 3) {
  if (value === 0 || !Number.isFinite(value)) return "0";
  const size = Math.abs(value);
  if (size >= 1e12 || size < 1e-3) return value.toExponential(1).replace("-", "−");
  if (size >= 1e4)
    return Math.round(value).toLocaleString("en").replaceAll(",", "\u202f").replace("-", "−");
  const places = Math.max(0, Math.min(4, digits - 1 - Math.floor(Math.log10(size))));
  return Number(value.toFixed(places)).toString().replace("-", "−");
}

/** The same with its sign. */
export const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));

export const amount = (value, unit) => (unit ? `${number(value)} ${unit}` : number(value));

export const plural = (count, one, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;

/** How long ago, roughly. */
export function ago(seconds) {
  const past = Date.now() / 1000 - seconds;
  if (past < 60) return "just now";
  if (past < 3600) return `${Math.round(past / 60)} min ago`;
  if (past < 86400) return `${Math.round(past / 3600)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
}

export const clock = (seconds) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A sentence whose percentages stay in one piece at the end of a line. */
export const tight = (text) => text.replace(/(\d) %/g, "$1\u00a0%");

/** A chance in per cent; nothing is ever quite certain. */
export const percent = (share) => `${Math.min(99, Math.max(1, Math.round(100 * share)))} %`;

/** How likely a proposal is to be accepted untouched; nothing where nobody can tell. */
export function likely(chance) {
  if (chance === null || chance === undefined) return "";
  if (chance >= 2 / 3) return `likely fine as it is: ${percent(chance)}`;
  return chance >= 1 / 3
    ? `may be fine as it is: ${percent(chance)}`
    : `likely to need edits: ${percent(1 - chance)}`;
}

export const list = (parts) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

/** What kind of thing is edited: how its numbers are shown. Costs are kept as minus the sum; people want the sum. */
export function shown(domain, count) {
  if (domain !== "ranking") return { factor: -1, note: "" };
  let total = 0;
  for (let place = 1; place <= count; place += 1) total += 1 / Math.log2(place + 1);
  return { factor: 1 / total, note: "Means over the list; the top counts most." };
}

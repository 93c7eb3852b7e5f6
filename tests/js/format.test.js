import assert from "node:assert/strict";
import { test } from "node:test";
import {
  amount,
  changeTexts,
  feature,
  heard,
  letters,
  likely,
  list,
  number,
  percent,
  plural,
  shownAs,
  signed,
  signedAmount,
  standing,
} from "../../src/coactor/web/static/app/format.js";
import { takenBack } from "../../src/coactor/web/static/app/names.js";

test("number keeps about three digits and never invents a zero", () => {
  assert.equal(number(0), "0");
  assert.equal(number(Number.NaN), "–");
  assert.equal(number(Number.POSITIVE_INFINITY), "∞");
  assert.equal(number(Number.NEGATIVE_INFINITY), "−∞");
  assert.equal(number(1.23456), "1.23");
  assert.equal(number(-12.3456), "−12.3");
  assert.equal(number(20000), "20\u202f000");
  assert.equal(number(0.00012), "1.2e−4");
  assert.equal(signed(2), "+2");
  assert.equal(signed(-2), "−2");
});

test("minutes are seconds below one, and have no more than tenths", () => {
  assert.equal(amount(0.439, "min"), "26 s");
  assert.equal(amount(25.12, "min"), "25.1 min");
  assert.equal(signedAmount(-0.018, "min"), "−1 s");
  assert.equal(signedAmount(0.439, "km"), "+0.439 km");
});

test("feature splits a name into label, unit and factor", () => {
  assert.deepEqual(feature("distance (km)"), { label: "distance", unit: "km", factor: 1 });
  assert.deepEqual(feature("main road (×84 m)"), { label: "main road", unit: "m", factor: 84 });
  assert.deepEqual(feature("left turns"), { label: "left turns", unit: "", factor: 1 });
  assert.equal(feature("f(x) is not a unit").unit, "");
  assert.deepEqual(feature("single nights (nights)"), {
    label: "single nights",
    unit: "",
    factor: 1,
  });
  assert.equal(feature("main road (m)").unit, "m");
  assert.equal(amount(1, "points"), "1 point");
  assert.equal(signedAmount(-1, "points"), "−1 point");
  assert.equal(amount(1, "s"), "1 s");
});

test("a study stands in counts, without invented percentages and with the right plurals", () => {
  assert.equal(standing({ told: 0, open: 3, untouched: 0, effort: 0 }), "3 open");
  assert.equal(
    standing({ told: 2, open: 1, untouched: 0, effort: 2 }),
    "1 open, 2 done (0 unchanged), 1 edit per proposal",
  );
  assert.match(standing({ told: 3, open: 0, untouched: 1, effort: 5 }), / 1.7 edits per/);
});

test("a statement is answered with what it has changed", () => {
  const row = (/** @type {string} */ words, taste = 1) => ({
    feature: "uneven days (days)",
    words,
    taste,
  });
  const avoided = row("probably avoided, strongly", -1);
  assert.equal(
    heard(avoided, row("avoided", -0.4), "more", "You do"),
    "You do not mind “uneven days” as much as was thought: this counts as evidence.",
  );
  assert.match(
    heard(row("wanted"), row("not known yet"), "less", "Ben does"),
    /^Ben does not want “/,
  );
  assert.match(
    heard(avoided, avoided, "more", "You do"),
    /^Noted\. More corrections against .* needed/,
  );
  const unknown = row("not known yet");
  assert.equal(
    heard(unknown, unknown, "less", "You do"),
    "Noted: less “uneven days”. It is evidence, worth about one edit.",
  );
});

test("a statement is taken back by a later rollback to before it, unless that was taken back", () => {
  const said = { version: 5, how: "said", learned_for: "ana" };
  const back = (/** @type {number} */ version, /** @type {number} */ to, learned_for = "") => ({
    version,
    how: "rolled back",
    to,
    learned_for,
  });
  assert.equal(takenBack(said, [said]), false);
  assert.equal(takenBack(said, [back(4, 2), said]), false);
  assert.equal(takenBack(said, [said, back(6, 4)]), true);
  assert.equal(takenBack(said, [said, back(6, 4, "ben")]), false);
  assert.equal(takenBack(said, [said, back(6, 4, "ana"), back(7, 5)]), false);
  assert.equal(takenBack(said, [said, { ...said, version: 6 }, back(7, 5)]), false);
});

test("letters go on after Z", () => {
  assert.deepEqual([0, 25, 26, 27, 51, 52, 701, 702].map(letters), [
    "A",
    "Z",
    "AA",
    "AB",
    "AZ",
    "BA",
    "ZZ",
    "AAA",
  ]);
});

test("chances are never certain", () => {
  assert.equal(percent(0), "1 %");
  assert.equal(percent(1), "99 %");
  assert.equal(likely(null), "");
  assert.equal(likely(0.9), "likely fine as it is: 90 %");
  assert.equal(likely(0.5), "may be fine as it is: 50 %");
  assert.equal(likely(0.1), "likely to need edits: 90 %");
});

test("lists and plurals", () => {
  assert.equal(list([]), "");
  assert.equal(list(["a"]), "a");
  assert.equal(list(["a", "b", "c"]), "a, b and c");
  assert.equal(plural(1, "edit"), "1 edit");
  assert.equal(plural(2, "edit"), "2 edits");
});

test("shownAs turns the sign of costs only", () => {
  const solution = [0, 1];
  const of = (name, signs) => shownAs({ domain: { name }, signs, solution }).factors;
  assert.deepEqual(of("tour", [-1, 1]), [-1, 1]);
  assert.deepEqual(of("ranking", [1]), [1 / (1 + 1 / Math.log2(3))]);
});

test("changes are named in the domain's direction and units, what matters most first", () => {
  const proposal = {
    domain: { name: "roster" },
    signs: [-1, 1, -1],
    feature_names: ["Late (hours)", "Asked for", "Nights"],
    weights: [1, 5, 2],
  };
  const texts = changeTexts(proposal, [2, 1, 0], 3);
  assert.deepEqual(texts, ["Asked for +1", "Late −2 hours"]);
});

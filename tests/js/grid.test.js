import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countText,
  Layout,
  shortNames,
  unravel,
} from "../../src/coactor/web/static/editors/grid/layout.js";

const shift = ["off", "morning", "evening"];
const roster = new Layout({
  kind: "grid",
  over: ["nurse", "day"],
  choose: ["shift"],
  swaps: ["nurse"],
  along: "day",
  longest: 3,
  names: { nurse: ["Ana", "Ben"], day: ["Mon", "Tue", "Wed"], shift },
  colours: {},
  cells: [
    [0, 1, 2],
    [2, 0, 1],
  ],
  margins: [],
});
const school = new Layout({
  kind: "grid",
  over: ["lesson"],
  choose: ["room", "hour"],
  swaps: ["lesson"],
  along: "lesson",
  longest: 1,
  names: { lesson: ["Art", "Music"], room: ["hall", "lab"], hour: ["8", "9", "10"] },
  colours: {},
  cells: [0, 4],
  margins: [],
});

test("cells are numbered as in the nested lists", () => {
  const cells = [
    [0, 1, 2],
    [2, 0, 1],
  ];
  assert.deepEqual(roster.nested(roster.flat(cells)), cells);
  assert.deepEqual(unravel(4, [2, 3]), [1, 1]);
  assert.equal(roster.nameOf(4), "Ben, Tue");
  assert.equal(school.choiceName(5), "lab, 10");
});

test("moves are made and described as the model does it", () => {
  const now = [0, 1, 2, 2, 0, 1];
  const set = roster.setMove(1, 2);
  assert.deepEqual(set, { op: "set", args: [0, 1, 2] });
  assert.deepEqual(roster.apply(now, set), [0, 2, 2, 2, 0, 1]);
  assert.equal(roster.describe(set), "Ana, Tue: evening");
  const swap = roster.swapMove(4, 1);
  assert.deepEqual(swap, { op: "swap", args: [0, 1, 1, 1] });
  assert.deepEqual(roster.apply(now, swap), [0, 0, 2, 2, 1, 1]);
  assert.equal(roster.describe(swap), "Exchange Ana and Ben, Tue");
  const block = { op: "block", args: [0, 1, 1, 1, 2] };
  assert.deepEqual(roster.apply(now, block), [0, 0, 1, 2, 1, 2]);
  assert.equal(roster.describe(block), "Exchange Ana and Ben, Tue to Wed");
  assert.deepEqual(school.setMove(1, 5), { op: "set", args: [1, 1, 2] });
});

test("cells are exchanged along the axes for swaps only", () => {
  assert.equal(roster.exchangeable(1, 4), true);
  assert.equal(roster.exchangeable(0, 1), false);
  assert.equal(roster.exchangeable(0, 4), false);
});

test("stretches are exchanged without the cells at their ends that are alike", () => {
  const now = [0, 1, 2, 0, 2, 1];
  assert.deepEqual(roster.line(1, 3), [1, 2]);
  assert.equal(roster.reach(0, 2), 3);
  assert.equal(roster.reach(0, 3), 0);
  assert.equal(roster.aligned(0, 5), 3);
  assert.equal(roster.nameOf(0, 2), "Ana, Mon to Tue");
  assert.deepEqual(roster.exchange(now, 0, 3, 3), { op: "block", args: [0, 1, 1, 1, 2] });
  assert.deepEqual(roster.exchange(now, 3, 0, 2), { op: "swap", args: [0, 1, 1, 1] });
  assert.equal(roster.exchange(now, 0, 3, 1), null);
});

/** A count without a need. */
const plain = (value) => ({ value, need: null });

test("counts stand beside the rows or below the columns that they belong to", () => {
  const margins = [
    { name: "days", at: { nurse: [0, 1] }, counts: [2, 2] },
    {
      name: "staff",
      at: { day: [0, 1, 2], shift: [1, 2] },
      counts: [
        [0, 1],
        [1, 0],
        [1, 1],
      ],
    },
    { name: "late", at: { nurse: [1], day: [2] }, counts: [[1]] },
  ];
  assert.deepEqual(roster.rowCounts(margins), [{ name: "days", values: [2, 2].map(plain) }]);
  assert.deepEqual(roster.columnCounts(margins), [
    { name: "staff morning", values: [0, 1, 1].map(plain) },
    { name: "staff evening", values: [1, 0, 1].map(plain) },
  ]);
  const needed = [{ name: "days", at: { nurse: [0, 1] }, counts: [2, 3], need: [3, 3] }];
  const texts = roster.rowCounts(needed)[0].values.map((one) => countText(one, ""));
  assert.deepEqual(texts, ["2/3", "3/3"]);
});

test("short names differ as long as three letters can tell", () => {
  assert.deepEqual(shortNames(shift), ["O", "M", "E"]);
  assert.deepEqual(shortNames(["late", "long", "off"]), ["La", "Lo", "Of"]);
  assert.deepEqual(shortNames(["Room 1", "Room 2"]), ["Roo", "Roo"]);
});

test("counts that belong to no row and no column are listed by their names", () => {
  const margins = [
    { name: "evenings", at: { shift: [1, 2] }, counts: [2, 1] },
    { name: "in all", at: {}, counts: 3 },
    { name: "days", at: { nurse: [0, 1] }, counts: [2, 2] },
  ];
  assert.deepEqual(roster.otherCounts(margins), [
    {
      name: "evenings",
      values: [
        { name: "morning", value: plain(2) },
        { name: "evening", value: plain(1) },
      ],
    },
    { name: "in all", values: [{ name: "", value: plain(3) }] },
  ]);
});

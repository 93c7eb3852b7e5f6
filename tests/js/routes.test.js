import assert from "node:assert/strict";
import { test } from "node:test";
import { viewOf } from "../../src/coactor/web/static/editors/camera.js";
import { eastScale, outliers } from "../../src/coactor/web/static/editors/geometry.js";
import { outOfOrder } from "../../src/coactor/web/static/editors/list-moves.js";
import {
  applied,
  edgeChanges,
  edgesOf,
  movedStops,
  moveFor,
  rowsOf,
  solutionOf,
  spotsOf,
} from "../../src/coactor/web/static/editors/routes/moves.js";
import { clockText, stopRemark } from "../../src/coactor/web/static/editors/routes/times.js";

test("degrees are drawn as wide as they are in truth; other coordinates as they are", () => {
  const berlin = [
    [13.3, 52.4],
    [13.5, 52.6],
  ];
  assert.ok(Math.abs(eastScale(berlin) - 0.609) < 0.001);
  const plain = [
    [0, 0],
    [12, 8],
  ];
  assert.equal(eastScale(plain), 1);
  const metres = [
    [392000, 5820000],
    [393000, 5821000],
  ];
  assert.equal(eastScale(metres), 1);
  assert.equal(eastScale([]), 1);
});

const plan = rowsOf("plan", [
  [1, 2, 3],
  [4, 5],
]);
const at = (r, k) => ({ r, k });

test("rows and solutions are two forms of one thing", () => {
  assert.deepEqual(plan, [
    [0, 1, 2, 3],
    [0, 4, 5],
  ]);
  assert.deepEqual(solutionOf("plan", plan), [
    [1, 2, 3],
    [4, 5],
  ]);
  assert.deepEqual(solutionOf("tour", rowsOf("tour", [0, 2, 1])), [0, 2, 1]);
});

test("a stop moves to another route", () => {
  const { move } = moveFor("plan", plan, "move", at(0, 1), at(1, 1));
  assert.deepEqual(move, { op: "move", args: [0, 1, 1, 1] });
  assert.deepEqual(applied("plan", plan, move), [
    [0, 2, 3],
    [0, 4, 1, 5],
  ]);
  assert.deepEqual(spotsOf("plan", move), [at(0, 1), at(1, 1)]);
});

test("a stop moves forward and back within its route", () => {
  const forward = moveFor("plan", plan, "move", at(0, 1), at(0, 3)).move;
  assert.deepEqual(applied("plan", plan, forward)[0], [0, 2, 3, 1]);
  const back = moveFor("plan", plan, "move", at(0, 3), at(0, 0)).move;
  assert.deepEqual(applied("plan", plan, back)[0], [0, 3, 1, 2]);
});

test("moves that change nothing are refused in a sentence", () => {
  for (const to of [at(0, 1), at(0, 0)]) {
    assert.match(moveFor("plan", plan, "move", at(0, 1), to).refusal, /already there/);
  }
  assert.match(moveFor("plan", plan, "move", at(0, 0), at(1, 1)).refusal, /depot/);
  assert.match(moveFor("plan", plan, "swap", at(0, 1), at(1, 0)).refusal, /depot/);
  assert.match(moveFor("plan", plan, "tails", at(0, 1), at(0, 2)).refusal, /two different/);
  assert.match(moveFor("plan", plan, "reverse", at(0, 1), at(1, 1)).refusal, /same route/);
});

test("swaps and tails", () => {
  const swap = moveFor("plan", plan, "swap", at(0, 1), at(1, 2)).move;
  assert.deepEqual(applied("plan", plan, swap), [
    [0, 5, 2, 3],
    [0, 4, 1],
  ]);
  const tails = moveFor("plan", plan, "tails", at(0, 1), at(1, 1)).move;
  assert.deepEqual(applied("plan", plan, tails), [
    [0, 1, 5],
    [0, 4, 2, 3],
  ]);
});

test("a tour's first stop stays: reversing around it reverses the rest", () => {
  const rows = [[0, 1, 2, 3, 4, 5]];
  const { move } = moveFor("tour", rows, "reverse", at(0, 0), at(0, 2));
  assert.deepEqual(move.args, [3, 5]);
  assert.deepEqual(applied("tour", rows, move), [[0, 1, 2, 5, 4, 3]]);
  assert.match(moveFor("tour", rows, "reverse", at(0, 1), at(0, 5)).refusal, /not change/);
});

test("the ends of a fleet's route are fixed", () => {
  const rows = [[7, 1, 2, 8]];
  assert.match(moveFor("fleet", rows, "reverse", at(0, 0), at(0, 2)).refusal, /fixed/);
  assert.deepEqual(moveFor("fleet", rows, "reverse", at(0, 2), at(0, 1)).move.args, [0, 1, 2]);
});

test("edgeChanges finds what a move adds and removes, in either direction", () => {
  const rows = [[0, 1, 2, 3, 4]];
  const after = applied("tour", rows, { op: "reverse", args: [2, 3] });
  const { removed, added } = edgeChanges("tour", rows, after);
  assert.deepEqual(
    removed.map(({ a, b }) => [a, b]),
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.deepEqual(
    added.map(({ a, b }) => [a, b]),
    [
      [1, 3],
      [2, 4],
    ],
  );
});

test("outOfOrder and movedStops name what has another number, as few as possible", () => {
  assert.deepEqual([...outOfOrder([1, 2, 0, 3])], [2]);
  assert.deepEqual([...outOfOrder([])], []);
  const after = applied("plan", plan, { op: "move", args: [0, 1, 0, 3] });
  assert.deepEqual([...movedStops(plan, after)], [1]);
  const other = applied("plan", plan, { op: "move", args: [0, 3, 1, 0] });
  assert.deepEqual([...movedStops(plan, other)], [3]);
  assert.deepEqual([...movedStops(plan, plan)], []);
  const turned = applied("plan", plan, { op: "reverse", args: [0, 1, 3] });
  assert.deepEqual([...movedStops(plan, turned)], [3, 1]); // the one between keeps its number
  const swapped = applied("plan", plan, { op: "swap", args: [0, 1, 0, 2] });
  assert.deepEqual([...movedStops(plan, swapped)], [2, 1]);
});

test("routes end where their vehicles do, and stops that are left out have no edges", () => {
  const rows = rowsOf("plan", [[1], [2], [3]], [0, 4]);
  assert.deepEqual(rows, [
    [0, 1],
    [4, 2],
    [0, 3],
  ]);
  assert.deepEqual(
    edgesOf("plan", rows, [5, null]).map(({ a, b }) => [a, b]),
    [
      [0, 1],
      [1, 5],
      [4, 2],
    ],
  );
});

test("times are said as of day, and what is wrong with a stop in minutes", () => {
  assert.equal(clockText(11 * 60 + 59.7), "12:00");
  assert.equal(stopRemark([700, 675, 690, 25]), "25 min late");
  assert.equal(stopRemark([590, 600, 610, 0]), "waits 10 min");
  assert.equal(stopRemark([600, 600, 610, 0]), "");
});

test("a far point is set apart, points of a line or a few are not", () => {
  const block = Array.from({ length: 12 }, (_, i) => [i % 4, Math.floor(i / 4)]);
  assert.deepEqual([...outliers([...block, [900, 900]])], [12]);
  assert.equal(outliers(block).size, 0);
  assert.equal(outliers(block.map(([x]) => [x, 0])).size, 0);
  assert.equal(
    outliers([
      [0, 0],
      [1, 1],
      [99, 99],
    ]).size,
    0,
  );
});

test("a view leaves its margins free", () => {
  const margins = { left: 10, right: 30, top: 20, bottom: 40 };
  const { k, x, y } = viewOf({ left: 0, right: 1, top: 0, bottom: 1 }, 140, 160, margins);
  assert.deepEqual([k, x, y], [100, 10, 20]);
});

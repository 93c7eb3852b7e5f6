import assert from "node:assert/strict";
import { test } from "node:test";
import {
  linesOf,
  lockedAfter,
  lockText,
  setOf,
  stateOf,
  toggled,
} from "../../src/coactor/web/static/app/keeping.js";
import { carries, exchanges } from "../../src/coactor/web/static/editors/list-moves.js";
import {
  applied,
  edgesOf,
  partsOf,
  rowsOf,
} from "../../src/coactor/web/static/editors/routes/moves.js";

const [ab, bc, cd] = [
  ["A", "B"],
  ["B", "C"],
  ["C", "D"],
];

test("a lock takes what is open, and frees what is all locked", () => {
  assert.deepEqual(toggled([ab], [ab, bc]), { op: "keep", args: [], parts: [bc] });
  assert.deepEqual(toggled([bc, ab], [ab, bc]), { op: "free", args: [], parts: [ab, bc] });
  const moves = [toggled([], [ab, bc]), { op: "move", args: [1] }, toggled([ab, bc], [ab])];
  assert.deepEqual(lockedAfter([cd], moves), [cd, bc]);
});

test("a stop is kept with one of its legs, a route only as a whole", () => {
  assert.equal(stateOf([ab, bc], setOf([ab, bc]), setOf([])), "locked");
  assert.equal(stateOf([ab, bc], setOf([]), setOf([bc])), "kept");
  assert.equal(stateOf([ab, bc, cd], setOf([ab]), setOf([bc])), "");
  assert.equal(stateOf([ab, bc, cd], setOf([ab, cd]), setOf([bc])), "kept");
  assert.equal(stateOf([], setOf([ab]), setOf([])), "");
});

test("locks and re-plans are worded among the edits", () => {
  const moves = [
    { op: "keep", args: [], parts: [ab, bc, cd, ["D", "E"]] },
    { op: "flip", args: [2] },
    { op: "replan", args: [], to: 7 },
  ];
  const editor = { describe: ({ args }) => `Flip ${args}` };
  const texts = ["", "", "Re-planned: 2 changes"];
  assert.deepEqual(linesOf(editor, { moves, texts }), [
    "Locked A: B, B: C, C: D and 1 more",
    "Flip 2",
    "Re-planned: 2 changes",
  ]);
  assert.equal(
    lockText({ op: "free", parts: [ab] }, (part) => part.join(" to ")),
    "Unlocked A to B",
  );
});

test("carries are read on both sides of a re-plan", () => {
  const lock = { op: "keep", args: [], parts: [ab], text: "Locked A: B" };
  const again = { op: "replan", args: [], to: [3, 2, 1, 0], text: "Re-planned" };
  const [there, back] = [exchanges(0, 2), exchanges(3, 1)];
  const read = carries([0, 1, 2, 3], [...there, lock, again, ...back]);
  assert.deepEqual(read, [{ item: 0, from: 0, to: 2 }, lock, again, { item: 0, from: 3, to: 1 }]);
});

test("legs are called as the domain calls them", () => {
  const titleOf = (stop) => ["Depot", "B", "A"][stop];
  const plan = rowsOf("plan", [[1, 2]]);
  assert.deepEqual(partsOf("plan", edgesOf("plan", plan), titleOf), [
    ["Depot", "B"],
    ["B", "A"],
    ["A", "Depot"],
  ]);
  assert.deepEqual(partsOf("fleet", edgesOf("fleet", [[1, 2]]), titleOf), [["A", "B"]]);
  assert.deepEqual(applied("plan", plan, { op: "replan", args: [], to: [[2], [1]] }), [
    [0, 2],
    [0, 1],
  ]);
});

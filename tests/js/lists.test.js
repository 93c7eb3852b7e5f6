import assert from "node:assert/strict";
import { test } from "node:test";
import { edited } from "../../src/coactor/web/static/app/format.js";
import { STEPS } from "../../src/coactor/web/static/editors/list-moves.js";

const five = [4, 3, 2, 1, 0];

test("orders of three that carry one step are one edit", () => {
  assert.deepEqual(STEPS.carries(five, STEPS.moves(5, 0, 3)), [{ item: 4, from: 0, to: 3 }]);
  assert.deepEqual(STEPS.carries(five, STEPS.moves(5, 4, 0)), [{ item: 0, from: 4, to: 0 }]);
});

test("other orders are edits of their own", () => {
  const turned = { op: "reorder", args: [0, 2, 1, 0] };
  const back = [...STEPS.moves(5, 0, 2), ...STEPS.moves(5, 2, 0)];
  assert.deepEqual(STEPS.carries(five, [turned, ...STEPS.moves(5, 0, 1)]), [
    turned,
    ...STEPS.moves(5, 0, 1),
  ]);
  assert.equal(STEPS.carries(five, back).length, 2);
});

test("one drag is one move, also where it counts as several edits", () => {
  assert.equal(edited(32, 1), "1 move");
  assert.equal(edited(2, 2), "2 edits");
  assert.equal(edited(1, 0), "1 edit");
});

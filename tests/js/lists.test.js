import assert from "node:assert/strict";
import { test } from "node:test";
import { edited } from "../../src/coactor/web/static/app/format.js";
import { carries, exchanges } from "../../src/coactor/web/static/editors/list-moves.js";

const five = [4, 3, 2, 1, 0];

test("exchanges that carry one item are one edit", () => {
  assert.deepEqual(carries(five, exchanges(0, 3)), [{ item: 4, from: 0, to: 3 }]);
  assert.deepEqual(carries(five, exchanges(4, 0)), [{ item: 0, from: 4, to: 0 }]);
});

test("the way back is an edit of its own", () => {
  assert.equal(carries(five, [...exchanges(0, 2), ...exchanges(2, 0)]).length, 2);
});

test("one drag is one move, also where it counts as several edits", () => {
  assert.equal(edited(32, 1), "1 move");
  assert.equal(edited(2, 2), "2 edits");
  assert.equal(edited(1, 0), "1 edit");
});

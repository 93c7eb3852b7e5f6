import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, direction } from "../../src/coactor/web/static/views/progress.js";

test("a change is called better or worse only if the interval says so", () => {
  const measure = { first: 4, last: 1, low: -4, high: -2 };
  assert.equal(direction({ ...measure, name: "effort" }), "better");
  assert.equal(direction({ ...measure, name: "unchanged" }), "worse");
  assert.equal(direction({ ...measure, name: "effort", high: 0.5 }), "unclear");
});

test("the comparison with no learning says how far it is, and when it may be chance", () => {
  assert.equal(comparison({ proposals: 0, done: 0, compared: 0 }), "");
  assert.match(comparison({ proposals: 30, done: 4, compared: 4 }), /4 of 30/);
  const done = { proposals: 30, done: 30, compared: 30, with: 0.4, without: 4.2, saved: 3.8 };
  const sure = comparison({ ...done, low: 2.9, high: 4.7 });
  assert.match(
    sure,
    /about 4.2 edits each instead of 0.4: 3.8 saved \(95 % interval \+2.9 to \+4.7\)\.$/,
  );
  assert.match(comparison({ ...done, low: -1, high: 4.7 }), /may be chance/);
  const one = comparison({ ...done, compared: 1, without: 1, low: 0.1, high: 1 });
  assert.match(one, /the last 1 problem would have needed about 1 edit each instead of 0.4/);
});

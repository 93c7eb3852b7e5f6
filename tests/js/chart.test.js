import assert from "node:assert/strict";
import { test } from "node:test";
import { ticks } from "../../src/coactor/web/static/views/chart.js";

for (const most of [4, 4.2, 7, 19, 100, 999, 20_000, 60_000, 1_234_567, 3e9]) {
  test(`ticks of an axis up to ${most} are few, finite and even`, () => {
    const values = ticks(most);
    assert.ok(values.length >= 2 && values.length <= 7, String(values));
    assert.ok(values.every((value) => Number.isInteger(value) && value <= most));
    assert.equal(values[0], 0);
  });
}

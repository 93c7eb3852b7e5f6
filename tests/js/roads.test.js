import assert from "node:assert/strict";
import { test } from "node:test";
import { squaredDistance } from "../../src/coactor/web/static/editors/geometry.js";
import {
  asStreets,
  compare,
  makeNetwork,
  newStreets,
} from "../../src/coactor/web/static/editors/roads/network.js";

// A square of four nodes: North Road, East Road, South Road and West Road, each in both directions.
const network = makeNetwork({
  nodes: [
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ],
  from: [0, 1, 2, 3, 1, 2, 3, 0],
  to: [1, 2, 3, 0, 0, 1, 2, 3],
  ids: null,
  streets: ["North Road", "East Road", "South Road", ""],
  street: [0, 1, 2, 3, 0, 1, 2, 3],
  kinds: ["primary", "residential"],
  kind: [0, 1, 1, 1, 0, 1, 1, 1],
  length: [10, 20, 30, 40, 10, 20, 30, 40],
});

test("the plane has north up", () => {
  assert.deepEqual(network.start(0), [0, 0]);
  assert.deepEqual(network.end(1), [1000, 1000]);
});

test("links have names, breadths and twins", () => {
  assert.equal(network.nameOf(0), "North Road");
  assert.equal(network.nameOf(3), "Link 3");
  assert.equal(network.breadth(0), "broad");
  assert.equal(network.twin(0), 4);
  assert.deepEqual(network.linksOf("East Road"), [1, 5]);
});

test("nearest finds the link under a point, or none", () => {
  assert.equal(network.nearest([990, 500], 50, [0, 1, 2, 3]).link, 1);
  assert.equal(network.nearest([500, 500], 50).link, null);
  assert.equal(squaredDistance([0, 5], [0, 0], [10, 0]), 25);
});

test("neighbouring links of one street are one row", () => {
  const rows = asStreets(network, [0, 4, 1], 0);
  assert.deepEqual(
    rows.map(({ name, first, last, length }) => [name, first, last, length]),
    [
      ["North Road", 0, 1, 10],
      ["East Road", 2, 2, 20],
    ],
  );
});

test("compare lists what stays, what is new and what is gone", () => {
  const rows = compare(network, [0, 1, 2], [0, 7, 2]);
  assert.deepEqual(
    rows.map(({ name, state }) => [name, state]),
    [
      ["North Road", "kept"],
      ["East Road", "old"],
      ["Link 7", "new"],
      ["South Road", "kept"],
    ],
  );
  assert.deepEqual(newStreets(network, [0, 1, 2], [0, 7, 2]), ["Link 7"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { toGeoJson, toGpx } from "../../src/coactor/web/static/app/exports.js";
import { travelled as onRoads } from "../../src/coactor/web/static/editors/roads/network.js";

const routes = [
  {
    name: 'Van "7" & Ana',
    line: [
      [13.4, 52.5],
      [13.5, 52.6],
      [13.4, 52.5],
    ],
    stops: [
      { name: "<depot>", at: [13.4, 52.5] },
      { name: "Alder St", at: [13.5, 52.6] },
    ],
  },
];

test("GeoJSON has a line per route and a point per stop", () => {
  const { type, features } = JSON.parse(toGeoJson(routes));
  assert.equal(type, "FeatureCollection");
  assert.deepEqual(
    features.map((one) => one.geometry.type),
    ["LineString", "Point", "Point"],
  );
  assert.deepEqual(features[2].properties, { name: "Alder St", route: 'Van "7" & Ana', place: 1 });
});

test("GPX has latitude and longitude, and names cannot become markup", () => {
  const text = toGpx(routes);
  assert.match(text, /<rtept lat="52.6" lon="13.5"><name>Alder St<\/name><\/rtept>/);
  assert.match(text, /<name>&lt;depot&gt;<\/name>/);
  assert.match(text, /<name>Van &quot;7&quot; &amp; Ana<\/name>/);
  assert.equal(text.match(/<trkpt /g).length, 3);
  assert.ok(text.indexOf("</rte>") < text.indexOf("<trk>"));
});

test("a way on roads goes from junction to junction", () => {
  const network = {
    coordinates: [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
    from: [0, 1],
    to: [1, 2],
  };
  assert.deepEqual(onRoads(network, [0, 1])[0].line, network.coordinates);
  assert.deepEqual(onRoads({ ...network, coordinates: [] }, [0, 1]), []);
});

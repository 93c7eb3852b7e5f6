from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from coactor.loaders import read_choices, read_distances, read_network, read_trips, street_km

LINKS = "id,from,to,length,kind\na,1,2,100,main\nb,2,3,50,side\nc,3,1,80,main\nd,2,1,100,main\n"
NODES = "id,x,y\n1,500,500\n2,500,600\n3,550,600\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_read_network_reads_links_nodes_and_turns(tmp_path: Path) -> None:
    links, nodes = write(tmp_path, "links.csv", LINKS), write(tmp_path, "nodes.csv", NODES)
    network = read_network(links, nodes)
    assert network.ids == ("a", "b", "c", "d")
    assert network.names == ("main road", "side road", "u-turns", "left turns", "right turns")
    assert len(network.head) == 5  # a-b, a-d, b-c, c-a, d-a
    turns = write(tmp_path, "turns.csv", "from_link,to_link\na,b\nb,c\nc,a\n")
    assert len(read_network(links, nodes, turns).head) == 3


def test_read_network_reads_the_columns_of_osmnx(tmp_path: Path) -> None:
    text = "u,v,length,highway,id,n_id\n1,2,10,\"['primary', 'road']\",77,0\n2,1,10,primary,78,1\n"
    network = read_network(write(tmp_path, "links.csv", text))
    assert network.ids == ("0", "1")
    assert network.names == ("primary road", "u-turns")


def test_read_trips_reads_paths_of_link_ids(tmp_path: Path) -> None:
    network = read_network(write(tmp_path, "links.csv", LINKS))
    trips = read_trips(write(tmp_path, "trips.csv", "day,path\n1,a_b_c\n2,c a\n"), network)
    assert [trip.tolist() for trip in trips] == [[0, 1, 2], [2, 0]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("links.csv", LINKS + "e,1,2,-3,main\n", "line 6: link e has length -3; expected a length above 0"),
        ("links.csv", LINKS + "e,1,2,far,main\n", "links.csv, line 6: length is 'far'; expected a number"),
        ("links.csv", LINKS + "a,1,2,5,main\n", "links.csv, line 6: link a appears a second time"),
        ("links.csv", LINKS + "e,1,2", "line 6: got 3 values, expected 5 as in the header. Is the file cut"),
        ("links.csv", LINKS + "e,8,9,5,main\n", "2 connected components .4 of 5 links in the largest"),
        ("links.csv", "id,from,to\n", "line 1: there is no column 'length'"),
        ("links.csv", "id,from,to,length\n", "has no links"),
        ("nodes.csv", "id,x,y\n1,0,0\n", "has no coordinates of node 2"),
        ("turns.csv", "from_link,to_link\na,z\n", "turns.csv, line 2: the turn uses link z"),
        ("turns.csv", "from_link,to_link\na,c\n", "line 2: link c does not begin where link a ends"),
        ("trips.csv", "path\na_b\na_z\n", "trips.csv, line 3: the trip uses link z, which"),
        ("trips.csv", "path\na_c\n", "trips.csv, line 2: there is no turn from link a into link c"),
        ("trips.csv", "path\na\n", "trips.csv, line 2: the trip is 'a'; expected at least two links"),
        ("trips.csv", "day,path\n1,\n", "trips.csv, line 2: column 'path' is empty"),
        ("trips.csv", "path\n", "has no trips"),
    ],
)
def test_loaders_raise_value_error_with_file_and_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    for file, good in (("links.csv", LINKS), ("nodes.csv", NODES)):
        write(tmp_path, file, good)
    write(tmp_path, name, text)
    nodes = tmp_path / "nodes.csv" if name == "nodes.csv" else None
    turns = tmp_path / "turns.csv" if name == "turns.csv" else None
    with pytest.raises(ValueError, match=message):
        read_trips(tmp_path / "trips.csv", read_network(tmp_path / "links.csv", nodes, turns))


def test_read_network_keeps_the_largest_component(tmp_path: Path) -> None:
    links = write(
        tmp_path,
        "links.csv",
        "id,from,to,length\nz,8,9,5\n" + LINKS.split("\n", 1)[1].replace(",main", "").replace(",side", ""),
    )
    turns = write(tmp_path, "turns.csv", "from_link,to_link\na,b\nb,c\nc,a\n")
    network = read_network(links, turns=turns, largest=True)
    assert network.ids == ("a", "b", "c", "d")
    assert np.array_equal(network.head, [1, 2, 0])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_network, LINKS),
        (read_choices, "person,situation,alternative,chosen,price\n1,1,a,1,2\n1,1,b,0,1\n"),
        (read_distances, "0,1\n1,0\n"),
    ],
)
def test_files_that_are_not_text_or_not_csv_are_refused_in_one_short_sentence(tmp_path, read, text):
    path, good = tmp_path / "bad.csv", text.encode()
    for wrong, sentence in (
        (good + b"\xff\xfe", "not text in UTF-8"),
        (good + b'"' + b"y" * 140_000 + b'"', "not CSV"),
        (b"x" * 5000 + b"\n" + good, "line 1"),
    ):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=sentence) as caught:
            read(path)
        assert str(path) in str(caught.value)
        assert len(str(caught.value)) < 600


# -- extracts of OpenStreetMap, GeoJSON --------------------------------------------------------------------

OSM = """<?xml version="1.0"?><osm version="0.6">
<node id="1" lon="13.000" lat="52.5"/><node id="2" lon="13.001" lat="52.5"/>
<node id="3" lon="13.002" lat="52.5"/>
<node id="4" lon="13.001" lat="52.501"/><node id="5" lon="13.0015" lat="52.5"/><node id="6" lon="9" lat="50"/>
<way id="10"><nd ref="1"/><nd ref="2"/><nd ref="5"/><nd ref="3"/><nd ref="404"/>
  <tag k="highway" v="primary"/><tag k="name" v="High Street"/></way>
<way id="11"><nd ref="4"/><nd ref="2"/><tag k="highway" v="residential"/><tag k="oneway" v="{oneway}"/></way>
<way id="12"><nd ref="1"/><nd ref="4"/><tag k="highway" v="footway"/></way>
<way id="13"><nd ref="1"/><nd ref="4"/><tag k="highway" v="service"/><tag k="access" v="private"/></way>
</osm>"""


def streets(network):
    """Each link as the degrees of its ends, its kind and its street."""
    ends = network.places[network.ends].round(3).tolist()
    return sorted(zip(map(str, ends), network.kinds, network.streets, strict=True))


def test_read_network_of_openstreetmap_cuts_roads_where_they_meet(tmp_path):
    path = tmp_path / "town.osm"
    path.write_text(OSM.format(oneway="yes"))
    network = read_network(path)
    assert network.size == 5  # two pieces of High Street in both directions, one lane in one
    assert set(network.ids) == {"10/0", "10/0/back", "10/1", "10/1/back", "11/0"}
    kept = dict(zip(network.ids, network.link_features.sum(axis=1) * network.unit, strict=True))
    assert kept["10/1"] == pytest.approx(67.7, abs=0.1)  # metres, over the point that is no junction
    assert kept["11/0"] == pytest.approx(111.2, abs=0.1)
    assert network.streets[network.ids.index("10/0")] == "High Street"
    assert "left turns" in network.labels
    path.write_text(OSM.format(oneway="-1"))
    (lane,) = (k for k, id in enumerate(read_network(path).ids) if id.startswith("11"))
    assert read_network(path).ends[lane].tolist() == network.ends[network.ids.index("11/0")].tolist()[::-1]


def test_read_network_of_geojson_equals_that_of_openstreetmap(tmp_path):
    lines = [
        (
            [[13.0, 52.5], [13.001, 52.5], [13.0015, 52.5], [13.002, 52.5]],
            {"highway": "primary", "name": "High Street"},
        ),
        ([[13.001, 52.501], [13.001, 52.5]], {"highway": "residential", "oneway": "yes"}),
        ([[13.0, 52.5], [13.001, 52.501]], {"highway": "footway"}),
    ]
    features = [
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": line}, "properties": properties}
        for line, properties in lines
    ]
    features.append(
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": None}
    )
    path, osm = tmp_path / "town.geojson", tmp_path / "town.osm.xml"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    osm.write_text(OSM.format(oneway="yes"))
    a, b = read_network(path), read_network(osm)
    assert streets(a) == streets(b)
    assert a.link_features.sum() == pytest.approx(b.link_features.sum())


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.osm", "<osm><way", "is not an extract of OpenStreetMap"),
        ("a.osm", "<osm></osm>", "has no roads for cars"),
        ("a.osm", '<osm><node id="1" lon="x" lat="2"/></osm>', "is not an extract of OpenStreetMap"),
        ("a.osm.pbf", "", "osmium cat a.osm.pbf"),
        ("a.geojson", "{", "is not JSON"),
        ("a.geojson", "[]", "expected a FeatureCollection"),
        ("a.geojson", '{"features": []}', "has no roads for cars"),
        (
            "a.geojson",
            '{"features": [{"geometry": {"type": "LineString", "coordinates": [[1, 2]]}}]}',
            "feature 0: expected a line",
        ),
    ],
)
def test_read_network_refuses_other_maps_in_a_sentence(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=problem):
        read_network(tmp_path / name)


def test_read_network_of_several_islands_keeps_the_largest_if_asked(tmp_path):
    path = tmp_path / "a.osm"
    island = (
        '<node id="7" lon="13.1" lat="52.5"/><node id="8" lon="13.2" lat="52.5"/>'
        '<way id="14"><nd ref="7"/><nd ref="8"/><tag k="highway" v="road"/></way></osm>'
    )
    path.write_text(OSM.format(oneway="no").replace("</osm>", island))
    with pytest.raises(ValueError, match="2 connected components"):
        read_network(path)
    assert read_network(path, largest=True).places.shape == (4, 2)
    with pytest.raises(ValueError, match="has its own nodes"):
        read_network(path, nodes=path)


def test_street_km_are_the_shortest_ways_along_the_streets(tmp_path: Path) -> None:
    network = read_network(write(tmp_path, "links.csv", LINKS), write(tmp_path, "nodes.csv", NODES))
    km = street_km(network, [[501, 502], [499, 601], [552, 598]])  # beside junctions 1, 2 and 3
    assert km == pytest.approx(np.array([[0, 0.1, 0.15], [0.1, 0, 0.05], [0.08, 0.18, 0]]))
    with pytest.raises(ValueError, match="coordinates of the junctions"):
        street_km(read_network(tmp_path / "links.csv"), [[0, 0]])
    with pytest.raises(ValueError, match="farther from the streets"):  # the wrong town
        street_km(network, [[501, 502], [900, 500]])

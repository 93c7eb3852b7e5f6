"""Roads for cars from extracts of OpenStreetMap and from GeoJSON: lines that meet in points."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from coactor.loaders.tables import existing_file, read_json
from coactor.protocol import Matrix

CAR_ROADS = frozenset(
    {"motorway", "trunk", "primary", "secondary", "tertiary"}
    | {f"{kind}_link" for kind in ("motorway", "trunk", "primary", "secondary", "tertiary")}
    | {"unclassified", "residential", "living_street", "service", "road"}
)
_EARTH = 6_371_008.8  # metres, the mean radius


@dataclass(frozen=True, slots=True)
class Road:
    """A road: its points in driving order, and whether it is driven in this order, in reverse or both."""

    id: str
    points: list[int]
    kind: str
    street: str
    forward: bool
    backward: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A road from one junction to the next, in one direction."""

    id: str
    ends: tuple[int, int]
    length: float
    kind: str
    street: str


def _cut(roads: list[Road], places: Matrix) -> list[Piece]:
    """The roads cut where they meet, one link in each direction that may be driven."""
    uses = Counter(point for road in roads for point in road.points)
    uses.update(point for road in roads for point in (road.points[0], road.points[-1]))
    pieces, plane = [], bool((np.abs(places) > [180.0, 90.0]).any())
    for road in roads:
        cuts = [k for k, point in enumerate(road.points) if uses[point] > 1]
        for part, (a, b) in enumerate(itertools.pairwise(cuts)):
            points = road.points[a : b + 1]
            length = _length(places[points], plane)
            if length <= 0:
                continue
            name, ends = f"{road.id}/{part}", (points[0], points[-1])
            if road.forward:
                pieces.append(Piece(name, ends, length, road.kind, road.street))
            if road.backward:
                pieces.append(Piece(f"{name}/back", ends[::-1], length, road.kind, road.street))
    return pieces


def _length(points: Matrix, plane: bool) -> float:
    """The length of a line: in the unit of the coordinates on a plane, in metres if they are degrees."""
    if plane:
        return float(np.hypot(*np.diff(points, axis=0).T).sum())
    east, north = np.radians(points).T
    half = np.sin(np.diff(north) / 2) ** 2
    half = half + np.cos(north[:-1]) * np.cos(north[1:]) * np.sin(np.diff(east) / 2) ** 2
    return float((2 * _EARTH * np.arcsin(np.sqrt(half))).sum())


def read_map(path: str | Path) -> tuple[list[Piece], Matrix]:
    """The links of a file ``.osm``, ``.osm.xml``, ``.geojson`` or ``.json``, and where their ends are.

    Raises
    ------
    ValueError
        With the file and what was expected.
    """
    path = existing_file(path)
    name = path.name.lower()
    if name.endswith(".pbf"):
        raise ValueError(
            f"{path} is a binary extract, which is not read. Convert it: osmium cat {path.name} -o town.osm"
        )
    roads, places = _read_geojson(path) if name.endswith("json") else _read_osm(path)
    if not roads:
        raise ValueError(f"{path} has no roads for cars; expected lines with the tag 'highway'.")
    return _cut(roads, places), places


def _directions(tags: dict[str, str], one: bool) -> tuple[bool, bool]:
    """Whether a road is driven forward and backward."""
    value = tags.get("oneway", "").lower()
    if value in ("-1", "reverse"):
        return False, True
    return True, not (value in ("yes", "true", "1") or (one and value not in ("no", "false", "0")))


def _read_osm(path: Path) -> tuple[list[Road], Matrix]:
    places: dict[str, tuple[float, float]] = {}
    raw: list[tuple[str, list[str], dict[str, str]]] = []
    try:
        for _, element in ElementTree.iterparse(path):
            if element.tag == "node":
                places[element.attrib["id"]] = float(element.attrib["lon"]), float(element.attrib["lat"])
            elif element.tag == "way":
                tags = {tag.attrib["k"]: tag.attrib["v"] for tag in element.iter("tag")}
                if _for_cars(tags):
                    raw.append((element.attrib["id"], [nd.attrib["ref"] for nd in element.iter("nd")], tags))
            if element.tag in ("node", "way", "relation"):
                element.clear()
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is not an extract of OpenStreetMap ({error}). Is the file cut?") from None
    number: dict[str, int] = {}
    ways = []
    for id, refs, tags in raw:
        known = [ref for ref in refs if ref in places]  # an extract is cut at its border
        if len(known) < 2:
            continue
        points = [number.setdefault(ref, len(number)) for ref in known]
        ways.append(_way(id, points, tags))
    return ways, np.array([places[ref] for ref in number]).reshape(-1, 2)


def _for_cars(tags: dict[str, str]) -> bool:
    return tags.get("highway") in CAR_ROADS and tags.get("access") not in ("no", "private")


def _way(id: str, points: list[int], tags: dict[str, str]) -> Road:
    kind = tags.get("highway") or tags.get("kind") or "any"
    one = tags.get("junction") == "roundabout" or kind.startswith("motorway")
    street = (tags.get("name") or tags.get("street") or tags.get("ref") or "")[:200]
    return Road(id, points, kind[:200], street, *_directions(tags, one))


def _read_geojson(path: Path) -> tuple[list[Road], Matrix]:
    data = read_json(path)
    features = data.get("features") if isinstance(data, dict) else None
    if not isinstance(features, list):
        raise ValueError(f"{path} is not GeoJSON; expected a FeatureCollection with lines.")
    number: dict[tuple[float, float], int] = {}
    ways = []
    for k, feature in enumerate(features):
        tags = _properties(feature)
        if tags.get("highway") is not None and not _for_cars(tags):
            continue
        for part, line in enumerate(_lines(feature, f"{path}, feature {k}")):
            points = [number.setdefault(point, len(number)) for point in line]
            ways.append(_way(f"{tags.get('id', k)}{f'.{part}' if part else ''}", points, tags))
    if len({way.id for way in ways}) < len(ways):
        raise ValueError(f"{path}: two lines have the same id; give each its own, or none.")
    return ways, np.array(list(number)).reshape(-1, 2)


def _properties(feature: Any) -> dict[str, str]:
    given = feature.get("properties") if isinstance(feature, dict) else None
    pairs = dict(given) if isinstance(given, dict) else {}
    if isinstance(feature, dict) and feature.get("id") is not None:
        pairs["id"] = feature["id"]
    simple = {name: value for name, value in pairs.items() if isinstance(value, str | int | float)}
    return {name: str(value) for name, value in simple.items()}


def _lines(feature: Any, where: str) -> Iterator[list[tuple[float, float]]]:
    """The lines of a feature; points and areas have none."""
    geometry = feature.get("geometry") if isinstance(feature, dict) else None
    if not isinstance(geometry, dict) or geometry.get("type") not in ("LineString", "MultiLineString"):
        return
    given: Any = geometry.get("coordinates")
    lines: Any = [given] if geometry["type"] == "LineString" else given
    if not isinstance(lines, list):
        raise ValueError(f"{where}: expected a list of lines.")
    for line in lines:
        try:
            points = [(round(float(x), 7), round(float(y), 7)) for x, y, *_ in line]  # a centimetre
        except (TypeError, ValueError):
            points = []
        if len(points) < 2 or not all(map(math.isfinite, (c for point in points for c in point))):
            raise ValueError(f"{where}: expected a line of at least two points [x, y].")
        yield points

"""The street network of the demo city: names, kinds of road, bridges, traffic lights and roadworks.

The network is the same in every process and store: its random parts come from one fixed seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from coactor.domains import Network, Trip
from coactor.domains.roads.topology import successors, turn_sides
from coactor.kernels import roads as kernel
from coactor.protocol import Indices, Matrix
from coactor.web.demo import city

COLUMNS, ROWS = 37, 25  # streets from north to south, and from west to east
MAIN = 4  # every fourth of them is a main road
SPEED = {"motorway": 80.0, "main": 40.0, "side": 32.0, "lane": 27.0}  # km/h
FAR = 6.0  # straight-line kilometres between the ends of a trip, at least
FEATURES = (
    "driving time (min)",
    "steep streets (km)",
    "school zones (km)",
    "motorway (km)",
    "narrow lanes (km)",
    "tram tracks (km)",
    "cobbles (km)",
    "river crossings",
    "traffic lights",
    "roadworks",
    "left turns",
    "right turns",
)


@dataclass(frozen=True, slots=True)
class Street:
    """A piece of street between two junctions."""

    ends: tuple[int, int]
    name: str
    kind: str
    cobbled: bool = False
    tram: bool = False
    one_way: bool = False


@cache
def network() -> Network:
    """Return the network; it is built when it is first needed."""
    rng = np.random.default_rng(1843)
    places = _junctions(rng)
    grid = [*_grid(rng, places)]
    places, fast = _motorway(places)
    pieces = _joined([*grid, *fast])
    links = [(a, b, s) for s in pieces for a, b in ([s.ends] if s.one_way else [s.ends, s.ends[::-1]])]
    begin, end = np.array([[a, b] for a, b, _ in links]).T
    used, ends = np.unique(np.column_stack([begin, end]), return_inverse=True)
    ends = ends.reshape(-1, 2)
    turns = successors(ends[:, 0], ends[:, 1], u_turns=False)
    left, right = turn_sides(places[used], ends[:, 0], ends[:, 1], turns)
    columns = _features(rng, places, begin, end, [s for _, _, s in links])
    return Network.of(
        ends[:, 0],
        ends[:, 1],
        kind=[s.kind for _, _, s in links],
        turns=turns,
        places=places[used].round(3),
        streets=[s.name for _, _, s in links],
        columns=columns,
        turn_columns={"left turns": left.astype(float), "right turns": right.astype(float)},
    )


def trip(rng: np.random.Generator) -> Trip:
    """Draw a trip between two streets that are far enough apart to have alternatives."""
    links, middle = _addresses()
    while True:
        a, b = (int(k) for k in rng.choice(len(links), 2, replace=False))
        if np.hypot(*(middle[a] - middle[b])) > FAR:
            return Trip(int(links[a]), int(links[b]))


@cache
def _addresses() -> tuple[Indices, Matrix]:
    """Return the links where a trip may begin or end (reachable both ways), and their midpoints."""
    roads = network()
    assert roads.places is not None
    assert roads.kinds is not None
    tail, into = roads.tail, np.argsort(roads.head, kind="stable")
    start = np.searchsorted(roads.head[into], np.arange(roads.size + 1))
    costs, middle = np.ones(len(tail)), int(np.flatnonzero(np.array(roads.kinds) == "main")[0])
    away, _ = kernel.tree(roads.start, np.arange(len(tail)), roads.head, costs, middle, -1)
    there, _ = kernel.tree(start, into, tail, costs, middle, -1)
    fit = np.isfinite(away) & np.isfinite(there) & (np.array(roads.kinds) != "motorway")
    links = np.flatnonzero(fit)
    return links, roads.places[roads.ends[links]].mean(axis=1)


def _junctions(rng: np.random.Generator) -> Matrix:
    across = np.linspace(0.2, city.WIDTH - 0.2, COLUMNS)
    up = np.linspace(0.2, city.HEIGHT - 0.2, ROWS)
    places = np.stack(np.meshgrid(across, up, indexing="ij"), axis=-1)
    shake = rng.uniform(-0.08, 0.08, places.shape)
    shake[2::MAIN] *= 0.4  # main roads are straighter
    shake[:, 2::MAIN] *= 0.4
    bend = 0.18 * np.sin(np.linspace(0, 2 * np.pi, COLUMNS))[:, None]
    places[:, :, 1] += bend
    return (places + shake).reshape(-1, 2)


def _grid(rng: np.random.Generator, places: Matrix) -> Iterator[Street]:
    """Yield the streets of the grid; a name lasts for some blocks, a main road has one name."""
    number = np.arange(COLUMNS * ROWS).reshape(COLUMNS, ROWS)
    ways = ("St", "Lane", "Avenue", "Row")
    names = iter(rng.permutation([f"{name} {way}" for name in city.STREETS for way in ways]))
    roads = iter(rng.permutation([f"{name} Road" for name in city.STREETS]))
    for line, points in enumerate([*number, *number.T]):
        main = (line if line < COLUMNS else line - COLUMNS) % MAIN == 2
        left, name, kind, cobbled, one_way = 0, str(next(roads)), "main", False, False
        tram = main and rng.random() < 0.5
        for a, b in zip(points[:-1].tolist(), points[1:].tolist(), strict=True):
            if not main and left == 0:
                left, name = int(rng.integers(4, 10)), str(next(names))
                kind = "lane" if name.endswith("Lane") else "side"
                cobbled, one_way = rng.random() < 0.3, rng.random() < 0.2
            left -= 1
            wet = city.side(places[a]) != city.side(places[b])
            if main or (not wet and rng.random() > 0.12):
                ends = (b, a) if one_way and line % 2 else (a, b)
                yield Street(ends, name, kind, cobbled, tram, one_way)


def _motorway(places: Matrix) -> tuple[Matrix, list[Street]]:
    """Return the motorway, with slip roads to the nearest main junctions."""
    line = city.MOTORWAY
    along = np.concatenate([np.linspace(a, b, 3)[:-1] for a, b in itertools.pairwise(line)])
    first = len(places)
    pieces = [Street((first + k, first + k + 1), "Ring Motorway", "motorway") for k in range(len(along) - 1)]
    number = np.arange(COLUMNS * ROWS).reshape(COLUMNS, ROWS)
    main = np.concatenate([number[2::MAIN].ravel(), number[:, 2::MAIN].ravel()])
    for k in range(0, len(along), 2):
        near = int(main[np.hypot(*(places[main] - along[k]).T).argmin()])
        pieces.append(Street((first + k, near), "Slip Road", "side"))
    return np.concatenate([places, along]), pieces


def _joined(pieces: list[Street]) -> list[Street]:
    """Return the streets that can be reached from the middle of the city and back."""

    def reach(start: int, backwards: bool) -> set[int]:
        ways: dict[int, list[int]] = {}
        for s in pieces:
            a, b = s.ends[::-1] if backwards else s.ends
            ways.setdefault(a, []).append(b)
            if not s.one_way:
                ways.setdefault(b, []).append(a)
        reached, queue = {start}, [start]
        while queue:
            for junction in ways.get(queue.pop(), []):
                if junction not in reached:
                    reached.add(junction)
                    queue.append(junction)
        return reached

    middle = COLUMNS // 2 // MAIN * MAIN + 2
    start = middle * ROWS + 2  # on a main road
    connected = reach(start, False) & reach(start, True)
    return [s for s in pieces if s.ends[0] in connected and s.ends[1] in connected]


def _features(
    rng: np.random.Generator, places: Matrix, begin: Indices, end: Indices, streets: list[Street]
) -> dict[str, Matrix]:
    """Return the features of each link, in the order of FEATURES."""
    a, b = places[begin], places[end]
    km = np.hypot(*(b - a).T)
    middle = (a + b) / 2
    kind = np.array([s.kind for s in streets])
    steep = np.hypot(middle[:, 0] - city.HILL[0], middle[:, 1] - city.HILL[1]) < city.HILL[2]
    school = np.any([np.hypot(middle[:, 0] - x, middle[:, 1] - y) < r for x, y, r in city.SCHOOLS], axis=0)
    wet = np.array([city.side(p) != city.side(q) for p, q in zip(a, b, strict=True)])
    into = np.bincount(end[kind == "main"], minlength=len(places))
    lights = (into[end] > 2) & (kind != "motorway")  # where main roads cross
    works = rng.random(len(begin)) < np.where(kind == "main", 0.12, 0.04)
    values = (
        60 * km / np.array([SPEED[k] for k in kind]),
        km * steep,
        km * school,
        km * (kind == "motorway"),
        km * (kind == "lane"),
        km * np.array([s.tram for s in streets]),
        km * np.array([s.cobbled for s in streets]),
        wet * 1.0,
        lights * 1.0,
        works * 1.0,
    )
    return {name: value.round(3) for name, value in zip(FEATURES, values, strict=False)}

"""Problems of the demo studies, drawn at random: a town with its streets, and hotels."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from coactor.domains import Day, Graph, Network, Query, Ranking, Roads, Shifts, Trip, Visits
from coactor.domains.roads.topology import successors, turn_sides
from coactor.protocol import Matrix

Generator = np.random.Generator

_STREETS = """
Abbey Alder Anchor Baker Barley Beech Birch Bridge Brook Castle Cedar Chapel Cherry Church Clay Cross Dock
Elm Fern Ferry Garden Grove Harbour Hazel Heath Ivy Lake Laurel Linden Market Meadow Mill Oak Orchard Park
"""
STREETS = tuple(_STREETS.split())
DRIVE = ("distance (km)", "narrow lanes (km)", "cobbles (km)", "traffic lights", "left turns")
ROADS = ("driving time (min)", "narrow lanes (km)", "cobbles (km)", "traffic lights")
VANS, HOURS = ("Large van", "Van", "Small van"), ((7, 13), (8, 13), (8, 12))
CITY = 25.0  # km/h
TURNS = ("left turns", "right turns")
HOTEL = ("price (€)", "way to the centre (km)", "rating", "noise (dB)", "breakfast", "lift", "view")
LEAST, RANGE = np.array([[40.0, 0.1, 1.0, 25.0, 0, 0, 0], [160.0, 6.0, 4.0, 40.0, 1, 1, 1]])
HOTELS = ("Aurora", "Bellevue", "Central", "Dorothea", "Flora", "Iris", "Kestrel", "Orion", "Swan", "Tivoli")

ACROSS, UP = 18, 12  # streets of the town from north to south, and from west to east
SPEED = {"main": 40.0, "side": 30.0, "lane": 25.0}  # km/h, by the kind of street
WAYS = {"main": "Road", "side": "Street", "lane": "Lane"}


def graph(rng: Generator, n: int) -> Graph:
    """Draw n places and the drives between them."""
    places, names, drives = _town(rng, n)
    return Graph.of(n, drives[np.triu_indices(n, 1)], coordinates=places, names=names)


def day(rng: Generator) -> Day:
    """Draw 14 deliveries for three vans that differ; most are expected within an hour, two need cooling."""
    places, names, drives = _town(rng, 15)
    demand, opens = np.append(0, rng.integers(1, 5, 14)), 60.0 * rng.integers(8, 12, 15)
    windows = [None, *([(at, at + 60)] if rng.random() < 0.8 else None for at in opens[1:])]
    cool = rng.permutation(14)[:2] + 1
    visits = Visits(
        service=np.append(0, rng.integers(8, 21, 14)),
        windows=windows,
        needs=[["cooling"] if stop in cool else [] for stop in range(15)],
    )
    shifts = Shifts(hours=[(60.0 * a, 60.0 * b) for a, b in HOURS], skills=[["cooling"], ["cooling"], []])
    capacity = np.ceil(np.array([1.6, 1.25, 0.9]) * demand.sum() / 3)
    stops = ["Depot", *names[1:]]
    times = np.where(np.eye(15), 0.0, 2.0 + 60.0 / CITY * drives[..., 0]).round(1)
    return Day.of(drives, demand, capacity, stops, places, VANS, minutes=times, visits=visits, shifts=shifts)


def _town(rng: Generator, n: int) -> tuple[Matrix, list[str], NDArray[np.float64]]:
    """Draw at most 24 places, the first near the middle, their names, and the drives between any two."""
    middle = 10
    cells = [middle, *rng.permutation(np.delete(np.arange(24), middle))[: n - 1]]  # so that all are apart
    places = 2 * np.stack(np.divmod(cells, 4), axis=1) + rng.uniform(0.3, 1.7, (n, 2))
    names = [f"{STREETS[k]} St {rng.integers(1, 99)}" for k in rng.permutation(len(STREETS))[:n]]
    km = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    stretches = [km * rng.beta(0.5, 1.2, km.shape) for _ in range(2)]
    counts = [rng.poisson(0.4 + 0.8 * km) for _ in range(2)]
    upper = [np.triu(values, 1) for values in (km, *stretches, *counts)]
    return places.round(2), names, np.dstack([values + values.T for values in upper]).round(2)


@cache
def roads() -> Roads:
    """Return the streets of the town, the same in every process: every fourth one is a main road."""
    rng = np.random.default_rng(1843)
    number = np.arange(ACROSS * UP).reshape(ACROSS, UP)
    corners = np.stack(np.divmod(number.ravel(), UP), axis=1)
    places = (0.35 * corners + rng.uniform(-0.07, 0.07, corners.shape)).round(3)
    main = np.concatenate([np.arange(ACROSS), np.arange(UP)]) % 4 == 2
    kinds = np.where(main, "main", rng.choice(["side", "lane"], main.size))
    cobbled = rng.random(main.size) < 0.3
    pieces = [
        (a, b, street)
        for street, line in enumerate([*number, *number.T])
        for a, b in itertools.pairwise(line)
        if main[street] or rng.random() < 0.85
    ]
    begin, end, street = np.array(pieces + [(b, a, street) for a, b, street in pieces]).T
    kind, km = kinds[street], np.hypot(*(places[begin] - places[end]).T)
    crossing = np.bincount(end[kind == "main"], minlength=number.size) > 2
    minutes = 60 * km / np.array([SPEED[one] for one in kind])
    columns = minutes, km * (kind == "lane"), km * cobbled[street], crossing[end]
    turns = successors(begin, end, u_turns=False)
    sides = turn_sides(places, begin, end, turns)
    network = Network.of(
        begin,
        end,
        kind=kind.tolist(),
        turns=turns,
        places=places,
        streets=[f"{STREETS[one]} {WAYS[kinds[one]]}" for one in street],
        columns=dict(zip(ROADS, columns, strict=True)),
        turn_columns=dict(zip(TURNS, sides, strict=True)),
    )
    return Roads(network)


def trip(rng: Generator) -> Trip:
    """Draw a trip: the longest of a few that the domain samples."""
    domain = roads()
    return max(domain.sample(rng, 6), key=lambda one: len(domain.solve(one, domain.distance).links))


def hotels(rng: Generator) -> Query:
    """Draw ten hotels to rank."""
    (query,) = Ranking(len(HOTEL), len(HOTELS)).sample(rng, 1)
    rows = LEAST + RANGE * query.documents
    documents = np.where(RANGE > 1, rows.round(1), rows.round())
    names = tuple(f"Hotel {name}" for name in rng.permutation(HOTELS))
    return replace(query, documents=documents, names=names)

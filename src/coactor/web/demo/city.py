"""The invented city of the demo: a river, a hill, a motorway, schools, and the features of a drive.

The city is fixed; the stops are drawn at random. Lengths are in kilometres.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import Matrix

WIDTH, HEIGHT = 12.0, 8.0
FEATURES = (
    "distance (km)",
    "steep streets (km)",
    "school zones (km)",
    "motorway (km)",
    "river crossings",
    "traffic lights",
    "narrow lanes (km)",
    "cobbles (km)",
    "left turns",
    "roadworks",
)
RIVER = np.array([[0.0, 3.0], [2.5, 3.6], [5.0, 4.6], [7.0, 4.3], [9.5, 3.1], [12.0, 2.9]])
MOTORWAY = np.array([[0.0, 6.6], [3.0, 6.1], [6.2, 5.9], [9.0, 5.0], [12.0, 5.2]])
HILL = (3.0, 1.6, 1.6)  # x, y, radius
SCHOOLS = ((8.6, 1.4, 0.9), (5.6, 7.0, 0.8), (10.6, 6.6, 0.8))
NEAR = 0.7  # a drive within this distance of the motorway uses it
STEPS = 24  # sample points along a drive

_STREET_NAMES = """
Abbey Alder Anchor Ash Baker Barley Beech Bell Birch Bridge Brook Castle Cedar Chapel Cherry Church
Clay Corn Cross Dock Elm Fern Ferry Field Forge Garden Glebe Grove Harbour Hazel Heath High Ivy King
Lake Lark Laurel Lime Linden Lock Maple Market Meadow Mill Moss North Oak Orchard Park Pine Quay
Queen River Rose Rowan School Silver South Spring Station Stone Temple Thorn Tower Vine Walnut Well
West Willow Wood
"""
STREETS = tuple(_STREET_NAMES.split())


def stops(rng: np.random.Generator, n: int) -> tuple[Matrix, list[str]]:
    """Draw n places that are not too close to each other, and their names."""
    places = np.empty((n, 2))
    apart = 0.6 * np.sqrt(WIDTH * HEIGHT / n)
    for k in range(n):
        for _ in range(200):
            places[k] = rng.uniform([0.4, 0.4], [WIDTH - 0.4, HEIGHT - 0.4])
            if k == 0 or np.hypot(*(places[:k] - places[k]).T).min() > apart:
                break
    chosen = rng.permutation(len(STREETS))[:n] if n <= len(STREETS) else rng.integers(0, len(STREETS), n)
    return places.round(2), [f"{STREETS[s]} St {rng.integers(1, 99)}" for s in chosen]


def drives(rng: np.random.Generator, places: Matrix) -> NDArray[np.float64]:
    """Return the features of the drive between any two places, shape (n, n, 10), symmetric.

    The first five follow from the geography; lights, lanes, cobbles, turns and roadworks are drawn at random.
    """
    shape = _geography(places)
    length = shape[:, :, 0]
    streets = [
        rng.poisson(0.3 + 0.8 * length),
        length * rng.beta(0.5, 1.2, length.shape),
        length * rng.beta(0.5, 1.2, length.shape),
        rng.poisson(0.5 + 0.8 * length),
        rng.poisson(0.4, length.shape),
    ]
    upper = [np.triu(values, 1) for values in streets]
    return np.dstack([shape, *(values + values.T for values in upper)]).round(2)


def _geography(places: Matrix) -> NDArray[np.float64]:
    n = len(places)
    table = np.zeros((n, n, 5))
    share = (np.arange(STEPS) + 0.5) / STEPS
    for i in range(n):
        for j in range(i + 1, n):
            a, b = places[i], places[j]
            length = 0.5 * (
                np.hypot(*(b - a)) + np.abs(b - a).sum()
            )  # between straight-line and grid distance
            along = a + share[:, None] * (b - a)
            part = length / STEPS
            fast = _distance(along, MOTORWAY) < NEAR
            table[i, j] = table[j, i] = (
                length,
                part * (np.hypot(along[:, 0] - HILL[0], along[:, 1] - HILL[1]) < HILL[2]).sum(),
                part * sum((np.hypot(along[:, 0] - x, along[:, 1] - y) < r).sum() for x, y, r in SCHOOLS),
                part * fast.sum() if fast.sum() * part > 1.0 else 0.0,  # not worth it for one exit
                float(side(a) != side(b)),
            )
    return table


def background() -> list[dict[str, Any]]:
    """Return what to draw beneath a map of the city."""
    return [
        {"kind": "area", "name": "hill", "at": list(HILL[:2]), "radius": HILL[2]},
        *({"kind": "area", "name": "school", "at": [x, y], "radius": r} for x, y, r in SCHOOLS),
        {"kind": "line", "name": "river", "points": RIVER.tolist()},
        {"kind": "line", "name": "motorway", "points": MOTORWAY.tolist()},
    ]


def side(place: Matrix) -> bool:
    """Return whether a place lies north of the river."""
    return bool(place[1] > np.interp(place[0], RIVER[:, 0], RIVER[:, 1]))


def _distance(points: Matrix, line: Matrix) -> Matrix:
    """Return the distance from each point to a polyline."""
    a, b = line[:-1], line[1:]
    step = b - a
    share = ((points[:, None] - a) * step).sum(axis=2) / (step**2).sum(axis=1)
    foot = a + np.clip(share, 0, 1)[:, :, None] * step
    nearest: Matrix = np.hypot(*(points[:, None] - foot).transpose(2, 0, 1)).min(axis=1)
    return nearest

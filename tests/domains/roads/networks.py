"""Small road networks for tests."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from coactor.domains import Network

ARRAYS = ("ends", "turns", "start", "link_features", "turn_features", "places")
PLAIN = ("ids", "names", "labels", "unit", "lengths", "kinds", "streets")


def assert_same(one: Network, two: Network) -> None:
    """Assert that two networks are equal bit for bit."""
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    for name in PLAIN:
        assert getattr(one, name) == getattr(two, name), name


def grid(side: int, rng: np.random.Generator, drop: float = 0.0) -> Network:
    """A small city: every street runs both ways unless dropped."""
    points = np.arange(side * side).reshape(side, side)
    pairs = [(a, b) for row in points for a, b in itertools.pairwise(row)]
    pairs += [(a, b) for row in points.T for a, b in itertools.pairwise(row)]
    both = [pair for a, b in pairs for pair in ((a, b), (b, a)) if rng.random() >= drop or pair[0] < pair[1]]
    begin, end = np.array(both).T
    kinds = ["main" if k % 3 else "side" for k in range(len(both))]
    places = np.column_stack(np.divmod(np.arange(side * side), side)).astype(float)
    return Network.of(begin, end, rng.uniform(0.5, 2.0, len(both)), kinds, places=places)


def small() -> dict[str, Any]:
    """Four links as JSON-able data."""
    return {
        "links": {
            "id": ["a", "b", "c", "d"],
            "from": [0, 1, 2, 1],
            "to": [1, 2, 0, 0],
            "length": [100, 50, 80, 100],
            "kind": ["main", "side", "main", "main"],
            "street": ["High St", "Mill Lane", "", "High St"],
        },
        "nodes": {"x": [0, 0, 50], "y": [0, 100, 100]},
    }

"""Ways to make a panel harder than the paper's: other signs, features that move together, bad units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from coactor.domains import FleetProblem
from coactor.protocol import Matrix, Problem, Vector

GROUP = 5  # features that follow the first of their group
FOLLOWED = 0.7  # the share of a feature that follows
DECADES = 6.0  # between the smallest and the largest unit

Twist: TypeAlias = tuple[Callable[[Vector], Vector], Callable[[Matrix], Matrix]]
"""What becomes of the expert's weights, and of the visible features of edges."""


def _as_is(values: Vector) -> Vector:
    return values


def mixed_signs(rng: np.random.Generator, dim: int) -> Twist:
    """Weights uniform on [-1, 1] instead of [0, 1]."""
    return lambda w: 2.0 * w - 1.0, _as_is


def correlated(rng: np.random.Generator, dim: int) -> Twist:
    """Features in groups that mostly follow one of them: correlations of 0.84 to 0.92."""
    leaders = np.arange(dim) // GROUP * GROUP
    return _as_is, lambda edges: (1.0 - FOLLOWED) * edges + FOLLOWED * edges[:, leaders]


def badly_scaled(rng: np.random.Generator, dim: int) -> Twist:
    """The same problems and the same taste, in units that differ by up to a million."""
    units = 10.0 ** (DECADES * (rng.random(dim) - 0.5))

    def weights(w: Vector) -> Vector:
        out = w.copy()
        out[:dim] /= units
        return out

    return weights, lambda edges: edges * units


TWISTS: Mapping[str, Callable[[np.random.Generator, int], Twist]] = MappingProxyType(
    {"mixed signs": mixed_signs, "correlated": correlated, "badly scaled": badly_scaled}
)


def twisted(x: Problem, change: Callable[[Matrix], Matrix]) -> Problem:
    """A cube, a graph or a fleet's problem with other visible features."""
    if isinstance(x, FleetProblem):
        return replace(x, graph=twisted(x.graph, change))
    return replace(x, edges=np.ascontiguousarray(change(x.edges)))

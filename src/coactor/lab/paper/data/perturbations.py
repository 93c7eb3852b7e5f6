"""Perturbations of a panel for the robustness table: mixed signs, correlated or badly scaled features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from coactor.domains import FleetProblem
from coactor.protocol import Matrix, Problem, Vector

GROUP = 5  # features that are correlated with the first of their group
SHARE = 0.7  # of a feature that comes from the first of its group
DECADES = 6.0  # between the smallest and the largest scale

Perturbation: TypeAlias = tuple[Callable[[Vector], Vector], Callable[[Matrix], Matrix]]
"""Maps the expert's weights, and the visible features of edges."""


def _unchanged(values: Vector) -> Vector:
    return values


def mixed_signs(rng: np.random.Generator, dim: int) -> Perturbation:
    """Weights uniform on [-1, 1] instead of [0, 1]."""
    return lambda w: 2.0 * w - 1.0, _unchanged


def correlated(rng: np.random.Generator, dim: int) -> Perturbation:
    """Groups of features with correlations of 0.84 to 0.92."""
    leaders = np.arange(dim) // GROUP * GROUP
    return _unchanged, lambda edges: (1.0 - SHARE) * edges + SHARE * edges[:, leaders]


def badly_scaled(rng: np.random.Generator, dim: int) -> Perturbation:
    """The same problems and preferences, in units that differ by up to a factor of a million."""
    units = 10.0 ** (DECADES * (rng.random(dim) - 0.5))

    def weights(w: Vector) -> Vector:
        out = w.copy()
        out[:dim] /= units
        return out

    return weights, lambda edges: edges * units


PERTURBATIONS: Mapping[str, Callable[[np.random.Generator, int], Perturbation]] = MappingProxyType(
    {"mixed signs": mixed_signs, "correlated": correlated, "badly scaled": badly_scaled}
)


def perturbed(x: Problem, change: Callable[[Matrix], Matrix]) -> Problem:
    """The problem of a cube, a graph or a fleet with other visible features."""
    if isinstance(x, FleetProblem):
        return replace(x, graph=perturbed(x.graph, change))
    return replace(x, edges=np.ascontiguousarray(change(x.edges)))

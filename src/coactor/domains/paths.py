"""What tours and fleets share: paths through the points of a graph, edited by reversing a stretch (2-opt)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Self, TypeAlias

import numpy as np

from coactor import validation
from coactor.domains.graphs import Graph
from coactor.habits import HABIT
from coactor.kernels import paths
from coactor.protocol import Indices, Matrix, Move, Vector

Paths: TypeAlias = tuple[Indices, ...]


class PathDomain:
    """The paths of a problem, ends included, and what follows from them; phi is minus the edge features.

    A subclass says which graph a problem has, and how solutions are written as paths.
    """

    feature_signs = -1  # every feature is a cost
    checks_moves = True

    def __init__(self, features: int, hidden: int, names: Sequence[str] | None, habits: bool) -> None:
        self.edge_features = validation.positive(features, 1, "features")
        self.hidden = validation.positive(hidden, 0, "hidden")
        self.names = validation.names_for(names, self.edge_features)
        self.habits = habits

    @property
    def dim(self) -> int:
        """d, with habits one more than an edge has."""
        return self.edge_features + self.habits

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features of an edge, then habits."""
        return (*self.names, *[HABIT] * self.habits)

    def with_habits(self) -> Self:
        """The same domain with a feature of habits."""
        other = copy(self)
        other.habits = True
        return other

    @abstractmethod
    def graph(self, x: Any) -> Graph:
        """The points of a problem, with the costs of habits if something was recalled for it."""

    @abstractmethod
    def to_paths(self, y: Any) -> Paths:
        """The paths of a solution."""

    @abstractmethod
    def of_paths(self, paths: Paths) -> Any:
        """The solution with these paths."""

    @abstractmethod
    def to_move(self, row: list[int]) -> Move:
        """The move that reverses positions i..j of path v, from (v, i, j)."""

    def parts(self, x: Any, y: Any) -> Iterator[tuple[str, str]]:
        """The edges used, by the names of their ends."""
        for path in self.to_paths(y):
            yield from self.graph(x).parts(path)

    def choices(self, x: Any) -> tuple[str, ...]:
        """The names of the points."""
        return self.graph(x).titles()

    def features(self, x: Any, y: Any) -> Vector:
        """phi(x, y): minus the summed features of the edges used."""
        phi: Vector = self.features_along(x, [y])[0]
        return phi

    def all_features(self, x: Any, y: Any) -> Vector:
        """The visible features, then the hidden ones."""
        graph, (order, starts) = self.graph(x), flat(self.to_paths(y))
        hidden = paths.features_along(graph.hidden, graph.size, order.reshape(1, -1), starts)[0]
        return np.concatenate([self.features(x, y), hidden])

    def features_along(self, x: Any, path: Sequence[Any]) -> Matrix:
        """phi of each solution."""
        orders, starts = zip(*(flat(self.to_paths(y)) for y in path), strict=True)
        if any((s != starts[0]).any() for s in starts[1:]):  # points have gone from one path to another
            return np.array([self.features(x, y) for y in path])
        graph = self._extended(x)
        return paths.features_along(graph.edges, graph.size, np.asarray(orders), starts[0])

    def moves(self, x: Any, y: Any) -> Iterator[Move]:
        """Every reversal of positions i..j inside a path that changes it, path by path."""
        yield from map(self.to_move, paths.list_moves(*flat(self.to_paths(y))).tolist())

    def move_features(self, x: Any, y: Any) -> Matrix:
        """The change in phi of each reversal."""
        graph = self._extended(x)
        return paths.move_features(graph.edges, graph.size, *flat(self.to_paths(y)))

    def landscape(self, x: Any, w: Vector) -> PathLandscape:
        """The solutions of a problem under the weights."""
        return PathLandscape(self, self.costs(x, w))

    def costs(self, x: Any, w: Vector) -> Matrix:
        """The cost of the edge between each two points under the weights."""
        return self._extended(x).costs(validation.weight_vector(w, self.dim, self.hidden))

    def _extended(self, x: Any) -> Graph:
        return self.graph(x).extended(self.edge_features, None) if self.habits else self.graph(x)


@dataclass(frozen=True, slots=True)
class PathLandscape:
    """Solutions under one matrix of edge costs."""

    domain: PathDomain
    costs: Matrix

    def utility(self, y: Any) -> float:
        """Minus the length of all paths."""
        return -float(paths.length(self.costs, *flat(self.domain.to_paths(y))))

    def gains(self, y: Any) -> Vector:
        """What each reversal saves."""
        return paths.gains(self.costs, *flat(self.domain.to_paths(y)))

    def climb(
        self, y: Any, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Any], list[Move]]:
        """2-opt inside the paths by the kernel."""
        order, starts = flat(self.domain.to_paths(y))
        orders, moves = paths.climb(self.costs, order, starts, kappa, best, limit)
        paths_of = [orders[1:, a:b] for a, b in pairwise(starts.tolist())]
        solutions = map(self.domain.of_paths, zip(*paths_of, strict=True))
        return [y, *solutions], list(map(self.domain.to_move, moves.tolist()))


def flat(y: Paths) -> tuple[Indices, Indices]:
    """All paths in one array, and the start of each path in it: the form the kernels take."""
    return np.concatenate(y), np.array([0, *accumulate(map(len, y))])


def count_reversals(order: Indices) -> int:
    """An upper bound on the reversals that sort a permutation of 0..n whose ends stay in place.

    Greedy: each step makes the reversal that restores the most adjacent pairs of the sorted order. A reversal
    restores at most two pairs, so half the missing pairs, rounded up, is a lower bound; the count is exact
    where it meets that bound.
    """
    order = np.array(order, np.int64)
    count = 0
    while len(breaks := _breakpoints(order)):
        i, j = _best_reversal(order, breaks)
        order[i : j + 1] = order[i : j + 1][::-1]
        count += 1
    return count


def _breakpoints(order: Indices) -> Indices:
    """The positions k at which order[k] and order[k + 1] are not adjacent in the sorted order."""
    return np.flatnonzero(np.abs(np.diff(order)) != 1)


def _best_reversal(order: Indices, breaks: Indices) -> tuple[int, int]:
    """The first and last position of the reversal that restores most pairs.

    Where no reversal restores a pair, the one that puts the first misplaced element into its place.
    """
    left, right = np.meshgrid(breaks, breaks, indexing="ij")
    near = np.abs(order[left] - order[right]) == 1
    far = np.abs(order[left + 1] - order[right + 1]) == 1
    restored = np.where(left < right, near.astype(int) + far, -1)
    best = int(restored.argmax())
    if restored.flat[best] > 0:
        return int(left.flat[best]) + 1, int(right.flat[best])
    first = int(np.flatnonzero(order != np.arange(len(order)))[0])
    return first, int(np.flatnonzero(order == first)[0])

"""What tours and fleets share: a graph, paths through its points, edited by reversing a stretch (2-opt)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Self, TypeAlias

import numpy as np

from coactor import display, validation
from coactor.habits import HABIT
from coactor.kernels import paths
from coactor.kernels.paths import cost_matrix
from coactor.protocol import Indices, Matrix, Move, Part, Usage, Vector

Paths: TypeAlias = tuple[Indices, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A complete undirected graph with a feature vector on each edge.

    Attributes
    ----------
    size
        n, the number of points.
    edges
        Visible features, shape (n (n - 1) / 2, d): the pairs i < j in row order.
    hidden
        Features that only the expert sees, one row per edge; without columns if there are none.
    coordinates
        Of the points, shape (n, 2), for a map; optional.
    names
        Of the points; optional.
    """

    size: int
    edges: Matrix
    hidden: Matrix
    coordinates: Matrix | None = None
    names: tuple[str, ...] | None = None

    __repr__ = display.brief("size", "edges", "hidden")

    @staticmethod
    def of(
        size: int,
        edges: Any,
        hidden: Any = None,
        coordinates: Any = None,
        names: Any = None,
        *,
        features: int | None = None,
    ) -> Graph:
        """A validated graph from array-likes."""
        n = validation.positive(size, 1, "the number of points")
        rows = n * (n - 1) // 2
        visible = validation.matrix(edges, "edge features", rows, features)
        hidden = np.empty((rows, 0)) if hidden is None else hidden
        concealed = validation.matrix(hidden, "hidden features", rows)
        places = None if coordinates is None else validation.matrix(coordinates, "coordinates", n, 2)
        return Graph(n, visible, concealed, places, validation.titles(names, n, "points"))

    @staticmethod
    def from_matrices(features: Any, coordinates: Any = None) -> Graph:
        """A graph from a symmetric array of shape (n, n, d), or (n, n) for a single feature."""
        table = validation.array(features, "edge features")
        if table.ndim == 2:
            table = table[:, :, None]
        if table.ndim != 3 or table.shape[0] != table.shape[1]:
            raise ValueError(f"Edge features have shape {table.shape}; expected (n, n) or (n, n, d).")
        if not np.allclose(table, table.transpose(1, 0, 2)):
            raise ValueError("Edge features are not symmetric; an edge must cost the same both ways.")
        upper = np.triu_indices(table.shape[0], 1)
        return Graph.of(table.shape[0], table[upper], coordinates=coordinates)

    @staticmethod
    def random(rng: np.random.Generator, n: int, features: int, hidden: int) -> Graph:
        """A graph with edge features uniform on [0, 1]."""
        rows = n * (n - 1) // 2
        return Graph(n, rng.random((rows, features)), rng.random((rows, hidden)))

    def costs(self, w: Vector) -> Matrix:
        """The cost of each edge under the weights, as an n x n matrix."""
        return cost_matrix(validation.edge_costs(self.edges, self.hidden, w), self.size)

    # -- habits ------------------------------------------------------------------------------------------

    def titles(self) -> tuple[str, ...]:
        """The names of the points; by default their numbers."""
        return tuple(map(str, range(self.size))) if self.names is None else self.names

    def parts(self, points: Iterable[int]) -> Iterator[tuple[str, str]]:
        """The edges between consecutive points by the names of their ends, in alphabetical order."""
        titles = self.titles()
        for a, b in pairwise(titles[k] for k in points):
            yield (a, b) if a <= b else (b, a)

    def rows(self, low: Indices, high: Indices) -> Indices:
        """The rows of `edges` between points, the smaller number of each two first."""
        return low * self.size - low * (low + 1) // 2 + high - low - 1

    def extended(self, features: int, usage: Usage | None) -> Graph:
        """The graph with its own features and the cost of unusual edges; 0 if nothing was recalled."""
        if usage is None:
            if self.edges.shape[1] != features:  # has them already, or is not of this domain
                return self
            return replace(self, edges=np.hstack([self.edges, np.zeros((len(self.edges), 1))]))
        ends = usage.numbers({name: k for k, name in enumerate(self.titles())})
        low, high = ends.min(axis=0), ends.max(axis=0)
        known = (low >= 0) & (low < high)
        low, high = low[known], high[known]
        costs = np.ones((len(self.edges), 1))
        costs[self.rows(low, high), 0] = usage.costs[known]
        return replace(self, edges=np.hstack([self.edges[:, :features], costs]))

    def encode(self, features: int | None = None) -> dict[str, Any]:
        """The graph as JSON-able data, with the first features of each edge only."""
        data: dict[str, Any] = {"size": self.size, "edges": self.edges[:, :features].tolist()}
        if self.hidden.shape[1]:
            data["hidden"] = self.hidden.tolist()
        if self.coordinates is not None:
            data["coordinates"] = self.coordinates.tolist()
        if self.names is not None:
            data["names"] = list(self.names)
        return data

    @staticmethod
    def decode(data: Any, features: int, hidden: int = 0) -> Graph:
        """A validated graph from JSON-able data; a single point, without edges, has `hidden` columns."""
        size = validation.entry(data, "size", "the problem")
        edges = validation.entry(data, "edges", "the problem")
        concealed = np.empty((0, hidden)) if size == 1 else data.get("hidden")
        return Graph.of(size, edges, concealed, data.get("coordinates"), data.get("names"), features=features)


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
    def solve_costs(self, x: Any, costs: Matrix) -> Any:
        """A solution of small total cost that no reversal improves."""

    @abstractmethod
    def to_paths(self, y: Any) -> Paths:
        """The paths of a solution."""

    @abstractmethod
    def of_paths(self, paths: Paths) -> Any:
        """The solution with these paths."""

    @abstractmethod
    def to_move(self, row: list[int]) -> Move:
        """The move that reverses positions i..j of path v, from (v, i, j)."""

    def solve(self, x: Any, w: Vector) -> Any:
        """A solution that no reversal improves."""
        return self.solve_costs(x, self.costs(x, w))

    def parts(self, x: Any, y: Any) -> Iterator[tuple[str, str]]:
        """The edges used, by the names of their ends."""
        for path in self.to_paths(y):
            yield from self.graph(x).parts(path)

    lockable = parts

    def draw(self, x: Any, y: Any) -> list[dict[str, Any]]:
        """The paths, as a drawing if the points have coordinates, and as a table."""
        graph = self.graph(x)
        lines = [path.tolist() for path in self.to_paths(y)]
        return display.routes(lines, graph.titles(), graph.coordinates)

    def replan(self, x: Any, w: Vector, y: Any, keep: frozenset[Part]) -> Any:
        """2-opt that never gives up a kept edge: an edge so cheap that no other gain is worth it.

        From y; if that does not bring about all kept edges, from a new solution.
        """
        costs, number = self.costs(x, w).copy(), {name: k for k, name in enumerate(self.choices(x))}
        price = 4.0 * float(np.abs(costs).max()) + 1.0
        for names in keep:
            ends = [number[name] for name in names if name in number]
            if len(ends) == 2:
                costs[ends, ends[::-1]] -= price
        z = PathLandscape(self, costs).climb(y, best=True)[0][-1]
        return z if keep <= set(self.parts(x, z)) else self.solve_costs(x, costs)

    def choices(self, x: Any) -> tuple[str, ...]:
        """The names of the points."""
        return self.graph(x).titles()

    def features(self, x: Any, y: Any) -> Vector:
        """phi(x, y): minus the summed features of the edges used."""
        phi: Vector = self.features_along(x, [y])[0]
        return phi

    def by_cell(self, x: Any, y: Any) -> Matrix:
        """Minus the features of each edge used."""
        graph = self._extended(x)
        ends = np.concatenate([np.stack([path[:-1], path[1:]]) for path in self.to_paths(y)], axis=1)
        return -graph.edges[graph.rows(ends.min(axis=0), ends.max(axis=0))]

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

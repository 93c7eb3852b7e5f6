"""Fleets: several salespeople with fixed starts and ends, edited by reversing a stretch of one path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeAlias, overload

import numpy as np

from coactor import validation
from coactor.domains.graphs import Graph
from coactor.domains.reversals import count_reversals
from coactor.habits import HABIT
from coactor.kernels import fleets
from coactor.protocol import Indices, Matrix, Move, Usage, Vector

Paths: TypeAlias = tuple[Indices, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FleetProblem:
    """Points, and the start and end of each salesperson.

    Attributes
    ----------
    graph
        The points and the features of the edges between them.
    terminals
        (start, end) of each salesperson, shape (vehicles, 2): all different points.
    """

    graph: Graph
    terminals: Indices

    def __repr__(self) -> str:
        return f"FleetProblem({self.graph!r}, {len(self.terminals)} vehicles)"

    @staticmethod
    def of(graph: Graph, terminals: Any) -> FleetProblem:
        """A validated problem."""
        try:
            ends = np.asarray(terminals)
        except ValueError:  # rows of unequal length
            ends = np.empty(0)
        if ends.ndim != 2 or ends.shape[1] != 2 or ends.shape[0] < 1 or ends.dtype.kind not in "iu":
            raise ValueError(
                f"The terminals are {str(terminals)[:60]}; expected one (start, end) pair per vehicle."
            )
        flat = ends.ravel()
        if (flat < 0).any() or (flat >= graph.size).any() or np.unique(flat).size != flat.size:
            raise ValueError(
                f"The terminals {flat.tolist()} must be different points from 0 to {graph.size - 1}."
            )
        return FleetProblem(graph, ends.astype(np.int64))


class Fleet:
    """Open paths with fixed ends that share the points between them; phi is minus the summed edge features.

    The solver is cheapest insertion over all paths, then 2-opt inside each; the expert's operator reverses a
    stretch of one path. A solution is a tuple of arrays, one path each, ends included.

    Parameters
    ----------
    points, vehicles
        The size of sampled problems. The domain solves problems of any size.
    features
        d, the number of features of an edge.
    hidden
        The number of features that only the expert sees.
    names
        Of the features; optional.
    habits
        Whether how unusual an edge is is one more feature of it: see `coactor.habits`.

    Examples
    --------
    >>> import numpy as np
    >>> domain = Fleet(points=7, vehicles=2, features=3)
    >>> x = next(domain.sample(np.random.default_rng(1), n=1))
    >>> y = domain.solve(x, np.ones(3))
    >>> [(int(path[0]), int(path[-1])) for path in y]
    [(0, 1), (2, 3)]
    """

    feature_signs = -1  # every feature is a cost
    checks_moves = True

    def __init__(
        self,
        points: int = 40,
        vehicles: int = 4,
        features: int = 10,
        hidden: int = 0,
        names: Sequence[str] | None = None,
        habits: bool = False,
    ) -> None:
        self.vehicles = validation.positive(vehicles, 1, "vehicles")
        self.points = validation.positive(
            points, 2 * self.vehicles, "points (a start and an end for each vehicle)"
        )
        self.edge_features = validation.positive(features, 1, "features")
        self.habits = habits
        self.dim = self.edge_features + habits
        self.hidden = validation.positive(hidden, 0, "hidden")
        own = validation.names_for(names, self.edge_features)
        self.feature_names = (*own, *[HABIT] * habits)

    def __repr__(self) -> str:
        hidden = f", hidden={self.hidden}" if self.hidden else ""
        habits = ", habits=True" if self.habits else ""
        sizes = f"points={self.points}, vehicles={self.vehicles}, features={self.edge_features}"
        return f"Fleet({sizes}{hidden}{habits})"

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[FleetProblem]:
        """n random problems: edge features uniform on [0, 1]; the first points are the terminals."""
        terminals = np.arange(2 * self.vehicles, dtype=np.int64).reshape(-1, 2)  # points are exchangeable
        for _ in range(n):
            yield FleetProblem(Graph.random(rng, self.points, self.edge_features, self.hidden), terminals)

    # -- habits ------------------------------------------------------------------------------------------

    def with_habits(self) -> Fleet:
        """The same domain with a feature of habits."""
        own = self.feature_names[: self.edge_features]
        return Fleet(self.points, self.vehicles, self.edge_features, self.hidden, own, habits=True)

    def parts(self, x: FleetProblem, y: Paths) -> Iterator[tuple[str, str]]:
        """The edges used, by the names of their ends."""
        for path in y:
            yield from x.graph.parts(path)

    def choices(self, x: FleetProblem) -> tuple[str, ...]:
        """The names of the points."""
        return validation.problem(x, FleetProblem).graph.titles()

    def extend(self, x: FleetProblem, usage: Usage) -> FleetProblem:
        """The problem with the costs of unusual edges as further features."""
        return replace(x, graph=x.graph.extended(self.edge_features, usage))

    def _graph(self, x: FleetProblem) -> Graph:
        graph = validation.problem(x, FleetProblem).graph
        return graph.extended(self.edge_features, None) if self.habits else graph

    # -- a domain ----------------------------------------------------------------------------------------

    def features(self, x: FleetProblem, y: Paths) -> Vector:
        """phi(x, y): minus the summed features of the edges used."""
        order, starts = flat(y)
        phi: Vector = fleets.features_along(self._graph(x).edges, order.reshape(1, -1), starts)[0]
        return phi

    def all_features(self, x: FleetProblem, y: Paths) -> Vector:
        """The visible features, then the hidden ones."""
        order, starts = flat(y)
        hidden = fleets.features_along(x.graph.hidden, order.reshape(1, -1), starts)[0]
        return np.concatenate([self.features(x, y), hidden])

    def solve(self, x: FleetProblem, w: Vector) -> Paths:
        """Cheapest insertion over all paths, then 2-opt inside each."""
        return split(*fleets.solve(self.landscape(x, w).costs, x.terminals))

    def moves(self, x: FleetProblem, y: Paths) -> Iterator[Move]:
        """Every reversal of positions i..j inside a path, path by path."""
        for v, path in enumerate(y):
            for i in range(1, len(path) - 2):
                for j in range(i + 1, len(path) - 1):
                    yield {"op": "reverse", "args": [v, i, j]}

    def apply(self, x: FleetProblem, y: Paths, move: Move) -> Paths:
        """The paths with positions i..j of one of them reversed."""
        v, i, j = validation.move_args(move, "reverse", 3)
        if not 0 <= v < len(y):
            raise ValueError(f"There is no path {v}; the solution has paths 0 to {len(y) - 1}.")
        if not 1 <= i < j < len(y[v]) - 1:
            limit = len(y[v]) - 1
            raise ValueError(f"Cannot reverse positions {i} to {j}; expected 1 <= first < last < {limit}.")
        z = np.array(y[v], dtype=np.int64)
        z[i : j + 1] = z[i : j + 1][::-1]
        return (*y[:v], z, *y[v + 1 :])

    def landscape(self, x: FleetProblem, w: Vector) -> FleetLandscape:
        """The solutions of a problem under the weights."""
        return FleetLandscape(self._graph(x).costs(validation.weight_vector(w, self.dim, self.hidden)))

    def features_along(self, x: FleetProblem, path: Sequence[Paths]) -> Matrix:
        """phi of each solution."""
        orders, starts = zip(*(flat(y) for y in path), strict=True)
        if all((s == starts[0]).all() for s in starts[1:]):
            return fleets.features_along(self._graph(x).edges, np.asarray(orders), starts[0])
        return np.array([self.features(x, y) for y in path])

    def move_features(self, x: FleetProblem, y: Paths) -> Matrix:
        """The change in phi of each reversal."""
        return fleets.move_features(self._graph(x).edges, *flat(y))

    def edits_between(self, x: FleetProblem, y: Paths, z: Paths) -> int:
        """An upper bound on the reversals inside each path, plus one for each point on another path in z.

        The fleet's own operator never takes a point to another path.
        """
        total = 0
        for before, after in zip(y, z, strict=True):
            stay = np.intersect1d(before, after)
            goal = {int(p): k for k, p in enumerate(after[np.isin(after, stay)])}
            order = np.array([goal[int(p)] for p in before[np.isin(before, stay)]], np.int64)
            total += len(after) - len(stay) + count_reversals(order)
        return total

    def check_solution(self, x: FleetProblem, y: Any) -> None:
        """Raise ValueError unless every point is on exactly one path and the ends are the terminals."""
        if not isinstance(y, tuple) or not all(map(validation.is_index_array, y)):
            raise ValueError("The solution must be a tuple of arrays of points, one path for each vehicle.")
        if len(y) != len(x.terminals):
            raise ValueError(
                f"The solution has {len(y)} paths; expected one for each of {len(x.terminals)} vehicles."
            )
        order, starts = flat(y)
        v = fleets.wrong_ends(order, starts, x.terminals)
        if v >= 0:
            start, end = x.terminals[v]
            raise ValueError(f"Path {v} must lead from point {start} to point {end}.")
        if not validation.is_permutation(order, x.graph.size):
            raise ValueError(f"The paths must visit each of the {x.graph.size} points exactly once.")

    def encode_problem(self, x: FleetProblem) -> Any:
        """The problem as JSON-able data."""
        return {**x.graph.encode(self.edge_features), "terminals": x.terminals.tolist()}

    def decode_problem(self, data: Any) -> FleetProblem:
        """A validated problem from JSON-able data."""
        graph = Graph.decode(data, self.edge_features)
        return FleetProblem.of(graph, validation.entry(data, "terminals", "the problem"))

    def encode_solution(self, y: Paths) -> list[list[int]]:
        """The paths as JSON-able data."""
        return [[int(p) for p in path] for path in y]

    def decode_solution(self, x: FleetProblem, data: Any) -> Paths:
        """Validated paths from JSON-able data."""
        if not isinstance(data, Sequence) or isinstance(data, str):
            raise ValueError(f"The solution is {str(data)[:60]!r}; expected a list of paths.")
        y = tuple(validation.integers(path, f"path {v}") for v, path in enumerate(data))
        self.check_solution(x, y)
        return y


@dataclass(frozen=True, slots=True)
class FleetLandscape:
    """Solutions under one matrix of edge costs."""

    costs: Matrix

    def utility(self, y: Paths) -> float:
        """Minus the length of all paths."""
        return -float(fleets.length(self.costs, *flat(y)))

    def gains(self, y: Paths) -> Vector:
        """What each reversal saves."""
        return fleets.gains(self.costs, *flat(y))

    def climb(
        self, y: Paths, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[Sequence[Paths], list[Move]]:
        """2-opt inside the paths by the kernel."""
        order, starts = flat(y)
        path, moves = fleets.climb(self.costs, order, starts, kappa, best, limit)
        return _LazyPaths(y, path, starts), [{"op": "reverse", "args": args} for args in moves.tolist()]


class _LazyPaths(Sequence[Paths]):
    """The solutions of a climb, split into their paths on access: most of them are never read."""

    def __init__(self, first: Paths, orders: Indices, starts: Indices) -> None:
        self._first, self._orders, self._starts = first, orders, starts

    def __len__(self) -> int:
        return len(self._orders)

    @overload
    def __getitem__(self, k: int) -> Paths: ...
    @overload
    def __getitem__(self, k: slice) -> list[Paths]: ...
    def __getitem__(self, k: int | slice) -> Paths | list[Paths]:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        if k in (0, -len(self)):
            return self._first
        return split(self._orders[k], self._starts)


def flat(y: Paths) -> tuple[Indices, Indices]:
    """All paths in one array, and the start of each path in it: the form the kernels take."""
    return np.concatenate(y), np.array([0, *accumulate(map(len, y))])


def split(order: Indices, starts: Indices) -> Paths:
    """The tuple of paths that `flat` joined."""
    cuts = starts.tolist()
    return tuple(order[cuts[v] : cuts[v + 1]] for v in range(len(cuts) - 1))

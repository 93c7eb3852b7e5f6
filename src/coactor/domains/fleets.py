"""Fleets: several salespeople with fixed starts and ends, edited by reversing a stretch of one path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coactor import display, validation
from coactor.domains.paths import Graph, PathDomain, Paths
from coactor.kernels import paths
from coactor.protocol import Indices, Matrix, Move, Usage


@dataclass(frozen=True, slots=True, eq=False)
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

    __repr__ = display.brief("graph", "terminals")

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


class Fleet(PathDomain):
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

    def __init__(
        self,
        points: int = 40,
        vehicles: int = 4,
        features: int = 10,
        hidden: int = 0,
        names: Sequence[str] | None = None,
        habits: bool = False,
    ) -> None:
        super().__init__(features, hidden, names, habits)
        self.vehicles = validation.positive(vehicles, 1, "vehicles")
        ends = 2 * self.vehicles
        self.points = validation.positive(points, ends, "points (a start and an end for each vehicle)")

    __repr__ = display.brief("points", "vehicles", "edge_features", "hidden", "habits")

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[FleetProblem]:
        """n random problems: edge features uniform on [0, 1]; the first points are the terminals."""
        terminals = np.arange(2 * self.vehicles, dtype=np.int64).reshape(-1, 2)  # points are exchangeable
        for _ in range(n):
            yield FleetProblem(Graph.random(rng, self.points, self.edge_features, self.hidden), terminals)

    def graph(self, x: FleetProblem) -> Graph:
        """The points of the problem."""
        return validation.problem(x, FleetProblem).graph

    def to_paths(self, y: Paths) -> Paths:
        """The solution itself."""
        return y

    def of_paths(self, paths: Paths) -> Paths:
        """The solution itself."""
        return paths

    def to_move(self, row: list[int]) -> Move:
        """Reverse positions i..j of path v."""
        return {"op": "reverse", "args": row}

    def extend(self, x: FleetProblem, usage: Usage) -> FleetProblem:
        """The problem with the costs of unusual edges as one more feature."""
        return replace(x, graph=x.graph.extended(self.edge_features, usage))

    def solve_costs(self, x: FleetProblem, costs: Matrix) -> Paths:
        """Cheapest insertion over all paths, then 2-opt inside each."""
        order, starts = paths.solve(costs, x.terminals)
        return tuple(np.split(order, starts[1:-1]))

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

    def edits_between(self, x: FleetProblem, y: Paths, z: Paths) -> int:
        """An upper bound on the reversals inside each path, plus one for each point on another path in z.

        The fleet's own operator never takes a point to another path.
        """
        total = 0
        for before, after in zip(y, z, strict=True):
            stay = np.intersect1d(before, after)
            goal = {int(p): k for k, p in enumerate(after[np.isin(after, stay)])}
            order = np.array([goal[int(p)] for p in before[np.isin(before, stay)]], np.int64)
            total += len(after) - len(stay) + paths.count_reversals(order)
        return total

    def check_solution(self, x: FleetProblem, y: Any) -> None:
        """Raise ValueError unless every point is on exactly one path and the ends are the terminals."""
        if not isinstance(y, tuple) or not all(map(validation.is_index_array, y)):
            raise ValueError("The solution must be a tuple of arrays of points, one path for each vehicle.")
        if len(y) != len(x.terminals):
            raise ValueError(
                f"The solution has {len(y)} paths; expected one for each of {len(x.terminals)} vehicles."
            )
        for v, (path, (start, end)) in enumerate(zip(y, x.terminals.tolist(), strict=True)):
            if len(path) < 2 or path[0] != start or path[-1] != end:
                raise ValueError(f"Path {v} must lead from point {start} to point {end}.")
        if not validation.is_permutation(np.concatenate(y), x.graph.size):
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

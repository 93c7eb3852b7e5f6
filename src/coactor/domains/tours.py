"""Tours: the travelling salesperson problem, edited by reversing a stretch (2-opt)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coactor import display, validation
from coactor.domains.paths import Graph, PathDomain, Paths
from coactor.kernels import paths
from coactor.protocol import Indices, Matrix, Move, Usage

LARGE = 150  # the number of points from which greedy edges are a better start than insertion


class Tour(PathDomain):
    """Closed tours through all points; phi is minus the summed edge features.

    The solver is cheapest insertion (for many points greedy edges), then 2-opt; the expert's operator
    reverses a stretch. A tour is an array of points whose first point is fixed.

    Parameters
    ----------
    points
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
    >>> domain = Tour(points=6, features=2)
    >>> x = next(domain.sample(np.random.default_rng(1), n=1))
    >>> y = domain.solve(x, np.array([1.0, 0.5]))
    >>> sorted(y.tolist())
    [0, 1, 2, 3, 4, 5]
    >>> domain.apply(x, np.arange(6), {"op": "reverse", "args": [2, 4]})
    array([0, 1, 4, 3, 2, 5])
    """

    def __init__(
        self,
        points: int = 20,
        features: int = 100,
        hidden: int = 0,
        names: Sequence[str] | None = None,
        habits: bool = False,
    ) -> None:
        super().__init__(features, hidden, names, habits)
        self.points = validation.positive(points, 1, "points")

    __repr__ = display.brief("points", "edge_features", "hidden", "habits")

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Graph]:
        """n random problems: edge features uniform on [0, 1]."""
        for _ in range(n):
            yield Graph.random(rng, self.points, self.edge_features, self.hidden)

    def graph(self, x: Graph) -> Graph:
        """The problem itself."""
        return validation.problem(x, Graph)

    def to_paths(self, y: Indices) -> Paths:
        """The path from the first point back to it."""
        return (np.concatenate([y, y[:1]]),)

    def of_paths(self, paths: Paths) -> Indices:
        """The tour without the return to its first point."""
        return paths[0][:-1]

    def to_move(self, row: list[int]) -> Move:
        """Reverse positions i..j."""
        return {"op": "reverse", "args": row[1:]}

    def extend(self, x: Graph, usage: Usage) -> Graph:
        """The graph with the costs of unusual edges as one more feature."""
        return x.extended(self.edge_features, usage)

    def solve_costs(self, x: Graph, costs: Matrix) -> Indices:
        """Cheapest insertion, then 2-opt; greedy edges in place of insertion from 150 points on."""
        large = x.size >= LARGE
        order = paths.solve_large(costs) if large else paths.solve(costs, np.zeros((1, 2), np.int64))[0]
        return order[:-1]

    def apply(self, x: Graph, y: Indices, move: Move) -> Indices:
        """The tour with positions i..j reversed."""
        i, j = validation.move_args(move, "reverse", 2)
        if not 1 <= i < j < x.size:
            raise ValueError(f"Cannot reverse positions {i} to {j}; expected 1 <= first < last < {x.size}.")
        if i == 1 and j == x.size - 1:
            raise ValueError("Reversing all positions gives the same tour; leave one end out.")
        z = np.array(y, dtype=np.int64)
        z[i : j + 1] = z[i : j + 1][::-1]
        return z

    def edits_between(self, x: Graph, y: Indices, z: Indices) -> int:
        """An upper bound on the reversals from y to z, wherever z begins and whichever way round it runs."""
        forward = np.roll(z, -int(np.flatnonzero(z == y[0])[0]))
        backward = np.concatenate([forward[:1], forward[:0:-1]])
        place = np.empty(len(z), np.int64)
        counts = []
        for goal in (forward, backward):
            place[goal] = np.arange(len(goal))
            closed = np.append(place[y], len(goal))  # by the first point
            counts.append(paths.count_reversals(closed))
        return min(counts)

    def check_solution(self, x: Graph, y: Any) -> None:
        """Raise ValueError unless y visits every point exactly once."""
        if not validation.is_permutation(y, x.size):
            raise ValueError(
                f"The tour must be an array that visits each of the {x.size} points exactly once."
            )

    def encode_problem(self, x: Graph) -> Any:
        """The graph as JSON-able data, without habits."""
        return x.encode(self.edge_features)

    def decode_problem(self, data: Any) -> Graph:
        """A validated graph from JSON-able data."""
        return Graph.decode(data, self.edge_features, self.hidden)

    def encode_solution(self, y: Indices) -> list[int]:
        """The tour as JSON-able data."""
        return [int(p) for p in y]

    def decode_solution(self, x: Graph, data: Any) -> Indices:
        """A validated tour from JSON-able data."""
        y = validation.integers(data, "the tour")
        self.check_solution(x, y)
        return y

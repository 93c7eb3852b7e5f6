"""Path planning on a hypercube, edited by re-ordering three consecutive steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import display, validation
from coactor.kernels import cubes
from coactor.protocol import Indices, Matrix, Move, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Cube:
    """The features of a hypercube's edges.

    Attributes
    ----------
    edges
        Visible features, shape (dimension * 2^(dimension - 1), d): corner by corner, bit by bit.
    hidden
        Features that only the expert sees, one row per edge.
    names
        Of the bits; optional.
    """

    edges: Matrix
    hidden: Matrix
    names: tuple[str, ...] | None = None

    __repr__ = display.brief("edges", "hidden", "names")

    def costs(self, w: Vector) -> Vector:
        """The cost of each edge under the weights."""
        return validation.edge_costs(self.edges, self.hidden, w)


class Hypercube:
    """Paths from corner 0 to the opposite corner; phi is minus the summed edge features.

    A solution is the order in which the bits are set. The solver looks two steps ahead and takes the first,
    repeatedly. As in the paper it is not locally optimal for the expert's operator: even perfect weights
    leave effort here (`coactor.polish` removes it).

    Parameters
    ----------
    dimension
        Of the cube; 7 in the paper.
    features
        d, the number of features of an edge.
    hidden
        The number of features that only the expert sees.
    names
        Of the features; optional.

    Examples
    --------
    >>> import numpy as np
    >>> domain = Hypercube(dimension=4, features=2)
    >>> x = next(domain.sample(np.random.default_rng(1), n=1))
    >>> sorted(domain.solve(x, np.ones(2)).tolist())
    [0, 1, 2, 3]
    >>> domain.apply(x, np.arange(4), {"op": "reorder", "args": [1, 2, 0, 1]})
    array([0, 3, 1, 2])
    """

    locally_optimal = False  # Assumption 1 does not hold, as the paper states
    feature_signs = -1  # every feature is a cost
    checks_moves = True

    def __init__(
        self, dimension: int = 7, features: int = 10, hidden: int = 0, names: Sequence[str] | None = None
    ) -> None:
        self.dimension = validation.positive(dimension, 1, "dimension")
        if self.dimension > 20:
            raise ValueError(
                f"The dimension is {dimension}; a cube of more than 20 dimensions does not fit in memory."
            )
        self.dim = validation.positive(features, 1, "features")
        self.hidden = validation.positive(hidden, 0, "hidden")
        self.feature_names = validation.names_for(names, self.dim)
        self._edge_of = cubes.number_edges(self.dimension)

    __repr__ = display.brief("dimension", "dim", "hidden")

    @property
    def edge_count(self) -> int:
        """The number of edges of the cube."""
        return self.dimension << (self.dimension - 1)

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Cube]:
        """n random problems: edge features uniform on [0, 1]."""
        for _ in range(n):
            yield Cube(rng.random((self.edge_count, self.dim)), rng.random((self.edge_count, self.hidden)))

    def features(self, x: Cube, y: Indices) -> Vector:
        """phi(x, y): minus the summed features of the edges used."""
        phi: Vector = cubes.features_along(x.edges, self._edge_of, y.reshape(1, -1))[0]
        return phi

    def all_features(self, x: Cube, y: Indices) -> Vector:
        """The visible features, then the hidden ones."""
        hidden = cubes.features_along(x.hidden, self._edge_of, y.reshape(1, -1))[0]
        return np.concatenate([self.features(x, y), hidden])

    def solve(self, x: Cube, w: Vector) -> Indices:
        """Look two steps ahead, take the first, repeat."""
        return cubes.solve(self.landscape(x, w).costs, self._edge_of)

    def moves(self, x: Cube, y: Indices) -> Iterator[Move]:
        """Every other order of three consecutive steps: by position, then by order."""
        for i in range(self.dimension - 2):
            for order in cubes.ORDERS.tolist():
                yield {"op": "reorder", "args": [i, *order]}

    def apply(self, x: Cube, y: Indices, move: Move) -> Indices:
        """The path whose steps i, i + 1, i + 2 come in the given order."""
        i, *order = validation.move_args(move, "reorder", 4)
        if not 0 <= i <= self.dimension - 3 or order not in cubes.ORDERS.tolist():
            raise ValueError(
                f"Cannot re-order {order} at position {i}; expected another order of 0, 1, 2 "
                f"at a position from 0 to {self.dimension - 3}."
            )
        z = np.array(y, dtype=np.int64)
        z[i : i + 3] = z[i : i + 3][order]
        return z

    def parts(self, x: Cube, y: Indices) -> Iterator[tuple[str, str]]:
        """Which bit is set in which step."""
        for step, bit in enumerate(y.tolist(), 1):
            yield f"step {step}", str(bit) if x.names is None else x.names[bit]

    def draw(self, x: Cube, y: Indices) -> list[dict[str, Any]]:
        """The bits in the order in which they are set."""
        return [{"kind": "list", "items": [bit for _, bit in self.parts(x, y)]}]

    def landscape(self, x: Cube, w: Vector) -> CubeLandscape:
        """The paths of a problem under the weights."""
        w = validation.weight_vector(w, self.dim, self.hidden)
        return CubeLandscape(validation.problem(x, Cube).costs(w), self._edge_of)

    def features_along(self, x: Cube, path: Sequence[Indices]) -> Matrix:
        """phi of each path."""
        return cubes.features_along(x.edges, self._edge_of, np.asarray(path))

    def move_features(self, x: Cube, y: Indices) -> Matrix:
        """The change in phi of each re-ordering."""
        return cubes.move_features(x.edges, self._edge_of, y)

    def check_solution(self, x: Cube, y: Any) -> None:
        """Raise ValueError unless y sets every bit exactly once."""
        if not validation.is_permutation(y, self.dimension):
            raise ValueError(
                f"The path must be an array that sets each of the {self.dimension} bits exactly once."
            )

    def encode_problem(self, x: Cube) -> Any:
        """The cube as JSON-able data."""
        data: dict[str, Any] = {"edges": x.edges.tolist()}
        if x.hidden.shape[1]:
            data["hidden"] = x.hidden.tolist()
        if x.names is not None:
            data["names"] = list(x.names)
        return data

    def decode_problem(self, data: Any) -> Cube:
        """A validated cube from JSON-able data."""
        edges = validation.matrix(
            validation.entry(data, "edges", "the problem"), "edge features", self.edge_count, self.dim
        )
        hidden, rows = data.get("hidden"), self.edge_count
        hidden = np.empty((rows, 0)) if hidden is None else validation.matrix(hidden, "hidden features", rows)
        return Cube(edges, hidden, validation.titles(data.get("names"), self.dimension, "bits"))

    def encode_solution(self, y: Indices) -> list[int]:
        """The path as JSON-able data."""
        return [int(bit) for bit in y]

    def decode_solution(self, x: Cube, data: Any) -> Indices:
        """A validated path from JSON-able data."""
        y = validation.integers(data, "the path")
        self.check_solution(x, y)
        return y


@dataclass(frozen=True, slots=True)
class CubeLandscape:
    """Paths under one set of edge costs."""

    costs: Vector
    edge_of: Indices

    def utility(self, y: Indices) -> float:
        """Minus the cost of the path."""
        return float(cubes.features_along(self.costs.reshape(-1, 1), self.edge_of, y.reshape(1, -1))[0, 0])

    def gains(self, y: Indices) -> Vector:
        """What each re-ordering saves."""
        return cubes.gains(self.costs, self.edge_of, y)

    def climb(
        self, y: Indices, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Indices], list[Move]]:
        """Re-order by the kernel."""
        path, moves = cubes.climb(self.costs, self.edge_of, y, kappa, best, limit)
        return [y, *path[1:]], [{"op": "reorder", "args": args} for args in moves.tolist()]

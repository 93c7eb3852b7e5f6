"""Path planning on a hypercube, edited by re-ordering three consecutive moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import validation
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
        Features only the expert sees, one row per edge.
    names
        What people call the bits; optional.
    """

    edges: Matrix
    hidden: Matrix
    names: tuple[str, ...] | None = None

    def costs(self, w: Vector) -> Vector:
        """What each edge costs under the weights."""
        return validation.edge_costs(self.edges, self.hidden, w)


class Hypercube:
    """Paths from corner 0 to the opposite corner; phi is minus the summed edge features.

    A solution is the order in which the bits are set. The solver looks two moves ahead and takes the first,
    again and again. It is not locally optimal for the expert's operator, on purpose: even perfect weights
    leave effort here (`coactor.polish` mends that).

    Parameters
    ----------
    dimension
        Of the cube; 7 in the paper.
    features
        d, the features of an edge.
    hidden
        How many more features the expert sees.
    names
        What the features are called; optional.

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

    locally_optimal = False  # Assumption 1 does not hold, and the paper says so
    counts_costs = True  # phi is minus the features: a positive weight avoids them

    def __init__(
        self, dimension: int = 7, features: int = 10, hidden: int = 0, names: Sequence[str] | None = None
    ) -> None:
        self.dimension = validation.positive(dimension, 1, "dimension")
        if self.dimension > 20:
            raise ValueError(
                f"dimension is {dimension}; a cube of more than 20 dimensions does not fit in memory."
            )
        self.dim = validation.positive(features, 1, "features")
        self.hidden = validation.positive(hidden, 0, "hidden")
        self.feature_names = validation.names_for(names, self.dim)
        self._edge_of = cubes.number_edges(self.dimension)

    @property
    def edge_count(self) -> int:
        """How many edges the cube has."""
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
        unseen = cubes.features_along(x.hidden, self._edge_of, y.reshape(1, -1))[0]
        return np.concatenate([self.features(x, y), unseen])

    def solve(self, x: Cube, w: Vector) -> Indices:
        """Look two moves ahead, take the first, repeat (SPEC section 4)."""
        return cubes.solve(x.costs(validation.weight_vector(w, self.dim, self.hidden)), self._edge_of)

    def moves(self, x: Cube, y: Indices) -> Iterator[Move]:
        """Every other order of three consecutive moves: by position, then by order."""
        for i in range(self.dimension - 2):
            for order in cubes.ORDERS.tolist():
                yield {"op": "reorder", "args": [i, *order]}

    def apply(self, x: Cube, y: Indices, move: Move) -> Indices:
        """The path whose moves i, i + 1, i + 2 come in the given order."""
        i, *order = validation.move_args(move, "reorder", 4)
        if not 0 <= i <= self.dimension - 3 or sorted(order) != [0, 1, 2]:
            raise ValueError(
                f"cannot re-order {order} at position {i}; expected an order of 0, 1, 2 "
                f"at a position from 0 to {self.dimension - 3}."
            )
        z = np.array(y, dtype=np.int64)
        z[i : i + 3] = z[i : i + 3][order]
        return z

    def landscape(self, x: Cube, w: Vector) -> CubeLandscape:
        """All edge costs at once, for climbing."""
        return CubeLandscape(x.costs(validation.weight_vector(w, self.dim, self.hidden)), self._edge_of)

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
                f"the path must be an array that sets each of the {self.dimension} bits exactly once."
            )

    def encode_problem(self, x: Cube) -> Any:
        data: dict[str, Any] = {"edges": x.edges.tolist()}
        if x.hidden.shape[1]:
            data["hidden"] = x.hidden.tolist()
        if x.names is not None:
            data["names"] = list(x.names)
        return data

    def decode_problem(self, data: Any) -> Cube:
        edges = validation.matrix(
            validation.entry(data, "edges", "the problem"), "edge features", self.edge_count, self.dim
        )
        unseen = data.get("hidden")
        rows = self.edge_count
        hidden = np.empty((rows, 0)) if unseen is None else validation.matrix(unseen, "hidden features", rows)
        return Cube(edges, hidden, validation.titles(data.get("names"), self.dimension, "bits"))

    def encode_solution(self, y: Indices) -> list[int]:
        return [int(bit) for bit in y]

    def decode_solution(self, x: Cube, data: Any) -> Indices:
        y = validation.integers(data, "the path")
        self.check_solution(x, y)
        return y


@dataclass(frozen=True, slots=True)
class CubeLandscape:
    """Paths under one set of edge costs."""

    costs: Vector
    edge_of: Indices

    def utility(self, y: Indices) -> float:
        return float(cubes.features_along(self.costs.reshape(-1, 1), self.edge_of, y.reshape(1, -1))[0, 0])

    def gains(self, y: Indices) -> Vector:
        return cubes.gains(self.costs, self.edge_of, y)

    def climb(
        self, y: Indices, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Indices], list[Move]]:
        path, moves = cubes.climb(self.costs, self.edge_of, y, kappa, best, limit)
        return [y, *path[1:]], [{"op": "reorder", "args": args} for args in moves.tolist()]

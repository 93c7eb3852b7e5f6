"""Points and the features of the edges between them: the problem of tours and fleets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import validation
from coactor.kernels.edges import cost_matrix
from coactor.protocol import Matrix, Vector


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
        Features only the expert sees, one row per edge; no columns when there are none.
    coordinates
        Where the points lie, shape (n, 2), for a map; optional.
    names
        What people call the points; optional.
    """

    size: int
    edges: Matrix
    hidden: Matrix
    coordinates: Matrix | None = None
    names: tuple[str, ...] | None = None

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
        """A checked graph from anything array-like."""
        n = validation.positive(size, 1, "the number of points")
        rows = n * (n - 1) // 2
        visible = validation.matrix(edges, "edge features", rows, features)
        unseen = np.empty((rows, 0)) if hidden is None else validation.matrix(hidden, "hidden features", rows)
        places = None if coordinates is None else validation.matrix(coordinates, "coordinates", n, 2)
        return Graph(n, visible, unseen, places, validation.titles(names, n, "points"))

    @staticmethod
    def from_matrices(features: Any, coordinates: Any = None) -> Graph:
        """A graph from a symmetric array of shape (n, n, d), or (n, n) for a single feature."""
        table = np.asarray(features, dtype=np.float64)
        if table.ndim == 2:
            table = table[:, :, None]
        if table.ndim != 3 or table.shape[0] != table.shape[1]:
            raise ValueError(f"edge features have shape {table.shape}; expected (n, n) or (n, n, d).")
        if not np.allclose(table, table.transpose(1, 0, 2)):
            raise ValueError("edge features are not symmetric; an edge must cost the same both ways.")
        upper = np.triu_indices(table.shape[0], 1)
        return Graph.of(table.shape[0], table[upper], coordinates=coordinates)

    @staticmethod
    def random(rng: np.random.Generator, n: int, features: int, hidden: int) -> Graph:
        """Edge features uniform on [0, 1]."""
        rows = n * (n - 1) // 2
        return Graph(n, rng.random((rows, features)), rng.random((rows, hidden)))

    def costs(self, w: Vector) -> Matrix:
        """What each edge costs under the weights, as an n x n matrix."""
        return cost_matrix(validation.edge_costs(self.edges, self.hidden, w), self.size)

    def encode(self) -> dict[str, Any]:
        """JSON-able data."""
        data: dict[str, Any] = {"size": self.size, "edges": self.edges.tolist()}
        if self.hidden.shape[1]:
            data["hidden"] = self.hidden.tolist()
        if self.coordinates is not None:
            data["coordinates"] = self.coordinates.tolist()
        if self.names is not None:
            data["names"] = list(self.names)
        return data

    @staticmethod
    def decode(data: Any, features: int) -> Graph:
        """The graph that `encode` described, checked."""
        size = validation.entry(data, "size", "the problem")
        edges = validation.entry(data, "edges", "the problem")
        return Graph.of(
            size, edges, data.get("hidden"), data.get("coordinates"), data.get("names"), features=features
        )

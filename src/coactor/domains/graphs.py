"""Points and the features of the edges between them: the problem of tours and fleets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from coactor import validation
from coactor.kernels.paths import cost_matrix
from coactor.protocol import Indices, Matrix, Usage, Vector


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        hidden = f", {self.hidden.shape[1]} hidden" if self.hidden.shape[1] else ""
        return f"Graph({self.size} points, {self.edges.shape[1]} features{hidden})"

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
        concealed = (
            np.empty((rows, 0)) if hidden is None else validation.matrix(hidden, "hidden features", rows)
        )
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

    def extended(self, features: int, usage: Usage | None) -> Graph:
        """The graph with its own features and the cost of unusual edges; 0 if nothing was recalled."""
        if usage is None:
            if self.edges.shape[1] != features:  # has them already, or is not of this domain
                return self
            return replace(self, edges=np.hstack([self.edges, np.zeros((len(self.edges), 1))]))
        number = {name: k for k, name in enumerate(self.titles())}
        ends: Indices = np.array(
            [[number.get(name, -1) for name in names] for names in (usage.given, usage.choice)], np.int64
        ).reshape(2, -1)
        low, high = ends.min(axis=0), ends.max(axis=0)
        known = (low >= 0) & (low < high)
        low, high = low[known], high[known]
        costs = np.ones((len(self.edges), 1))
        costs[low * self.size - low * (low + 1) // 2 + high - low - 1, 0] = usage.costs[known]
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

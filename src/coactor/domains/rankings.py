"""Rankings: the documents of a query, edited by exchanging neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from coactor import display, validation
from coactor.domains.queries import Query, SparseRows
from coactor.kernels import rankings
from coactor.protocol import Indices, Matrix, Move, Part, Vector

Discount: TypeAlias = Literal["log", "linear"]


@lru_cache(maxsize=1024)
def discount(n: int, kind: Discount = "log") -> Vector:
    """The weight of positions i = 1, ..., n: 1 / log2(i + 1), or -i if it is linear."""
    g = 1.0 / np.log2(np.arange(2, n + 2)) if kind == "log" else -np.arange(1.0, n + 1.0)
    g.flags.writeable = False
    return g


class Ranking:
    """Orders of a query's documents; phi(x, y) = sum over positions i of f(d_i) g(i).

    The solver sorts by w . f(document). The expert's operator exchanges two neighbours. One feature is
    hidden: minus the sum of position times label. An expert with weight 1 on it, 0 on all others and
    kappa = 2 exchanges neighbours exactly where the later label is at least 2 higher, as in the paper.

    Parameters
    ----------
    features
        d, the number of features of a document; 700 in the paper.
    documents
        The number of documents of sampled queries.
    names
        Of the features; optional.
    discount
        g: "log" for 1 / log2(i + 1), "linear" for -i. The paper gives no phi for rankings.

    Examples
    --------
    >>> import numpy as np
    >>> domain = Ranking(features=2)
    >>> x = Query.of([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]], labels=[0, 4, 2])
    >>> domain.solve(x, np.array([1.0, 0.0]))
    array([1, 2, 0])
    """

    hidden = 1
    exact = True  # sorted by score no order is better: there is nothing to search for
    checks_moves = True

    def __init__(
        self,
        features: int = 700,
        documents: int = 24,
        names: Sequence[str] | None = None,
        discount: Discount = "log",
    ) -> None:
        if discount not in get_args(Discount):
            raise ValueError(f"The discount is {discount!r}; expected log or linear.")
        self.discount = discount
        self.dim = validation.positive(features, 1, "features")
        self.documents = validation.positive(documents, 1, "documents")
        self.feature_names = validation.names_for(names, self.dim)

    __repr__ = display.brief("dim", "documents", "discount")

    def truth(self) -> Vector:
        """The weights of the paper's expert, for use with kappa = 2: only labels count."""
        w = np.zeros(self.dim + 1)
        w[-1] = 1.0
        return w

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Query]:
        """n random queries: features uniform on [0, 1], labels the quintile of their mean plus noise."""
        for _ in range(n):
            rows = rng.random((self.documents, self.dim))
            quality = rows[:, : max(1, self.dim // 2)].mean(axis=1)
            quality += 0.1 * rng.standard_normal(self.documents)
            ranks = np.argsort(np.argsort(quality, kind="stable"), kind="stable")
            yield Query(rows, np.floor(5.0 * ranks / self.documents))

    def features(self, x: Query, y: Indices) -> Vector:
        """phi(x, y)."""
        share = np.empty(x.size)
        share[y] = discount(x.size, self.discount)
        return x.weighted_sum(share)

    def all_features(self, x: Query, y: Indices) -> Vector:
        """phi(x, y), then minus the sum of position times label."""
        return np.append(self.features(x, y), -(np.arange(1, x.size + 1) @ x.labels[y]))

    def solve(self, x: Query, w: Vector) -> Indices:
        """Sort by w . f(document), decreasing; ties keep input order.

        With weights for all features the sorted order is only a start, which a climb improves.
        """
        weights = validation.weight_vector(w, self.dim, 1)
        y = rankings.descending(validation.problem(x, Query).scores(weights[: self.dim]))
        if weights.size > self.dim and weights[-1] != 0.0:
            return self.landscape(x, weights).climb(y)[0][-1]
        return y

    def moves(self, x: Query, y: Indices) -> Iterator[Move]:
        """Every exchange of two neighbours, from the top."""
        for i in range(x.size - 1):
            yield {"op": "exchange", "args": [i]}

    def apply(self, x: Query, y: Indices, move: Move) -> Indices:
        """The order with positions i and i + 1 exchanged."""
        (i,) = validation.move_args(move, "exchange", 1)
        if not 0 <= i < x.size - 1:
            raise ValueError(f"Cannot exchange positions {i} and {i + 1} of {x.size} documents.")
        z = np.array(y, dtype=np.int64)
        z[i], z[i + 1] = z[i + 1], z[i]
        return z

    def landscape(self, x: Query, w: Vector) -> RankingLandscape:
        """The orders of a query under the weights."""
        weights = validation.weight_vector(w, self.dim, 1)
        g = discount(x.size, self.discount)
        by_label = weights[-1] if weights.size > self.dim else 0.0
        visible = weights[: self.dim]
        scores = x.scores(visible) if visible.any() else np.zeros(x.size)
        return RankingLandscape(scores, by_label * x.labels, g)

    def draw(self, x: Query, y: Indices) -> list[dict[str, Any]]:
        """The documents in their order."""
        return [{"kind": "list", "items": [x.title(k) for k in y.tolist()]}]

    def parts(self, x: Query, y: Indices) -> Iterator[tuple[str, str]]:
        """Which document has which place."""
        for place, document in enumerate(y.tolist(), 1):
            yield f"place {place}", x.title(document)

    lockable = parts

    def replan(self, x: Query, w: Vector, y: Indices, keep: frozenset[Part]) -> Indices:
        """The kept documents in their places, the others in order of w . f(document); ties as in y."""
        scores = validation.problem(x, Query).scores(validation.weight_vector(w, self.dim))
        number = {x.title(d): d for d in range(x.size)}
        places = {f"place {k + 1}": k for k in range(x.size)}
        fixed = {places[part[0]]: number[part[1]] for part in keep if part[0] in places and part[1] in number}
        if len(set(fixed.values())) < len(keep):
            raise ValueError(
                "A place to keep is unknown, or two documents claim it, or one claims two places."
            )
        order = y[rankings.descending(scores[y])].tolist()
        rest = iter([document for document in order if document not in fixed.values()])
        return np.array([fixed[k] if k in fixed else next(rest) for k in range(x.size)])

    def features_along(self, x: Query, path: Sequence[Indices]) -> Matrix:
        """phi of each order."""
        share = np.empty((len(path), x.size))
        for k, y in enumerate(path):
            share[k, y] = discount(x.size, self.discount)
        if len(path) <= 2:
            return np.array([x.weighted_sum(row) for row in share])
        return share @ x.rows()

    def move_features(self, x: Query, y: Indices) -> Matrix:
        """The change in phi of each exchange."""
        slope = -np.diff(discount(x.size, self.discount))
        return np.diff(x.rows()[y], axis=0) * slope[:, None]

    def declined_features(self, x: Query, y: Indices) -> Matrix:
        """The change in phi of exchanging documents that are 1, 2, 4, 8, ... places apart.

        An expert who leaves a list declines to exchange any two of its documents: near ones say which order
        is right, far ones how much it matters. These distances are a sample of all.
        """
        rows, g = x.rows()[y], discount(x.size, self.discount)
        gaps = [2**k for k in range((x.size - 1).bit_length())]
        changes = [(rows[gap:] - rows[:-gap]) * (g[:-gap] - g[gap:])[:, None] for gap in gaps]
        return np.concatenate([np.empty((0, self.dim)), *changes])

    def edits_between(self, x: Query, y: Indices, z: Indices) -> int:
        """The exchanges of neighbours from y to z: the pairs that y and z order differently (exact)."""
        place = np.empty(len(z), np.int64)
        place[z] = np.arange(len(z))
        order = place[y]
        return sum(int((order[i + 1 :] < order[i]).sum()) for i in range(len(order) - 1))

    def check_solution(self, x: Query, y: Any) -> None:
        """Raise ValueError unless y lists every document exactly once."""
        if not validation.is_permutation(y, x.size):
            raise ValueError(
                f"The ranking must be an array that lists each of the {x.size} documents exactly once."
            )

    def encode_problem(self, x: Query) -> Any:
        """The query as JSON-able data."""
        rows = x.documents
        if isinstance(rows, SparseRows):
            arrays = ("indptr", "indices", "values")
            documents: Any = {name: getattr(rows, name).tolist() for name in arrays}
        else:
            documents = rows.tolist()
        data = {"documents": documents, "labels": x.labels.tolist()}
        if x.names is not None:
            data["names"] = list(x.names)
        return data

    def decode_problem(self, data: Any) -> Query:
        """A validated query from JSON-able data."""
        documents = validation.entry(data, "documents", "the problem")
        if isinstance(documents, dict):
            indptr = validation.integers(validation.entry(documents, "indptr", "documents"), "indptr")
            indices, values = (validation.entry(documents, key, "documents") for key in ("indices", "values"))
            documents = SparseRows.of(indptr, indices, values, (max(0, indptr.size - 1), self.dim))
        return Query.of(documents, data.get("labels"), data.get("names"), features=self.dim)

    def encode_solution(self, y: Indices) -> list[int]:
        """The order as JSON-able data."""
        return [int(d) for d in y]

    def decode_solution(self, x: Query, data: Any) -> Indices:
        """A validated order from JSON-able data."""
        y = validation.integers(data, "the ranking")
        self.check_solution(x, y)
        return y


@dataclass(frozen=True, slots=True)
class RankingLandscape:
    """Orders under one set of document scores: features count by discount, labels by position."""

    scores: Vector
    labels: Vector
    g: Vector

    def utility(self, y: Indices) -> float:
        """w . phi(x, y)."""
        return float(self.scores[y] @ self.g - self.labels[y] @ np.arange(1, y.size + 1))

    def gains(self, y: Indices) -> Vector:
        """What each exchange adds to the utility."""
        gains: Vector = np.diff(self.scores[y]) * -np.diff(self.g) + np.diff(self.labels[y])
        return gains

    def climb(
        self, y: Indices, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Indices], list[Move]]:
        """Exchange neighbours by the kernel."""
        path, moves = rankings.climb(self.scores, self.labels, self.g, y, kappa, best, limit)
        return [y, *path[1:]], [{"op": "exchange", "args": args} for args in moves.tolist()]

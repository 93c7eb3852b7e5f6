"""Small problems of every domain, and small domains without any ability, for the property tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from coactor import domains
from coactor.protocol import Correction, Move, Vector

KINDS = ("cube", "tour", "fleet", "dense ranking", "sparse ranking")


@dataclass(frozen=True)
class Case:
    """A domain, a problem of it, and random numbers to go on with."""

    domain: Any
    x: Any
    rng: np.random.Generator

    def weights(self, hidden: bool = False) -> Vector:
        """Weights of either sign, for the visible features or for all."""
        return self.rng.standard_normal(self.domain.dim + (self.domain.hidden if hidden else 0))

    def solution(self) -> Any:
        """Any solution: a solver's answer, then some random moves."""
        y = self.domain.solve(self.x, self.weights())
        for _ in range(5):
            moves = list(self.domain.moves(self.x, y))
            if moves:
                y = self.domain.apply(self.x, y, moves[self.rng.integers(len(moves))])
        return y


def sparse_rows(rows: Any) -> domains.SparseRows:
    """The non-zero entries of a matrix."""
    r, c = np.nonzero(rows)
    indptr = np.searchsorted(r, np.arange(len(rows) + 1)).astype(np.int64)
    return domains.SparseRows(indptr, c.astype(np.int64), rows[r, c], rows.shape)


def make_domain(kind: str, size: int, features: int, hidden: int) -> Any:
    """A domain of small problems; size 1 is the smallest problem there is."""
    if kind == "cube":
        return domains.Hypercube(dimension=size, features=features, hidden=hidden)
    if kind == "tour":
        return domains.Tour(points=size, features=features, hidden=hidden)
    if kind == "fleet":
        return domains.Fleet(points=size + 5, vehicles=1 + size % 3, features=features, hidden=hidden)
    return domains.Ranking(features=features, documents=size)


def make_case(kind: str, size: int = 6, features: int = 3, hidden: int = 0, seed: int = 0) -> Case:
    """A random problem."""
    rng = np.random.default_rng(seed)
    domain = make_domain(kind, size, features, hidden)
    x = next(domain.sample(rng, n=1))
    if kind == "sparse ranking":
        kept = rng.random(x.documents.shape) < 0.4
        x = domains.Query(sparse_rows(x.documents * kept), x.labels)
    return Case(domain, x, rng)


@st.composite
def cases(draw: st.DrawFn, kinds: Iterable[str] = KINDS, least: int = 1, most: int = 8) -> Case:
    """Random problems of every kind and of every small size."""
    return make_case(
        draw(st.sampled_from(list(kinds))),
        draw(st.integers(least, most)),
        draw(st.integers(1, 4)),
        draw(st.integers(0, 2)),
        draw(st.integers(0, 2**32 - 1)),
    )


class Bare:
    """A domain reduced to its four methods, and to what it hides."""

    def __init__(self, domain: Any) -> None:
        self.dim, self.hidden = domain.dim, domain.hidden
        self.features, self.all_features = domain.features, domain.all_features
        self.solve, self.moves, self.apply = domain.solve, domain.moves, domain.apply


class Coins:
    """The smallest domain: y is a tuple of 0 and 1, a move turns one coin, phi adds up the heads."""

    dim = 2

    def features(self, x: Any, y: Any) -> Vector:
        return np.asarray(x, dtype=np.float64).T @ np.array(y, dtype=np.float64)

    def solve(self, x: Any, w: Vector) -> Any:
        return tuple(int(row @ w > 0) for row in np.asarray(x, dtype=np.float64))

    def moves(self, x: Any, y: Any) -> list[Move]:
        return [{"op": "heads" if not side else "tails", "args": [k]} for k, side in enumerate(y)]

    def apply(self, x: Any, y: Any, move: Move) -> Any:
        (k,) = move["args"]
        return (*y[:k], 1 - y[k], *y[k + 1 :])


def same(one: Any, two: Any) -> bool:
    """Equal solutions, arrays and tuples of arrays."""
    if isinstance(one, tuple):
        return isinstance(two, tuple) and len(one) == len(two) and all(map(same, one, two))
    return bool(np.array_equal(one, two))


def same_correction(one: Correction, two: Correction) -> bool:
    """Equal path, moves, costs, and end."""
    return (
        list(one.moves) == list(two.moves)
        and list(one.costs) == list(two.costs)
        and one.cut == two.cut
        and len(one.path) == len(two.path)
        and all(map(same, one.path, two.path))
    )

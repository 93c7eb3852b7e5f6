"""Local search with a domain's own moves, and the features of solutions and moves.

Everything works with the four methods of a domain; if the domain has a kernel, the kernel does the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coactor.kernels import tolerances
from coactor.protocol import (
    Declines,
    Domain,
    Hides,
    Landscape,
    Landscapes,
    Matrix,
    Move,
    Problem,
    Solution,
    Solver,
    Validates,
    Vector,
    Vectorises,
    has,
)


def utility_features(domain: Domain, x: Problem, y: Solution, length: int) -> Vector:
    """The features that weights of this length score: the visible ones, or all of them."""
    if length != domain.dim and has(domain, Hides):
        return domain.all_features(x, y)
    return domain.features(x, y)


@dataclass(frozen=True, slots=True)
class PlainLandscape:
    """A landscape by the four methods of a domain."""

    domain: Domain
    x: Problem
    w: Vector

    def utility(self, y: Solution) -> float:
        return float(self.w @ utility_features(self.domain, self.x, y, self.w.size))

    def gains(self, y: Solution) -> Vector:
        here = utility_features(self.domain, self.x, y, self.w.size)
        neighbours = [self.domain.apply(self.x, y, move) for move in self.domain.moves(self.x, y)]
        there = [utility_features(self.domain, self.x, z, self.w.size) for z in neighbours]
        return np.array([self.w @ (phi - here) for phi in there], dtype=np.float64)

    def climb(
        self, y: Solution, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Solution], list[Move]]:
        path: list[Solution] = [y]
        moves: list[Move] = []
        while len(moves) != limit:
            step = self._step(path[-1], kappa, best)
            if step is None:
                break
            moves.append(step[0])
            path.append(step[1])
        return path, moves

    def _step(self, y: Solution, kappa: float, best: bool) -> tuple[Move, Solution] | None:
        here = utility_features(self.domain, self.x, y, self.w.size)
        most = tolerances.GAIN * float(np.abs(self.w) @ np.abs(here))
        chosen: tuple[Move, Solution] | None = None
        for move in self.domain.moves(self.x, y):
            z = self.domain.apply(self.x, y, move)
            gain = float(self.w @ (utility_features(self.domain, self.x, z, self.w.size) - here))
            if gain >= kappa and gain > most:
                if not best:
                    return move, z
                most, chosen = gain, (move, z)
        return chosen


class VectorLandscape(PlainLandscape):
    """A landscape by the feature differences of all moves, which the domain computes at once."""

    __slots__ = ()

    def gains(self, y: Solution) -> Vector:
        gains: Vector = move_features(self.domain, self.x, y) @ self.w
        return gains

    def _step(self, y: Solution, kappa: float, best: bool) -> tuple[Move, Solution] | None:
        """The first (or best) move that gains enough, also once it is made.

        A domain may do something else than its rows say: of equally cheap detours a router takes another one.
        """
        gains, here = self.gains(y), self.domain.features(self.x, y)
        least = tolerances.GAIN * float(np.abs(self.w) @ np.abs(here))
        enough = np.flatnonzero((gains >= kappa) & (gains > least))
        moves = list(self.domain.moves(self.x, y)) if enough.size else []
        for k in enough[np.argsort(-gains[enough], kind="stable")] if best else enough:
            z = self.domain.apply(self.x, y, moves[k])
            gain = float(self.w @ (self.domain.features(self.x, z) - here))
            if gain > least and gain >= kappa - least:
                return moves[k], z
        return None


def landscape(domain: Domain, x: Problem, w: Vector) -> Landscape:
    """The landscape of a problem under weights: by kernel, by vectors, or by the domain's four methods."""
    if has(domain, Landscapes):
        return domain.landscape(x, w)
    if has(domain, Vectorises) and w.size == domain.dim:
        return VectorLandscape(domain, x, w)
    return PlainLandscape(domain, x, w)


def polish(domain: Domain, solver: Solver | None = None) -> Solver:
    """Wrap a solver so that Assumption 1 holds: no move of the domain improves its answer.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import domains, polish
    >>> cube = domains.Hypercube(dimension=5, features=3)  # its own solver ignores the expert's moves
    >>> x = next(cube.sample(np.random.default_rng(0), n=1))
    >>> w = np.ones(3)
    >>> bool((cube.landscape(x, w).gains(polish(cube)(x, w)) <= 1e-9).all())
    True
    """
    solve = solver or domain.solve

    def polished(x: Problem, w: Vector) -> Solution:
        return landscape(domain, x, w).climb(solve(x, w))[0][-1]

    return polished


def features_along(domain: Domain, x: Problem, path: Sequence[Solution]) -> Matrix:
    """phi of each solution, one row each, as float64 in C order: learners add up in the order of memory."""
    if has(domain, Vectorises):
        return np.ascontiguousarray(domain.features_along(x, path), dtype=np.float64)
    return np.array([domain.features(x, z) for z in path], dtype=np.float64).reshape(len(path), domain.dim)


def move_features(domain: Domain, x: Problem, y: Solution) -> Matrix:
    """phi(neighbour) - phi(y) for each move, in scan order, one row each, as float64 in C order."""
    if has(domain, Vectorises):
        return np.ascontiguousarray(domain.move_features(x, y), dtype=np.float64)
    here = domain.features(x, y)
    rows = [domain.features(x, domain.apply(x, y, move)) - here for move in domain.moves(x, y)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), domain.dim)


def declined_features(domain: Domain, x: Problem, y: Solution) -> Matrix:
    """phi(z) - phi(y) for what an expert who leaves y declines: its moves, or what the domain says."""
    if has(domain, Declines):
        return np.ascontiguousarray(domain.declined_features(x, y), dtype=np.float64)
    return move_features(domain, x, y)


def check_solution(domain: Domain, x: Problem, y: Solution) -> None:
    """Raises ValueError if y is not a solution of x; does nothing if the domain does not validate."""
    if has(domain, Validates):
        domain.check_solution(x, y)

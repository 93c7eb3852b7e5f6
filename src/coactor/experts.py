"""Experts: (problem, solution) -> correction, simulated."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from coactor import display
from coactor.corrections import move_cost
from coactor.protocol import (
    Correction,
    Domain,
    Hides,
    Landscape,
    Move,
    MoveCosts,
    Problem,
    Solution,
    Vector,
    every_weight,
    has,
)
from coactor.search import check_solution, landscape
from coactor.solutions import solution_key
from coactor.validation import checked_domain, finite, number, weight_vector

Policy: TypeAlias = Literal["first", "best"]
Budget: TypeAlias = int | tuple[int, int] | None
Errors: TypeAlias = Literal["uniform", "normal"]
_NO_PROBLEM = object()  # None may be a problem


class SimulatedExpert:
    """Improves a solution by the domain's moves as long as one gains at least kappa (Assumption 2).

    Parameters
    ----------
    domain
        What is edited.
    weights
        w*, of length d, or d + hidden: then the expert sees what the solver does not.
    kappa
        The least gain worth the effort of a move.
    policy
        "first" takes the first move in scan order that gains enough, "best" the one that gains most.
    budget
        The largest number of moves: a number, or (low, high) to draw it for each problem.
    misjudgement
        The size of the error of a perceived gain: each solution has an error of its own, drawn once per
        problem, uniform within half of it or normal with this standard deviation (`errors`).
    costs
        The cost of a move, by the name of its operator or as a function of the move; 1 by default.
    rng
        Needed for drawn budgets and misjudgement. Draws are made once per problem, so all learners
        that propose for the same problem object meet the same expert.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import domains
    >>> domain = domains.Tour(points=8, features=2)
    >>> expert = SimulatedExpert(domain, weights=[1.0, 0.2], kappa=0.1)
    >>> x = next(domain.sample(np.random.default_rng(3), n=1))
    >>> correction = expert(x, np.arange(8))
    >>> correction.effort == len(correction.moves) > 0
    True
    >>> expert(x, correction.final).effort
    0.0
    """

    def __init__(
        self,
        domain: Domain,
        weights: Sequence[float] | Vector,
        kappa: float = 0.1,
        policy: Policy = "first",
        budget: Budget = None,
        misjudgement: float = 0.0,
        errors: Errors = "uniform",
        costs: MoveCosts | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.domain = checked_domain(domain)
        hidden = domain.hidden if has(domain, Hides) else 0
        self.weights: Vector = finite(
            weight_vector(every_weight(domain, weights), domain.dim, hidden), "The expert's weights"
        ).copy()
        self.kappa = number(kappa, "kappa")
        self.misjudgement = number(misjudgement, "misjudgement")
        if policy not in ("first", "best"):
            raise ValueError(f"The policy is {policy!r}; expected 'first' or 'best'.")
        if errors not in ("uniform", "normal"):
            raise ValueError(f"The kind of errors is {errors!r}; expected 'uniform' or 'normal'.")
        self.policy, self.errors, self.budget, self.costs = policy, errors, _budget(budget), costs
        needs_rng = isinstance(self.budget, tuple) or self.misjudgement
        if needs_rng and rng is None:
            raise ValueError("A drawn budget or misjudgement needs an rng; pass np.random.default_rng(seed).")
        self.rng = rng if needs_rng else None
        self._problem: Problem = _NO_PROBLEM

    def __call__(self, x: Problem, y: Solution) -> Correction:
        """Improve y until nothing gains kappa, or the budget is spent."""
        check_solution(self.domain, x, y)  # the kernels trust what they are given
        self._look_at(x)
        if self.misjudgement:
            path, moves = self._erring_climb(x, y)
            gained = self._landscape.utility(path[-1]) - self._landscape.utility(y)
            misjudged = max(0.0, self.kappa * len(moves) - gained)
        else:
            best = self.policy == "best"
            path, moves = self._landscape.climb(y, kappa=self.kappa, best=best, limit=self._limit)
            misjudged = 0.0
        cut = len(moves) == self._limit and self._wants_more(path[-1])
        costs = [1.0] * len(moves) if self.costs is None else [move_cost(self.costs, m) for m in moves]
        return Correction(path, moves, costs, cut, misjudged)

    __repr__ = display.brief("domain", "weights", "kappa")

    def utility(self, x: Problem, y: Solution) -> float:
        """The true utility of a solution: w* . phi(x, y)."""
        self._look_at(x)
        return self._landscape.utility(y)

    def _look_at(self, x: Problem) -> None:
        """Compute what depends on the problem alone, once for all learners."""
        if x is self._problem:
            return
        self._landscape: Landscape = landscape(self.domain, x, self.weights)
        self._limit = self.budget if isinstance(self.budget, int) else -1
        if self.rng is not None:
            if isinstance(self.budget, tuple):
                self._limit = int(self.rng.integers(self.budget[0], self.budget[1] + 1))
            self._salt = int(self.rng.integers(2**63))
        self._problem = x

    def _wants_more(self, y: Solution) -> bool:
        return bool(self._landscape.climb(y, kappa=self.kappa, limit=1)[1])

    # -- errors: slower, by the four methods of the domain -----------------------------------------------

    def _erring_climb(self, x: Problem, y: Solution) -> tuple[Sequence[Solution], list[Move]]:
        """Climb the perceived utility, which is fixed per problem and so has an optimum."""
        path, moves = [y], list[Move]()
        while len(moves) != self._limit:
            here, chosen, most = path[-1], None, 0.0
            gains = self._landscape.gains(here)
            for gain, move in zip(gains.tolist(), self.domain.moves(x, here), strict=True):
                perceived = gain + self._error(self.domain.apply(x, here, move)) - self._error(here)
                if perceived >= self.kappa and perceived > most + 1e-12:
                    chosen, most = move, perceived
                    if self.policy == "first":
                        break
            if chosen is None:
                break
            moves.append(chosen)
            path.append(self.domain.apply(x, here, chosen))
        return path, moves

    def _error(self, y: Solution) -> float:
        """The error in the perceived utility of a solution: a hash of it, so that it never changes."""
        digest = hashlib.blake2b(
            solution_key(y), digest_size=8, key=self._salt.to_bytes(8, "little")
        ).digest()
        u = ((int.from_bytes(digest, "little") >> 11) + 0.5) / 2**53  # never 0 or 1
        if self.errors == "uniform":
            return self.misjudgement * u  # only differences count
        return self.misjudgement * NormalDist().inv_cdf(u) / math.sqrt(2)


def _budget(budget: Budget) -> Budget:
    if budget is None:
        return None
    low, high = budget if isinstance(budget, tuple) else (budget, budget)
    if not (isinstance(low, int | np.integer) and isinstance(high, int | np.integer) and 0 <= low <= high):
        raise ValueError(f"The budget is {budget!r}; expected a whole number of moves, or (low, high).")
    return (int(low), int(high)) if isinstance(budget, tuple) else int(low)

"""What every archive is: recorded solutions, as problems with an expert who edits towards the solution.

An archive is replayed in some order through a session, as in a live study: what is learned from a case, and
remembered of it, is known from the next case on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from coactor import display
from coactor.archives.reconstructed_edits import towards
from coactor.experts import Budget, SimulatedExpert
from coactor.habits import start_weights
from coactor.protocol import Domain, Expert, Indices, Move, Problem, Solution, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One case of an archive.

    Attributes
    ----------
    problem, solution
        The problem, and its final solution; None for a judged query.
    proposed, moves
        What was shown to the person, and how they edited it; None if it was not recorded.
    person
        Who solved the case.
    effort
        What the edits cost; 0 if it is unknown.
    expert
        In a replay: edits a proposal towards the recorded solution.
    """

    problem: Problem
    solution: Solution
    proposed: Solution | None = None
    moves: Sequence[Move] | None = None
    person: str = ""
    effort: float = 0.0
    expert: Any = None

    __repr__ = display.brief("problem", "solution", "person", "effort")


@dataclass(frozen=True, slots=True, eq=False)
class Archive:
    """Past cases that can be replayed in any order.

    Attributes
    ----------
    domain
        The domain of the cases.
    cases
        What was recorded of each.
    digest
        A hash of the data and the options, for the cache.
    start
        The weights before any learning: the domain's own, unless others are given.
    kind
        What the cases are, in the plural.
    budget
        Queries: the most exchanges the expert makes.
    """

    domain: Any
    cases: tuple[Case, ...]
    digest: str
    start: Vector
    kind: str = "cases"
    budget: Budget = None

    @classmethod
    def of(
        cls,
        cases: Iterable[Case],
        domain: Domain,
        digest: str = "",
        kind: str = "cases",
        budget: Budget = None,
    ) -> Self:
        """An archive with the domain's own start, such as plain distance; all weights 1 if it has none."""
        start = start_weights(domain)
        start = np.ones(domain.dim) if start is None else start
        return cls(domain, tuple(cases), digest, start, kind, budget)

    def __repr__(self) -> str:
        return f"<Archive of {self.size} {self.kind}>"

    @property
    def size(self) -> int:
        """The number of cases."""
        return len(self.cases)

    @property
    def effort_name(self) -> str:
        """The unit of effort, in the plural."""
        units = {"trips": "via-points", "queries": "exchanges", "choices": "corrections"}
        return units.get(self.kind, "moves")

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        """The cases in this order, each with its expert.

        Queries have the paper's expert, who exchanges neighbours if the second label is 2 higher.
        """
        judge: Expert | None = None
        if self.kind == "queries":  # one stream per replay: every contender gets the same budgets
            rng = np.random.default_rng([seed, 5])
            judge = SimulatedExpert(self.domain, self.domain.truth(), kappa=2.0, budget=self.budget, rng=rng)
        for number in order:
            case = self.cases[number]
            yield replace(case, expert=judge or partial(towards, self.domain, goal=case.solution))

    def starting_at(self, weights: Sequence[float] | Vector | Mapping[str, float]) -> Self:
        """The same archive with other start weights: a list, or numbers by the names of the features.

        Raises ValueError if they do not fit.
        """
        start = start_weights(self.domain, weights)
        if start is None or start.shape != (self.domain.dim,):
            raise ValueError(f"The start has {len(weights)} numbers; expected {self.domain.dim}.")
        digest = hashlib.sha256(f"{self.digest} {start.tolist()}".encode()).hexdigest()
        return replace(self, start=start, digest=digest)

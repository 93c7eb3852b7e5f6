"""What every archive is: recorded solutions, as problems with an expert who edits towards the solution.

An archive is replayed in some order through a session, as in a live study: what is learned from a case, and
remembered of it, is known from the next case on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from coactor.habits import start_weights
from coactor.protocol import Domain, Expert, Indices, Move, Problem, Solution, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One case of an archive, before its solution is known.

    Attributes
    ----------
    problem, expert
        The problem, and the expert who edits a proposal towards the recorded solution.
    copied
        The solution of the most similar earlier case, adapted to this one; None if there is none.
    proposed, moves
        What was shown to the person, and how they edited it; None if it was not recorded.
    person
        Who solved the case.
    """

    problem: Problem
    expert: Expert
    copied: Solution | None = None
    proposed: Solution | None = None
    moves: Sequence[Move] | None = None
    person: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedCase:
    """One case of an archive, finished.

    Attributes
    ----------
    problem, solution
        The problem, and its final solution.
    proposed, moves
        What was shown to the expert, and how they edited it; None if it was not recorded.
    person
        Who solved the case.
    effort
        What the edits cost; 0 if it is unknown.
    """

    problem: Problem
    solution: Solution
    proposed: Solution | None = None
    moves: Sequence[Move] | None = None
    person: str = ""
    effort: float = 0.0


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
        The weights before any learning: see `usual_start`, unless others are given.
    kind, effort_name
        What the cases are, and the unit of effort, in the plural.
    """

    domain: Any
    cases: tuple[Any, ...]
    digest: str
    start: Vector
    kind: str
    effort_name: str

    @property
    def size(self) -> int:
        """The number of cases."""
        return len(self.cases)

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        """The cases in this order; each is recorded when the next one is requested."""
        raise NotImplementedError

    def starting_at(self, weights: Sequence[float] | Vector | Mapping[str, float]) -> Self:
        """The same archive with other start weights: a list, or numbers by the names of the features.

        Raises ValueError if they do not fit.
        """
        start = start_weights(self.domain, weights)
        if start is None or start.shape != (self.domain.dim,):
            raise ValueError(f"The start has {len(weights)} numbers; expected {self.domain.dim}.")
        digest = hashlib.sha256(f"{self.digest} {start.tolist()}".encode()).hexdigest()
        return replace(self, start=start, digest=digest)


def usual_start(domain: Domain) -> Vector:
    """The domain's own start, such as plain distance; all weights 1 if it has none."""
    start = start_weights(domain)
    return np.ones(domain.dim) if start is None else start

"""The values that flow from a problem to new weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from coactor import display

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Problem: TypeAlias = Any
Solution: TypeAlias = Any
State: TypeAlias = dict[str, Any]


class _Operator(TypedDict):
    op: str
    args: list[int]


class Move(_Operator, total=False):
    """One edit, as plain data: ``{"op": "reverse", "args": [3, 7]}``.

    Three keys are optional: `anyway`, the reason to break a rule; and, of the edits that every domain has,
    `parts` to keep or to free, and the solution `to` which a re-plan led (see `coactor.keeping`).
    """

    anyway: str
    parts: list[list[str]]
    to: Any


MoveCosts: TypeAlias = Mapping[str, float] | Callable[[Move], float]
"""What an operator costs the expert: a number per operator name, or a function of the move. Default 1."""

Solver: TypeAlias = Callable[[Problem, Vector], Solution]
"""S(x; w): any function from a problem and weights to a solution."""

Reads: TypeAlias = Literal["ends", "path", "declined"]
"""How much of a correction a learner uses. The rest is not computed."""

Candidate: TypeAlias = Literal["final", "disagreement"]
"""What to learn from: the expert's final solution, or the candidate of Assumption 3."""

Wish: TypeAlias = Literal["more", "less"]
"""What an expert says about a feature: that they want more or less of it than what is proposed."""


Part: TypeAlias = str | tuple[str, ...]
"""The name of a part of a solution: what was chosen, after the names of where it was chosen, if any."""


Parts: TypeAlias = Iterable[Sequence[str]]
"""Parts as a caller gives them: names, or sequences of names."""


@dataclass(frozen=True, slots=True)
class PastCase:
    """What a memory keeps of a solved problem.

    Attributes
    ----------
    parts
        The parts of the solution: pairs of the place and the choice made there.
    choices
        On offer in the problem; None if the problem does not limit them.
    context
        Names that describe the problem; None if the choices do.
    """

    parts: tuple[tuple[str, str], ...]
    choices: tuple[str, ...] | None = None
    context: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """How unusual parts of solutions are: 0 always used, 1 never. Parts that are not listed cost 1.

    Attributes
    ----------
    given, choice
        The parts: place and choice.
    costs
        One for each part.
    """

    given: tuple[str, ...]
    choice: tuple[str, ...]
    costs: Vector

    def numbers(self, of: Mapping[str, int]) -> Indices:
        """The names as two rows of numbers, -1 for a name that has none."""
        rows = [[of.get(name, -1) for name in names] for names in (self.given, self.choice)]
        return np.array(rows, np.int64).reshape(2, -1)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a proposal rests on.

    Attributes
    ----------
    version
        The version of the weights it was made with: the number of updates before it.
    proposer, reason
        Whose weights solved it, "learner", "start" or "alike", and why, see `coactor.proposals.outcomes`;
        "outside" if another system proposed the solution; "control" if it was made without what was learned.
    chance
        The probability that the expert accepts it unchanged; None if the learner cannot predict it.
    expected_moves
        The expected number of moves the expert would make first; None if the learner cannot predict it.
    control
        The probability with which it was drawn to be made without what was learned.
    """

    version: int = 0
    proposer: str = "learner"
    reason: str = ""
    chance: float | None = None
    expected_moves: float | None = None
    control: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A solution shown to the expert: y = S(x; w).

    Attributes
    ----------
    id
        Its number in the session or study, from 1.
    problem, solution
        x and y.
    asked_for
        The expert, role or depot that `ask` named; empty: the actor who edits it.
    solved_for
        Whose weights it was solved with; empty: those of all.
    basis
        The weights, who proposed, and what was predicted.
    alternatives
        What the proposer and each of the guard's alternatives proposed, by name; empty if not compared.
    recalled
        What the memory recalled, which is part of the problem; None if there is no memory.
    before
        What was done before the last re-plan, which led to the solution; a tell continues it.
    domain
        The domain, with which a notebook shows the proposal; None if it is unknown.
    """

    id: int
    problem: Problem
    solution: Solution
    asked_for: str = ""
    solved_for: str = ""
    basis: Basis = field(default_factory=Basis)
    alternatives: Mapping[str, Solution] = field(default_factory=dict)
    recalled: Usage | None = None
    before: Correction | None = None
    domain: Any = None

    __repr__ = display.brief("id", "problem", "solution", "asked_for", "version", "chance")

    def _repr_html_(self) -> str:
        views = getattr(self.domain, "draw", None) or getattr(self.domain, "show", None)
        shown = "" if views is None else display.html(views(self.problem, self.solution))
        return f"<p>{display.escape(repr(self))}</p>{shown}"

    @property
    def version(self) -> int:
        """The version of the weights it was made with."""
        return self.basis.version

    @property
    def chance(self) -> float | None:
        """The probability that the expert accepts it unchanged; None if the learner cannot predict it."""
        return self.basis.chance


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """What the expert did: the path z0, z1, ..., zl and the cost of each step.

    Attributes
    ----------
    path
        Solutions, the proposal first, the expert's final solution last.
    moves
        The operators between them: ``len(path) - 1``, or none if they were not recorded.
    costs
        The cost of each step.
    cut
        True if the expert ran out of time or budget, so that the final solution may be unfinished.
    misjudged
        By how much the gain in true utility of the final solution fell short of kappa * C; 0 if unknown. The
        xi of Theorem 2 is that of the candidate: `coactor.bounds.misjudgement`.
    estimated
        True if the effort was estimated from the final solution, not observed.
    replans
        The steps that the solver made when the rest was solved again: they cost, and are not evidence.
    """

    path: Sequence[Solution]
    moves: Sequence[Move]
    costs: Sequence[float]
    cut: bool = False
    misjudged: float = 0.0
    estimated: bool = False
    replans: Sequence[int] = ()

    __repr__ = display.brief("effort", "moves", "final", "cut")

    @property
    def effort(self) -> float:
        """C: the total cost of the correction."""
        return float(sum(self.costs))

    @property
    def final(self) -> Solution:
        """zl, the expert's final solution."""
        return self.path[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Feedback:
    """A correction as vectors and numbers: all that a learner sees.

    Attributes
    ----------
    path
        Feature vectors, shape (k + 1, d): the proposal first, the candidate y' last. A learner that
        reads only the ends gets two rows.
    cost
        C: the cost of the steps from the first row to the last.
    declined
        phi(neighbour) - phi(final solution) for every move the expert could still have made and did not,
        shape (m, d); None if the learner does not read them.
    cut
        True if the expert ran out of time or budget: then the declined moves are not evidence.
    learned_for
        Whose correction it is; read by learners that keep weights for each expert.
    estimated
        True if only the final solution is known: the cost is the estimated number of edits between the rows.
    chosen
        True if one move leads to any solution: the final one was chosen among all, and each declined row is
        another one.
    unsure
        True if it was very unlikely and nobody has said whether it was for today only: then it counts half.
    """

    path: Matrix
    cost: float
    declined: Matrix | None = None
    cut: bool = False
    learned_for: str = ""
    estimated: bool = False
    chosen: bool = False
    unsure: bool = False

    __repr__ = display.brief("path", "cost", "declined", "learned_for")

    @property
    def delta(self) -> Vector:
        """phi(x, y') - phi(x, y)."""
        delta: Vector = self.path[-1] - self.path[0]
        return delta


@dataclass(frozen=True, slots=True)
class Work:
    """Who corrected a proposal, and how.

    Attributes
    ----------
    actor
        The expert's name.
    seconds
        The active time; None if it is unknown.
    gestures
        The number of gestures, undone ones included; 0 if it is unknown.
    note
        What the expert wrote about the correction.
    authors
        Who made each edit, if several people edited the proposal.
    """

    actor: str = ""
    seconds: float | None = None
    gestures: int = 0
    note: str = ""
    authors: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)  # not frozen: one is made in every round, and freezing triples the time
class Round:
    """The result of one `tell`: what was proposed, what the expert did, and what was learned.

    Attributes
    ----------
    proposal, key
        The number of the proposal, and the caller's key for it.
    basis
        What the proposal rested on.
    effort, estimated
        The expert's total effort C, and whether it was estimated from the final solution.
    accepted
        True if the correction has no step.
    work
        Who corrected it, and how.
    learn, learned_for
        False if the correction was only recorded; and whose weights were learned.
    cost
        The C the learner was given; it is smaller than the effort if the candidate of Assumption 3
        comes before the final solution.
    version
        The version of the weights after the round.
    lesson
        What was learned, as a sentence.
    delta, change
        phi(x, y') - phi(x, y), and the weights after the round minus those before it. Lists of rounds leave
        both empty.
    seq, time
        The position in the log, and seconds since 1970 (0 in memory).
    """

    proposal: int
    key: str | None
    basis: Basis
    effort: float
    estimated: bool
    accepted: bool
    work: Work
    learn: bool
    learned_for: str
    cost: float
    version: int
    lesson: str
    delta: Vector = field(default_factory=lambda: np.zeros(0))
    change: Vector = field(default_factory=lambda: np.zeros(0))
    seq: int = 0
    time: float = 0.0

    __repr__ = display.brief("proposal", "effort", "accepted", "version", "lesson")

    def _repr_html_(self) -> str:
        names = ("proposal", "work.actor", "effort", "estimated", "version", "lesson", "change")
        return display.table(("", "Round"), [(name, attrgetter(name)(self)) for name in names])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Round):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

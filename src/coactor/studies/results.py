"""What a study answers: plain frozen values, the same in Python, over HTTP and on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coactor.protocol import EffortRow, Move, Problem, Solution

__all__ = ["Draft", "EffortRow", "Explanation", "Outcome", "Share", "Ticket", "Version"]


@dataclass(frozen=True, slots=True)
class Ticket:
    """A proposal and where it stands.

    Attributes
    ----------
    id
        Its number in the study.
    state
        "waiting", "held", "draft" (edited, held by nobody) or "done".
    version
        The weights it was asked with.
    key, label
        The caller's own names for it.
    asked
        When (seconds since 1970).
    revision
        How many gestures its draft has seen; an edit must name it.
    steps
        How many operators the draft or the correction consists of.
    effort
        What they cost; None for a proposal that was done from a final solution and never estimated.
    holder, until
        Who has it, and how long the lease lasts.
    told
        When it was done, or None.
    actor
        Who did it, or holds it.
    chance
        How likely it was said to be accepted untouched; None where the learner could not tell.
    due
        Whether it was made with old weights and will be solved again for whoever takes it.
    """

    id: int
    state: str
    version: int
    key: str | None
    label: str
    asked: float
    revision: int
    steps: int
    effort: float
    holder: str
    until: float
    told: float | None
    actor: str
    chance: float | None = None
    due: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A proposal as a person sees it: the problem, what was proposed, what it is now.

    Attributes
    ----------
    ticket
        Where it stands.
    problem, proposed, solution
        Objects of the domain: the problem, the proposal, the proposal with the edits made so far.
    moves, undone
        The edits that count, and those that can be redone.
    features, change
        phi of the solution, and how far it is from the proposal's, one number per feature.
    """

    ticket: Ticket
    problem: Problem
    proposed: Solution
    solution: Solution
    moves: list[Move]
    undone: list[Move]
    features: list[float]
    change: list[float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a tell; a tell that arrives twice is answered the same twice.

    Attributes
    ----------
    proposal, seq, time, actor
        Which fact it is.
    effort
        C, the paper's effort; `gross` counts undone gestures too, `seconds` is active time. Never mixed.
    estimated
        True when the effort was worked out from the final solution.
    learned
        False for "just today".
    asked_with, version
        The weights the proposal was made with, and those after this tell.
    change
        How the weights moved, one number per feature.
    sentence
        The same in words.
    """

    proposal: int
    seq: int
    time: float
    actor: str
    effort: float
    gross: int
    seconds: float | None
    estimated: bool
    learned: bool
    asked_with: int
    version: int
    change: list[float]
    sentence: str


@dataclass(frozen=True, slots=True)
class Version:
    """One state of the weights: which fact made it, and how."""

    version: int
    seq: int
    time: float
    actor: str
    how: str  # "created", "told", "reopened" or "rolled back"
    proposal: int | None
    to: int | None
    reason: str
    digest: str


@dataclass(frozen=True, slots=True)
class Share:
    """One feature's part in a utility: weight * value."""

    feature: str
    weight: float
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why this proposal: each feature's share of its utility, and of each edit's."""

    proposal: int
    version: int
    utility: float
    shares: list[Share]
    edits: list[dict[str, Any]]

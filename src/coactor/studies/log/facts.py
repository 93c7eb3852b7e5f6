"""The kinds of facts that a study's log consists of. A fact is written once and never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, get_args

from coactor.protocol import Move, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The study was created: its configuration, and the states of learner, memory and guard at version 0."""

    kind: ClassVar[str] = "created"
    uid: str
    config: dict[str, Any]
    state: State
    memory: State | None = None
    guard: State | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A problem was solved with the weights of `version`; the solution is a new proposal.

    `expected` is the expected number of edits and `chance` the probability of none, if the learner models
    them. `renewable` is true if any process that opens the study would have computed the same solution; such
    a proposal may be solved again with newer weights. `recalled` is the content hash of what the memory
    recalled for the problem. `person` is for whom it was asked, and `solved_for` whose weights were used:
    without a person, those of the person who asks. `proposer` and `reason` are those of the proposal.
    """

    kind: ClassVar[str] = "asked"
    proposal: int
    problem: str
    solution: Any
    version: int
    key: str | None = None
    label: str = ""
    chance: float | None = None
    expected: float | None = None
    renewable: bool = False
    recalled: str | None = None
    person: str = ""
    solved_for: str = ""
    proposer: str = "learner"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """An untouched proposal was solved again with newer weights; its draft restarts from the new solution."""

    kind: ClassVar[str] = "renewed"
    proposal: int
    solution: Any
    version: int
    revision: int
    chance: float | None = None
    expected: float | None = None
    recalled: str | None = None
    solved_for: str = ""
    proposer: str = "learner"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The actor holds a lease on the proposal until a time (seconds since 1970)."""

    kind: ClassVar[str] = "claimed"
    proposal: int
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The lease on the proposal ended; its draft stays."""

    kind: ClassVar[str] = "released"
    proposal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A draft was edited: a move, or the undo or redo of one. `revision` is the draft's revision after it."""

    kind: ClassVar[str] = "edited"
    proposal: int
    action: str  # "move", "undo" or "redo"
    revision: int
    until: float
    move: Move | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The expert finished a proposal: the correction, its cost, and the vectors that the learner was given.

    Attributes
    ----------
    solution, moves
        The final solution, and the edits that lead to it if they were recorded.
    source
        How the correction was described: "moves", "path" or "solution".
    effort, cost
        The effort of the expert, and the C that the learner was given; they differ if the candidate is the
        last disagreement (Assumption 3).
    estimated
        True if the effort was estimated from the final solution.
    accepted
        True if the correction has no step.
    cut, learn
        Whether the expert ran out of time, and whether the learner was updated.
    asked_with, version
        Version of the weights of the corrected solution, and the version after this fact.
    gross
        Number of gestures, undone ones included.
    request
        Digest of the request, to recognise a repetition.
    digest
        Digest of the weights after this fact.
    chance, expected
        The prediction that was made for the corrected solution, see `Asked`.
    lesson
        What was learned, in one sentence, as the expert was told.
    case
        What the memory keeps: parts, choices and context.
    left
        How many edits each alternative of the guard would have left.
    person, asked_for
        Whose weights were learned, and for whom the corrected solution was made.
    vectors
        The packed feedback (see `vectors`), stored beside the body.
    """

    kind: ClassVar[str] = "told"
    proposal: int
    solution: Any
    source: str
    moves: list[Move]
    effort: float
    cost: float
    estimated: bool
    cut: bool
    learn: bool
    asked_with: int
    version: int
    gross: int
    note: str = ""
    seconds: float | None = None
    asked_key: str | None = None
    request: str = ""
    digest: str = ""
    chance: float | None = None
    expected: float | None = None
    accepted: bool = False
    lesson: str = ""
    case: list[Any] | None = None
    left: dict[str, float] | None = None
    person: str = ""
    asked_for: str = ""
    vectors: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A tell was withdrawn within the grace period; the states are those without it."""

    kind: ClassVar[str] = "reopened"
    proposal: int
    told: int
    effort: float
    moves: list[Move]
    revision: int
    until: float
    version: int
    asked_with: int
    asked: float
    gross: int
    asked_key: str | None = None
    label: str = ""
    state: State | None = None
    acceptance: State | None = None
    memory: State | None = None
    guard: State | None = None
    digest: str = ""
    chance: float | None = None
    expected: float | None = None
    accepted: bool = False
    person: str = ""
    asked_for: str = ""
    proposer: str = "learner"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """The learner, or one person's part of it, was set back to its state at version `to`."""

    kind: ClassVar[str] = "rolled back"
    to: int
    reason: str
    version: int
    state: State
    digest: str
    acceptance: State | None = None
    memory: State | None = None
    guard: State | None = None
    person: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """Settings of the study were changed; they hold from this fact on."""

    kind: ClassVar[str] = "configured"
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """A person's name was replaced by `name` in every fact before this one, and the hashes were made anew.

    `before` is the hash that the log ended with before the erasure.
    """

    kind: ClassVar[str] = "erased"
    name: str
    before: str


Fact: TypeAlias = (
    Created
    | Asked
    | Renewed
    | Claimed
    | Released
    | Edited
    | Told
    | Reopened
    | RolledBack
    | Configured
    | Erased
)

KINDS: dict[str, type[Fact]] = {kind.kind: kind for kind in get_args(Fact)}


def recorded_digest(fact: Fact) -> str:
    """The digest of the weights after a fact, if it recorded one."""
    return fact.digest if isinstance(fact, Told | Reopened | RolledBack) else ""

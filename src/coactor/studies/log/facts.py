"""The kinds of facts that a study's log consists of. A fact is written once and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypedDict, get_args

from coactor.proposals.outcomes import ALIKE, START
from coactor.protocol import Basis, Move, PastCase, Round, State
from coactor.studies.drafts import Draft


class DomainConfig(TypedDict):
    """How to make the domain of a study again, see `coactor.studies.catalog.describe`."""

    name: str | None
    type: str
    parameters: dict[str, Any]


class OwnSolver(TypedDict, total=False):
    """What only some studies have: a solver of their own, as ``module:function``."""

    solver: str


class Config(OwnSolver):
    """The configuration of a study, see `coactor.studies.settings.Settings`."""

    domain: DomainConfig
    dim: int
    learner: str
    features: list[str]
    habits: bool
    candidate: str
    seed: int
    proposals: str
    budget: float | None
    costs: dict[str, float]
    grace: float
    control: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The study was created: its configuration, and what is known at version 0."""

    kind: ClassVar[str] = "created"
    uid: str
    config: Config
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A problem was solved: a new proposal, or an untouched one solved again with newer weights.

    Attributes
    ----------
    proposal, problem
        The proposal's number, and the content hash of its problem.
    solution, alternatives
        What was proposed, and what each alternative proposed, see `Proposal`.
    basis, asked_for, solved_for
        Those of the proposal.
    revision
        0 for a new proposal, else that of the draft, which restarts from the solution.
    key, label
        The caller's names for it; a solving again has none.
    renewable
        Whether any process that opens the study would have computed the same solution; such a proposal may be
        solved again with newer weights.
    recalled
        The content hash of what the memory recalled for the problem.
    keep
        The parts that it was asked to have.
    """

    kind: ClassVar[str] = "asked"
    proposal: int
    problem: str
    solution: Any
    basis: Basis
    asked_for: str = ""
    solved_for: str = ""
    alternatives: dict[str, Any] = field(default_factory=dict)
    revision: int = 0
    key: str | None = None
    label: str = ""
    renewable: bool = False
    recalled: str | None = None
    keep: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The actor holds a lease on the proposal until a time (seconds since 1970)."""

    kind: ClassVar[str] = "claimed"
    proposal: int
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The lease on the proposal ended after so many seconds of active work; its draft stays."""

    kind: ClassVar[str] = "released"
    proposal: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A draft was edited: by moves, or by the undo or redo of some. `revision` is the draft's after it."""

    kind: ClassVar[str] = "edited"
    proposal: int
    action: str  # "move", "undo" or "redo"
    revision: int
    until: float
    steps: int
    moves: list[Move] = field(default_factory=list)
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The expert finished a proposal: the correction, and the vectors that the learner was given.

    Attributes
    ----------
    solution, moves
        The final solution, and the edits that lead to it if they were recorded.
    cut
        Whether the expert ran out of time.
    round
        What `tell` returned, without its vectors.
    solved_for
        Whose weights the corrected solution was made with.
    request
        Digest of the request, to recognise a repetition.
    digest
        Digest of the weights after this fact.
    case
        What the memory keeps.
    left
        How many edits what each alternative proposed is away from the solution.
    keep
        The parts that were locked.
    vectors
        The packed feedback and the change of the weights (see `vectors`), stored beside the body.
    """

    kind: ClassVar[str] = "told"
    solution: Any
    moves: list[Move]
    cut: bool
    round: Round
    solved_for: str = ""
    request: str = ""
    digest: str = ""
    case: PastCase | None = None
    left: dict[str, float] | None = None
    keep: list[list[str]] = field(default_factory=list)
    vectors: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An expert wants more or less of a feature than the weights gave, see `coactor.rounds.statement`.

    `digest` is that of the weights after this fact, and `vectors` are as those of a tell.
    """

    kind: ClassVar[str] = "said"
    feature: str
    wish: str  # "more" or "less"
    version: int
    digest: str
    learned_for: str = ""
    vectors: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A tell was withdrawn within the grace period.

    `draft` is the draft as it was; `state` is what is known without the tell, None if it taught nothing, and
    `learned_for` is whose correction it was.
    """

    kind: ClassVar[str] = "reopened"
    draft: Draft
    told: int
    effort: float
    accepted: bool
    version: int
    digest: str
    state: State | None = None
    learned_for: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """What is known, or one expert's part of it, was set back to version `to`."""

    kind: ClassVar[str] = "rolled back"
    to: int
    reason: str
    version: int
    state: State
    digest: str
    learned_for: str = ""


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
    Created | Asked | Claimed | Released | Edited | Told | Said | Reopened | RolledBack | Configured | Erased
)

KINDS: dict[str, type[Fact]] = {kind.kind: kind for kind in get_args(Fact)}


class Finished(NamedTuple):
    """A finished proposal in a few numbers: what a report needs, as the store keeps it beside the log.

    `version` is that of the weights after the tell, `proposed_with` that of the proposal. `unlearned` is the
    distance from what version 0 would have proposed to the result.
    """

    seq: int
    time: float
    proposal: int
    actor: str
    learned_for: str
    learned: bool
    effort: float
    accepted: bool
    seconds: float | None
    version: int
    proposed_with: int
    proposer: str
    control: float
    chance: float | None
    unlearned: float | None


def finished(told: Round, left: dict[str, float] | None = None) -> Finished:
    """The row of a round; `left` is that of the tell."""
    left, basis = left or {}, told.basis
    return Finished(
        seq=told.seq,
        time=told.time,
        proposal=told.proposal,
        actor=told.work.actor,
        learned_for=told.learned_for,
        learned=told.learn,
        effort=told.effort,
        accepted=told.accepted,
        seconds=told.work.seconds,
        version=told.version,
        proposed_with=basis.version,
        proposer=basis.proposer,
        control=basis.control,
        chance=basis.chance,
        unlearned=left.get(START, left.get(ALIKE)),
    )


def recorded_digest(fact: Fact) -> str:
    """The digest of the weights after a fact, if it recorded one."""
    return fact.digest if isinstance(fact, Told | Said | Reopened | RolledBack) else ""

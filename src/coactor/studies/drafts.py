"""Proposals at which people work: where one stands, its edits, and the moves that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from coactor import display
from coactor.corrections import apply_move, move_cost, replans_of
from coactor.keeping import REPLAN, kept_parts, own_parts, parts_of, plain_parts
from coactor.protocol import (
    Basis,
    CountsEdits,
    Domain,
    HasParts,
    Move,
    Part,
    Problem,
    Proposal,
    Solution,
    has,
)
from coactor.search import features_along
from coactor.solutions import solution_key
from coactor.studies.codec import Codec, as_invalid, to_object
from coactor.studies.errors import Invalid

T = TypeVar("T")
LONGEST_LEASE = 86400.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposal, the edits made so far, and where it stands.

    The log's projection holds the first part. A row of the queue adds the second, a desk the third.

    Attributes
    ----------
    id, key, label
        Its number in the study, and the caller's own names for it.
    asked
        When it was asked (seconds since 1970).
    asked_for, solved_for, basis
        Those of the proposal.
    renewable
        Whether it may be solved again with newer weights.
    revision, base
        The revision of the draft, which an edit must name; and the one at which it equals the proposal.
    gestures
        The number of edits, undone ones included.
    moves, undone
        The edits, and those that can be redone.
    authors
        Who made each of the edits.
    seconds
        The active time of all who have released it.
    keep
        The parts that it was asked to have, which stay locked until they are freed.
    holder, until, editor
        Who holds the lease, when it expires, and who edited the draft last.
    state
        "waiting", "held", "draft" (has edits, and is not held) or "done".
    steps, effort
        How many moves count, and what they cost; at a desk, those that were undone by another do not.
    told, actor
        When it was told, None if it is not finished; and who told or holds it.
    due
        Whether it was solved with old weights and will be solved again when it is claimed.
    for_another
        Whether it was solved with the weights of another expert than the one who holds it.
    proposal, path
        The proposal, and every solution from it to the draft, both as objects of the domain.
    locked, own
        The parts that people locked, and those that their edits brought about.
    features, change
        phi of the draft, and its difference from the proposal's, one number per feature.
    """

    id: int
    asked: float
    key: str | None = None
    label: str = ""
    asked_for: str = ""
    solved_for: str = ""
    basis: Basis = field(default_factory=Basis)
    renewable: bool = False
    revision: int = 0
    base: int = 0
    gestures: int = 0
    moves: list[Move] = field(default_factory=list)
    undone: list[Move] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    seconds: float = 0.0
    keep: list[list[str]] = field(default_factory=list)
    holder: str = ""
    until: float = 0.0
    editor: str = ""

    state: str = ""
    steps: int = 0
    effort: float = 0.0
    told: float | None = None
    actor: str = ""
    due: bool = False
    for_another: bool = False

    proposal: Proposal | None = None
    path: Sequence[Solution] = ()
    locked: Sequence[Sequence[str]] = ()
    own: Sequence[Sequence[str]] = ()
    features: Sequence[float] = ()
    change: Sequence[float] = ()

    __repr__ = display.brief("id", "label", "state", "moves", "effort", "asked_for", "holder")

    @property
    def problem(self) -> Problem:
        """The problem; of a draft at a desk."""
        if self.proposal is None:
            raise Invalid(
                f"This is a row of the queue; open proposal {self.id} at a desk to see its problem."
            )
        return self.proposal.problem

    @property
    def proposed(self) -> Solution:
        """The solution that was proposed; of a draft at a desk."""
        return self.path[0]

    @property
    def solution(self) -> Solution:
        """The solution with the edits made so far; of a draft at a desk."""
        return self.path[-1]

    @property
    def touched(self) -> bool:
        """Whether the draft has been edited, undone edits included."""
        return self.revision != self.base

    def held_by(self, now: float) -> str:
        """The holder of the lease; empty if it has expired, or would last too long: a clock was set back."""
        return self.holder if now < self.until <= now + LONGEST_LEASE else ""

    def at(self, now: float, costs: Mapping[str, float], due: bool, for_another: bool = False) -> Draft:
        """The draft as a row of the queue at a time."""
        holder = self.held_by(now)
        return replace(
            self,
            state=state_of(self, now),
            steps=len(self.moves),
            effort=effort_of(self.moves, costs),
            holder=holder,
            until=self.until if holder else 0.0,
            actor=holder,
            due=due,
            for_another=for_another,
        )


_AT_A_DESK = ("proposal", "path", "locked", "own", "features", "change")
SHOWN = ("state", "steps", "effort", "told", "actor", "due", "for_another", *_AT_A_DESK)  # not stored
HIDDEN = ("renewable", "base", "gestures", "authors", "seconds", "keep", *_AT_A_DESK)


def plain_row(draft: Draft) -> dict[str, Any]:
    """A row of the queue as JSON-able data."""
    row: dict[str, Any] = to_object(draft, {Draft: HIDDEN})
    return row


def plain_draft(codec: Codec, draft: Draft) -> dict[str, Any]:
    """A draft at a desk as JSON-able data, without the problem."""
    return plain_row(draft) | {
        "proposed": codec.plain_solution(draft.proposed),
        "solution": codec.plain_solution(draft.solution),
        "locked": list(draft.locked),
        "own": list(draft.own),
        "features": list(draft.features),
        "change": list(draft.change),
    }


def state_of(draft: Draft, now: float) -> str:
    """The state of an unfinished proposal."""
    if draft.held_by(now):
        return "held"
    return "draft" if draft.moves else "waiting"


def effort_of(moves: Sequence[Move], costs: Mapping[str, float]) -> float:
    """What moves cost in a study."""
    return float(sum(move_cost(costs, move) for move in moves))


def step_costs(
    domain: Domain, x: Problem, path: Sequence[Solution], moves: Sequence[Move], costs: Mapping[str, float]
) -> list[float]:
    """What each move costs. Moves that together are one edit, such as of one stop twice, cost once.

    A re-plan is always a step of its own.
    """
    steps, first = list[float](), 0
    for k, move in enumerate(moves):
        again = False
        if has(domain, CountsEdits) and k > 0 and REPLAN not in (move["op"], moves[k - 1]["op"]):
            again = domain.edits_between(x, path[first], path[k + 1]) <= 1
        steps.append(0.0 if again else move_cost(costs, move))
        first = first if again else k
    return steps


def with_path(domain: Domain, draft: Draft, proposal: Proposal, path: Sequence[Solution]) -> Draft:
    """A draft with its solutions, its features and how they differ from the proposal's.

    Raises Invalid if the domain cannot compute the features.
    """
    with as_invalid("The domain cannot compute the features of this solution", IndexError):
        rows = features_along(domain, proposal.problem, [path[0], path[-1]])
    features, change = rows[1].tolist(), (rows[1] - rows[0]).tolist()
    locked, own = frozenset[Part](), frozenset[Part]()
    if has(domain, HasParts) and len(path) == len(draft.moves) + 1:
        own = own_parts(domain, proposal.problem, path, replans_of(draft.moves))
        locked = kept_parts(draft.moves, draft.keep)
        locked &= (
            parts_of(domain, proposal.problem, path[-1]) if locked else locked
        )  # an edit may undo a lock
    return replace(
        draft,
        proposal=proposal,
        path=path,
        locked=plain_parts(locked),
        own=plain_parts(own),
        features=features,
        change=change,
    )


def draft_path(codec: Codec, x: Problem, path: Sequence[Solution], moves: Sequence[Move]) -> list[Solution]:
    """A path continued by moves. Raises Invalid if a move cannot be applied."""
    longer = list(path)
    for move in codec.moves(x, moves, path[0]):
        longer.append(apply_move(codec.domain, x, longer[-1], move))
    return longer


def without_loops(path: Sequence[Solution], moves: Sequence[T]) -> tuple[list[Solution], list[T]]:
    """The path and the moves that count, without those that return to an earlier solution.

    A move may bring along what belongs to it.
    """
    keys, kept, steps = [solution_key(path[0])], [path[0]], list[T]()
    for solution, move in zip(path[1:], moves, strict=True):
        key = solution_key(solution)
        if key in keys:
            back = keys.index(key)
            del keys[back + 1 :], kept[back + 1 :], steps[back:]
        else:
            keys.append(key)
            kept.append(solution)
            steps.append(move)
    return kept, steps

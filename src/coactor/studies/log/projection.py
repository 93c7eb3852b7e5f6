"""The projection of a study's log: knowledge, versions, open drafts and totals.

A pure fold over the facts. It calls no solver and no domain and reads no clock and no store, so the same
facts give the same projection in every process.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from coactor.habits import Memory
from coactor.proposals.acceptance import Acceptance
from coactor.protocol import Move, PastCase
from coactor.protocol.abilities import KnowsPeople, has
from coactor.rounds import Knowledge, Observation, learn
from coactor.studies.errors import Invalid, NotFound, Tampered
from coactor.studies.log import facts
from coactor.studies.log.chain import GENESIS, Entry
from coactor.studies.log.vectors import unpack


@dataclass(slots=True)
class DraftState:
    """An unfinished proposal: its draft, and the lease on it."""

    id: int
    time: float
    version: int
    key: str | None = None
    label: str = ""
    revision: int = 0
    gross: int = 0
    moves: list[Move] = field(default_factory=list)
    undone: list[Move] = field(default_factory=list)
    holder: str = ""
    until: float = 0.0
    base: int = 0  # the revision at which the draft equals the proposal
    chance: float | None = None
    expected: float | None = None
    renewable: bool = False
    person: str = ""  # for whom it was asked; empty: for the person who opens it
    solved_for: str = ""  # whose weights the solution was made with
    proposer: str = "learner"  # which alternative of the guard solved it, and why
    reason: str = ""
    editor: str = ""  # who edited it last

    @property
    def touched(self) -> bool:
        """Whether the draft has been edited."""
        return self.revision != self.base

    def held_by(self, now: float) -> str:
        """The holder of the lease; empty if the lease has expired."""
        return self.holder if now < self.until else ""


_DRAFT_FIELDS = tuple(one.name for one in fields(DraftState))
_TOTALS = ("seq", "version", "uid", "config", "asked", "told", "untouched", "effort")


class Projection:
    """What the facts so far add up to.

    Parameters
    ----------
    knowledge
        A fresh learner and acceptance; the first fact sets the learner's state.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.seq = 0
        self.hash = GENESIS
        self.version = 0
        self.config: dict[str, Any] = {}
        self.uid = ""
        self.drafts: dict[int, DraftState] = {}
        self.asked = 0
        self.told = 0
        self.untouched = 0
        self.effort = 0.0

    def apply(self, entry: Entry, knowledge: Knowledge | None = None) -> None:
        """Apply the next fact, in place.

        `knowledge` is what is known after this fact, if the caller has computed it already. Raises Tampered
        if a fact is missing in between.
        """
        if entry.seq != self.seq + 1:
            raise Tampered(
                f"Fact {entry.seq} follows fact {self.seq}; one is missing. Restore from a backup."
            )
        fact = entry.fact
        match fact:
            case facts.Asked():
                self.asked = max(self.asked, fact.proposal)
                self.drafts[fact.proposal] = DraftState(
                    fact.proposal,
                    entry.time,
                    fact.version,
                    fact.key,
                    fact.label,
                    chance=fact.chance,
                    expected=fact.expected,
                    renewable=fact.renewable,
                    person=fact.person,
                    solved_for=fact.solved_for,
                    proposer=fact.proposer,
                    reason=fact.reason,
                )
            case facts.Renewed():
                draft = self.drafts[fact.proposal]
                draft.version, draft.chance, draft.expected = fact.version, fact.chance, fact.expected
                draft.revision = draft.base = fact.revision
                draft.solved_for, draft.proposer, draft.reason = fact.solved_for, fact.proposer, fact.reason
            case facts.Edited():
                _edit(self.drafts[fact.proposal], fact, entry.actor)
            case facts.Claimed():
                draft = self.drafts[fact.proposal]
                draft.holder, draft.until = entry.actor, fact.until
            case facts.Released():
                draft = self.drafts[fact.proposal]
                draft.holder, draft.until = "", 0.0
            case facts.Told():
                if knowledge is not None:
                    self.knowledge = knowledge
                elif fact.learn:
                    learn(self.knowledge, observation(fact))
                self.version = fact.version
                del self.drafts[fact.proposal]
                self._count(fact, 1)
            case facts.Reopened():
                self._restore(fact, knowledge)
                self.drafts[fact.proposal] = DraftState(
                    fact.proposal,
                    fact.asked,
                    fact.asked_with,
                    fact.asked_key,
                    fact.label,
                    fact.revision,
                    fact.gross,
                    moves=list(fact.moves),
                    holder=entry.actor,
                    editor=entry.actor,
                    until=fact.until,
                    chance=fact.chance,
                    expected=fact.expected,
                    person=fact.person,
                    solved_for=fact.asked_for,
                    proposer=fact.proposer,
                    reason=fact.reason,
                )
                self._count(fact, -1)
            case facts.RolledBack():
                self._restore(fact, knowledge)
            case facts.Configured():
                self.config = {**self.config, **fact.settings}
            case facts.Created():
                self.uid, self.config = fact.uid, fact.config
                self.knowledge.learner.restore(fact.state)
                if fact.memory is not None and self.knowledge.memory is not None:
                    self.knowledge.memory.restore(fact.memory)
                if fact.guard is not None and self.knowledge.guard is not None:
                    self.knowledge.guard.restore(fact.guard)
        self.seq, self.hash = entry.seq, entry.hash

    def _restore(self, fact: facts.Reopened | facts.RolledBack, knowledge: Knowledge | None) -> None:
        self.knowledge = knowledge or restored(self.knowledge, fact)
        self.version = fact.version

    def _count(self, fact: facts.Told | facts.Reopened, sign: int) -> None:
        self.told += sign
        self.effort += sign * fact.effort
        self.untouched += sign * fact.accepted

    def totals(self) -> dict[str, int | float]:
        """The study in a few numbers."""
        return {
            "facts": self.seq,
            "version": self.version,
            "asked": self.asked,
            "told": self.told,
            "open": len(self.drafts),
            "untouched": self.untouched,
            "effort": self.effort,
        }

    # -- snapshots: derived data, never the truth --------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """The whole projection as JSON-able data."""
        return {
            **{name: getattr(self, name) for name in _TOTALS},
            "hash": self.hash.hex(),
            **self.knowledge.state(),
            "open": [{name: getattr(d, name) for name in _DRAFT_FIELDS} for d in self.drafts.values()],
        }

    @classmethod
    def load(cls, data: dict[str, Any], knowledge: Knowledge) -> Projection:
        """The projection that a snapshot was taken of; `knowledge` is restored and becomes part of it."""
        projection = cls(knowledge)
        knowledge.restore(data)
        for name in _TOTALS:
            setattr(projection, name, data[name])
        projection.hash = bytes.fromhex(data["hash"])
        projection.drafts = {draft["id"]: DraftState(**draft) for draft in data["open"]}
        return projection


def observation(fact: facts.Told) -> Observation:
    """What a tell taught; live updates and replays both learn from this, so that they agree bit for bit."""
    case = None if fact.case is None else read_case(fact.case)
    vectors = unpack(fact.vectors, fact.cost, fact.person, fact.estimated)
    return Observation(vectors, fact.accepted, fact.expected, case, fact.left)


def write_case(case: PastCase) -> list[Any]:
    """A case as JSON-able data: the parts as one flat list, the choices, the context."""
    choices, context = (None if names is None else list(names) for names in (case.choices, case.context))
    return [[name for part in case.parts for name in part], choices, context]


def read_case(data: list[Any]) -> PastCase:
    """The case that `write_case` was given."""
    parts, choices, context = data
    pairs = tuple(zip(parts[::2], parts[1::2], strict=True))
    return PastCase(
        pairs, None if choices is None else tuple(choices), None if context is None else tuple(context)
    )


def restored(knowledge: Knowledge, fact: facts.Reopened | facts.RolledBack) -> Knowledge:
    """A copy of `knowledge` in the state that a fact recorded; None leaves a part as it is."""
    copy = knowledge.copy()
    if fact.state is not None:
        copy.learner.restore(fact.state)
    if fact.acceptance is not None:
        copy.acceptance = Acceptance()
        copy.acceptance.restore(fact.acceptance)
    if fact.memory is not None:
        copy.memory = Memory()
        copy.memory.restore(fact.memory)
    if fact.guard is not None and copy.guard is not None:
        copy.guard.restore(fact.guard)
    return copy


def set_back(knowledge: Knowledge, earlier: Knowledge, person: str) -> Knowledge:
    """A copy in which one person has shown only what they had shown earlier.

    Raises Invalid if the learner does not keep weights for each person, NotFound if it knows them neither
    now nor earlier.
    """
    knowledge = knowledge.copy()
    learner, before = knowledge.learner, earlier.learner
    if not has(learner, KnowsPeople) or not has(before, KnowsPeople):
        raise Invalid(f"The learner {learner.name!r} has one set of weights for all; leave the person out.")
    if person not in learner.people and person not in before.people:
        raise NotFound(f"No correction is by a person called {person!r}; see the people of the study.")
    learner.set_back(person, before)
    return knowledge


def _edit(draft: DraftState, fact: facts.Edited, actor: str) -> None:
    if fact.action == "move":
        if fact.move is None:
            raise Tampered(f"Edit {fact.revision} of proposal {fact.proposal} has no move.")
        draft.moves.append(fact.move)
        draft.undone.clear()
    elif fact.action == "undo":
        draft.undone.append(draft.moves.pop())
    else:
        draft.moves.append(draft.undone.pop())
    draft.revision, draft.gross = fact.revision, draft.gross + 1
    draft.holder = draft.editor = actor
    draft.until = fact.until

"""The projection of a study's log: knowledge, versions, open drafts and totals.

A pure fold over the facts. It calls no solver and no domain and reads no clock and no store, so the same
facts give the same projection in every process.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from coactor.protocol.abilities import KnowsPeople, has
from coactor.rounds import Knowledge, Observation, learn
from coactor.studies.codec import read
from coactor.studies.drafts import Draft
from coactor.studies.errors import Invalid, NotFound, Tampered
from coactor.studies.log import facts
from coactor.studies.log.chain import GENESIS, Entry, stored
from coactor.studies.log.vectors import unpack
from coactor.studies.settings import CHANGEABLE

LATEST = 1e11  # seconds since 1970 that a calendar can show
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
        self.drafts: dict[int, Draft] = {}
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
                self.drafts[fact.proposal] = self._asked(entry, fact)
            case facts.Edited():
                self.drafts[fact.proposal] = _edited(self.drafts[fact.proposal], fact, entry.actor)
            case facts.Claimed():
                draft = self.drafts[fact.proposal]
                self.drafts[fact.proposal] = replace(draft, holder=entry.actor, until=fact.until)
            case facts.Released():
                draft = self.drafts[fact.proposal]
                self.drafts[fact.proposal] = replace(
                    draft, holder="", until=0.0, seconds=draft.seconds + fact.seconds
                )
            case facts.Told():
                if knowledge is not None:
                    self.knowledge = knowledge
                elif fact.round.learn:
                    learn(self.knowledge, observation(fact))
                self.version = fact.round.version
                del self.drafts[fact.round.proposal]
                self._count(fact.round.effort, fact.round.accepted, 1)
            case facts.Said():
                if knowledge is not None:
                    self.knowledge = knowledge
                else:
                    learn(self.knowledge, observation(fact))
                self.version = fact.version
            case facts.Reopened():
                self._restore(fact, knowledge)
                self.drafts[fact.draft.id] = fact.draft
                self._count(fact.effort, fact.accepted, -1)
            case facts.RolledBack():
                self._restore(fact, knowledge)
            case facts.Configured():
                self.config = {**self.config, **fact.settings}
            case facts.Created():
                self.uid, self.config = fact.uid, {**fact.config}
                self.knowledge.restore(fact.state)
        self.seq, self.hash = entry.seq, entry.hash

    def _asked(self, entry: Entry, fact: facts.Asked) -> Draft:
        if fact.revision:  # solved again
            return replace(
                self.drafts[fact.proposal],
                solved_for=fact.solved_for,
                basis=fact.basis,
                revision=fact.revision,
                base=fact.revision,
                moves=[],
                undone=[],
                authors=[],
            )
        return Draft(
            id=fact.proposal,
            asked=entry.time,
            key=fact.key,
            label=fact.label,
            asked_for=fact.asked_for,
            solved_for=fact.solved_for,
            basis=fact.basis,
            renewable=fact.renewable,
            keep=fact.keep,
        )

    def _restore(self, fact: facts.Reopened | facts.RolledBack, knowledge: Knowledge | None) -> None:
        self.knowledge = knowledge or restored(self.knowledge, fact)
        self.version = fact.version

    def _count(self, effort: float, accepted: bool, sign: int) -> None:
        self.told += sign
        self.effort += sign * effort
        self.untouched += sign * accepted

    def totals(self) -> dict[str, int | float]:
        """The study in a few numbers."""
        names = ("version", "asked", "told", "untouched", "effort")
        return {"facts": self.seq, "open": len(self.drafts), **{n: getattr(self, n) for n in names}}

    # -- snapshots: derived data, never the truth --------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """The whole projection as JSON-able data."""
        return {
            **{name: getattr(self, name) for name in _TOTALS},
            "hash": self.hash.hex(),
            **self.knowledge.state(),
            "open": [stored(draft) for draft in self.drafts.values()],
        }

    @classmethod
    def load(cls, data: dict[str, Any], knowledge: Knowledge) -> Projection:
        """The projection that a snapshot was taken of; `knowledge` is restored and becomes part of it."""
        projection = cls(knowledge)
        knowledge.restore(data)
        for name in _TOTALS:
            setattr(projection, name, data[name])
        projection.hash = bytes.fromhex(data["hash"])
        projection.drafts = {draft["id"]: read(Draft, draft) for draft in data["open"]}
        return projection


def observation(fact: facts.Told | facts.Said) -> Observation:
    """What a fact taught; live updates and replays both learn from this, so that they agree bit for bit."""
    if isinstance(fact, facts.Said):
        return Observation(unpack(fact.vectors, 1.0, fact.learned_for)[0], accepted=False)
    told = fact.round
    vectors, _ = unpack(fact.vectors, told.cost, told.learned_for, told.estimated)
    return Observation(vectors, told.accepted, told.basis.expected_moves, fact.case, fact.left)


def restored(knowledge: Knowledge, fact: facts.Reopened | facts.RolledBack) -> Knowledge:
    """A copy of `knowledge` in the state that a fact recorded; as it is if there is none."""
    copy = knowledge.copy()
    if fact.state is not None:
        copy.restore(fact.state)
    return copy


def set_back(knowledge: Knowledge, earlier: Knowledge, name: str) -> Knowledge:
    """A copy in which one expert has shown only what they had shown earlier.

    Raises Invalid if the learner does not keep weights for each expert, NotFound if it knows them neither
    now nor earlier.
    """
    knowledge = knowledge.copy()
    learner, before = knowledge.learner, earlier.learner
    if not has(learner, KnowsPeople) or not has(before, KnowsPeople):
        raise Invalid(f"The learner {learner.name!r} has one set of weights for all; name no expert.")
    if name not in learner.people and name not in before.people:
        raise NotFound(f"No correction is by an expert called {name!r}; see the people of the study.")
    learner.set_back(name, before)
    return knowledge


def _edited(draft: Draft, fact: facts.Edited, actor: str) -> Draft:
    moves, undone, authors = list(draft.moves), list(draft.undone), list(draft.authors)
    if fact.action == "move":
        moves, undone, authors = [*moves, *fact.moves], [], [*authors, *[actor] * len(fact.moves)]
    for _ in range(fact.steps if fact.action == "undo" else 0):
        undone.append(moves.pop())
        authors.pop()
    for _ in range(fact.steps if fact.action == "redo" else 0):
        moves.append(undone.pop())
        authors.append(actor)
    return replace(
        draft,
        moves=moves,
        undone=undone,
        authors=authors,
        revision=fact.revision,
        gestures=draft.gestures + fact.steps,
        holder=actor,
        editor=actor,
        until=fact.until,
    )


# -- facts from outside, such as an export that may have been edited -------------------------------------


def check_entry(entry: Entry, before: Projection | None) -> None:
    """Raise Tampered unless a fact fits what happened before it."""
    names = entry.actor, entry.via
    dated = type(entry.time) in (int, float) and abs(entry.time) < LATEST
    plain = dated and all(isinstance(n, str) and len(n) <= 100 for n in names)
    if not plain or not _fits(entry, before):
        raise Tampered(f"Fact {entry.seq} does not fit the facts before it; use another copy.")


def _fits(entry: Entry, before: Projection | None) -> bool:
    fact = entry.fact
    if before is None or isinstance(fact, facts.Created):
        return before is None and isinstance(fact, facts.Created) and _creates(fact)
    draft = before.drafts.get(entry.proposal or 0)
    match fact:
        case facts.Asked():
            exists = 0 <= fact.basis.version <= before.version
            if fact.revision:  # solved again
                return exists and draft is not None and fact.revision > draft.revision
            return exists and fact.proposal == before.asked + 1
        case facts.Edited():
            return draft is not None and 0 < fact.steps == fact.revision - draft.revision
        case facts.Told():
            told = fact.round
            return draft is not None and told.version == before.version + told.learn
        case facts.Reopened():
            closed = draft is None and 1 <= fact.draft.id <= before.asked
            known = fact.draft == read(Draft, stored(fact.draft))  # and nothing that a desk adds
            known = known and len(fact.draft.authors) == len(fact.draft.moves)
            return closed and known and fact.version == before.version + (fact.state is not None)
        case facts.Said():
            return fact.version == before.version + 1
        case facts.RolledBack():
            return fact.version == before.version + 1 and 0 <= fact.to <= before.version
        case facts.Configured():
            read(facts.Config, {**before.config, **fact.settings})
            return fact.settings.keys() <= set(CHANGEABLE)
        case facts.Erased():
            return True
        case _:
            return draft is not None


def _creates(fact: facts.Created) -> bool:
    named = len(fact.config["features"]) == fact.config["dim"]
    return named and re.fullmatch("[0-9a-f]{32}", fact.uid) is not None

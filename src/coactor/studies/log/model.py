"""Facts in, the present out: weights, versions, the queue, the totals.

A pure fold. It never calls a solver or a domain, reads no clock and no store: the same facts give the same
model, bit for bit, in every process and on every day.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from coactor.proposals.acceptance import Acceptance
from coactor.protocol import Feedback, Learner, Move, State
from coactor.studies.errors import Invalid, Tampered
from coactor.studies.log import facts
from coactor.studies.log.facts import Entry


@dataclass(slots=True)
class Open:
    """A proposal nobody has finished: its draft, and who holds it."""

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
    base: int = 0  # the revision that is the proposal itself
    chance: float | None = None
    expected: float | None = None
    renewable: bool = False

    @property
    def touched(self) -> bool:
        """Whether anybody has edited it."""
        return self.revision != self.base

    def held_by(self, now: float) -> str:
        """Who holds it now; empty when the lease has run out."""
        return self.holder if now < self.until else ""


_OPEN = tuple(one.name for one in fields(Open))


class Model:
    """What the facts so far add up to.

    Parameters
    ----------
    learner
        A fresh learner; it becomes the study's when the first fact is applied.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.acceptance = Acceptance()
        self.seq = 0
        self.hash = facts.GENESIS
        self.version = 0
        self.config: dict[str, Any] = {}
        self.uid = ""
        self.open: dict[int, Open] = {}
        self.asked = 0
        self.told = 0
        self.untouched = 0
        self.effort = 0.0

    def apply(self, entry: Entry, learner: Learner | None = None) -> None:
        """Take one more fact in. `learner` is the one that has already made this fact's update, if any."""
        if entry.seq != self.seq + 1:
            raise Tampered(
                f"Fact {entry.seq} follows fact {self.seq}; one is missing. Restore from a backup."
            )
        fact = entry.fact
        match fact:
            case facts.Asked():
                self.asked = max(self.asked, fact.proposal)
                self.open[fact.proposal] = Open(
                    fact.proposal,
                    entry.time,
                    fact.version,
                    fact.key,
                    fact.label,
                    chance=fact.chance,
                    expected=fact.expected,
                    renewable=fact.renewable,
                )
            case facts.Renewed():
                draft = self.open[fact.proposal]
                draft.version, draft.chance, draft.expected = fact.version, fact.chance, fact.expected
                draft.revision = draft.base = fact.revision
            case facts.Edited():
                self._edit(self.open[fact.proposal], fact, entry.actor)
            case facts.Claimed():
                held = self.open[fact.proposal]
                held.holder, held.until = entry.actor, fact.until
            case facts.Released():
                held = self.open[fact.proposal]
                held.holder, held.until = "", 0.0
            case facts.Told():
                self.learner = learner or self.after(fact)
                self.acceptance = judged(self.acceptance, fact)
                self.version = fact.version
                del self.open[fact.proposal]
                self._count(fact.effort, 1)
            case facts.Reopened():
                self._restore(fact.state, fact.acceptance, fact.version)
                self.open[fact.proposal] = Open(
                    fact.proposal,
                    fact.asked,
                    fact.asked_with,
                    fact.asked_key,
                    fact.label,
                    fact.revision,
                    fact.gross,
                    moves=list(fact.moves),
                    holder=entry.actor,
                    until=fact.until,
                    chance=fact.chance,
                    expected=fact.expected,
                )
                self._count(fact.effort, -1)
            case facts.RolledBack():
                self._restore(fact.state, fact.acceptance, fact.version)
            case facts.Created():
                self.uid, self.config = fact.uid, fact.config
                self.learner.restore(fact.state)
        self.seq, self.hash = entry.seq, entry.hash

    def after(self, fact: facts.Told) -> Learner:
        """The learner after a tell. The present one is left as it is until the fact is written."""
        if not fact.learn:
            return self.learner
        learner = deepcopy(self.learner)
        learner.update(facts.unpack(fact.vectors, fact.cost))
        return learner

    def _edit(self, draft: Open, fact: facts.Edited, actor: str) -> None:
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
        draft.holder, draft.until = actor, fact.until

    def _restore(self, state: State | None, acceptance: State | None, version: int) -> None:
        if state is not None:
            learner = deepcopy(self.learner)
            learner.restore(state)
            self.learner = learner
        if acceptance is not None:
            self.acceptance = Acceptance()
            self.acceptance.restore(acceptance)
        self.version = version

    def _count(self, effort: float, sign: int) -> None:
        self.told += sign
        self.effort += sign * effort
        self.untouched += sign * (effort == 0)

    # -- snapshots: a shortcut, never the truth ----------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Everything, as JSON-able data."""
        return {
            "seq": self.seq,
            "hash": self.hash.hex(),
            "version": self.version,
            "uid": self.uid,
            "config": self.config,
            "asked": self.asked,
            "told": self.told,
            "untouched": self.untouched,
            "effort": self.effort,
            "learner": self.learner.state(),
            "acceptance": self.acceptance.state(),
            "open": [{name: getattr(draft, name) for name in _OPEN} for draft in self.open.values()],
        }

    @classmethod
    def load(cls, data: dict[str, Any], learner: Learner) -> Model:
        """The model a snapshot was taken of."""
        model = cls(learner)
        model.learner.restore(data["learner"])
        for name in ("seq", "version", "uid", "config", "asked", "told", "untouched", "effort"):
            setattr(model, name, data[name])
        if "acceptance" in data:  # else taken before there was any: nothing had been learned about it
            model.acceptance.restore(data["acceptance"])
        model.hash = bytes.fromhex(data["hash"])
        model.open = {draft["id"]: Open(**draft) for draft in data["open"]}
        return model

    def draft(self, proposal: int) -> Open:
        """A copy of an open proposal's draft."""
        draft = self.open[proposal]
        return replace(draft, moves=list(draft.moves), undone=list(draft.undone))


def judged(acceptance: Acceptance, fact: facts.Told) -> Acceptance:
    """What is known about acceptance after a tell; the one given is left as it is.

    Nothing is learned from "just today", nor from somebody who had no time to edit.
    """
    if not fact.learn or fact.expected is None or (fact.cut and fact.effort == 0):
        return acceptance
    after = deepcopy(acceptance)
    after.learn(fact.expected, accepted=fact.effort == 0)
    return after


def try_update(learner: Learner, feedback: Feedback) -> Learner:
    """A copy of the learner that has learned from `feedback`; refuses what would spoil the weights."""
    for name, rows in (("path", feedback.path), ("declined moves", feedback.declined)):
        if rows is not None and not np.isfinite(rows).all():
            raise Invalid(
                f"The feature vectors of the {name} hold a number that is not finite; check the problem."
            )
    trial = deepcopy(learner)
    with np.errstate(all="ignore"):
        trial.update(feedback)
    if not np.isfinite(trial.weights).all():
        raise Invalid(
            "Learning from this would make the weights infinite; scale the features or tell with learn=False."
        )
    return trial

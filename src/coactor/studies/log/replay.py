"""The facts of a study replayed within one transaction: all of them, up to one, or without a tell."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import orjson

from coactor import learners
from coactor.protocol import Learner
from coactor.rounds import Knowledge, learn
from coactor.studies.errors import Invalid, Tampered
from coactor.studies.log.chain import GENESIS, Entry, link
from coactor.studies.log.facts import Created, Reopened, Said, Told
from coactor.studies.log.projection import Projection, check_entry, observation
from coactor.studies.log.transactions import END, Head, Transaction


class LogReplay:
    """What is needed to replay a log: which one, and what was known before its first fact.

    Parameters
    ----------
    head
        The study.
    first
        Its first fact.
    learner
        A learner of the study's kind, if it is not an installed one; it is copied.

    Raises Invalid if the learner is not installed and none is given.
    """

    def __init__(self, head: Head, first: Created, learner: Learner | None = None) -> None:
        self.head, self.first = head, first
        self._learner = _learner_of(first, learner)

    def fresh(self) -> Knowledge:
        """Knowledge before the first fact, whose state says what parts there are."""
        return Knowledge(deepcopy(self._learner))

    def load(self, sql: Transaction, upto: int) -> Projection:
        """Replay the log up to and including a fact, from the nearest snapshot or from the first fact."""
        data = sql.snapshot(self.head.id, upto)
        knowledge = self.fresh()
        projection = Projection(knowledge) if data is None else Projection.load(orjson.loads(data), knowledge)
        for entry in self.following(projection, sql, upto):
            projection.apply(entry)
        return projection

    def following(self, projection: Projection, sql: Transaction, upto: int) -> Iterator[Entry]:
        """The facts that follow a projection; the caller applies each of them before the next is read.

        Raises Tampered if a fact is not what was written.
        """
        for entry in sql.after(self.head.id, projection.seq, upto):
            if link(projection.hash, entry.body, entry.vectors) != entry.hash:
                raise Tampered(
                    f"Fact {entry.seq} of study {self.head.name!r} is not what was written; "
                    "run `coactor study verify` and restore from a backup."
                )
            yield entry

    def without(self, told: Entry, sql: Transaction, upto: int = END) -> Knowledge:
        """What would be known if one tell, and every tell withdrawn before, had not been made.

        The updates that remain are made again, in the order of the log.
        """
        start, withdrawn = told.seq, {told.seq}
        while True:  # a tell that was withdrawn since may lie before the start; then start there
            entries = sql.of_kind(self.head.id, "reopened", after=start - 1)
            withdrawn |= {e.fact.told for e in entries if isinstance(e.fact, Reopened) and e.seq <= upto}
            if min(withdrawn) == start:
                break
            start = min(withdrawn)
        knowledge = self.load(sql, start - 1).knowledge
        for entry in sql.after(self.head.id, start - 1, upto):
            fact = entry.fact
            if entry.seq in withdrawn:
                continue
            if isinstance(fact, Said) or (isinstance(fact, Told) and fact.round.learn):
                learn(knowledge, observation(fact))
        return knowledge


def open_replay(sql: Transaction, name: str, learner: Learner | None = None) -> LogReplay:
    """The replay of a study; without the domain.

    Raises NotFound if there is no such study, Tampered if its first fact is missing.
    """
    head = sql.find(name)
    return LogReplay(head, created(sql.first(head.id), name), learner)


def _learner_of(first: Created, given: Learner | None) -> Learner:
    """A learner of the study's kind: a copy of the one given, or an installed one.

    Raises Invalid if the learner is not installed and none is given.
    """
    if given is not None:
        return deepcopy(given)
    name, dim = first.config["learner"], first.config["dim"]
    try:
        learner = learners.make(name, dim)
        learner.restore(first.state["learner"])
    except (ValueError, KeyError, TypeError) as error:
        raise Invalid(
            f"The learner {name!r} is not installed here ({error}); open the study with the learner itself."
        ) from error
    return learner


def created(entry: Entry | None, name: str) -> Created:
    """The first fact of a study. Raises Tampered if it is missing or damaged."""
    linked = entry is not None and link(GENESIS, entry.body, entry.vectors) == entry.hash
    if entry is None or not linked or not isinstance(entry.fact, Created):
        raise Tampered(f"The log of study {name!r} does not begin with its creation; restore from a backup.")
    check_entry(entry, None)
    return entry.fact

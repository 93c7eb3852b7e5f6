"""One study's log and the model folded from it, kept in step with every other process on the store.

Whoever wants to add a fact takes the study's lock in the store, catches up with what others wrote, checks,
writes, commits, and only then changes the model in memory.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy

import orjson

from coactor import learners
from coactor.proposals.acceptance import Acceptance
from coactor.protocol import Learner
from coactor.studies.errors import Invalid, NotFound, Tampered
from coactor.studies.log.facts import Created, Entry, Fact, Reopened, Told, link, seal, unpack
from coactor.studies.log.model import Model, judged
from coactor.studies.log.store import END, Head, Store, Transaction

EVERY = 1000  # facts between two snapshots


class Writer:
    """The right to add facts: the lock is held and the model is up to date."""

    def __init__(self, ledger: Ledger, transaction: Transaction) -> None:
        self.sql = transaction
        self.model = ledger.model
        self.now = ledger.clock()
        self._ledger = ledger
        self._added: list[tuple[Entry, Learner | None]] = []

    def add(self, fact: Fact, *, actor: str, via: str = "", learner: Learner | None = None) -> Entry:
        """Write a fact; the model takes it in when the transaction has been committed."""
        study, model = self._ledger.head.id, self.model
        if self._added:
            seq, previous = self._added[-1][0].seq, self._added[-1][0].hash
        else:
            seq, previous = model.seq, model.hash
            if seq and seq % EVERY == 0:
                self.sql.add_snapshot(study, seq, orjson.dumps(model.snapshot()))
        entry = seal(fact, seq=seq + 1, time=self.now, actor=actor, via=via, previous=previous)
        self.sql.append(study, entry)
        self._added.append((entry, learner))
        return entry

    def commit(self) -> None:
        """Take in what was written."""
        for entry, learner in self._added:
            self.model.apply(entry, learner)


class Ledger:
    """The log of a study and what it adds up to.

    Parameters
    ----------
    store, head
        Where the log is.
    learner
        A learner of the study's kind; copies of it are restored from the log.
    clock
        Seconds since 1970.
    """

    def __init__(
        self, store: Store, head: Head, learner: Learner, clock: Callable[[], float] = time.time
    ) -> None:
        self.store = store
        self.head = head
        self.clock = clock
        self.lock = threading.RLock()
        self._template = deepcopy(learner)
        with store.reading() as transaction:
            self.model = self.load(transaction, END)

    def load(self, transaction: Transaction, upto: int, *, shortcut: bool = True) -> Model:
        """The model after fact `upto`: from the nearest snapshot, or from the very first fact."""
        learner = deepcopy(self._template)
        data = transaction.snapshot(self.head.id, upto) if shortcut else None
        model = Model(learner) if data is None else Model.load(orjson.loads(data), learner)
        self._follow(model, transaction, upto)
        return model

    def _follow(self, model: Model, transaction: Transaction, upto: int) -> None:
        for entry in transaction.after(self.head.id, model.seq, upto):
            if link(model.hash, entry.body, entry.vectors) != entry.hash:
                raise Tampered(
                    f"Fact {entry.seq} of study {self.head.name!r} is not what was written; "
                    "run `coactor study verify` and restore from a backup."
                )
            model.apply(entry)

    def _catch_up(self, transaction: Transaction, seq: int, hash: bytes) -> None:
        if seq > self.model.seq:
            self._follow(self.model, transaction, seq)
        if self.model.hash != hash:  # the store was replaced, say by an older backup: begin again
            self.model = self.load(transaction, seq)
        if self.model.hash != hash:
            raise Tampered(
                f"The end of the log of study {self.head.name!r} is missing; restore from a backup."
            )

    def refresh(self) -> Model:
        """The model with every fact that has been committed by now."""
        with self.lock, self.store.reading() as transaction:
            return self.refresh_in(transaction)

    def refresh_in(self, transaction: Transaction) -> Model:
        """The same within a transaction that goes on reading; the caller holds `lock`."""
        self._catch_up(transaction, *transaction.head(self.head.id))
        return self.model

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """The right to add facts, until the end of the block."""
        with self.lock:
            with self.store.writing() as transaction:
                self._catch_up(transaction, *transaction.lock(self.head.id))
                writer = Writer(self, transaction)
                yield writer
            writer.commit()

    def learner_at(self, version: int) -> Learner:
        """The learner as it was at a version of the weights."""
        return self.model_at(version).learner

    def model_at(self, version: int) -> Model:
        """Everything as it was when a version of the weights was made."""
        with self.store.reading() as transaction:
            entry = transaction.by_version(self.head.id, version)
            if entry is None:
                raise NotFound(f"Study {self.head.name!r} has no version {version}; see its versions.")
            return self.load(transaction, entry.seq)

    def without(self, told: Entry, transaction: Transaction, upto: int = END) -> tuple[Learner, Acceptance]:
        """What is learned as if one tell, and every tell taken back before, had not been.

        The updates that remain are made again, in the order of the log.
        """
        start, gone = told.seq, {told.seq}
        while True:  # a tell taken back since may lie before the start; then begin there
            entries = transaction.of_kind(self.head.id, "reopened", after=start - 1)
            gone |= {e.fact.told for e in entries if isinstance(e.fact, Reopened) and e.seq <= upto}
            if min(gone) == start:
                break
            start = min(gone)
        model = self.load(transaction, start - 1)
        learner, acceptance = model.learner, model.acceptance
        for entry in transaction.after(self.head.id, start - 1, upto):
            fact = entry.fact
            if isinstance(fact, Told) and fact.learn and entry.seq not in gone:
                learner.update(unpack(fact.vectors, fact.cost))
                acceptance = judged(acceptance, fact)
        return learner, acceptance


def learner_of(first: Created, given: Learner | None = None) -> Learner:
    """A learner of the study's kind: the one given, or an installed one by what the first fact says."""
    if given is not None:
        return deepcopy(given)
    try:
        return learners.from_state(first.state)
    except (ValueError, KeyError, TypeError) as error:
        said = first.config.get("learner")
        raise Invalid(
            f"The learner {said!r} is not installed here; open the study with the learner itself."
        ) from error


def created(entry: Entry) -> Created:
    """The first fact of a study."""
    if not isinstance(entry.fact, Created):
        raise Tampered("The first fact of the log does not create a study; restore from a backup.")
    return entry.fact

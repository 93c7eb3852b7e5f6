"""One study's log and its projection, kept in step with every other process on the store.

To append facts, a process takes the study's lock in the store, catches up with what other processes wrote,
checks, writes, commits, and only then changes the projection in memory. Knowledge is replaced, never changed
in place, so that a reader may go on using the one it has.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import orjson

from coactor.protocol import Learner, Vector
from coactor.protocol.abilities import KnowsPeople, has, learner_for, whose
from coactor.rounds import Knowledge
from coactor.studies.errors import NotFound, Tampered
from coactor.studies.log.chain import Entry, seal
from coactor.studies.log.facts import Fact
from coactor.studies.log.projection import Projection
from coactor.studies.log.replay import LogReplay, created
from coactor.studies.log.store import Store
from coactor.studies.log.transactions import END, Transaction

EVERY = 1000  # facts between two snapshots
OFTEN = 100  # the same with several people, whose updates take longer; of these only the newest is kept
RECENT = 4  # versions whose knowledge stays in memory


class Writer:
    """The right to append facts: the store's lock is held and the projection is up to date."""

    def __init__(self, ledger: Ledger, sql: Transaction) -> None:
        self.sql = sql
        self.study = ledger.head.id
        self.projection = ledger.projection
        self.now = ledger.clock()
        self._ledger = ledger
        self._snapshot_seq = 0
        self._added: list[tuple[Entry, Knowledge | None]] = []

    def add(self, fact: Fact, *, actor: str, via: str = "", knowledge: Knowledge | None = None) -> Entry:
        """Append a fact; the projection applies it when the transaction has been committed.

        `knowledge` is what is known after the fact; a fact that creates a version needs it.
        """
        if not self._added:
            self._take_snapshot()
        last = self._added[-1][0] if self._added else self.projection
        entry = seal(fact, seq=last.seq + 1, time=self.now, actor=actor, via=via, previous=last.hash)
        self.sql.append(self.study, entry)
        if entry.made is not None and knowledge is not None:
            self.sql.add_weights(self.study, {entry.made: knowledge.learner.weights})
        self._added.append((entry, knowledge))
        return entry

    def _take_snapshot(self) -> None:
        seq, ledger = self.projection.seq, self._ledger
        learner = self.projection.knowledge.learner
        every = OFTEN if has(learner, KnowsPeople) and len(learner.people) > 1 else EVERY
        if seq // every > ledger.snapshot_seq // every:
            ledger.snapshot_seq = self.sql.snapshot_seq(self.study)  # another process may have taken one
        if seq // every > ledger.snapshot_seq // every:
            if ledger.snapshot_seq % EVERY >= OFTEN:
                self.sql.remove_snapshot(self.study, ledger.snapshot_seq)
            self.sql.add_snapshot(self.study, seq, orjson.dumps(self.projection.snapshot()))
            self._snapshot_seq = seq

    def apply(self) -> None:
        """Apply the added facts to the projection, after the commit."""
        for entry, knowledge in self._added:
            if entry.made is not None:
                self._ledger.remember(self.projection.version, self.projection.knowledge)
            self.projection.apply(entry, knowledge)
        self._ledger.snapshot_seq = max(self._ledger.snapshot_seq, self._snapshot_seq)


class Ledger(LogReplay):
    """The log of a study and its projection.

    Parameters
    ----------
    store, name
        Where the log is.
    learner
        A learner of the study's kind, if it is not an installed one; copies of it are restored from the log.

    Raises NotFound if there is no such study, Invalid if its learner is not installed and none is given.
    """

    def __init__(self, store: Store, name: str, learner: Learner | None = None) -> None:
        self.store, self.clock = store, store.clock
        self.lock = threading.RLock()
        self.loads = 0  # how often the projection was loaded; caches of what it says begin again with it
        self._recent: OrderedDict[int, Knowledge] = OrderedDict()
        with store.reading() as sql:
            head = sql.find(name)
            super().__init__(head, created(sql.first(head.id), name), learner)
            self._reload(sql, END)

    # -- reading -----------------------------------------------------------------------------------------

    def _reload(self, sql: Transaction, upto: int) -> None:
        self.projection = self.load(sql, upto)
        self.snapshot_seq = sql.snapshot_seq(self.head.id)
        self.loads += 1
        self._recent.clear()

    def _catch_up(self, sql: Transaction, seq: int, hash: bytes) -> None:
        here = self.projection
        if here.hash != hash:
            if seq > here.seq and sql.hash_at(self.head.id, here.seq) == here.hash:
                shared = here.knowledge
                for entry in self.following(here, sql, seq):
                    if entry.made is not None and here.knowledge is shared:  # readers may be using it
                        self.remember(here.version, shared)
                        here.knowledge = shared.copy()
                    here.apply(entry)
            else:  # the store was replaced, for instance by an older backup
                self._reload(sql, seq)
        if self.projection.hash != hash:
            raise Tampered(
                f"The end of the log of study {self.head.name!r} is missing; restore from a backup."
            )

    def refresh(self) -> Projection:
        """The projection of every fact committed so far."""
        with self.lock, self.store.reading() as sql:
            return self.refresh_in(sql)

    def refresh_in(self, sql: Transaction) -> Projection:
        """The same within a transaction of the caller, who holds `lock`."""
        self._catch_up(sql, *sql.head(self.head.id))
        return self.projection

    def remember(self, version: int, knowledge: Knowledge) -> None:
        """Keep the knowledge of a version in memory; the caller holds `lock`."""
        self._recent[version] = knowledge
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    def knowledge(self, version: int | None = None) -> Knowledge:
        """What is known now, or was known at a version. The caller must not change it.

        Recent versions come from memory, earlier ones from a replay. Raises NotFound if there is no such
        version.
        """
        with self.lock, self.store.reading() as sql:
            projection = self.refresh_in(sql)
            if version is None or version == projection.version:
                return projection.knowledge
            if version in self._recent:
                return self._recent[version]
            seq, loads = self._seq_of(sql, version), self.loads
        with self.store.reading() as sql:
            knowledge = self.load(sql, seq).knowledge
        with self.lock:
            if self.loads == loads:
                self.remember(version, knowledge)
        return knowledge

    def weights(self, version: int | None = None, learned_for: str = "") -> Vector:
        """The weights now, or those of a version, without a replay; of an expert if they have their own.

        Those of an expert at an earlier version need a replay. Raises NotFound if there is no such version.
        """
        with self.lock, self.store.reading() as sql:
            projection = self.refresh_in(sql)
            learner = projection.knowledge.learner
            if version is None or version == projection.version:
                return np.array(learner_for(learner, learned_for).weights)
            stored = None if whose(learner, learned_for) else sql.weights(self.head.id, version)
        if stored is not None:
            return stored
        return np.array(learner_for(self.knowledge(version).learner, learned_for).weights)

    def _seq_of(self, sql: Transaction, version: int) -> int:
        seq = sql.version_seq(self.head.id, version)
        if seq is None:
            raise NotFound(f"Study {self.head.name!r} has no version {version}; see its versions.")
        return seq

    # -- writing -----------------------------------------------------------------------------------------

    @contextmanager
    def writing(self, synced: bool = True) -> Iterator[Writer]:
        """The right to append facts, until the end of the block; see `Store.writing`."""
        with self.lock:
            with self.store.writing(synced) as sql:
                self._catch_up(sql, *sql.lock(self.head.id))
                writer = Writer(self, sql)
                yield writer
            writer.apply()

"""Verification of a study's log: the hash chain, and everything that is derived from the facts.

Two findings are kept apart. `Tampered` is raised if stored bytes are not what was written. If the bytes are
intact but a replay gives slightly other weights than the ones recorded, the arithmetic differs: another
processor, another BLAS, or a newer version of the learner. That is reported in `Verified`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from coactor.protocol import Learner, Vector
from coactor.studies.errors import Tampered
from coactor.studies.log.chain import Entry, canonical, content_hash
from coactor.studies.log.facts import Asked, Finished, Reopened, RolledBack, Told, recorded_digest
from coactor.studies.log.projection import Projection, set_back
from coactor.studies.log.replay import LogReplay, open_replay
from coactor.studies.log.store import Store
from coactor.studies.log.transactions import StoredFact, Transaction
from coactor.studies.log.vectors import digest, unpack_weights

TOLERANCE = 1e-6  # relative difference of weights that other arithmetic may cause


@dataclass(frozen=True, slots=True)
class Verified:
    """A study whose log is intact.

    Attributes
    ----------
    name, facts, version, hash
        The study, the length of its log, its newest version and the last link of the chain.
    weights
        Digest of the newest weights.
    snapshots
        How many snapshots were compared.
    arithmetic
        Empty if the replay gives the recorded weights bit for bit; else a sentence on how they differ.
    """

    name: str
    facts: int
    version: int
    hash: str
    weights: str
    snapshots: int
    arithmetic: str = ""


def verify(store: Store, name: str, learner: Learner | None = None) -> Verified:
    """Replay a study from its first fact and check everything that can be checked.

    That is: the chain, the columns beside each body, the hashes of problems, the weights after each fact, the
    states that rollbacks and reopenings recorded, every snapshot, and what is kept of each tell. Neither the
    solver nor the domain is needed. Other processes may append meanwhile; facts after the present end of the
    log are not looked at.

    Raises Tampered if stored data is not what was written.
    """
    with store.reading() as sql:
        return verify_in(sql, name, learner)


def verify_in(sql: Transaction, name: str, learner: Learner | None = None) -> Verified:
    """The same within a transaction of the caller."""
    replay = open_replay(sql, name, learner)
    head = replay.head
    check = Check(replay, sql, sql.snapshots(head.id, head.seq))
    for page in sql.pages(head.id, 0, head.seq):
        for row in page:
            check.fact(row)
        check.problems(row.entry for row in page)
    stray = sql.stray_weights(head.id)
    if stray:
        raise Tampered(f"Study {name!r} has weights of version {stray[0]}, which no fact created.")
    replayed = check.projection
    if (replayed.seq, replayed.hash) != (head.seq, head.hash):
        raise Tampered(
            f"Study {name!r} ends at fact {head.seq}, its log at {replayed.seq}; restore from a backup."
        )
    stored = {row.seq: row for row in sql.finished(head.id) if row.seq <= head.seq}
    for entry in sql.of_kind(head.id, Reopened.kind, after=head.seq):  # written meanwhile
        if isinstance(entry.fact, Reopened):
            check.finished.pop(entry.fact.told, None)
            stored.pop(entry.fact.told, None)
    if stored != check.finished:
        different = min(seq for seq, _ in stored.items() ^ check.finished.items())
        raise Tampered(f"What is kept of the tell at fact {different} of study {name!r} is not what it says.")
    check.compare(
        replayed.snapshot(),
        orjson.loads(canonical(replay.load(sql, head.seq).snapshot())),
        f"Study {name!r}, loaded from its newest snapshot, differs from its facts.",
    )
    return Verified(
        name,
        head.seq,
        replayed.version,
        head.hash.hex(),
        digest(replayed.knowledge.learner.weights),
        len(check.snapshots),
        check.arithmetic(),
    )


class Check:
    """One pass over a log, with the differences in arithmetic on the way.

    Parameters
    ----------
    replay, sql
        The log, and a transaction in which it is read; facts are stored before they are checked.
    snapshots
        Those to compare, by sequence number.
    """

    def __init__(self, replay: LogReplay, sql: Transaction, snapshots: dict[int, bytes]) -> None:
        self.replay, self.sql, self.snapshots = replay, sql, snapshots
        self.name = replay.head.name
        self.projection = Projection(replay.fresh())
        self.finished: dict[int, Finished] = {}
        self.intact: set[str] = set()  # hashes of the data beside the log that was checked
        self.first_difference = 0
        self.largest_difference = 0.0

    def fact(self, row: StoredFact) -> None:
        """Check a fact against the columns beside it and the stored weights of its version; apply it."""
        projection, entry = self.projection, row.entry
        if not row.follows(projection.hash):
            raise Tampered(f"Fact {row.columns[1]} of study {self.name!r} is not what was written.")
        self.state(entry)
        projection.apply(entry)
        self._check_weights(entry, row.weights)
        if (finished := entry.finished) is not None:
            self.finished[entry.seq] = finished
        elif isinstance(entry.fact, Reopened):
            self.finished.pop(entry.fact.told, None)
        if entry.seq in self.snapshots:
            message = f"The snapshot at fact {entry.seq} of {self.name!r} differs from the facts."
            try:
                recorded = orjson.loads(self.snapshots[entry.seq])
            except orjson.JSONDecodeError as error:
                raise Tampered(message) from error
            self.compare(projection.snapshot(), recorded, message)

    def problems(self, entries: Iterable[Entry]) -> None:
        """Check the data beside the log that facts refer to."""
        needs = {hash: entry for entry in entries for hash in entry.needs if hash not in self.intact}
        problems = self.sql.problems(needs)
        for hash, entry in needs.items():
            if hash not in problems or content_hash(problems[hash]) != hash:
                fact = entry.fact
                what = f"problem of proposal {fact.proposal}" if isinstance(fact, Asked) else "domain"
                raise Tampered(f"The {what} of study {self.name!r} was changed.")
        self.intact.update(needs)

    def arithmetic(self) -> str:
        """A sentence on the difference between recorded and replayed weights, if there is one."""
        if not self.first_difference:
            return ""
        largest = self.largest_difference
        size = f"by up to {largest:.1g} of the largest" if largest else "by an unknown amount"
        return (
            f"From fact {self.first_difference} on, replayed weights differ from the recorded ones {size}: "
            "the arithmetic of this machine or the learner's code has changed. The log is intact."
        )

    def state(self, entry: Entry) -> None:
        """Check that a rollback or a reopening recorded the state that the facts before it lead to."""
        fact = entry.fact
        if isinstance(fact, RolledBack):
            seq = self.sql.version_seq(self.replay.head.id, fact.to)
            if seq is None or seq >= entry.seq:
                raise Tampered(f"The rollback at fact {entry.seq} is to version {fact.to}, which is missing.")
            knowledge = self.replay.load(self.sql, seq).knowledge
            if fact.learned_for:
                knowledge = set_back(self.projection.knowledge, knowledge, fact.learned_for)
        elif isinstance(fact, Reopened) and fact.state is not None:
            entries = self.sql.of_proposal(self.replay.head.id, fact.draft.id)
            told = next((e for e in entries if e.seq == fact.told and isinstance(e.fact, Told)), None)
            if told is None:
                raise Tampered(f"The reopening at fact {entry.seq} withdraws a tell that is missing.")
            knowledge = self.replay.without(told, self.sql, entry.seq - 1)
        else:
            return
        message = f"The {fact.kind} fact {entry.seq} does not record what the facts lead to."
        self.compare(knowledge.state(), fact.state, message)

    def _check_weights(self, entry: Entry, stored: bytes | None) -> None:
        """Check the weights after a fact against its digest and against the stored weights."""
        recorded = recorded_digest(entry.fact)
        if entry.made is None and not recorded:
            return
        weights = self.projection.knowledge.learner.weights
        replayed = digest(weights)
        left_out = recorded not in ("", replayed)  # by an import, which cannot repeat the arithmetic
        if entry.made is not None and stored is None and not left_out:
            raise Tampered(f"The weights of version {self.projection.version} are missing.")
        then = None if stored is None else unpack_weights(stored)
        if then is not None and digest(then) != (recorded or replayed):
            raise Tampered(f"The stored weights of version {self.projection.version} were changed.")
        if recorded and recorded != replayed:
            far = 0.0 if then is None else _distance(then, weights)
            if far > TOLERANCE:
                raise Tampered(
                    f"After fact {entry.seq} of study {self.name!r} the weights are not those that were "
                    f"recorded (relative difference {far:.1g}); is the learner another one?"
                )
            self._note(entry.seq, far)

    def compare(self, replayed: Any, recorded: Any, message: str) -> None:
        """Raise Tampered unless two JSON-able values agree, up to the arithmetic of learned numbers."""
        replayed = orjson.loads(canonical(replayed))
        if replayed != recorded:
            far = _json_distance(replayed, recorded)
            if far > TOLERANCE:
                raise Tampered(message)
            self._note(self.projection.seq, far)

    def _note(self, seq: int, far: float) -> None:
        self.first_difference = self.first_difference or seq
        self.largest_difference = max(self.largest_difference, far)


def _distance(a: Vector, b: Vector) -> float:
    """The largest difference of two arrays, relative to their largest entry."""
    if a.shape != b.shape:
        return np.inf
    if not a.size or (a == b).all():
        return 0.0
    return float(np.abs(a - b).max() / max(np.abs(a).max(), np.abs(b).max()))


def _json_distance(a: Any, b: Any) -> float:
    """The same for JSON-able data: infinite unless all but the floats, and the packed arrays, is equal."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        if a.keys() == {"shape", "f8"}:
            return _distance(_array(a), _array(b)) if a["shape"] == b["shape"] else np.inf
        return max((_json_distance(a[key], b[key]) for key in a), default=0.0)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        if a and all(isinstance(value, float) for value in (*a, *b)):
            return _distance(np.array(a), np.array(b))
        return max(map(_json_distance, a, b), default=0.0)
    if type(a) is float and type(b) is float:
        return _distance(np.array([a]), np.array([b]))
    return 0.0 if a == b else np.inf


def _array(data: dict[str, Any]) -> Vector:
    return np.frombuffer(base64.b64decode(data["f8"]), "<f8")

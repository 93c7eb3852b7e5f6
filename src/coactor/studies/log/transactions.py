"""What can be read and written within one transaction on a store."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError

from coactor.protocol import Vector
from coactor.studies.errors import Conflict, Deleted, NotFound
from coactor.studies.log import schema
from coactor.studies.log.chain import Entry, link, unseal
from coactor.studies.log.vectors import pack_weights, unpack_weights

END = 2**31 - 1
NEEDING = ("created", "asked", "renewed")  # kinds of facts that refer to data beside the log
PAGE = 100  # facts with vectors read at a time: a fact may hold more than a megabyte

_F = schema.facts
_HEAD = sa.select(schema.studies.c.seq, schema.studies.c.hash).where(schema.studies.c.id == sa.bindparam("i"))
_LOCK = _HEAD.with_for_update()
_MOVE_HEAD = (
    schema.studies.update()
    .where(schema.studies.c.id == sa.bindparam("i"))
    .values(seq=sa.bindparam("s"), hash=sa.bindparam("h"))
)
_ROWS = (
    sa.select(
        *(_F.c.body, _F.c.vectors, _F.c.hash, schema.weights.c.data),
        *(_F.c.seq, _F.c.kind, _F.c.proposal, _F.c.key, _F.c.made),
    )
    .join_from(
        _F,
        schema.weights,
        sa.and_(schema.weights.c.study == _F.c.study, schema.weights.c.version == _F.c.made),
        isouter=True,
    )
    .where(_F.c.study == sa.bindparam("i"), _F.c.seq > sa.bindparam("s"), _F.c.seq <= sa.bindparam("u"))
    .order_by(_F.c.seq)
    .limit(sa.bindparam("n"))
)
_WITHOUT_VECTORS = sa.select(_F.c.body, _F.c.hash).where(_F.c.study == sa.bindparam("i"))
_BY_KEY = _WITHOUT_VECTORS.where(_F.c.key == sa.bindparam("k"))
_OF_PROPOSALS = _WITHOUT_VECTORS.where(
    _F.c.proposal >= sa.bindparam("first"), _F.c.proposal <= sa.bindparam("last")
).order_by(_F.c.seq)
_HASH_AT = sa.select(_F.c.hash).where(_F.c.study == sa.bindparam("i"), _F.c.seq == sa.bindparam("s"))
_BY_VERSION = sa.select(_F.c.seq).where(_F.c.study == sa.bindparam("i"), _F.c.made == sa.bindparam("v"))
_ADD = _F.insert()
_REWRITE = (
    _F.update()
    .where(_F.c.study == sa.bindparam("i"), _F.c.seq == sa.bindparam("q"))
    .values(body=sa.bindparam("b"), hash=sa.bindparam("h"))
)
_PROBLEM = sa.select(schema.problems.c.data).where(schema.problems.c.hash == sa.bindparam("h"))
_NEWEST_SNAPSHOT = (
    sa.select(schema.snapshots.c.seq, schema.snapshots.c.data)
    .where(schema.snapshots.c.study == sa.bindparam("i"), schema.snapshots.c.seq <= sa.bindparam("s"))
    .order_by(schema.snapshots.c.seq.desc())
    .limit(1)
)
_SNAPSHOT_SEQ = sa.select(sa.func.coalesce(sa.func.max(schema.snapshots.c.seq), 0)).where(
    schema.snapshots.c.study == sa.bindparam("i")
)
_WEIGHTS = sa.select(schema.weights.c.data).where(
    schema.weights.c.study == sa.bindparam("i"), schema.weights.c.version == sa.bindparam("v")
)
_TEXTS: dict[tuple[str, sa.ClauseElement], str] = {}
_DIALECTS: dict[str, Any] = {"sqlite": sqlite_insert, "postgresql": postgres_insert}
_ADD_PROBLEM = {name: insert(schema.problems).on_conflict_do_nothing() for name, insert in _DIALECTS.items()}
_ADD_SNAPSHOT = {
    name: insert(schema.snapshots).on_conflict_do_nothing() for name, insert in _DIALECTS.items()
}
_SET_WEIGHTS = {
    name: (statement := insert(schema.weights)).on_conflict_do_update(
        index_elements=["study", "version"], set_={"data": statement.excluded.data}
    )
    for name, insert in _DIALECTS.items()
}


@dataclass(frozen=True, slots=True)
class Head:
    """A study's number in the store, its name, and the end of its log."""

    id: int
    name: str
    seq: int
    hash: bytes


class StoredFact(NamedTuple):
    """A fact, the columns beside its body, and the stored weights of the version that it created."""

    entry: Entry
    columns: tuple[Any, ...]
    weights: bytes | None

    def follows(self, previous: bytes) -> bool:
        """Whether this is what was written after the fact with that hash, in each of its columns."""
        entry = self.entry
        indexed = (entry.seq, entry.fact.kind, entry.proposal, entry.key, entry.made)
        return link(previous, entry.body, entry.vectors) == entry.hash and indexed == self.columns


class Transaction:
    """Reads and appends within one transaction."""

    def __init__(self, engine: sa.Engine, pooled: sa.PoolProxiedConnection) -> None:
        self._engine, self._pooled = engine, pooled
        self._driver: Any = pooled.driver_connection

    @cached_property
    def connection(self) -> sa.Connection:
        """SQLAlchemy's view of the connection; it must not commit."""
        return sa.Connection(self._engine, self._pooled)

    def _run(self, statement: sa.ClauseElement, values: dict[str, Any]) -> Any:
        """Execute one of the frequent statements past SQLAlchemy, which takes longer than the database."""
        key = self._engine.name, statement
        if key not in _TEXTS:
            _TEXTS[key] = str(statement.compile(dialect=self._engine.dialect))
        return self._driver.execute(_TEXTS[key], values)

    # -- studies ---------------------------------------------------------------------------------------

    def find(self, name: str) -> Head:
        """The study of this name. Raises NotFound if there is none."""
        head = next((head for head in self._heads(schema.studies.c.name == name)), None)
        if head is None:
            raise NotFound(f"There is no study {name!r}.")
        return head

    def studies(self) -> list[Head]:
        """Every study, by name."""
        return self._heads(sa.true())

    def _heads(self, condition: sa.ColumnElement[bool]) -> list[Head]:
        table = schema.studies
        query = sa.select(table.c.id, table.c.name, table.c.seq, table.c.hash).where(condition)
        rows = self.connection.execute(query.order_by(table.c.name))
        return [Head(row.id, row.name, row.seq, bytes(row.hash)) for row in rows]

    def create(self, name: str, id: int | None = None) -> int:
        """Add a study with an empty log; the caller must append its first fact in this transaction.

        It gets the id if that is free, else a random number: SQLite would give that of a deleted study to
        the next one. Raises Conflict if there is a study of this name.
        """
        if id is not None and self.connection.execute(_HEAD, {"i": id}).first() is not None:
            id = None
        try:
            result = self.connection.execute(
                schema.studies.insert().returning(schema.studies.c.id),
                {"id": id or 1 + secrets.randbelow(END), "name": name, "seq": 0, "hash": bytes(32)},
            )
        except IntegrityError:
            raise Conflict(
                f"There is already a study {name!r} in this store; open it, or choose another name."
            ) from None
        return int(result.scalar_one())

    def lock(self, study: int) -> tuple[int, bytes]:
        """The end of the log, locked against other writers until this transaction ends."""
        return self._head(_LOCK, study)

    def head(self, study: int) -> tuple[int, bytes]:
        """The end of the log."""
        return self._head(_HEAD, study)

    def _head(self, query: Any, study: int) -> tuple[int, bytes]:
        row = self._run(query, {"i": study}).fetchone()
        if row is None:
            raise Deleted("This study was deleted.")
        return row[0], bytes(row[1])

    def delete(self, head: Head) -> None:
        """Delete a study, what is derived from it, problems that no other study needs, and roles in it.

        Accounts that have no other role are deleted, too.
        """
        study = head.id
        if self._engine.name == "postgresql":  # no other transaction may refer to one of them meanwhile
            self.connection.exec_driver_sql("LOCK TABLE coactor_problems IN EXCLUSIVE MODE")
        needed = self._needed(study)
        for other in self.studies():
            needed -= self._needed(other.id) if other.id != study and needed else set()
        for table in (schema.facts, schema.snapshots, schema.weights):
            self.connection.execute(table.delete().where(table.c.study == study))
        self.connection.execute(schema.studies.delete().where(schema.studies.c.id == study))
        unused = schema.problems.delete().where(schema.problems.c.hash == sa.bindparam("h"))
        if needed:
            self.connection.execute(unused, [{"h": hash} for hash in needed])
        grants, accounts, logins = schema.grants, schema.accounts, schema.logins
        left = sa.select(grants.c.account)
        for condition in (
            grants.delete().where(grants.c.study == head.name),
            logins.delete().where(logins.c.study == head.name),
            logins.delete().where(logins.c.token.is_not(None), logins.c.token.not_in(left)),
            accounts.delete().where(accounts.c.id.not_in(left)),
        ):
            self.connection.execute(condition)

    def _needed(self, study: int) -> set[str]:
        """The content hashes of the data beside the log."""
        return {hash for entry in self.of_kind(study, *NEEDING) for hash in entry.needs}

    # -- facts -----------------------------------------------------------------------------------------

    def after(self, study: int, seq: int, upto: int = END) -> Iterator[Entry]:
        """The facts after a sequence number, up to and including another, in order, with their vectors."""
        for page in self.pages(study, seq, upto):
            for row in page:
                yield row.entry

    def first(self, study: int) -> Entry | None:
        """The first fact of a study."""
        return next(self.after(study, 0, 1), None)

    def bodies(self, study: int, after: int, limit: int) -> list[bytes]:
        """The bodies of the facts after a sequence number."""
        query = (
            sa.select(_F.c.body).where(_F.c.study == study, _F.c.seq > after).order_by(_F.c.seq).limit(limit)
        )
        return [bytes(body) for body in self.connection.scalars(query)]

    def of_kind(self, study: int, *kinds: str, after: int = 0, limit: int = END) -> Iterator[Entry]:
        """The facts of some kinds, in order, without their vectors."""
        query = _WITHOUT_VECTORS.where(_F.c.kind.in_(kinds), _F.c.seq > after).order_by(_F.c.seq).limit(limit)
        return self._entries(query, {"i": study})

    def of_proposal(self, study: int, proposal: int) -> list[Entry]:
        """The facts about one proposal, in order, without their vectors."""
        return self.of_proposals(study, proposal, proposal)

    def of_proposals(self, study: int, first: int, last: int) -> list[Entry]:
        """The facts about the proposals numbered first to last, in order, without their vectors."""
        return list(self._entries(_OF_PROPOSALS, {"i": study, "first": first, "last": last}))

    def by_key(self, study: int, key: str) -> Entry | None:
        """The fact that was written under an idempotency key, without its vectors."""
        return next(self._entries(_BY_KEY, {"i": study, "k": key}), None)

    def of_versions(self, study: int, after: int, limit: int) -> list[Entry]:
        """The facts that created versions of the weights, by version, without their vectors."""
        query = _WITHOUT_VECTORS.where(_F.c.made > after).order_by(_F.c.made).limit(limit)
        return list(self._entries(query, {"i": study}))

    def version_seq(self, study: int, version: int) -> int | None:
        """The sequence number of the fact that created a version of the weights."""
        seq = self.connection.scalar(_BY_VERSION, {"i": study, "v": version})
        return None if seq is None else int(seq)

    def hash_at(self, study: int, seq: int) -> bytes | None:
        """The link of the chain at a sequence number."""
        hash = self.connection.scalar(_HASH_AT, {"i": study, "s": seq})
        return None if hash is None else bytes(hash)

    def pages(self, study: int, seq: int, upto: int) -> Iterator[list[StoredFact]]:
        """The same with what is stored beside each fact, to verify one against the other; page by page."""
        while seq < upto:
            rows = self.connection.execute(_ROWS, {"i": study, "s": seq, "u": upto, "n": PAGE}).all()
            yield [
                StoredFact(
                    unseal(bytes(body), bytes(vectors), bytes(hash)),
                    tuple(columns),
                    None if weights is None else bytes(weights),
                )
                for body, vectors, hash, weights, *columns in rows
            ]
            if len(rows) < PAGE:
                return
            seq = rows[-1].seq

    def _entries(self, query: Any, values: dict[str, Any]) -> Iterator[Entry]:
        for body, hash in self.connection.execute(query, values):
            yield unseal(bytes(body), b"", bytes(hash))

    def append(self, study: int, entry: Entry) -> None:
        """Add one fact at the end of the log and move the head there."""
        self._run(
            _ADD,
            {
                "study": study,
                "seq": entry.seq,
                "kind": entry.fact.kind,
                "proposal": entry.proposal,
                "key": entry.key,
                "made": entry.made,
                "body": entry.body,
                "hash": entry.hash,
                "vectors": entry.vectors,
            },
        )
        self._run(_MOVE_HEAD, {"i": study, "s": entry.seq, "h": entry.hash})

    def rewrite(self, study: int, entry: Entry) -> None:
        """Replace the bytes of a fact, and move the head there; only for an erasure."""
        values = {"i": study, "q": entry.seq, "b": entry.body, "h": entry.hash}
        self.connection.execute(_REWRITE, values)
        self.connection.execute(_MOVE_HEAD, {"i": study, "s": entry.seq, "h": entry.hash})

    # -- beside the facts --------------------------------------------------------------------------------

    def add_problem(self, hash: str, data: bytes) -> None:
        """Store a problem under its content hash, if it is not there yet."""
        self._run(_ADD_PROBLEM[self._engine.name], {"hash": hash, "data": data})

    def problem(self, hash: str) -> bytes:
        """The problem with this content hash. Raises NotFound if it is missing."""
        data = self.connection.scalar(_PROBLEM, {"h": hash})
        if data is None:
            raise NotFound(f"Problem {hash[:12]} is not in the store; restore it from a backup.")
        return bytes(data)

    def problems(self, hashes: Collection[str]) -> dict[str, bytes]:
        """The problems with these content hashes, without those that are missing."""
        query = sa.select(schema.problems).where(schema.problems.c.hash.in_(hashes))
        return {row.hash: bytes(row.data) for row in self.connection.execute(query)}

    def add_snapshot(self, study: int, seq: int, data: bytes) -> None:
        """Store the projection at a sequence number."""
        row = {"study": study, "seq": seq, "data": data}
        self.connection.execute(_ADD_SNAPSHOT[self._engine.name], row)

    def remove_snapshot(self, study: int, seq: int | None = None) -> None:
        """Remove the snapshot at a sequence number, or all of them."""
        table = schema.snapshots
        where = [table.c.study == study] + ([] if seq is None else [table.c.seq == seq])
        self.connection.execute(table.delete().where(*where))

    def snapshot(self, study: int, upto: int = END) -> bytes | None:
        """The newest snapshot at or before a sequence number."""
        row = self.connection.execute(_NEWEST_SNAPSHOT, {"i": study, "s": upto}).first()
        return None if row is None else bytes(row.data)

    def snapshot_seq(self, study: int) -> int:
        """The sequence number of the newest snapshot; 0 if there is none."""
        return int(self.connection.execute(_SNAPSHOT_SEQ, {"i": study}).scalar_one())

    def snapshots(self, study: int, upto: int = END) -> dict[int, bytes]:
        """Every snapshot up to a sequence number."""
        table = schema.snapshots
        query = sa.select(table.c.seq, table.c.data).where(table.c.study == study, table.c.seq <= upto)
        return {row.seq: bytes(row.data) for row in self.connection.execute(query)}

    def add_weights(self, study: int, weights: dict[int, Vector]) -> None:
        """Store the weights of versions."""
        for version, vector in weights.items():
            row = {"study": study, "version": version, "data": pack_weights(vector)}
            self._run(_SET_WEIGHTS[self._engine.name], row)

    def weights(self, study: int, version: int) -> Vector | None:
        """The stored weights of a version; None if there are none."""
        data = self.connection.scalar(_WEIGHTS, {"i": study, "v": version})
        return None if data is None else unpack_weights(bytes(data))

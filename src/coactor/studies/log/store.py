"""Where facts are kept: an SQLite file or a PostgreSQL database, named by URL.

SQLite runs in WAL mode, every writing transaction begins IMMEDIATE and every commit is synced to the disk.
PostgreSQL orders the appends of a study by the lock on its row. Both then behave alike: whoever holds the
lock has the head of the log and is the only one who may add to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError

from coactor.studies.errors import Conflict, NotFound
from coactor.studies.log import schema
from coactor.studies.log.connections import in_our_words, make_engine
from coactor.studies.log.facts import Entry, unseal

END = 2**31 - 1
PAGE = 500  # facts read at a time

_F = schema.facts
_ENTRY = (_F.c.body, _F.c.vectors, _F.c.hash)
_HEAD = sa.select(schema.studies.c.seq, schema.studies.c.hash).where(schema.studies.c.id == sa.bindparam("i"))
_LOCK = _HEAD.with_for_update()
_MOVE_HEAD = (
    schema.studies.update()
    .where(schema.studies.c.id == sa.bindparam("i"))
    .values(seq=sa.bindparam("s"), hash=sa.bindparam("h"))
)
_AFTER = (
    sa.select(*_ENTRY)
    .where(_F.c.study == sa.bindparam("i"), _F.c.seq > sa.bindparam("s"))
    .order_by(_F.c.seq)
    .limit(sa.bindparam("n"))
)
_BY_KEY = sa.select(*_ENTRY).where(_F.c.study == sa.bindparam("i"), _F.c.key == sa.bindparam("k"))
_OF_PROPOSAL = (
    sa.select(*_ENTRY)
    .where(_F.c.study == sa.bindparam("i"), _F.c.proposal == sa.bindparam("p"))
    .order_by(_F.c.seq)
)
_BY_VERSION = sa.select(*_ENTRY).where(_F.c.study == sa.bindparam("i"), _F.c.made == sa.bindparam("v"))
_ADD = _F.insert()
_PROBLEM = sa.select(schema.problems.c.data).where(schema.problems.c.hash == sa.bindparam("h"))
_ADD_PROBLEM = {
    "sqlite": sqlite_insert(schema.problems).on_conflict_do_nothing(),
    "postgresql": postgres_insert(schema.problems).on_conflict_do_nothing(),
}
_SNAPSHOT = (
    sa.select(schema.snapshots.c.data)
    .where(schema.snapshots.c.study == sa.bindparam("i"), schema.snapshots.c.seq <= sa.bindparam("s"))
    .order_by(schema.snapshots.c.seq.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class Head:
    """A study's number in the store, its name, and the end of its log."""

    id: int
    name: str
    seq: int
    hash: bytes


class Transaction:
    """What can be read and added within one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self.sql = connection

    def find(self, name: str) -> Head:
        """The study of this name."""
        table = schema.studies
        row = self.sql.execute(
            sa.select(table.c.id, table.c.name, table.c.seq, table.c.hash).where(table.c.name == name)
        ).first()
        if row is None:
            raise NotFound(f"There is no study {name!r} in this store; create it first.")
        return Head(row.id, row.name, row.seq, bytes(row.hash))

    def studies(self) -> list[Head]:
        """Every study, by name."""
        table = schema.studies
        rows = self.sql.execute(
            sa.select(table.c.id, table.c.name, table.c.seq, table.c.hash).order_by(table.c.name)
        )
        return [Head(row.id, row.name, row.seq, bytes(row.hash)) for row in rows]

    def create(self, name: str) -> int:
        """A new study with an empty log; the next line must append its first fact."""
        try:
            result = self.sql.execute(
                schema.studies.insert().returning(schema.studies.c.id),
                {"name": name, "seq": 0, "hash": bytes(32)},
            )
        except IntegrityError:
            raise Conflict(
                f"There is already a study {name!r} in this store; open it, or choose another name."
            ) from None
        return int(result.scalar_one())

    def lock(self, study: int) -> tuple[int, bytes]:
        """The end of the log, which nobody else can move until this transaction ends."""
        row = self.sql.execute(_LOCK, {"i": study}).one()
        return row.seq, bytes(row.hash)

    def head(self, study: int) -> tuple[int, bytes]:
        """The end of the log as it was a moment ago."""
        row = self.sql.execute(_HEAD, {"i": study}).one()
        return row.seq, bytes(row.hash)

    def after(self, study: int, seq: int, upto: int = END) -> Iterator[Entry]:
        """The facts after a sequence number, up to and including another, in order, a page at a time."""
        while seq < upto:
            page = self._entries(_AFTER, {"i": study, "s": seq, "n": min(PAGE, upto - seq)})
            yield from page
            if len(page) < PAGE:
                return
            seq = page[-1].seq

    def bodies(self, study: int, after: int, limit: int) -> list[bytes]:
        """What the facts after a sequence number say, without their vectors."""
        query = (
            sa.select(_F.c.body).where(_F.c.study == study, _F.c.seq > after).order_by(_F.c.seq).limit(limit)
        )
        return [bytes(body) for body in self.sql.scalars(query)]

    def of_kind(self, study: int, *kinds: str, after: int = 0, limit: int = END) -> list[Entry]:
        """The facts of some kinds, in order, without their vectors."""
        query = (
            sa.select(_F.c.body, _F.c.hash)
            .where(_F.c.study == study, _F.c.kind.in_(kinds), _F.c.seq > after)
            .order_by(_F.c.seq)
            .limit(limit)
        )
        return [unseal(bytes(body), b"", bytes(link)) for body, link in self.sql.execute(query)]

    def of_proposal(self, study: int, proposal: int) -> list[Entry]:
        """Everything that happened to one proposal."""
        return self._entries(_OF_PROPOSAL, {"i": study, "p": proposal})

    def of_proposals(self, study: int, first: int, last: int) -> list[Entry]:
        """Everything that happened to the proposals numbered first to last, without vectors."""
        query = (
            sa.select(_F.c.body, _F.c.hash)
            .where(_F.c.study == study, _F.c.proposal >= first, _F.c.proposal <= last)
            .order_by(_F.c.seq)
        )
        return [unseal(bytes(body), b"", bytes(link)) for body, link in self.sql.execute(query)]

    def by_key(self, study: int, key: str) -> Entry | None:
        """The fact that was written under an idempotency key."""
        return next(iter(self._entries(_BY_KEY, {"i": study, "k": key})), None)

    def by_version(self, study: int, version: int) -> Entry | None:
        """The fact that made a version of the weights."""
        return next(iter(self._entries(_BY_VERSION, {"i": study, "v": version})), None)

    def of_versions(self, study: int, after: int, limit: int) -> list[Entry]:
        """The facts that made versions, by version, without their vectors."""
        query = (
            sa.select(_F.c.body, _F.c.hash)
            .where(_F.c.study == study, _F.c.made > after)
            .order_by(_F.c.made)
            .limit(limit)
        )
        return [unseal(bytes(body), b"", bytes(link)) for body, link in self.sql.execute(query)]

    def _entries(self, query: Any, values: dict[str, Any]) -> list[Entry]:
        rows = self.sql.execute(query, values)
        return [unseal(bytes(body), bytes(vectors), bytes(link)) for body, vectors, link in rows]

    def append(self, study: int, entry: Entry) -> None:
        """Add one fact at the end of the log and move the head there."""
        self.sql.execute(
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
        self.sql.execute(_MOVE_HEAD, {"i": study, "s": entry.seq, "h": entry.hash})

    def add_problem(self, name: str, data: bytes) -> None:
        """Keep a problem under its content hash; a second time costs nothing."""
        self.sql.execute(_ADD_PROBLEM[self.sql.dialect.name], {"hash": name, "data": data})

    def problem(self, name: str) -> bytes:
        """The problem with this content hash."""
        data = self.sql.scalar(_PROBLEM, {"h": name})
        if data is None:
            raise NotFound(f"Problem {name[:12]} is not in the store; restore it from a backup.")
        return bytes(data)

    def snapshot(self, study: int, seq: int = END) -> bytes | None:
        """The newest snapshot taken at or before a sequence number."""
        data = self.sql.scalar(_SNAPSHOT, {"i": study, "s": seq})
        return None if data is None else bytes(data)

    def snapshots(self, study: int) -> dict[int, bytes]:
        """Every snapshot, by sequence number."""
        table = schema.snapshots
        rows = self.sql.execute(sa.select(table.c.seq, table.c.data).where(table.c.study == study))
        return {row.seq: bytes(row.data) for row in rows}

    def rows(self, study: int, upto: int) -> Iterator[tuple[Entry, tuple[Any, ...]]]:
        """Every fact with the columns that stand beside it, for checking one against the other."""
        query = (
            sa.select(*_ENTRY, _F.c.seq, _F.c.kind, _F.c.proposal, _F.c.key, _F.c.made)
            .where(_F.c.study == study, _F.c.seq > sa.bindparam("s"), _F.c.seq <= upto)
            .order_by(_F.c.seq)
            .limit(PAGE)
        )
        seq = 0
        while seq < upto:
            page = self.sql.execute(query, {"s": seq}).all()
            for body, vectors, link, *columns in page:
                yield unseal(bytes(body), bytes(vectors), bytes(link)), tuple(columns)
            if not page:
                return
            seq = page[-1].seq

    def add_snapshot(self, study: int, seq: int, data: bytes) -> None:
        """Keep a shortcut to the model at `seq`."""
        self.sql.execute(schema.snapshots.insert(), {"study": study, "seq": seq, "data": data})


class Store:
    """A database by URL, with its tables made or brought up to date.

    Parameters
    ----------
    url
        ``sqlite:///file.db`` (three slashes and a path) or ``postgresql://user@host/database``.
    wait
        Seconds to wait for another writer before giving up.
    """

    def __init__(self, url: str, wait: float = 30.0) -> None:
        self.engine = make_engine(url, wait)
        self.url = self.engine.url.render_as_string(hide_password=True)
        try:
            with self.reading() as transaction:
                current = schema.is_current(transaction.sql)
            if not current:
                with self.writing() as transaction:
                    schema.upgrade(transaction.sql)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A consistent look at the store."""
        with in_our_words(), self.engine.connect() as connection:
            yield Transaction(connection)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """All or nothing: committed to the disk at the end, or never was."""
        with in_our_words(), self.engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection = connection.execution_options(immediate=True)
            with connection.begin():
                yield Transaction(connection)

    def tidy(self) -> None:
        """Move what SQLite has collected in its write-ahead log into the file, without holding anybody up.

        SQLite does it by itself now and then, inside a commit that then takes long; a server does it between.
        """
        if self.engine.dialect.name == "sqlite":
            with in_our_words():
                connection = self.engine.raw_connection()
                try:
                    connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
                finally:
                    connection.close()

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

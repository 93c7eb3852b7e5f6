"""What can be read and written within one transaction on a store."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from coactor.protocol import Vector
from coactor.studies.errors import Conflict, Deleted, NotFound
from coactor.studies.log import schema
from coactor.studies.log.chain import Entry, link, unseal
from coactor.studies.log.facts import Finished, Reopened
from coactor.studies.log.vectors import pack_weights, unpack_weights

END = 2**31 - 1
NEEDING = ("created", "asked")  # kinds of facts that refer to data beside the log
PAGE = 100  # facts with vectors read at a time: a fact may hold more than a megabyte

_HEADS = "SELECT id, name, seq, hash FROM coactor_studies"
_BODIES = "SELECT body, hash FROM coactor_facts WHERE study = :study"
_PAGE = """
    SELECT f.body, f.hash, w.data AS weights, f.vectors, f.seq, f.kind, f.proposal, f.key, f.made
    FROM coactor_facts f LEFT JOIN coactor_weights w ON w.study = f.study AND w.version = f.made
    WHERE f.study = :study AND f.seq > :seq AND f.seq <= :upto ORDER BY f.seq LIMIT :limit
"""
_ADD = """
    INSERT INTO coactor_facts (study, seq, kind, proposal, key, made, body, hash, vectors)
    VALUES (:study, :seq, :kind, :proposal, :key, :made, :body, :hash, :vectors)
"""
_ROUND = ", ".join(Finished._fields)
_SET_ROUND = f"""
    INSERT INTO coactor_rounds (study, {_ROUND})
    VALUES (:study, {", ".join(f":{name}" for name in Finished._fields)})
    ON CONFLICT (study, seq) DO UPDATE SET {", ".join(f"{n} = excluded.{n}" for n in Finished._fields)}
"""
_SET_WEIGHTS = """
    INSERT INTO coactor_weights (study, version, data) VALUES (:study, :version, :data)
    ON CONFLICT (study, version) DO UPDATE SET data = excluded.data
"""


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
        columns = (entry.vectors, entry.seq, entry.fact.kind, entry.proposal, entry.key, entry.made)
        return link(previous, entry.body, entry.vectors) == entry.hash and columns == self.columns


class Transaction:
    """Reads and appends within one transaction."""

    def __init__(self, engine: sa.Engine, pooled: sa.PoolProxiedConnection) -> None:
        self._engine, self._pooled = engine, pooled
        self._driver: Any = pooled.driver_connection

    @cached_property
    def connection(self) -> sa.Connection:
        """SQLAlchemy's view of the connection; it must not commit."""
        return sa.Connection(self._engine, self._pooled)

    def _run(self, statement: str, **values: object) -> Any:
        """Execute SQL that both databases understand, past SQLAlchemy, which takes longer than they do."""
        return self._driver.execute(_in_dialect(statement, self._engine.name), values)

    def _value(self, statement: str, **values: object) -> Any:
        """The first value of the first row; None if there is none."""
        row = self._run(statement, **values).fetchone()
        return None if row is None else row[0]

    # -- studies ---------------------------------------------------------------------------------------

    def find(self, name: str) -> Head:
        """The study of this name. Raises NotFound if there is none."""
        row = self._run(f"{_HEADS} WHERE name = :name", name=name).fetchone()
        if row is None:
            raise NotFound(f"There is no study {name!r}.")
        return Head(*row)

    def studies(self) -> list[Head]:
        """Every study, by name."""
        return [Head(*row) for row in self._run(f"{_HEADS} ORDER BY name")]

    def create(self, name: str, id: int | None = None) -> int:
        """Add a study with an empty log; the caller must append its first fact in this transaction.

        It gets the id if that is free, else a random number: SQLite would give that of a deleted study to
        the next one. Raises Conflict if there is a study of this name.
        """
        if id is None or self._value(f"{_HEADS} WHERE id = :id", id=id) is not None:
            id = 1 + secrets.randbelow(END)
        row = {"id": id, "name": name, "seq": 0, "hash": bytes(32)}
        try:
            self.connection.execute(schema.studies.insert(), row)
        except IntegrityError:
            raise Conflict(
                f"There is already a study {name!r} in this store; open it, or choose another name."
            ) from None
        return id

    def lock(self, study: int) -> tuple[int, bytes]:
        """The end of the log, locked against other writers until this transaction ends."""
        return self._head(study, " FOR UPDATE" if self._engine.name == "postgresql" else "")

    def head(self, study: int) -> tuple[int, bytes]:
        """The end of the log."""
        return self._head(study)

    def _head(self, study: int, lock: str = "") -> tuple[int, bytes]:
        query = f"SELECT seq, hash FROM coactor_studies WHERE id = :study{lock}"
        row = self._run(query, study=study).fetchone()
        if row is None:
            raise Deleted("This study was deleted.")
        seq, hash = row
        return seq, hash

    def account(self, id: str) -> list[tuple[Any, ...]]:
        """The name, secret and end of an account, with each study and its role there: for every request."""
        query = """
            SELECT a.name, a.secret, a.expires, g.study, g.role
            FROM coactor_accounts a LEFT JOIN coactor_grants g ON g.account = a.id
            WHERE a.id = :id ORDER BY g.study
        """
        rows: list[tuple[Any, ...]] = self._run(query, id=id).fetchall()
        return rows

    def session(self, secret: str, now: float) -> list[tuple[Any, ...]]:
        """The name of a valid session, with each study and its role there: its account's, or its link's."""
        query = """
            SELECT l.name, COALESCE(g.study, l.study), COALESCE(g.role, l.role)
            FROM coactor_logins l LEFT JOIN coactor_grants g ON g.account = l.token
            WHERE l.secret = :secret AND l.kind = 'session' AND l.expires > :now
        """
        rows: list[tuple[Any, ...]] = self._run(query, secret=secret, now=now).fetchall()
        return rows

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
        for table in (schema.facts, schema.snapshots, schema.weights, schema.rounds):
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
        query = "SELECT body FROM coactor_facts WHERE study = :study AND seq > :seq ORDER BY seq LIMIT :limit"
        return [body for (body,) in self._run(query, study=study, seq=after, limit=limit)]

    def of_kind(self, study: int, *kinds: str, after: int = 0, limit: int = END) -> Iterator[Entry]:
        """The facts of some kinds, in order, without their vectors."""
        names = {f"kind{k}": kind for k, kind in enumerate(kinds)}
        condition = f"kind IN ({', '.join(f':{name}' for name in names)}) AND seq > :seq"
        return self._entries(condition, "seq", study=study, seq=after, limit=limit, **names)

    def of_proposal(self, study: int, proposal: int) -> list[Entry]:
        """The facts about one proposal, in order, without their vectors."""
        return self.of_proposals(study, proposal, proposal)

    def of_proposals(self, study: int, first: int, last: int) -> list[Entry]:
        """The facts about the proposals numbered first to last, in order, without their vectors."""
        return list(
            self._entries("proposal BETWEEN :first AND :last", "seq", study=study, first=first, last=last)
        )

    def by_key(self, study: int, key: str) -> Entry | None:
        """The fact that was written under an idempotency key, without its vectors."""
        return next(self._entries("key = :key", "seq", study=study, key=key), None)

    def of_versions(self, study: int, after: int, limit: int) -> list[Entry]:
        """The facts that created versions of the weights, by version, without their vectors."""
        return list(self._entries("made > :version", "made", study=study, version=after, limit=limit))

    def version_seq(self, study: int, version: int) -> int | None:
        """The sequence number of the fact that created a version of the weights."""
        query = "SELECT seq FROM coactor_facts WHERE study = :study AND made = :version"
        seq: int | None = self._value(query, study=study, version=version)
        return seq

    def hash_at(self, study: int, seq: int) -> bytes | None:
        """The link of the chain at a sequence number."""
        query = "SELECT hash FROM coactor_facts WHERE study = :study AND seq = :seq"
        hash: bytes | None = self._value(query, study=study, seq=seq)
        return hash

    def pages(self, study: int, seq: int, upto: int) -> Iterator[list[StoredFact]]:
        """The same with what is stored beside each fact, to verify one against the other; page by page."""
        while seq < upto:
            rows = [
                StoredFact(unseal(body, vectors, hash), (vectors, *columns), weights)
                for body, hash, weights, vectors, *columns in self._run(
                    _PAGE, study=study, seq=seq, upto=upto, limit=PAGE
                ).fetchall()
            ]
            yield rows
            if len(rows) < PAGE:
                return
            seq = rows[-1].columns[1]

    def _entries(self, condition: str, order: str, *, limit: int = END, **values: object) -> Iterator[Entry]:
        query = f"{_BODIES} AND {condition} ORDER BY {order} LIMIT :limit"
        for body, hash in self._run(query, limit=limit, **values):
            yield unseal(body, b"", hash)

    def append(self, study: int, entry: Entry) -> None:
        """Add one fact at the end of the log and move the head there."""
        self._run(
            _ADD,
            study=study,
            seq=entry.seq,
            kind=entry.fact.kind,
            proposal=entry.proposal,
            key=entry.key,
            made=entry.made,
            body=entry.body,
            hash=entry.hash,
            vectors=entry.vectors,
        )
        self._set_round(study, entry)
        self._move_head(study, entry)

    def rewrite(self, study: int, entry: Entry) -> None:
        """Replace the bytes of a fact, and move the head there; only for an erasure."""
        query = "UPDATE coactor_facts SET body = :body, hash = :hash WHERE study = :study AND seq = :seq"
        self._run(query, study=study, seq=entry.seq, body=entry.body, hash=entry.hash)
        self._set_round(study, entry)
        self._move_head(study, entry)

    def _set_round(self, study: int, entry: Entry) -> None:
        """Keep the row of a tell beside the log; a reopening removes it."""
        row = entry.finished
        if row is not None:
            self._run(_SET_ROUND, study=study, **row._asdict())
        elif isinstance(entry.fact, Reopened):
            query = "DELETE FROM coactor_rounds WHERE study = :study AND seq = :seq"
            self._run(query, study=study, seq=entry.fact.told)

    def _move_head(self, study: int, entry: Entry) -> None:
        query = "UPDATE coactor_studies SET seq = :seq, hash = :hash WHERE id = :study"
        self._run(query, study=study, seq=entry.seq, hash=entry.hash)

    def finished(self, study: int, limit: int = END, newest: bool = False) -> list[Finished]:
        """The finished proposals, in the order of the tells: the first or the newest ones."""
        order = f"seq {'DESC' if newest else ''} LIMIT :limit"
        query = f"SELECT {_ROUND} FROM coactor_rounds WHERE study = :study ORDER BY {order}"
        rows = [*map(Finished._make, self._run(query, study=study, limit=limit).fetchall())]
        return rows[::-1] if newest else rows

    def edited(self, study: int, version: int, learned_for: str, limit: int) -> list[Finished]:
        """The newest ones that were edited and learned from, up to a version: of one expert, or of all."""
        query = f"""
            SELECT {_ROUND} FROM coactor_rounds WHERE study = :study AND learned AND effort > 0
            AND version <= :version AND :learned_for IN ('', learned_for) ORDER BY seq DESC LIMIT :limit
        """
        given = {"study": study, "version": version, "learned_for": learned_for, "limit": limit}
        return [*map(Finished._make, self._run(query, **given).fetchall())][::-1]

    def totals(self, study: int, since: float, last: int) -> dict[str, float]:
        """Of the last finished proposals, those since a time: how many, how many unchanged, their effort."""
        query = """
            SELECT COUNT(*), COUNT(CASE WHEN effort = 0 THEN 1 END), COALESCE(SUM(effort), 0)
            FROM (
                SELECT effort, time FROM coactor_rounds WHERE study = :study ORDER BY seq DESC LIMIT :last
            ) AS newest WHERE time > :since
        """
        row = self._run(query, study=study, since=since, last=last).fetchone()
        return dict(zip(("finished", "unchanged", "effort"), row, strict=True))

    def finished_bodies(self, study: int, after: int, limit: int, newest: bool) -> list[bytes]:
        """The bodies of tells after a sequence number that were not withdrawn: the first or newest ones."""
        query = f"""
            SELECT f.body FROM coactor_facts f JOIN coactor_rounds r ON r.study = f.study AND r.seq = f.seq
            WHERE r.study = :study AND r.seq > :seq ORDER BY r.seq {"DESC" if newest else ""} LIMIT :limit
        """
        bodies = [body for (body,) in self._run(query, study=study, seq=after, limit=limit)]
        return bodies[::-1] if newest else bodies

    # -- beside the facts --------------------------------------------------------------------------------

    def add_problem(self, hash: str, data: bytes) -> None:
        """Store a problem under its content hash, if it is not there yet."""
        query = "INSERT INTO coactor_problems (hash, data) VALUES (:hash, :data) ON CONFLICT DO NOTHING"
        self._run(query, hash=hash, data=data)

    def problem(self, hash: str) -> bytes:
        """The problem with this content hash. Raises NotFound if it is missing."""
        data: bytes | None = self._value("SELECT data FROM coactor_problems WHERE hash = :hash", hash=hash)
        if data is None:
            raise NotFound(f"Problem {hash[:12]} is not in the store; restore it from a backup.")
        return data

    def problems(self, hashes: Collection[str]) -> dict[str, bytes]:
        """The problems with these content hashes, without those that are missing."""
        query = sa.select(schema.problems).where(schema.problems.c.hash.in_(hashes))
        return {row.hash: row.data for row in self.connection.execute(query)}

    def add_snapshot(self, study: int, seq: int, data: bytes) -> None:
        """Store the projection at a sequence number."""
        query = "INSERT INTO coactor_snapshots (study, seq, data) VALUES (:study, :seq, :data)"
        self._run(query, study=study, seq=seq, data=data)

    def remove_snapshot(self, study: int, seq: int | None = None) -> None:
        """Remove the snapshot at a sequence number, or all of them."""
        table = schema.snapshots
        where = [table.c.study == study] + ([] if seq is None else [table.c.seq == seq])
        self.connection.execute(table.delete().where(*where))

    def snapshot(self, study: int, upto: int = END) -> bytes | None:
        """The newest snapshot at or before a sequence number."""
        query = """
            SELECT data FROM coactor_snapshots WHERE study = :study AND seq <= :upto ORDER BY seq DESC LIMIT 1
        """
        data: bytes | None = self._value(query, study=study, upto=upto)
        return data

    def snapshot_seq(self, study: int) -> int:
        """The sequence number of the newest snapshot; 0 if there is none."""
        query = "SELECT MAX(seq) FROM coactor_snapshots WHERE study = :study"
        return self._value(query, study=study) or 0

    def snapshots(self, study: int, upto: int = END) -> dict[int, bytes]:
        """Every snapshot up to a sequence number."""
        query = "SELECT seq, data FROM coactor_snapshots WHERE study = :study AND seq <= :upto"
        return dict(self._run(query, study=study, upto=upto).fetchall())

    def add_weights(self, study: int, weights: dict[int, Vector]) -> None:
        """Store the weights of versions."""
        for version, vector in weights.items():
            self._run(_SET_WEIGHTS, study=study, version=version, data=pack_weights(vector))

    def stray_weights(self, study: int) -> list[int]:
        """Versions with stored weights that no fact created."""
        query = """
            SELECT version FROM coactor_weights w WHERE study = :study AND NOT EXISTS
            (SELECT 1 FROM coactor_facts f WHERE f.study = w.study AND f.made = w.version)
        """
        return [version for (version,) in self._run(query, study=study)]

    def weights(self, study: int, version: int) -> Vector | None:
        """The stored weights of a version; None if there are none."""
        query = "SELECT data FROM coactor_weights WHERE study = :study AND version = :version"
        data = self._value(query, study=study, version=version)
        return None if data is None else unpack_weights(data)


@cache
def _in_dialect(statement: str, dialect: str) -> str:
    """A statement with its parameters as the driver of a database names them."""
    return re.sub(r":(\w+)", r"%(\1)s", statement) if dialect == "postgresql" else statement

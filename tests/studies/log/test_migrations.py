"""Stores and exports that older versions of coactor wrote."""

from __future__ import annotations

import gzip
import hashlib
import sqlite3
from pathlib import Path

import orjson
import pytest
import sqlalchemy as sa

from coactor.studies import Store, Study, Unavailable
from coactor.studies.accounts import Account, Accounts
from coactor.studies.log import ledger, schema, transfer
from coactor.studies.log.migrations import MIGRATIONS
from coactor.studies.log.vectors import digest
from coactor.studies.log.verification import Verified, verify
from tests.studies.stubs import make

DATA = Path(__file__).parents[1] / "data"
LATEST = len(MIGRATIONS)


def older_store(version: int, file: Path) -> str:
    """A store as an older coactor left it: studies with drafts, reopenings, rollbacks and snapshots."""
    with sqlite3.connect(file) as database:
        database.executescript(gzip.decompress((DATA / f"version-{version}.sql.gz").read_bytes()).decode())
    database.close()
    return f"sqlite:///{file}"


def digests(store: Store, name: str) -> list[str]:
    """Of the weights of each version, as the facts recorded them."""
    return [row.digest for row in Study(store, name).versions()][1:]


def assert_same_up_to_arithmetic(verified: Verified, exact: bool) -> None:
    """The default learner multiplies matrices, whose last bits depend on the processor; PER does not.

    `verify` raises Tampered if weights differ by more than that.
    """
    assert verified.arithmetic == "" or (not exact and "The log is intact" in verified.arithmetic)


@pytest.mark.parametrize("name", ["plain", "choice", "candidate"])
@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_store_of_an_older_version_opens_with_the_same_weights(tmp_path, version, name):
    with Store(older_store(version, tmp_path / "old.db")) as store:
        with store.reading() as sql:
            assert schema.version(sql.connection) == LATEST
        before = verify(store, name)
        study = Study(store, name)
        assert (before.version, study.version) == (12, 12)
        same = [study.weights(v) for v in range(13)]
        with store.reading() as sql:
            stored = sql.weights(study._ledger.head.id, 3)
        assert_same_up_to_arithmetic(before, exact=name == "plain")
        recorded = digests(store, name)
        if before.arithmetic:
            assert stored is None or digest(stored) == recorded[2]  # other weights are not stored
        else:
            assert [digest(w) for w in same[1:]] == recorded
            assert stored.tobytes() == same[3].tobytes()  # stored on first use
        waiting = study.proposals("waiting")[-1]
        assert waiting.label == "waits"
        desk = study.desk()
        assert desk.claim(8, "ana").moves == [{"op": "reverse", "args": [1, 3]}]  # reopened before
        study.tell(desk.claim(waiting.id, "ben").ticket.id, moves=[], actor="ben")
        study.rollback(5, "further back")
        assert study.round(1).lesson.startswith(("Learned", "Accepted", "Now"))
        assert study.round(4).lesson.startswith("Recorded for today only")
        after = verify(store, name)
        assert after.facts > before.facts
        assert after.version == 14


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_an_export_of_an_older_version_can_be_imported(url, version):
    with Store(url) as store:
        name = transfer.load(store, transfer.read_lines(DATA / f"version-{version}.jsonl"))
        before = verify(store, name)
        assert_same_up_to_arithmetic(before, exact=version == 1)
        study = Study(store, name)
        study.tell(study.ask(study.proposal(1).problem), moves=[])
        study.rollback(3, "further back")
        assert verify(store, name).facts == before.facts + 3
        lines = list(transfer.read_lines(DATA / f"version-{version}.jsonl"))
        assert list(study.export())[1 : len(lines)] == lines[1:]


def test_proposals_from_before_predictions_have_no_chance_and_are_not_renewed(sqlite_url):
    with Store(sqlite_url) as store:
        transfer.load(store, transfer.read_lines(DATA / "version-1.jsonl"))
        study = Study(store, "old")
        assert {t.chance for t in study.proposals()} == {None}
        assert [t.state for t in study.proposals("open")] == ["draft", "waiting"]
        assert not any(t.due for t in study.proposals("open"))  # who had solved them was not recorded
        assert study.desk().claim(8, "ana").ticket.version == 5


def test_a_snapshot_from_before_predictions_can_be_loaded(sqlite_url, monkeypatch):
    monkeypatch.setattr(ledger, "EVERY", 5)
    with Store(sqlite_url) as store:
        transfer.load(store, transfer.read_lines(DATA / "version-1.jsonl"))
        with store.writing() as sql:
            study = sql.find("old").id
            for seq, data in sql.snapshots(study).items():
                snapshot = orjson.loads(data)
                del snapshot["acceptance"]
                for draft in snapshot["open"]:
                    for name in ("base", "chance", "expected", "renewable"):
                        del draft[name]
                sql.connection.exec_driver_sql(
                    "UPDATE coactor_snapshots SET data = ? WHERE seq = ?", (orjson.dumps(snapshot), seq)
                )
        assert verify(store, "old").snapshots == 4
        assert Study(store, "old").version == 8


def columns(connection: sa.Connection) -> dict[str, object]:
    inspector = sa.inspect(connection)
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)],
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted(
                (i["name"], tuple(i["column_names"]), bool(i["unique"])) for i in inspector.get_indexes(table)
            ),
            [(k["constrained_columns"], k["referred_table"]) for k in inspector.get_foreign_keys(table)],
        )
        for table in sorted(inspector.get_table_names())
    }


def test_migrations_lead_to_the_tables_of_the_schema(url, tmp_path):
    with Store(url) as store, store.reading() as sql:
        migrated = columns(sql.connection)
        dialect = sql.connection.dialect.name
    if dialect == "sqlite":
        engine = sa.create_engine(f"sqlite:///{tmp_path}/declared.db")
        with engine.begin() as connection:
            schema.tables.create_all(connection)
            assert columns(connection) == migrated
        engine.dispose()
    assert sorted(migrated) == sorted(table.name for table in schema.tables.sorted_tables)


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_the_first_migrations_create_the_tables_that_older_versions_created(tmp_path, version):
    with sqlite3.connect(tmp_path / "old.db") as old:
        old.executescript(gzip.decompress((DATA / f"version-{version}.sql.gz").read_bytes()).decode())
    old.close()
    engines = [sa.create_engine(f"sqlite:///{tmp_path}/{name}.db") for name in ("old", "new")]
    with engines[1].begin() as connection:
        for step in MIGRATIONS[:version]:
            step(connection)
    with engines[0].connect() as one, engines[1].connect() as two:
        assert columns(one) == columns(two)
    for engine in engines:
        engine.dispose()


def test_tokens_and_sessions_of_an_older_store_are_still_valid(tmp_path):
    with sqlite3.connect(older_store(4, tmp_path / "old.db").removeprefix("sqlite:///")) as old:
        row = ("abc", "ana", "plain", "expert", hashlib.sha256(b"secret").hexdigest(), 5.0)
        old.execute("INSERT INTO coactor_tokens VALUES (?, ?, ?, ?, ?, ?)", row)
        row = (hashlib.sha256(b"cookie").hexdigest(), "session", "abc", "ana", "plain", "expert", 1e12)
        old.execute("INSERT INTO coactor_logins VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    old.close()
    with Store(f"sqlite:///{tmp_path}/old.db") as store:
        accounts = Accounts(store)
        assert accounts.by_token("coactor_abc_secret") == Account("ana", {"plain": "expert"})
        assert accounts.by_session("cookie") == Account("ana", {"plain": "expert"})


def test_a_newer_store_is_refused_and_an_older_one_is_upgraded(url):
    def add_column(connection):
        connection.exec_driver_sql("ALTER TABLE coactor_studies ADD COLUMN colour VARCHAR(10)")

    with make(url) as study:
        study.ask([1.0, 2.0, 3.0])
        before = verify(study.store, "desk")
        with study.store.writing() as sql:
            assert schema.version(sql.connection) == LATEST
            assert schema.upgrade(sql.connection, (*MIGRATIONS, add_column)) == LATEST
        with pytest.raises(Unavailable, match="upgrade coactor"):
            Store(url)
        with study.store.reading() as sql:
            assert sql.connection.exec_driver_sql("SELECT colour FROM coactor_studies").all() == [(None,)]
        assert verify(study.store, "desk") == before


def test_a_migration_that_fails_leaves_the_store_as_it_was(url):
    def fail(connection):
        connection.exec_driver_sql("ALTER TABLE coactor_studies ADD COLUMN colour VARCHAR(10)")
        raise RuntimeError("half way")

    with make(url) as study:
        with pytest.raises(RuntimeError), study.store.writing() as sql:
            schema.upgrade(sql.connection, (*MIGRATIONS, fail))
        with Store(url) as again:
            verify(again, "desk")

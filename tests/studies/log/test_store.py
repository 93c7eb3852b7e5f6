from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing, contextmanager, suppress

import pytest

from coactor.studies import Invalid, NotFound, Store, Tampered, Unavailable
from coactor.studies.log.store import configure_sqlite
from coactor.studies.log.verification import verify
from tests.studies.stubs import change_row, flip, make


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "sqlite:///:memory:", "mysql://x/y"])
def test_store_raises_invalid_for_a_bad_url(url):
    with pytest.raises(Invalid):
        Store(url)


def test_store_raises_unavailable_when_it_cannot_be_reached(tmp_path):
    with pytest.raises(Unavailable, match="cannot be used"):
        Store(f"sqlite:///{tmp_path}/no/such/folder/desk.db")


def test_store_says_when_its_url_is_wrong(tmp_path, postgres_server):
    urls = [postgres_server.replace("/postgres?", "/nowhere?"), f"sqlite:///{tmp_path}/no/desk.db"]
    for url in urls:
        with pytest.raises(Unavailable, match="Check its URL"):
            Store(url)


def test_store_does_not_promise_that_nothing_changed_when_a_commit_fails(tmp_path):
    orphan = "INSERT INTO coactor_snapshots VALUES (7, 1, x'00')"
    with Store(f"sqlite:///{tmp_path}/desk.db") as store:
        with pytest.raises(Unavailable, match="nothing was changed"), store.writing() as sql:
            sql.connection.exec_driver_sql(orphan)
        late = "PRAGMA defer_foreign_keys = ON"  # checked by the commit
        with pytest.raises(Unavailable, match="may or may not have been recorded"), store.writing() as sql:
            [sql.connection.exec_driver_sql(each) for each in (late, orphan)]


def test_a_connection_waits_for_others_that_open_the_new_file():
    class Busy:
        isolation_level = ""
        tries = 0

        def execute(self, statement):
            self.tries += 1
            if self.tries < 3:
                raise sqlite3.OperationalError("database is locked")

    connection = Busy()
    configure_sqlite(connection, wait=60)
    assert connection.tries == 4  # three for the journal, one for the foreign keys
    with pytest.raises(sqlite3.OperationalError):
        configure_sqlite(Busy(), wait=0)


def test_a_tell_is_synced_to_the_disk_with_the_ask_before_it(sqlite_url, monkeypatch):
    with make(sqlite_url) as study:
        levels, writing = [], Store.writing

        @contextmanager
        def recording(store, *synced):
            with writing(store, *synced) as sql:
                levels.append(sql.connection.exec_driver_sql("PRAGMA synchronous").scalar_one())
                yield sql

        monkeypatch.setattr(Store, "writing", recording)
        p = study.ask([1.0, 2.0, 3.0])
        study.tell(p, moves=flip(0))
    assert levels == [1, 2]  # NORMAL, FULL


def test_what_is_not_committed_is_rolled_back(url):
    with make(url) as study:
        with suppress(ZeroDivisionError), study.store.writing() as sql:
            sql.add_problem("a" * 64, b"x")
            raise ZeroDivisionError
        with study.store.reading() as sql, pytest.raises(NotFound):
            sql.problem("a" * 64)


def test_a_writer_gives_up_when_another_one_holds_the_lock(url):
    """The wait is for locks too, not for the connection alone."""
    with Store(url, wait=1.0) as store, make(store) as study:
        p = study.ask([1.0, 2.0, 3.0])
        held, done = threading.Event(), threading.Event()

        def hang():
            with Store(url) as other, other.writing() as sql:
                sql.lock(sql.find("desk").id)
                held.set()
                done.wait(60)

        thread = threading.Thread(target=hang)
        thread.start()
        try:
            assert held.wait(60)
            with pytest.raises(Unavailable, match="lock"):
                study.tell(p, moves=flip(0))
        finally:
            done.set()
            thread.join()
        assert study.tell(p, moves=flip(0)).version == 1


def test_a_store_of_another_version_is_refused_and_stays_as_it_is(url):
    with make(url) as study:
        study.ask([1.0, 2.0, 3.0])
        change_row(study.store, "UPDATE coactor_meta SET value = '5' WHERE name = 'schema'")
        with pytest.raises(Unavailable, match="tables of version 5, this coactor has version 1"):
            Store(url)
        change_row(study.store, "UPDATE coactor_meta SET value = '1' WHERE name = 'schema'")
    with Store(url) as store, store.reading() as sql:
        assert sql.find("desk").seq == 2


def filled_file(tmp_path):
    """A store in a file, closed."""
    path = tmp_path / "desk.db"
    with make(f"sqlite:///{path}") as study:
        for k in range(4):
            study.ask([1.0, 2.0, 3.0], key=f"key {k}")
    return path


def test_new_file_is_for_its_owner_only(tmp_path):
    path = filled_file(tmp_path)
    with Store(f"sqlite:///{path}"):
        assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_damaged_index_is_found_and_a_damaged_page_is_called_so(tmp_path):
    path = filled_file(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        pages = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema"))
    data, index = path.read_bytes(), size * (pages["coactor_facts_key"] - 1)
    key, table = data.index(b"key 2", index, index + size), size * (pages["coactor_facts"] - 1)
    for place in (key, table):
        path.write_bytes(data[:place] + bytes(8) + data[place + 8 :])
        with (
            Store(f"sqlite:///{path}") as store,
            pytest.raises(Tampered, match="file of the store is damaged"),
        ):
            store.check()
    with Store(f"sqlite:///{path}") as store, pytest.raises(Tampered, match="file of the store is damaged"):
        verify(store, "desk")


def test_tables_of_an_unknown_version_are_refused(tmp_path):
    path = filled_file(tmp_path)
    with Store(f"sqlite:///{path}") as store:
        change_row(store, "UPDATE coactor_meta SET value = 'x'")
    with pytest.raises(Unavailable, match="tables of version x"):
        Store(f"sqlite:///{path}")


def test_store_on_a_read_only_medium_is_read_without_files_beside_it(tmp_path, monkeypatch):
    path = filled_file(tmp_path)
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    with Store(f"sqlite:///{path}") as store:
        assert verify(store, "desk").facts == 5
        assert [file.name for file in tmp_path.iterdir()] == ["desk.db"]
        with pytest.raises(Unavailable, match="readonly"), store.writing() as sql:
            sql.create("other")
    path.with_name("desk.db-wal").write_bytes(b"facts")
    with pytest.raises(Unavailable, match="copy both elsewhere"):
        Store(f"sqlite:///{path}")

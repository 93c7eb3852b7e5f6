from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager, suppress

import pytest

from coactor.studies import Invalid, NotFound, Store, Unavailable
from coactor.studies.log.store import configure_sqlite
from tests.studies.stubs import change_row, flip, make


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "sqlite:///:memory:", "mysql://x/y"])
def test_store_raises_invalid_for_a_bad_url(url):
    with pytest.raises(Invalid):
        Store(url)


def test_store_raises_unavailable_when_it_cannot_be_reached(tmp_path):
    with pytest.raises(Unavailable, match="cannot be used"):
        Store(f"sqlite:///{tmp_path}/no/such/folder/desk.db")


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

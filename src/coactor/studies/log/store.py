"""Where facts are stored: an SQLite file or a PostgreSQL database, named by URL.

SQLite runs in WAL mode, every writing transaction begins IMMEDIATE, and every commit is synced to the disk.
PostgreSQL serialises the appends of a study by the lock on its row. Both then behave alike: the holder of the
lock has the head of the log and is the only one who may append to it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from coactor.studies.log import schema
from coactor.studies.log.connections import make_engine, translate_database_errors
from coactor.studies.log.transactions import Transaction


class Store:
    """A database, with its tables created or upgraded.

    Parameters
    ----------
    url
        ``sqlite:///file.db`` (three slashes and a path) or ``postgresql://user@host/database``.
    wait
        Seconds to wait for a connection or for another writer before `Unavailable` is raised.
    """

    def __init__(self, url: str, wait: float = 30.0) -> None:
        self.engine = make_engine(url, wait)
        self.url = self.engine.url.render_as_string(hide_password=True)
        try:
            with self.reading() as sql:
                current = schema.is_current(sql.connection)
            if not current:
                with self.writing() as sql:
                    schema.upgrade(sql.connection)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that only reads."""
        with translate_database_errors(), self.engine.connect() as connection:
            yield Transaction(connection)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction that is committed at the end of the block, or rolled back on an exception."""
        with translate_database_errors(), self.engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection = connection.execution_options(immediate=True)
            with connection.begin():
                yield Transaction(connection)

    def tidy(self) -> None:
        """Checkpoint SQLite's write-ahead log without blocking other connections.

        SQLite does this by itself from time to time, inside a commit that then takes long. A server calls
        this between requests instead.
        """
        if self.engine.dialect.name == "sqlite":
            with translate_database_errors():
                connection = self.engine.raw_connection()
                try:
                    connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
                finally:
                    connection.close()

    def shrink(self) -> None:
        """Rewrite an SQLite file, so that what was deleted is not in its free pages."""
        if self.engine.dialect.name == "sqlite":
            with translate_database_errors():
                connection = self.engine.raw_connection()
                try:
                    connection.cursor().execute("VACUUM")
                    connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
                finally:
                    connection.close()

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class KeyLocks:
    """Locks by name: callers in this process with the same idempotency key wait for each other."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    def __len__(self) -> int:
        return len(self._locks)

    @contextmanager
    def holding(self, key: str | None) -> Iterator[None]:
        """Hold the lock of a key until the end of the block; None needs no lock."""
        if key is None:
            yield
            return
        with self._guard:
            lock, callers = self._locks.get(key, (threading.Lock(), 0))
            self._locks[key] = lock, callers + 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                callers = self._locks[key][1]
                if callers == 1:
                    del self._locks[key]
                else:
                    self._locks[key] = lock, callers - 1

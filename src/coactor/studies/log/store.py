"""Where facts are stored: an SQLite file or a PostgreSQL database, named by URL.

SQLite runs in WAL mode, and every writing transaction begins IMMEDIATE. A commit is synced to the disk, with
every commit before it, except where a caller says that the next one is soon enough.
PostgreSQL serialises the appends of a study by the lock on its row. Both then behave alike: the holder of the
lock has the head of the log and is the only one who may append to it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import sqlalchemy as sa

from coactor.studies.errors import Unavailable
from coactor.studies.log import schema
from coactor.studies.log.connections import begin, make_engine, translate_database_errors
from coactor.studies.log.transactions import Transaction

logger = logging.getLogger("coactor.studies")
PAUSES = (0.1, 0.2, 0.4, 0.8, 0.0)  # seconds between the attempts to empty the write-ahead log


class Store:
    """A database, with its tables created if there are none.

    Parameters
    ----------
    url
        ``sqlite:///file.db`` (three slashes and a path) or ``postgresql://user@host/database``.
    wait
        Seconds to wait for a connection or for another writer before `Unavailable` is raised.
    clock
        Seconds since 1970, for all that is written.
    """

    def __init__(self, url: str, wait: float = 30.0, clock: Callable[[], float] = time.time) -> None:
        self.engine, self.clock = make_engine(url, wait), clock
        self.url = self.engine.url.render_as_string(hide_password=True)
        self._holds_deleted = False  # whether the write-ahead log must still be truncated
        try:
            with self.reading() as sql:
                current = schema.is_current(sql.connection)
            if not current:
                with self.writing() as sql:
                    schema.create(sql.connection)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that only reads."""
        with self._connected() as connection:
            begin(connection.driver_connection, self.engine.name, None)
            yield Transaction(self.engine, connection)

    @contextmanager
    def writing(self, synced: bool = True) -> Iterator[Transaction]:
        """A transaction that is committed at the end of the block, or rolled back on an exception.

        Every commit survives a crash of the process. On SQLite it survives a power cut, too, if it or a later
        one is `synced`.
        """
        with self._connected() as connection:
            begin(connection.driver_connection, self.engine.name, "FULL" if synced else "NORMAL")
            yield Transaction(self.engine, connection)
            # A connection that breaks now may do so after the database has committed.
            with translate_database_errors(self.engine, "the change may or may not have been recorded"):
                connection.commit()

    @contextmanager
    def _connected(self) -> Iterator[sa.PoolProxiedConnection]:
        """A connection of the pool, which rolls back what was not committed."""
        with translate_database_errors(self.engine), closing(self.engine.raw_connection()) as connection:
            yield connection

    def tidy(self) -> None:
        """Checkpoint SQLite's write-ahead log without blocking other connections.

        SQLite does this by itself from time to time, inside a commit that then takes long. A server calls
        this between requests instead. It also ends what `shrink` could not end.
        """
        if self._holds_deleted:
            self._holds_deleted = not self._truncated()
        elif self.engine.name == "sqlite":
            with self._connected() as connection:
                connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def shrink(self) -> bool:
        """Rewrite an SQLite file, so that what was deleted is neither in its free pages nor in its log.

        Returns False if the file still holds it, because another connection reads an older state. Then a
        later `tidy` removes it, or the last connection to the file when it is closed. What a PostgreSQL
        server keeps in its files is not looked at.
        """
        if self.engine.name != "sqlite":
            return True
        try:
            with self._connected() as connection:
                connection.cursor().execute("VACUUM")
            for pause in PAUSES:
                if self._truncated():
                    return True
                time.sleep(pause)
        except Unavailable as error:  # what was deleted stays deleted
            logger.warning("The file of the store was not rewritten: %s", error)
        self._holds_deleted = True
        return False

    def _truncated(self) -> bool:
        """Whether SQLite's write-ahead log could be emptied at once; writers do not wait for readers."""
        with self._connected() as connection:
            cursor = connection.cursor()
            wait = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute("PRAGMA busy_timeout = 0")
            try:
                busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {wait}")
        return not busy

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

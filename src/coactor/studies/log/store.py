"""Where facts are stored: an SQLite file or a PostgreSQL database, named by URL.

SQLite runs in WAL mode, and every writing transaction begins IMMEDIATE. A commit is synced to the disk, with
every commit before it, except where a caller says that the next one is soon enough.
PostgreSQL serialises the appends of a study by the lock on its row. Both then behave alike: the holder of the
lock has the head of the log and is the only one who may append to it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeout
except ImportError as error:  # pragma: no cover - raised only where the extra is missing
    raise ImportError(
        "Durable studies need SQLAlchemy; install it with: pip install 'coactor[studies]'"
    ) from error

from coactor.studies.errors import Invalid, NotFound, Tampered, Unavailable
from coactor.studies.log import schema
from coactor.studies.log.transactions import Transaction

logger = logging.getLogger("coactor.studies")
DAMAGED = ("malformed", "not a database")  # words of SQLite
WRONG_URL = ("does not exist", "authentication failed", "unable to open")  # words of both databases
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
    create
        Whether an SQLite file may be created; NotFound is raised else if there is none.
    """

    def __init__(
        self, url: str, wait: float = 30.0, clock: Callable[[], float] = time.time, create: bool = True
    ) -> None:
        self.engine, self.clock = make_engine(url, wait, create), clock
        self.url = self.engine.url.render_as_string(hide_password=True)
        self._wait, self._writer = wait, threading.Lock()
        self.closed = False
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
        with self._turn(), self._connected() as connection:
            begin(connection.driver_connection, self.engine.name, "FULL" if synced else "NORMAL")
            yield Transaction(self.engine, connection)
            # A connection that breaks now may do so after the database has committed.
            with translate_database_errors(self.engine, "the change may or may not have been recorded"):
                connection.commit()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The turn of a writer: in an SQLite file there is one at a time, and those that wait for it sleep.

        So the writers of a process wait here, where they are woken. In PostgreSQL a writer locks one study.
        """
        if self.engine.name != "sqlite":
            yield
        elif self._writer.acquire(timeout=self._wait):
            try:
                yield
            finally:
                self._writer.release()
        else:
            raise Unavailable(
                "The store cannot be used now (another change takes long); nothing was changed. "
                "Try again later."
            )

    @contextmanager
    def _connected(self) -> Iterator[sa.PoolProxiedConnection]:
        """A connection of the pool, which rolls back what was not committed."""
        if self.closed:  # else the pool would open new connections
            raise Invalid("The store is closed; open it, or the study, again.")
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

    def check(self) -> None:
        """Raise Tampered if the structure of an SQLite file is damaged, such as one of its indexes."""
        if self.engine.name == "sqlite":
            with self._connected() as connection:
                (found,) = connection.cursor().execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise Tampered(f"The file of the store is damaged ({found}); restore it from a backup.")

    def close(self) -> None:
        """Close every connection."""
        self.closed = True
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class KeyLocks:
    """Locks by name: callers in this process with the same idempotency key wait for each other."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks = WeakValueDictionary[str, threading.Lock]()

    def __len__(self) -> int:
        return len(self._locks)

    def holding(self, key: str | None) -> AbstractContextManager[object]:
        """Hold the lock of a key until the end of the block; None needs no lock."""
        with self._guard:
            return nullcontext() if key is None else self._locks.setdefault(key, threading.Lock())


# -- connections --------------------------------------------------------------------------------------

_URLS = "use sqlite:///file.db or postgresql://user@host/database."


def make_engine(url: str, wait: float, create: bool = True) -> sa.Engine:
    """An engine that waits at most `wait` seconds for a connection or a lock.

    Raises Invalid if the URL does not name an SQLite file or a PostgreSQL database, NotFound if there is no
    such file and it may not be created.
    """
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise Invalid(f"{url!r} is not the URL of a store; {_URLS}") from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return _postgres_engine(parsed, wait)
    if backend != "sqlite":
        raise Invalid(f"{backend!r} is not a supported database; {_URLS}")
    if parsed.database in (None, "", ":memory:"):
        raise Invalid("A store must outlive the process; name a file: sqlite:///file.db")
    path = Path(parsed.database)
    if path.exists():
        parsed = parsed if all(os.access(p, os.W_OK) for p in (path, path.parent)) else _read_only(path)
    elif not create and not parsed.query:
        raise NotFound(f"There is no store {url}; `coactor study create` and `coactor serve` create one.")
    elif path.parent.is_dir() and not parsed.query:
        path.touch(0o600)  # it will hold names and problems; SQLite gives its other files the same mode
    engine = sa.create_engine(
        parsed,
        paramstyle="named",
        pool_size=8,
        max_overflow=56,
        connect_args={"timeout": wait, "check_same_thread": False},
    )
    sa.event.listen(engine, "connect", lambda connection, _: configure_sqlite(connection, wait))
    return engine


def _read_only(path: Path) -> sa.URL:
    """The URL of a file that cannot be written; what is in its write-ahead log could not be read."""
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise Unavailable(
            f"{path.name} cannot be written and has a log beside it; copy both elsewhere first."
        )
    place = quote(str(path.resolve()))
    return sa.URL.create("sqlite", database=f"file:{place}", query={"immutable": "1", "uri": "true"})


def _postgres_engine(url: sa.URL, wait: float) -> sa.Engine:
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    # In front of the options of the URL, so that those win.
    options = f"-c lock_timeout={max(1, round(1000 * wait))} {url.query.get('options', '')}".strip()
    try:
        return sa.create_engine(
            url,
            pool_size=8,
            max_overflow=56,
            pool_pre_ping=True,
            connect_args={"connect_timeout": max(1, int(wait)), "options": options},
        )
    except ImportError:
        raise Invalid("PostgreSQL needs a driver; install it with: pip install 'coactor[postgres]'") from None


def configure_sqlite(connection: sqlite3.Connection, wait: float) -> None:
    """Prepare a new connection.

    Where several processes open a new file at the same moment, SQLite refuses the journal mode without
    waiting for the lock; so this waits for it.
    """
    connection.isolation_level = None  # `begin` begins transactions
    until = time.monotonic() + wait
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= until:
                raise
            time.sleep(0.01)
    connection.execute("PRAGMA foreign_keys = ON")


def begin(connection: Any, dialect: str, level: str | None) -> None:
    """Begin a transaction on a driver's connection; one that writes has SQLite's level of synchronisation."""
    if dialect != "sqlite":
        return  # psycopg begins with the first statement
    if level is None:
        connection.execute("BEGIN")
        return
    connection.execute(f"PRAGMA synchronous = {level}")
    # In WAL mode a transaction that reads first and writes later can fail; IMMEDIATE waits for the lock.
    connection.execute("BEGIN IMMEDIATE")


@contextmanager
def translate_database_errors(engine: sa.Engine, outcome: str = "nothing was changed") -> Iterator[None]:
    """Re-raise errors of SQLAlchemy and of the driver as `Unavailable`, with the outcome of a change."""
    try:
        yield
    except (DBAPIError, PoolTimeout, engine.dialect.loaded_dbapi.Error) as error:
        cause = getattr(error, "orig", None) or error
        reason = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
        if any(words in reason for words in DAMAGED):
            raise Tampered(
                f"The file of the store is damaged ({reason}); restore it from a backup."
            ) from error
        advice = "Check its URL" if any(words in reason for words in WRONG_URL) else "Try again later"
        raise Unavailable(f"The store cannot be used now ({reason}); {outcome}. {advice}.") from error

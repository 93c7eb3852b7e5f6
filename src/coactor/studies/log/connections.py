"""Database connections: how SQLite and PostgreSQL are opened, and the translation of their errors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeout
except ImportError as error:  # pragma: no cover - raised only where the extra is missing
    raise ImportError(
        "Durable studies need SQLAlchemy; install it with: pip install 'coactor[studies]'"
    ) from error

from coactor.studies.errors import Invalid, Unavailable

_URLS = "use sqlite:///file.db or postgresql://user@host/database."


def make_engine(url: str, wait: float) -> sa.Engine:
    """An engine that waits at most `wait` seconds for a connection or a lock.

    Raises Invalid if the URL does not name an SQLite file or a PostgreSQL database.
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
    engine = sa.create_engine(
        parsed,
        paramstyle="named",
        pool_size=8,
        max_overflow=56,
        connect_args={"timeout": wait, "check_same_thread": False},
    )
    sa.event.listen(engine, "connect", lambda connection, _: configure_sqlite(connection, wait))
    return engine


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
        raise Unavailable(f"The store cannot be used now ({reason}); {outcome}. Try again later.") from error

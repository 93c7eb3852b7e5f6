"""Connections: how SQLite and PostgreSQL are opened, and their complaints in our own words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeout
except ImportError as error:  # pragma: no cover - said to whoever installed the core alone
    raise ImportError(
        "Studies that last need SQLAlchemy; install it with: pip install 'coactor[studies]'"
    ) from error

from coactor.studies.errors import Invalid, Unavailable


def make_engine(url: str, wait: float) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise Invalid(
            f"{url!r} is no store; use sqlite:///file.db or postgresql://user@host/database."
        ) from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        try:
            return sa.create_engine(
                parsed,
                pool_size=8,
                max_overflow=56,
                pool_pre_ping=True,
                connect_args={"connect_timeout": int(wait)},
            )
        except ImportError:
            raise Invalid(
                "PostgreSQL needs a driver; install it with: pip install 'coactor[postgres]'"
            ) from None
    if backend != "sqlite":
        raise Invalid(f"{backend!r} is no store; use sqlite:///file.db or postgresql://user@host/database.")
    if parsed.database in (None, "", ":memory:"):
        raise Invalid("A study lasts, memory does not; name a file: sqlite:///file.db")
    engine = sa.create_engine(
        parsed, pool_size=8, max_overflow=56, connect_args={"timeout": wait, "check_same_thread": False}
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: sa.Connection) -> None:
    # A transaction that reads first and writes later can fail in WAL mode; IMMEDIATE waits its turn instead.
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def in_our_words() -> Iterator[None]:
    """Turn what a database says into our own words."""
    try:
        yield
    except (DBAPIError, PoolTimeout, sqlite3.Error) as error:
        cause = getattr(error, "orig", None) or error
        said = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
        raise Unavailable(
            f"The store cannot be used now ({said}); nothing was changed. Try again later."
        ) from error

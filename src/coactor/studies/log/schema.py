"""The tables, their version, and the way from an older version to this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import sqlalchemy as sa

from coactor.studies.errors import Unavailable

tables = sa.MetaData()

meta = sa.Table(
    "coactor_meta",
    tables,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("value", sa.String(200), nullable=False),
)
studies = sa.Table(
    "coactor_studies",
    tables,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(64), nullable=False, unique=True),
    sa.Column("seq", sa.Integer, nullable=False),  # the head of the log; its row is the lock of the study
    sa.Column("hash", sa.LargeBinary, nullable=False),
)
facts = sa.Table(
    "coactor_facts",
    tables,
    sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("proposal", sa.Integer),
    sa.Column("key", sa.String(200)),
    sa.Column("made", sa.Integer),  # the version of the weights this fact made
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("vectors", sa.LargeBinary, nullable=False),  # last: SQLite then reads past it only on demand
    # Most facts have neither a key nor a version: their indexes hold only those that do.
    sa.Index(
        "coactor_facts_key",
        "study",
        "key",
        unique=True,
        sqlite_where=sa.text("key IS NOT NULL"),
        postgresql_where=sa.text("key IS NOT NULL"),
    ),
    sa.Index("coactor_facts_proposal", "study", "proposal", "seq"),
    sa.Index(
        "coactor_facts_made",
        "study",
        "made",
        sqlite_where=sa.text("made IS NOT NULL"),
        postgresql_where=sa.text("made IS NOT NULL"),
    ),
)
problems = sa.Table(
    "coactor_problems",
    tables,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
snapshots = sa.Table(
    "coactor_snapshots",
    tables,
    sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
tokens = sa.Table(
    "coactor_tokens",
    tables,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("study", sa.String(64), nullable=False),  # a study's name, or * for all
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("secret", sa.String(64), nullable=False),  # sha256 of it; it is long and random
    sa.Column("created", sa.Float, nullable=False),
)
logins = sa.Table(
    "coactor_logins",
    tables,
    sa.Column(
        "secret", sa.String(64), primary_key=True
    ),  # sha256 of a one-time code or of a session's cookie
    sa.Column("kind", sa.String(8), nullable=False),  # "link" or "session"
    sa.Column("token", sa.String(16)),  # whose session; none for the link printed at the start
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("study", sa.String(64), nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
)

Migration: TypeAlias = Callable[[sa.Connection], None]


def _first(connection: sa.Connection) -> None:
    tables.create_all(connection)


def _chances(connection: sa.Connection) -> None:
    """The tables stay; facts may now hold chances and renewals, which an older coactor cannot read."""


MIGRATIONS: Sequence[Migration] = (_first, _chances)
"""Step n leads from version n to n + 1. A released step is never changed; a new one is added."""


def version(connection: sa.Connection) -> int:
    """The version of the tables found; 0 where there are none."""
    if not sa.inspect(connection).has_table(meta.name):
        return 0
    return int(connection.scalar(sa.select(meta.c.value).where(meta.c.name == "schema")) or 0)


def is_current(connection: sa.Connection) -> bool:
    """Whether nothing has to be done."""
    return version(connection) == len(MIGRATIONS)


def upgrade(connection: sa.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring the store to the newest version, in one transaction. Returns the version it had."""
    if connection.dialect.name == "postgresql":  # two servers may start at once
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(20140727)"))
    found = version(connection)
    if found > len(migrations):
        raise Unavailable(
            f"The store has schema version {found}, this coactor knows up to {len(migrations)}; "
            "upgrade coactor, or copy the studies with the newer one."
        )
    for step in migrations[found:]:
        step(connection)
    if found < len(migrations):
        connection.execute(meta.delete().where(meta.c.name == "schema"))
        connection.execute(meta.insert().values(name="schema", value=str(len(migrations))))
    return found

"""The steps from one version of the tables to the next. A released step is never changed; a new one is added.

Each step states its tables in full and does not refer to `schema`: that is the newest version, and an old
store must be brought up to date step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import sqlalchemy as sa

Migration: TypeAlias = Callable[[sa.Connection], None]


def _create_tables(connection: sa.Connection) -> None:
    tables = sa.MetaData()
    sa.Table(
        "coactor_meta",
        tables,
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("value", sa.String(200), nullable=False),
    )
    sa.Table(
        "coactor_studies",
        tables,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        sa.Column("seq", sa.Integer, nullable=False),
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
        sa.Column("made", sa.Integer),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("vectors", sa.LargeBinary, nullable=False),
    )
    for name, column in (("coactor_facts_key", facts.c.key), ("coactor_facts_made", facts.c.made)):
        filled = sa.text(f"{column.name} IS NOT NULL")
        sa.Index(
            name,
            facts.c.study,
            column,
            unique=column is facts.c.key,
            sqlite_where=filled,
            postgresql_where=filled,
        )
    sa.Index("coactor_facts_proposal", facts.c.study, facts.c.proposal, facts.c.seq)
    sa.Table(
        "coactor_problems",
        tables,
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    sa.Table(
        "coactor_snapshots",
        tables,
        sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    sa.Table(
        "coactor_tokens",
        tables,
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    sa.Table(
        "coactor_logins",
        tables,
        sa.Column("secret", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("token", sa.String(16)),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("study", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
    )
    tables.create_all(connection)


def _allow_predictions(connection: sa.Connection) -> None:
    """Facts may hold chances and renewals, which version 1 cannot read; the tables stay."""


def _add_weights(connection: sa.Connection) -> None:
    tables = sa.MetaData()
    sa.Table("coactor_studies", tables, sa.Column("id", sa.Integer, primary_key=True))
    weights = sa.Table(
        "coactor_weights",
        tables,
        sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    weights.create(connection)


def _allow_settings(connection: sa.Connection) -> None:
    """Facts may change settings, which version 3 cannot read; the tables stay."""


def _add_grants(connection: sa.Connection) -> None:
    """An account has a role in each of several studies, and may expire. Facts may record erasures."""
    tables = sa.MetaData()
    sa.Table(
        "coactor_accounts",
        tables,
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False, unique=True),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("expires", sa.Float),
    )
    sa.Table(
        "coactor_grants",
        tables,
        sa.Column("account", sa.ForeignKey("coactor_accounts.id"), primary_key=True),
        sa.Column("study", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
    )
    tables.create_all(connection)
    for statement in (
        "INSERT INTO coactor_accounts (id, name, secret, created) "
        "SELECT id, name, secret, created FROM coactor_tokens",
        "INSERT INTO coactor_grants (account, study, role) SELECT id, study, role FROM coactor_tokens",
        "DROP TABLE coactor_tokens",
    ):
        connection.exec_driver_sql(statement)


MIGRATIONS: Sequence[Migration] = (
    _create_tables,
    _allow_predictions,
    _add_weights,
    _allow_settings,
    _add_grants,
)
"""Step n leads from version n to version n + 1."""

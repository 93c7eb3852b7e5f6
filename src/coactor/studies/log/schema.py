"""The tables of a store, and their version."""

from __future__ import annotations

from typing import get_args, get_type_hints

import sqlalchemy as sa

from coactor.studies.errors import Unavailable
from coactor.studies.log.facts import Finished

VERSION = 1
TYPES = {int: sa.Integer, float: sa.Float, bool: sa.Boolean, str: sa.Text}
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
    sa.Column("made", sa.Integer),  # the version of the weights that this fact created
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("hash", sa.LargeBinary, nullable=False),
    sa.Column("vectors", sa.LargeBinary, nullable=False),  # last: SQLite reads it only on demand
    # Most facts have neither a key nor a version: these indexes hold only the facts that do.
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
snapshots = sa.Table(  # derived from the facts: the whole projection at `seq`
    "coactor_snapshots",
    tables,
    sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
weights = sa.Table(  # derived from the facts: the weights of each version
    "coactor_weights",
    tables,
    sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
rounds = sa.Table(  # derived from the facts: each finished proposal
    "coactor_rounds",
    tables,
    sa.Column("study", sa.ForeignKey("coactor_studies.id"), primary_key=True),
    *(
        sa.Column(
            name, TYPES[[*get_args(kind), kind][0]], primary_key=name == "seq", nullable=bool(get_args(kind))
        )
        for name, kind in get_type_hints(Finished).items()
    ),
)
accounts = sa.Table(  # a token each
    "coactor_accounts",
    tables,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("secret", sa.String(64), nullable=False),  # SHA-256; the secret is long and random
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("expires", sa.Float),
)
grants = sa.Table(
    "coactor_grants",
    tables,
    sa.Column("account", sa.ForeignKey("coactor_accounts.id"), primary_key=True),
    sa.Column("study", sa.String(64), primary_key=True),  # a study's name, or * for all
    sa.Column("role", sa.String(16), nullable=False),
)
logins = sa.Table(
    "coactor_logins",
    tables,
    sa.Column("secret", sa.String(64), primary_key=True),  # SHA-256 of a one-time code or a session cookie
    sa.Column("kind", sa.String(8), nullable=False),  # "link" or "session"
    sa.Column("token", sa.String(16)),  # the session's account; NULL for a one-time link
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("study", sa.String(64), nullable=False),  # empty if there is an account, as is the role
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
)


def version(connection: sa.Connection) -> str:
    """The version of the tables in the database; empty if there are none."""
    if not sa.inspect(connection).has_table(meta.name):
        return ""
    return connection.scalar(sa.select(meta.c.value).where(meta.c.name == "schema")) or ""


def is_current(connection: sa.Connection) -> bool:
    """Whether the tables are there. Raises Unavailable if they are those of another version of coactor."""
    found = version(connection)
    if found not in ("", str(VERSION)):
        raise Unavailable(
            f"The store has tables of version {found}, this coactor has version {VERSION}; "
            "use the coactor that wrote it."
        )
    return found == str(VERSION)


def create(connection: sa.Connection) -> None:
    """Create the tables, unless another process has just done it."""
    if connection.dialect.name == "postgresql":  # two servers may start at once
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(20140727)"))
    if not is_current(connection):
        tables.create_all(connection)
        connection.execute(meta.insert().values(name="schema", value=str(VERSION)))

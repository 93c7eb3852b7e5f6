"""Accounts: tokens and browser sessions, each with a name, a role and a study.

A secret is 32 random bytes, so one round of SHA-256 suffices; only the hash is stored, and a token is shown
once. People log in with a token, or with a one-time link that the server prints, and get a session cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from coactor.studies.codec import STUDY_NAME, short, text
from coactor.studies.errors import Conflict, Invalid, NotFound
from coactor.studies.log import schema
from coactor.studies.log.store import Store

ROLES = ("viewer", "expert", "solver", "lead", "admin")
PREFIX = "coactor"
LINK_LASTS = 3600.0
SESSION_LASTS = 7 * 86400.0


@dataclass(frozen=True, slots=True)
class Account:
    """A person or a program, and what it may do.

    Attributes
    ----------
    name
        The actor of what it does.
    role
        "viewer", "expert", "solver", "lead" or "admin".
    study
        The study in its scope, or ``*`` for all.
    """

    name: str
    role: str
    study: str

    def sees(self, study: str) -> bool:
        """Whether a study is in its scope."""
        return self.study in ("*", study)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token without its secret."""

    id: str
    name: str
    study: str
    role: str
    created: float


class Accounts:
    """The tokens and sessions of a store."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.clock = clock

    def create(self, name: str, study: str, role: str) -> str:
        """Create a token; only now can it be read.

        Raises Invalid if name, study or role is invalid, Conflict if there is a token of this name.
        """
        if not text(name, "name", 100).strip():
            raise Invalid("A token needs a name; it is the actor of everything done with the token.")
        if role not in ROLES:
            raise Invalid(f"There is no role {short(role)}; choose one of {', '.join(ROLES)}.")
        if study != "*" and not STUDY_NAME.fullmatch(study):
            raise Invalid(f"{short(study)} is not the name of a study; name one study, or * for all.")
        id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        row = {
            "id": id,
            "name": name,
            "study": study,
            "role": role,
            "secret": _hash(secret),
            "created": self.clock(),
        }
        with self.store.writing() as sql:
            try:
                sql.connection.execute(schema.tokens.insert(), row)
            except IntegrityError:
                raise Conflict(
                    f"There is already a token named {name!r}; revoke it first, or choose another."
                ) from None
        return f"{PREFIX}_{id}_{secret}"

    def tokens(self) -> list[TokenRow]:
        """Every token, by name, without secrets."""
        table = schema.tokens
        query = sa.select(table.c.id, table.c.name, table.c.study, table.c.role, table.c.created)
        with self.store.reading() as sql:
            return [TokenRow(*row) for row in sql.connection.execute(query.order_by(table.c.name))]

    def revoke(self, name: str) -> None:
        """Revoke a token and end its sessions. Raises NotFound if there is no such token."""
        table = schema.tokens
        with self.store.writing() as sql:
            id = sql.connection.scalar(sa.select(table.c.id).where(table.c.name == name))
            if id is None:
                raise NotFound(f"There is no token named {name!r}; see the list of tokens.")
            sql.connection.execute(schema.logins.delete().where(schema.logins.c.token == id))
            sql.connection.execute(table.delete().where(table.c.id == id))

    def by_token(self, token: str) -> Account | None:
        """The account of a token; None if it is not valid."""
        row = self._token(token)
        return None if row is None else Account(row.name, row.role, row.study)

    def _token(self, token: str) -> Any:
        parts = token.split("_", 2)
        if len(parts) != 3 or parts[0] != PREFIX or len(token) > 200 or not token.isascii():
            return None
        table = schema.tokens
        query = sa.select(table.c.id, table.c.name, table.c.role, table.c.study, table.c.secret)
        with self.store.reading() as sql:
            row = sql.connection.execute(query.where(table.c.id == parts[1])).first()
        if row is None or not hmac.compare_digest(row.secret, _hash(parts[2])):
            return None
        return row

    # -- browser sessions -----------------------------------------------------------------------------

    def login_link(self, name: str = "admin", role: str = "admin", study: str = "*") -> str:
        """Create a one-time code that opens a session within the hour."""
        return self._open("link", name, role, study, None, LINK_LASTS)

    def open_session(self, *, code: str = "", token: str = "") -> tuple[str, Account] | None:
        """Exchange a one-time code or a token for a session cookie; None if it is not valid."""
        if token:
            row = self._token(token)
            if row is None:
                return None
            return self._open("session", row.name, row.role, row.study, row.id, SESSION_LASTS), Account(
                row.name, row.role, row.study
            )
        if not code or len(code) > 200 or not code.isascii():
            return None
        table = schema.logins
        with self.store.writing() as sql:  # read and deleted in one transaction, so that it works once
            row = sql.connection.execute(self._valid(code, "link")).first()
            if row is None:
                return None
            sql.connection.execute(table.delete().where(table.c.secret == _hash(code)))
        account = Account(row.name, row.role, row.study)
        return self._open("session", account.name, account.role, account.study, None, SESSION_LASTS), account

    def by_session(self, cookie: str) -> Account | None:
        """The account of a session cookie; None if it is not valid."""
        if not cookie or len(cookie) > 200 or not cookie.isascii():
            return None
        with self.store.reading() as sql:
            row = sql.connection.execute(self._valid(cookie, "session")).first()
        return None if row is None else Account(row.name, row.role, row.study)

    def close_session(self, cookie: str) -> None:
        """End a session."""
        with self.store.writing() as sql:
            sql.connection.execute(schema.logins.delete().where(schema.logins.c.secret == _hash(cookie)))

    def _valid(self, secret: str, kind: str) -> sa.Select[tuple[str, str, str]]:
        table = schema.logins
        return sa.select(table.c.name, table.c.role, table.c.study).where(
            table.c.secret == _hash(secret), table.c.kind == kind, table.c.expires > self.clock()
        )

    def _open(self, kind: str, name: str, role: str, study: str, token: str | None, lasts: float) -> str:
        secret, now = secrets.token_urlsafe(32), self.clock()
        row = {
            "secret": _hash(secret),
            "kind": kind,
            "token": token,
            "name": name,
            "study": study,
            "role": role,
            "expires": now + lasts,
        }
        with self.store.writing() as sql:
            sql.connection.execute(schema.logins.delete().where(schema.logins.c.expires < now))
            sql.connection.execute(schema.logins.insert(), row)
        return secret


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

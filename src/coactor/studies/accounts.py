"""Accounts: a name, a token, and a role in each of some studies; and browser sessions.

A secret is 32 random bytes, so one round of SHA-256 suffices; only the hash is stored, and a token is shown
once. People log in with a token, or with a one-time link that the server prints, and get a session cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from coactor.solutions import short
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound
from coactor.studies.log import schema
from coactor.studies.log.store import Store
from coactor.studies.log.transactions import Transaction
from coactor.validation import JOINERS, STUDY_NAME, person_name

ROLES = ("viewer", "expert", "solver", "lead", "admin")
NONE = "none"  # takes a role away
PREFIX = "coactor"
LONGEST = 1e10  # seconds of a token that expires
LINK_LASTS = 3600.0
SESSION_LASTS = 7 * 86400.0
LINK_SESSION_LASTS = 86400.0  # of a session opened with a link: long enough to create a token


@dataclass(frozen=True, slots=True)
class Account:
    """A person or a program, and what it may do.

    Attributes
    ----------
    name
        The actor of what it does.
    studies
        Its role in each study in its scope; ``*`` stands for all others.
    """

    name: str
    studies: Mapping[str, str]

    def role(self, study: str = "*") -> str:
        """Its role in a study, by default in all of them; empty if it has none."""
        return self.studies.get(study) or self.studies.get("*", "")


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token without its secret: its account's name and roles by study, and when it ends, if ever."""

    name: str
    studies: dict[str, str]
    created: float
    expires: float | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A browser session or an unused login link: its account's name, and when it ends."""

    name: str
    kind: str
    expires: float


class Accounts:
    """The accounts and sessions of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = store.clock

    def create(self, name: str, study: str, role: str, *, lasts: float | None = None) -> str:
        """Create an account with a role in a study, or in all (``*``); return its token, to be read only now.

        Spaces around the name are left out. The token is valid for `lasts` seconds, by default until it is
        revoked. Raises Invalid if an argument is invalid, Conflict if there is an account of this name, or of
        one that differs only in case.
        """
        name = person_name(name, "name").strip()
        if not _appearance(name):
            raise Invalid("A token needs a name; it is the actor of everything done with the token.")
        _check_grant(study, role)
        if lasts is not None and not 0 < lasts <= LONGEST:
            raise Invalid(f"A token cannot last {lasts!r} seconds; give up to {LONGEST:g}, or no limit.")
        id, secret, now = secrets.token_hex(6), secrets.token_urlsafe(32), self.clock()
        row = {
            "id": id,
            "name": name,
            "secret": _hash(secret),
            "created": now,
            "expires": None if lasts is None else now + lasts,
        }
        with self.store.writing() as sql:
            self._check_free(sql, name, id)
            try:
                sql.connection.execute(schema.accounts.insert(), row)
            except IntegrityError:  # created by another process meanwhile
                raise _taken(name) from None
            sql.connection.execute(schema.grants.insert(), {"account": id, "study": study, "role": role})
        return f"{PREFIX}_{id}_{secret}"

    def grant(self, name: str, study: str, role: str) -> None:
        """Give an account a role in a study, in place of the one it has there; ``none`` takes it away.

        Raises NotFound if there is no such account, Invalid if it would have no role left.
        """
        _check_grant(study, role, (*ROLES, NONE))
        table = schema.grants
        with self.store.writing() as sql:
            id = self._id(sql, name)
            sql.connection.execute(table.delete().where(table.c.account == id, table.c.study == study))
            if role != NONE:
                sql.connection.execute(table.insert(), {"account": id, "study": study, "role": role})
            elif sql.connection.scalar(sa.select(table.c.study).where(table.c.account == id)) is None:
                raise Invalid(f"{name!r} would have no role left; revoke the token.")

    def tokens(self) -> list[TokenRow]:
        """Every token, by name, without secrets."""
        table, grants = schema.accounts, schema.grants
        roles: dict[str, dict[str, str]] = {}
        with self.store.reading() as sql:
            rows = sql.connection.execute(sa.select(table).order_by(table.c.name)).all()
            for row in sql.connection.execute(sa.select(grants).order_by(grants.c.study)):
                roles.setdefault(row.account, {})[row.study] = row.role
        return [TokenRow(row.name, roles.get(row.id, {}), row.created, row.expires) for row in rows]

    def sessions(self) -> list[SessionRow]:
        """Every session and every unused login link that is still valid, by name."""
        table = schema.logins
        valid = sa.select(table.c.name, table.c.kind, table.c.expires).where(table.c.expires > self.clock())
        with self.store.reading() as sql:
            rows = sql.connection.execute(valid.order_by(table.c.name, table.c.expires))
            return [SessionRow(*row) for row in rows]

    def end_sessions(self, name: str) -> int:
        """End every session of a name, and its login links; return how many there were."""
        with self.store.writing() as sql:
            ended = sql.connection.execute(schema.logins.delete().where(schema.logins.c.name == name))
            return int(ended.rowcount)

    def revoke(self, name: str) -> None:
        """Revoke a token and end its sessions. Raises NotFound if there is no such token."""
        with self.store.writing() as sql:
            id = self._id(sql, name)
            sql.connection.execute(schema.logins.delete().where(schema.logins.c.name == name))
            sql.connection.execute(schema.grants.delete().where(schema.grants.c.account == id))
            sql.connection.execute(schema.accounts.delete().where(schema.accounts.c.id == id))

    def _check_free(self, sql: Transaction, name: str, id: str) -> None:
        """Raise Conflict if another account than this one has the name."""
        for known in sql.connection.execute(sa.select(schema.accounts.c.id, schema.accounts.c.name)):
            if known.id != id and _appearance(known.name) == _appearance(name):
                raise _taken(known.name)

    def _id(self, sql: Transaction, name: str) -> str:
        table = schema.accounts
        id = sql.connection.scalar(sa.select(table.c.id).where(table.c.name == name))
        if id is None:
            raise NotFound(f"There is no token named {name!r}; see the list of tokens.")
        return str(id)

    def by_token(self, token: str) -> Account | None:
        """The account of a token; None if it is not valid."""
        valid = self._valid_token(token)
        return None if valid is None else valid[0]

    def _valid_token(self, token: str) -> tuple[Account, str, float] | None:
        """The account of a token, its id, and when the token ends."""
        parts = token.split("_", 2)
        if len(parts) != 3 or parts[0] != PREFIX or len(token) > 200 or not token.isascii():
            return None
        with self.store.reading() as sql:
            rows = sql.account(parts[1])
        if not rows or not hmac.compare_digest(rows[0][1], _hash(parts[2])):
            return None
        name, _, ends, *_ = rows[0]
        expires = math.inf if ends is None else ends
        if expires <= self.clock():
            return None
        return (
            Account(name, {study: role for *_, study, role in rows if study is not None}),
            parts[1],
            expires,
        )

    # -- browser sessions -----------------------------------------------------------------------------

    def sign_in(self, subject: str, name: str, studies: Mapping[str, str]) -> str:
        """Open a session for a person whom an identity provider knows; return its cookie.

        Their account has these roles from now on, and no token that anybody knows. Raises Forbidden if there
        is no role, Conflict if the name is another account's, Invalid if an argument is invalid.
        """
        name = person_name(name, "name").strip()
        for study, role in studies.items():
            _check_grant(study, role)
        if not studies or not _appearance(name):
            raise Forbidden(f"{name or 'This account'} has no role here; ask the operator for one.")
        id = _hash(subject)[:16]
        row = {"name": name, "secret": "", "expires": None}
        table, grants = schema.accounts, schema.grants
        with self.store.writing() as sql:
            self._check_free(sql, name, id)
            updated = sql.connection.execute(table.update().where(table.c.id == id).values(row))
            if not updated.rowcount:
                sql.connection.execute(table.insert(), {**row, "id": id, "created": self.clock()})
            sql.connection.execute(grants.delete().where(grants.c.account == id))
            values = [{"account": id, "study": study, "role": role} for study, role in studies.items()]
            sql.connection.execute(grants.insert(), values)
        return self._open("session", name, "", "", id, LINK_SESSION_LASTS)

    def login_link(self, name: str = "admin", role: str = "admin", study: str = "*") -> str:
        """Create a one-time code that opens a session within the hour."""
        return self._open("link", name, role, study, None, LINK_LASTS)

    def open_session(self, *, code: str = "", token: str = "") -> tuple[str, Account] | None:
        """Exchange a one-time code or a token for a session cookie; None if it is not valid."""
        if token:
            valid = self._valid_token(token)
            if valid is None:
                return None
            account, id, expires = valid
            lasts = min(SESSION_LASTS, expires - self.clock())
            return self._open("session", account.name, "", "", id, lasts), account
        if not code or len(code) > 200 or not code.isascii():
            return None
        table = schema.logins
        link = table.c.secret == _hash(code), table.c.kind == "link", table.c.expires > self.clock()
        with self.store.writing() as sql:  # read and deleted in one transaction, so that it works once
            row = sql.connection.execute(sa.select(table).where(*link)).first()
            if row is None:
                return None
            sql.connection.execute(table.delete().where(*link))
        cookie = self._open("session", row.name, row.role, row.study, None, LINK_SESSION_LASTS)
        return cookie, Account(row.name, {row.study: row.role})

    def by_session(self, cookie: str) -> Account | None:
        """The account of a session cookie; None if it is not valid."""
        if not cookie or len(cookie) > 200 or not cookie.isascii():
            return None
        with self.store.reading() as sql:
            rows = sql.session(_hash(cookie), self.clock())
        return Account(rows[0][0], {study: role for _, study, role in rows if study}) if rows else None

    def close_session(self, cookie: str) -> None:
        """End a session."""
        with self.store.writing() as sql:
            sql.connection.execute(schema.logins.delete().where(schema.logins.c.secret == _hash(cookie)))

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


def _appearance(name: str) -> str:
    """A name as people see it: case, spaces around it and invisible characters do not count."""
    visible = "".join(letter for letter in unicodedata.normalize("NFKC", name) if letter not in JOINERS)
    return visible.strip().casefold()


def _taken(name: str) -> Conflict:
    return Conflict(f"There is already a token named {name!r}; revoke it first, or choose another name.")


def _check_grant(study: str, role: str, roles: Sequence[str] = ROLES) -> None:
    if role not in roles:
        raise Invalid(f"There is no role {short(role)}; choose one of {', '.join(roles)}.")
    if study != "*" and not re.fullmatch(STUDY_NAME, study):
        raise Invalid(f"{short(study)} is not the name of a study; name one study, or * for all.")


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

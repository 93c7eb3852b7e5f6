"""What each role may do, and the check that every route makes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from fastapi import Depends, Request

from coactor.protocol import Move
from coactor.solutions import short
from coactor.studies import Forbidden, NotFound
from coactor.studies.accounts import Account
from coactor.validation import STUDY_NAME

PERMISSIONS = {
    "read": ("viewer", "expert", "solver", "lead", "admin"),
    "ask": ("solver", "lead", "admin"),
    "tell": ("solver", "lead", "admin"),
    "edit": ("expert", "lead", "admin"),
    "replan": ("expert", "solver", "lead", "admin"),
    "anyway": ("expert", "solver", "lead", "admin"),
    "lead": ("lead", "admin"),
    "create": ("admin",),
}
"""The roles that have each permission; pages receive the permissions of their user.

"anyway" is to break a rule for a reason; take a role away to deny it.
"""


def permissions_of(account: Account, study: str = "") -> list[str]:
    """The permissions of an account in a study; without one, all that it has in any."""
    held = {account.role(study)} if study else {*account.studies.values()}
    return [permission for permission, roles in PERMISSIONS.items() if held.intersection(roles)]


def require(account: Account, permission: str, study: str) -> None:
    """Raise NotFound if the study is outside the account's scope, Forbidden if its role may not do this."""
    role = account.role(study)
    if not role and permission == "create":
        raise Forbidden(f"This account has no role in a study called {short(study)}; it needs one of admin.")
    if not role or not re.fullmatch(STUDY_NAME, study):
        raise NotFound(f"There is no study {short(study)}.")
    roles = PERMISSIONS[permission]
    if role not in roles:
        raise Forbidden(f"The role {role!r} may not do this; it needs one of: {', '.join(roles)}.")


def reader_of(account: Account, study: str) -> str | None:
    """The only expert whose own weights an account may read; None for roles that tell or lead, who read all.

    The weights of all experts together are for everybody who reads the study.
    """
    return None if account.role(study) in PERMISSIONS["tell"] else account.name


def require_weights(account: Account, study: str, expert: str) -> None:
    """Raise as `require` does for reading, and Forbidden if these are the weights of another expert."""
    require(account, "read", study)
    if expert not in ("", reader_of(account, study) or expert):
        require(account, "tell", study)


def require_anyway(account: Account, study: str, moves: Iterable[Move]) -> None:
    """Raise Forbidden if one of the moves breaks a rule for a reason and the role may not do that."""
    if any("anyway" in move for move in moves):
        require(account, "anyway", study)


def require_admin(account: Account) -> None:
    """Raise Forbidden unless the account is an admin of all studies."""
    if account.role() != "admin":
        raise Forbidden("Only an admin of all studies may do this.")


def on_behalf(account: Account, actor: str | None) -> tuple[str, str]:
    """Who acts, and through which account: a program names the expert it acts for."""
    return (account.name, "") if actor is None else (actor, account.name)


async def current_account(request: Request) -> Account:  # async, because FastAPI calls others in a thread
    """The account of a request; the middleware has authenticated it."""
    account: Account = request.scope["account"]
    return account


Me = Annotated[Account, Depends(current_account)]

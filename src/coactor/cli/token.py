"""``coactor token ...``: create, list and revoke tokens; give their accounts roles."""

from __future__ import annotations

import click

from coactor.cli.options import counted
from coactor.cli.stores import Result, lines, on_new_store, on_store, when
from coactor.studies.accounts import NONE, ROLES, Accounts, TokenRow
from coactor.studies.errors import NotFound
from coactor.studies.log.store import Store

DAY = 86400.0


def _one_study(context: click.Context, option: click.Parameter, names: tuple[str, ...]) -> str:
    if len(names) > 1:
        raise click.BadParameter("give one study; `coactor token grant` adds the others.")
    return names[0]


study_option = click.option(
    "--study",
    "study_name",
    required=True,
    multiple=True,
    callback=_one_study,
    help="Name of a study, or '*' for all.",
)


@click.group()
def token() -> None:
    """Create, list and revoke the tokens of people and programs."""


@token.command("create")
@click.argument("name")
@study_option
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the account may do there.")
@click.option("--days", type=float, help="The token expires after so many days; by default never.")
@on_new_store
def token_create(store: Store, name: str, study_name: str, role: str, days: float | None) -> Result:
    """Create a token. It is shown only once."""
    name = name.strip()
    _check_study(store, study_name)
    secret = Accounts(store).create(name, study_name, role, lasts=None if days is None else days * DAY)
    return {"name": name, "study": study_name, "role": role, "token": secret}, secret


@token.command("grant")
@click.argument("name")
@study_option
@click.option(
    "--role", type=click.Choice((*ROLES, NONE)), required=True, help="What the account may do there, too."
)
@on_store
def token_grant(store: Store, name: str, study_name: str, role: str) -> Result:
    """Give an account a role in another study, or another role; "none" takes it away."""
    if role != NONE:
        _check_study(store, study_name)
    Accounts(store).grant(name, study_name, role)
    return {"name": name, "study": study_name, "role": role}, f"{name}: {role} in {study_name}."


def _check_study(store: Store, name: str) -> None:
    """Raise NotFound if there is no such study, which is probably misspelt."""
    with store.reading() as sql:
        names = [head.name for head in sql.studies()]
    if name not in ("*", *names):
        raise NotFound(f"There is no study {name!r} in {store.url}; it has {', '.join(names) or 'none'}.")


@token.command("list")
@on_store
def token_list(store: Store) -> Result:
    """List the tokens, without their secrets."""
    return lines(Accounts(store).tokens(), _line)


def _line(row: TokenRow) -> str:
    roles = ", ".join(f"{role} in {study}" for study, role in row.studies.items())
    ends = "" if row.expires is None else f"  until {when(row.expires)}"
    return f"{row.name}  {roles}  {when(row.created)}{ends}"


@token.command("sessions")
@click.option("--end", metavar="NAME", help="End every session of this name, and its login links.")
@on_store
def token_sessions(store: Store, end: str | None) -> Result:
    """List the browser sessions and unused login links, or end those of a name."""
    if end is None:
        return lines(
            Accounts(store).sessions(), lambda row: f"{row.name}  {row.kind}  until {when(row.expires)}"
        )
    ended = Accounts(store).end_sessions(end)
    return {"ended": ended}, f"Ended {counted(ended, 'session')} of {end}."


@token.command("revoke")
@click.argument("name")
@on_store
def token_revoke(store: Store, name: str) -> Result:
    """Revoke a token and end its sessions."""
    Accounts(store).revoke(name)
    return {"revoked": name}, f"Revoked {name}."

"""``coactor token ...``: create, list and revoke tokens."""

from __future__ import annotations

import click

from coactor.cli.options import json_option, store_option
from coactor.cli.study import opened, report_study_errors, show
from coactor.cli.study_text import when
from coactor.studies.accounts import ROLES, Accounts
from coactor.studies.errors import NotFound


@click.group()
def token() -> None:
    """Create, list and revoke the tokens of people and programs."""


@token.command("create")
@click.argument("name")
@click.option("--study", "study_name", required=True, help="Name of a study, or '*' for all.")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the account may do.")
@store_option
@json_option
@report_study_errors
def token_create(name: str, study_name: str, role: str, url: str, as_json: bool) -> None:
    """Create a token. It is shown only once."""
    with opened(url) as store:
        with store.reading() as sql:
            names = [head.name for head in sql.studies()]
        if study_name not in ("*", *names):
            raise NotFound(f"There is no study {study_name!r} in {url}; it has {', '.join(names) or 'none'}.")
        secret = Accounts(store).create(name, study_name, role)
    show(
        {"name": name, "study": study_name, "role": role, "token": secret}, as_json, lambda a: str(a["token"])
    )


@token.command("list")
@store_option
@json_option
@report_study_errors
def token_list(url: str, as_json: bool) -> None:
    """List the tokens, without their secrets."""
    with opened(url) as store:
        rows = Accounts(store).tokens()
    show(rows, as_json, lambda row: f"{row.name}  {row.role}  {row.study}  {when(row.created)}")


@token.command("revoke")
@click.argument("name")
@store_option
@json_option
@report_study_errors
def token_revoke(name: str, url: str, as_json: bool) -> None:
    """Revoke a token and end its sessions."""
    with opened(url) as store:
        Accounts(store).revoke(name)
    show({"revoked": name}, as_json, lambda a: f"Revoked {a['revoked']}.")

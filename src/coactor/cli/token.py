"""``coactor token ...``: who is let in."""

from __future__ import annotations

import click

from coactor.cli.options import json_option, store_option
from coactor.cli.study import in_words, opened, show, when
from coactor.studies.accounts import ROLES, Accounts


@click.group()
def token() -> None:
    """Make and end the tokens that let people and machines in."""


@token.command("create")
@click.argument("name")
@click.option("--study", "study_name", required=True, help="One study's name, or '*' for all.")
@click.option("--role", type=click.Choice(ROLES), required=True)
@store_option
@json_option
@in_words
def token_create(name: str, study_name: str, role: str, url: str, as_json: bool) -> None:
    """Make a token. It is shown this once."""
    with opened(url) as store:
        made = Accounts(store).create(name, study_name, role)
    show({"name": name, "study": study_name, "role": role, "token": made}, as_json, lambda a: str(a["token"]))


@token.command("list")
@store_option
@json_option
@in_words
def token_list(url: str, as_json: bool) -> None:
    """Every token, without its secret."""
    with opened(url) as store:
        rows = Accounts(store).tokens()
    show(rows, as_json, lambda row: f"{row.name}  {row.role}  {row.study}  {when(row.created)}")


@token.command("revoke")
@click.argument("name")
@store_option
@json_option
@in_words
def token_revoke(name: str, url: str, as_json: bool) -> None:
    """End a token and every session opened with it."""
    with opened(url) as store:
        Accounts(store).revoke(name)
    show({"revoked": name}, as_json, lambda a: f"Revoked {a['revoked']}.")

"""``coactor study delete`` and ``erase``."""

from __future__ import annotations

import click

from coactor.cli.options import json_option, store_option
from coactor.cli.study import opened, report_study_errors, show, study
from coactor.studies.log import transfer


@study.command("delete")
@click.argument("name")
@click.confirmation_option(prompt="Delete the whole study? Only a backup brings it back.")
@store_option
@json_option
@report_study_errors
def delete_(name: str, url: str, as_json: bool) -> None:
    """Delete a study, the roles in it, and tokens that are for nothing else."""
    with opened(url) as store:
        transfer.delete(store, name)
    show({"deleted": name}, as_json, lambda a: f"Deleted {a['deleted']}.")


@study.command("erase")
@click.argument("name")
@click.argument("person")
@click.option("--actor", default="operator", show_default=True, help="Who erases it.")
@click.confirmation_option(prompt="Erase this name? It cannot be brought back.")
@store_option
@json_option
@report_study_errors
def erase_(name: str, person: str, actor: str, url: str, as_json: bool) -> None:
    """Replace a person's name in a study by a random one; what was learned stays."""
    with opened(url) as store:
        alias = transfer.erase(store, name, person, actor=actor)
    show({"study": name, "name": alias}, as_json, lambda a: f"In {a['study']} it is now {a['name']}.")

"""Options and error handling that several commands share."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable
from functools import reduce, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from coactor import plugins

P = ParamSpec("P")
R = TypeVar("R")

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_STORE = "sqlite:///coactor.db"
STOPPED = 130  # the exit code of a shell command that Ctrl-C ended

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
store_option = click.option(
    "--store", "url", default=DEFAULT_STORE, envvar="COACTOR_STORE", help="The URL of the store."
)
streets_option = click.option(
    "--streets",
    metavar="FILE",
    help="Past routes: measure along the streets of this map (.osm, .geojson, or a folder with links.csv).",
)
seed_option = click.option("--seed", type=click.IntRange(0), default=0, help="Seed of all random numbers.")


class Finite(click.FloatRange):
    """A number in a range, which is neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        return number if math.isfinite(number) else self.fail(f"{number} is not a finite number.", param, ctx)


class NewFile(click.Path):
    """A file to write, in a folder that exists; with `new`, one that does not exist yet."""

    def __init__(self, new: bool = False) -> None:
        super().__init__(dir_okay=False, path_type=Path)
        self._new = new

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(str(super().convert(value, param, ctx)))
        if not path.absolute().parent.is_dir():
            self.fail(f"There is no folder {path.parent}.", param, ctx)
        if self._new and path.exists():
            self.fail(f"There is already a file {path}; name a new one.", param, ctx)
        return path


def _jobs(_: click.Context, __: click.Parameter, text: str | None) -> int | str | None:
    """A number of processes, or the address of a Dask scheduler."""
    if text is None or not text.lstrip("-").isdigit():
        return text
    if int(text) < 1:
        raise click.BadParameter(f"{text} processes cannot work; expected at least 1.")
    return int(text)


jobs_option = click.option(
    "--jobs",
    callback=_jobs,
    metavar="N|ADDRESS",
    help="Processes on this machine, or the address of a Dask scheduler.  [default: one per available core]",
)


def _domain(_: click.Context, __: click.Parameter, place: str | None) -> Any:
    try:
        return None if place is None else plugins.load_domain(place, {})
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


domain_option = click.option(
    "--domain", metavar="FILE.py:DOMAIN", callback=_domain, help="The study's domain, if it is not installed."
)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Decorate a command with several options, in the order of its help."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


def report_errors(*types: type[Exception]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a command so that these exceptions end it with their message and exit code 1.

    With ``--json`` the message is printed to standard output as well, as ``{"error": ...}``. Ctrl-C ends the
    command with exit code 130.
    """

    def decorate(command: Callable[P, R]) -> Callable[P, R]:
        @wraps(command)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return command(*args, **kwargs)
            except types as error:
                if kwargs.get("as_json"):
                    click.echo(json.dumps({"error": str(error)}, ensure_ascii=False))
                raise click.ClickException(str(error)) from error
            except KeyboardInterrupt as stop:
                click.echo(str(stop) or "Stopped.", err=True)
                sys.exit(STOPPED)

        return run

    return decorate


def noted(read: Callable[[], R]) -> R:
    """What a reader returns; its warnings are printed as notes."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", UserWarning)
        result = read()
    for note in notes:
        click.echo(f"Note: {note.message}", err=True)
    return result


def names(text: str | None) -> list[str] | None:
    """The names in a comma-separated list; None stays None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def parameters_of(text: str) -> dict[str, Any]:
    """The parameters of a domain, from the option. Raises Invalid if it is not a JSON object."""
    from coactor.protocol import Invalid
    from coactor.validation import checked_type

    try:
        given: dict[str, Any] = checked_type(json.loads(text), dict, "--parameters")
    except json.JSONDecodeError as error:
        raise Invalid(f"--parameters is not valid JSON: {error}") from error
    return given


def counted(count: int | float, one: str, many: str = "") -> str:
    """A number and its noun: "1 fact", "2.5 facts"."""
    return f"{count:g} {one if count == 1 else many or one + 's'}"

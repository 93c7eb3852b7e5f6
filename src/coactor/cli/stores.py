"""Commands on a store: open it, run, and print the result as text or as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from functools import partial, wraps
from typing import Any, TypeAlias

import click
import orjson

from coactor.cli.options import domain_option, json_option, report_errors, store_option
from coactor.studies import errors
from coactor.studies.log.store import Store
from coactor.studies.study import Study

report_study_errors = report_errors(
    ValueError,  # Invalid, or raised by a learner or a domain
    errors.NotFound,
    errors.Forbidden,
    errors.Conflict,
    errors.Unavailable,
    errors.Tampered,
    ImportError,
    OSError,
)
Result: TypeAlias = tuple[Any, str] | None  # for --json, and for people; None if it is printed already


def on_store(command: Callable[..., Result], create: bool = False) -> Callable[..., None]:
    """Add --store and --json to a command that takes an open store first and returns its result."""

    @store_option
    @json_option
    @report_study_errors
    @wraps(command)
    def run(url: str, as_json: bool, **given: Any) -> None:
        with Store(url, create=create) as store:
            result = command(store, **given)
        if result is not None:
            show(*result, as_json)

    return run


on_new_store = partial(on_store, create=True)  # for a command that may create the store


def on_study(command: Callable[..., Result]) -> Callable[..., None]:
    """Add NAME and --domain, too, to a command that takes an open study first."""

    @click.argument("name")
    @domain_option
    @on_store
    @wraps(command)
    def run(store: Store, name: str, domain: Any, **given: Any) -> Result:
        return command(Study(store, name, domain), **given)

    return run


def show(data: Any, text: str, as_json: bool) -> None:
    """Print data as JSON, or its text unless that is empty."""
    if as_json:
        plain = [_plain(d) for d in data] if isinstance(data, list) else _plain(data)
        click.echo(orjson.dumps(plain, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
    elif text:
        click.echo(text)


def _plain(data: Any) -> Any:
    return asdict(data) if is_dataclass(data) and not isinstance(data, type) else data


def lines(rows: list[Any], line: Callable[[Any], str]) -> Result:
    """A list as the result of a command, one line each."""
    return rows, "\n".join(map(line, rows))


def when(seconds: float) -> str:
    """Format a time, with its zone."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

"""``coactor study ...``: create, inspect, verify, export and copy studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import click
import orjson

from coactor.cli import study_text
from coactor.cli.options import domain_option, json_option, names, report_errors, store_option
from coactor.cli.study_text import counted
from coactor.studies import errors
from coactor.studies.log import transfer, verification
from coactor.studies.log.ledger import open_ledger
from coactor.studies.log.store import Store
from coactor.studies.opening import open_study
from coactor.studies.study import Study

REPORTED = (
    errors.Invalid,
    errors.NotFound,
    errors.Forbidden,
    errors.Conflict,
    errors.Unavailable,
    errors.Tampered,
    OSError,
)

report_study_errors = report_errors(*REPORTED)


@contextmanager
def opened(url: str) -> Iterator[Store]:
    """Open a store for one command."""
    with Store(url) as store:
        yield store


def show(data: Any, as_json: bool, line: Callable[[Any], str] = str) -> None:
    """Print a value, or a list of values line by line, as text or as JSON."""
    if as_json:
        plain = [_plain(d) for d in data] if isinstance(data, list) else _plain(data)
        click.echo(orjson.dumps(plain, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
    else:
        for item in data if isinstance(data, list) else [data]:
            click.echo(line(item))


def _plain(data: Any) -> Any:
    return asdict(data) if is_dataclass(data) and not isinstance(data, type) else data


def settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the settings that can be changed later."""
    for option in (
        click.option("--grace", type=float, help="Seconds in which a tell can be withdrawn."),
        click.option(
            "--cost", "costs", multiple=True, metavar="OPERATOR=COST", help="The cost of an operator."
        ),
        click.option("--budget", type=float, help="Seconds of an ask; inf for no time limit."),
        click.option("--proposals", help="Which proposals to make: default, paper, polish, ..."),
    ):
        command = option(command)
    return command


@click.group()
def study() -> None:
    """Create, inspect, verify, export and copy studies."""


@study.command("create")
@click.argument("name")
@click.option("--domain", required=True, help="An installed domain, such as tour, or FILE.py:DOMAIN.")
@click.option(
    "--parameters",
    default="{}",
    help='Parameters of the domain as JSON, such as \'{"points": 20, "features": 10}\'.',
)
@click.option("--learner", default="default", show_default=True, help="Name of an installed learner.")
@settings_options
@click.option(
    "--network",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Roads: a folder with links.csv and, optionally, nodes.csv, turns.csv and trips.csv.",
)
@click.option(
    "--habits",
    metavar="A,B,...",
    help="Remember what people choose, as features: some of similar, recent, all.  [default: as learned]",
)
@click.option(
    "--learned",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Start with the learner and the memory that `coactor learn` wrote to this file.",
)
@click.option(
    "--start",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Start with the weights in use: JSON, a list of numbers, or numbers by the names of the features.",
)
@click.option(
    "--trust",
    type=float,
    help="How far to trust them: 1 if errors are as large as the weights, 10 if a tenth.  [default: hardly]",
)
@store_option
@json_option
@report_study_errors
def create_(
    name: str,
    domain: str,
    parameters: str,
    learner: str,
    proposals: str | None,
    budget: float | None,
    costs: tuple[str, ...],
    grace: float | None,
    network: Path | None,
    habits: str | None,
    learned: Path | None,
    start: Path | None,
    trust: float | None,
    url: str,
    as_json: bool,
) -> None:
    """Create a study."""
    from coactor.cli import study_files

    try:
        given = orjson.loads(parameters)
    except orjson.JSONDecodeError as error:
        raise errors.Invalid(f"--parameters is not valid JSON: {error}") from error
    if not isinstance(given, dict):
        raise errors.Invalid("--parameters must be a JSON object.")
    if network is not None:
        given = study_files.with_network(domain, given, network)
    state = None if learned is None else study_files.learned_from(learned)
    kinds = None if habits is None else names(habits)
    weights = None if start is None else study_files.start_from(start)
    with opened(url) as store:
        _check_is_new(store, name)
        open_study(
            store,
            name,
            study_files.domain_of(domain, given),
            learner,
            create=True,
            proposals=proposals,
            budget=budget,
            costs=_costs(costs),
            grace=grace,
            habits=kinds,
            learned=state,
            start=weights,
            trust=trust,
        )
        show(_about(store, name), as_json, lambda a: f"Created {a['name']}.")


def _check_is_new(store: Store, name: str) -> None:
    with store.reading() as sql:
        if any(head.name == name for head in sql.studies()):
            raise errors.Conflict(f"There is already a study {name!r}; choose another name.")


@study.command("extend")
@click.argument("study_name", metavar="STUDY")
@click.option("--habits", required=True, metavar="A,B,...", help="Some of similar, recent, all.")
@click.option("--name", required=True, help="Name of the new study.")
@store_option
@json_option
@report_study_errors
def extend_(study_name: str, habits: str, name: str, url: str, as_json: bool) -> None:
    """Go on with more features: a new study that has learned all that was told in STUDY, with habits."""
    from coactor.lab.archives.extending import extend

    with opened(url) as store:
        _check_is_new(store, name)
        extend(Study(store, study_name), names(habits) or [], name)
        show(_about(store, name), as_json, lambda a: f"Created {a['name']}; ask there from now on.")


@study.command("configure")
@click.argument("name")
@settings_options
@click.option("--actor", default="operator", show_default=True, help="Who changes the settings.")
@store_option
@json_option
@report_study_errors
def configure_(
    name: str,
    proposals: str | None,
    budget: float | None,
    costs: tuple[str, ...],
    grace: float | None,
    actor: str,
    url: str,
    as_json: bool,
) -> None:
    """Change settings of a study; the change is recorded in its log. Without options, show them."""
    with opened(url) as store:
        settings = Study(store, name).configure(
            proposals=proposals, budget=budget, costs=_costs(costs), grace=grace, actor=actor
        )
    show(settings, as_json, lambda a: "\n".join(f"{key}: {value}" for key, value in a.items()))


def _costs(given: tuple[str, ...]) -> dict[str, float] | None:
    costs = {}
    for text in given:
        operator, _, cost = text.partition("=")
        try:
            costs[operator] = float(cost)
        except ValueError:
            raise errors.Invalid(f"--cost is {text!r}; expected an operator and a number: swap=2.") from None
    return costs or None


@study.command("list")
@store_option
@json_option
@report_study_errors
def list_(url: str, as_json: bool) -> None:
    """List the studies in the store."""
    with opened(url) as store, store.reading() as sql:
        rows = [{"name": head.name, "facts": head.seq, "hash": head.hash.hex()} for head in sql.studies()]
    show(rows, as_json, lambda row: f"{row['name']}  {counted(row['facts'], 'fact')}")


@study.command("show")
@click.argument("name")
@store_option
@json_option
@report_study_errors
def show_(name: str, url: str, as_json: bool) -> None:
    """Show a study: domain, learner, totals and weights."""
    with opened(url) as store:
        about = _about(store, name)
    show(about, as_json, study_text.summary)


def _about(store: Store, name: str) -> dict[str, Any]:
    """From the log alone: the domain need not be installed."""
    ledger, first = open_ledger(store, name)
    projection = ledger.projection
    return {
        "name": name,
        "domain": first.config["domain"],
        "learner": first.config["learner"],
        "facts": projection.seq,
        "version": projection.version,
        "asked": projection.asked,
        "told": projection.told,
        "open": len(projection.drafts),
        "untouched": projection.untouched,
        "effort": projection.effort,
        "hash": projection.hash.hex(),
        "features": first.config["features"],
        "weights": [float(w) for w in projection.knowledge.learner.weights],
    }


@study.command("log")
@click.argument("name")
@click.option("--after", default=0, help="List the facts after this sequence number.")
@click.option("--limit", default=1000, show_default=True, help="List at most this many facts.")
@store_option
@json_option
@report_study_errors
def log_(name: str, after: int, limit: int, url: str, as_json: bool) -> None:
    """List the facts of the log."""
    with opened(url) as store, store.reading() as sql:
        facts = [orjson.loads(body) for body in sql.bodies(sql.find(name).id, after, limit)]
    show(facts, as_json, study_text.fact_line)


@study.command("explain")
@click.argument("name")
@click.argument("proposal", type=int)
@domain_option
@store_option
@json_option
@report_study_errors
def explain_(name: str, proposal: int, domain: Any, url: str, as_json: bool) -> None:
    """Explain a proposal: the share of each feature in its utility."""
    with opened(url) as store:
        explanation = Study(store, name, domain).explain(proposal)
    show(explanation, as_json, str)


@study.command("rollback")
@click.argument("name")
@click.argument("version", type=int)
@click.option("--reason", required=True, help="Why; it is recorded in the log.")
@click.option("--actor", default="operator", show_default=True, help="Who rolls back.")
@store_option
@json_option
@report_study_errors
def rollback_(name: str, version: int, reason: str, actor: str, url: str, as_json: bool) -> None:
    """Set the weights back to an earlier version, as a new version."""
    with opened(url) as store:
        row = Study(store, name).rollback(version, reason, actor=actor)
    show(row, as_json, lambda row: f"Version {row.version} has the weights of version {row.to}.")


@study.command("export")
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path), help="A new file; standard output by default.")
@store_option
@json_option
@report_study_errors
def export_(name: str, out: Path | None, url: str, as_json: bool) -> None:
    """Export a study as JSON lines."""
    with opened(url) as store:
        lines = (orjson.dumps(line) + b"\n" for line in transfer.export(store, name))
        if out is None:
            for line in lines:
                click.echo(line, nl=False)
            return
        first = next(lines)  # raises NotFound before there is a file
        with out.open("xb") as file:
            file.write(first)
            file.writelines(lines)
    show({"name": name, "file": out.name}, as_json, lambda a: f"Wrote {a['name']} to {a['file']}.")


@study.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.option("--name", help="Name of the imported study; its own by default.")
@store_option
@json_option
@report_study_errors
def import_(file: Path, name: str | None, url: str, as_json: bool) -> None:
    """Import an exported study and check every link of its hash chain."""
    with opened(url) as store:
        imported = transfer.load(store, transfer.read_lines(file), name)
    show({"name": imported}, as_json, lambda a: f"Imported {a['name']}.")


@study.command("verify")
@click.argument("names", nargs=-1)
@click.option("--hash", "expected", help="The hash that the log must end with, as noted elsewhere.")
@store_option
@json_option
@report_study_errors
def verify_(names: tuple[str, ...], expected: str | None, url: str, as_json: bool) -> None:
    """Replay studies from their first fact and check hashes, weights and snapshots."""
    with opened(url) as store:
        with store.reading() as sql:
            selected = names or tuple(head.name for head in sql.studies())
        verified = [verification.verify(store, name) for name in selected]
    if expected is not None and [row.hash for row in verified] != [expected]:
        raise errors.Tampered("The log does not end with that hash; it is not the log that was noted.")
    show(
        verified,
        as_json,
        lambda row: (
            f"{row.name}: {counted(row.facts, 'fact')}, version {row.version}, hash {row.hash}: good"
            + (f", but {row.arithmetic[0].lower()}{row.arithmetic[1:]}" if row.arithmetic else "")
        ),
    )


@study.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@store_option
@json_option
@report_study_errors
def backup_(file: Path, url: str, as_json: bool) -> None:
    """Copy every study and every token into a new SQLite file, which can be served in place of the store."""
    with opened(url) as store:
        names = transfer.backup(store, file)
    show(
        {"file": file.name, "studies": names},
        as_json,
        lambda a: f"Copied {counted(len(a['studies']), 'study', 'studies')} to {a['file']}.",
    )


@study.command("copy")
@click.argument("target")
@click.argument("names", nargs=-1)
@store_option
@json_option
@report_study_errors
def copy_(target: str, names: tuple[str, ...], url: str, as_json: bool) -> None:
    """Copy studies to another store, such as PostgreSQL; all of them, and the tokens, if none is named."""
    with opened(url) as store, opened(target) as other:
        copied = transfer.copy(store, other, names)
    show({"studies": copied}, as_json, lambda a: f"Copied {counted(len(a['studies']), 'study', 'studies')}.")

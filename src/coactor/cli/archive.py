"""Archives on the command line: learn, evaluate."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coactor import plugins
from coactor.cli.options import (
    NewFile,
    jobs_option,
    json_option,
    names,
    noted,
    parameters_of,
    report_errors,
    seed_option,
    streets_option,
    with_options,
)

if TYPE_CHECKING:
    from coactor.archives import Archive

_FROM_START = "PER,CSPER,PA,CSPA,PER@start,CSPER@start,PA@start,CSPA@start"
_FAR_START = "PER@start*1000,CSPER@start*1000,PA@start*1000,CSPA@start*1000"
DEFAULT_LEARNERS = {
    "trips": f"copy,alike,{_FROM_START},{_FAR_START},averaged-PER@start*1000,default,hindsight",
    "plans": f"copy,alike,{_FROM_START},default,hindsight",
    "queries": "PER,CSPER,PA,CSPA,PER@start,averaged-PER,default",
    "choices": "alike,PER,CSPER,separate-CSPER,pooled-default,separate-default,default",
    "cases": f"alike,{_FROM_START},default,hindsight",
}
CASES = {"trips": 3000}

_errors = report_errors(ValueError, OSError)


_archive_options = with_options(
    click.argument("archive", type=click.Path()),
    click.option("--habits/--no-habits", default=True, help="Whether past choices are a feature."),
    click.option("--domain", metavar="NAME", help="JSON lines: an installed domain, or FILE.py:DOMAIN."),
    click.option("--parameters", metavar="JSON", default="{}", help="JSON lines: of the domain."),
    streets_option,
    click.option("--budget", metavar="LOW,HIGH", help="Queries: the most exchanges the expert makes."),
)


def _open(archive: str, parameters: str, budget: str | None, **how: Any) -> Archive:
    from coactor.archives import open_archive

    limits, given = None if budget is None else _budget(budget), parameters_of(parameters)
    return noted(lambda: open_archive(archive, budget=limits, parameters=given, **how))


def _budget(text: str) -> tuple[int, int]:
    low, comma, high = text.replace(" ", "").partition(",")
    if not comma or not low.isdigit() or not high.isdigit():
        raise ValueError(f"--budget is {text!r}; expected two whole numbers such as 5,15.")
    return int(low), int(high)


def _with_archive(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of an archive; the command takes it opened."""

    @_archive_options
    @wraps(command)
    def run(archive: str, **given: Any) -> None:
        how = {name: given.pop(name) for name in ("habits", "domain", "parameters", "streets", "budget")}
        command(_open(archive, **how), **given)

    return run


def _weights(text: str) -> Any:
    """Weights written out, or of a file: a list, numbers by name, or what `coactor learn` wrote."""
    from coactor import learners
    from coactor.loaders.tables import read_json

    file = Path(text)
    if not file.is_file():
        try:
            return [float(number) for number in text.split(",")]
        except ValueError:
            raise ValueError(
                f"--start is {text!r}; expected numbers with commas between them, or a file of weights."
            ) from None
    weights = read_json(file)
    if isinstance(weights, dict) and "learner" in weights:
        return learners.from_state(weights["learner"]).weights
    return weights


@click.command()
@click.option(
    "--learners",
    metavar="A,B,...",
    help="Contenders, such as copy, PER, PER@start, hindsight.  [default: depends on ARCHIVE]",
)
@click.option("--orders", type=click.IntRange(1), default=10, help="Number of random orders.")
@click.option("--cases", type=click.IntRange(1), help="Cases per order.  [default: all; 3000 trips]")
@click.option("--true-order", is_flag=True, help="Replay once, in the archive's own order.")
@click.option(
    "--proposals",
    type=click.Choice(["default", "paper", "polish", "effort-aware"]),
    default="paper",
    help="Proposal strategy of learners that name none.",
)
@click.option(
    "--start",
    metavar="W,W,...|FILE",
    help="The weights of `start` and `@start`: numbers, a JSON file of them (a list, or by the names of the "
    "features), or a file that `coactor learn` wrote.",
)
@seed_option
@jobs_option
@click.option("--out", type=click.Path(), default="evaluation", help="The folder to write.")
@json_option
@_errors
@_with_archive
def evaluate(
    data: Archive,
    learners: str | None,
    orders: int,
    cases: int | None,
    true_order: bool,
    proposals: str,
    start: str | None,
    seed: int,
    jobs: int | str | None,
    out: str,
    as_json: bool,
) -> None:
    """Replay an ARCHIVE of recorded solutions: how much effort would learning have saved?

    Case by case: propose, edit towards the recorded solution, learn. ARCHIVE is a folder with links.csv and
    trips.csv, a folder with days.json and distances.csv, a LETOR file, a CSV file of past routes or of
    choices, or, with --domain, a file of JSON lines. Ctrl-C keeps finished replays, and the same command
    resumes from there.
    """
    from coactor.archives.evaluation import evaluate as run
    from coactor.archives.report import write_report

    contenders = names(DEFAULT_LEARNERS[data.kind] if learners is None else learners)
    if not contenders:
        raise ValueError("No learner is named; give at least one, for example PER,CSPER.")
    if start is not None:
        data = data.starting_at(_weights(start))
        if learners is None:
            contenders = list(dict.fromkeys([*contenders, "default@start"]))
    folder = Path(out)
    evaluation = run(
        data,
        contenders,
        orders=None if true_order else orders,
        cases=min(data.size, CASES.get(data.kind, data.size)) if cases is None else cases,
        seed=seed,
        proposals=proposals,
        folder=folder,
        jobs=jobs,
        silent=as_json,
    )
    files = write_report(folder, evaluation, "coactor " + shlex.join(sys.argv[1:]))
    if as_json:
        click.echo(json.dumps({"settings": evaluation.settings, "rows": evaluation.rows(), "files": files}))
    else:
        click.echo((folder / "report.md").read_text())
        click.echo(f"All files are in {folder}. Open {folder / 'report.html'}.")


@click.command()
@click.option("--learner", default="default", help="A contender that learns, such as PER@start.")
@click.option("--out", type=NewFile(), default="learner.json", help="The file to write.")
@json_option
@_errors
@_with_archive
def learn(data: Archive, learner: str, out: Path, as_json: bool) -> None:
    """Learn from an ARCHIVE of recorded solutions, in its own order: weights, and a memory of the cases.

    `coactor study create --start` starts a study with the file.
    """
    import numpy as np

    from coactor import learners
    from coactor.archives.explain import describe_weights
    from coactor.archives.learning import learn_archive
    from coactor.lab.engine import atomic_files
    from coactor.protocol import Preferences, has

    state, effort = learn_archive(data, learner)
    learned = learners.from_state(state["learner"])
    concerned = learned.known() > 0 if has(learned, Preferences) else True  # by a correction
    sentences = describe_weights(data, np.where(concerned, learned.weights, 0.0))
    atomic_files.write(out, json.dumps(state))
    if as_json:
        click.echo(json.dumps({"file": str(out), "cases": data.size, "effort": effort, "words": sentences}))
        return
    click.echo(f"{learner} learned from {data.size} {data.kind} ({effort:.2f} {data.effort_name} per case).")
    for sentence in sentences:
        click.echo(f"- {sentence}")
    click.echo(f"The state is in {out}.")


@click.command()
@_archive_options
@click.option("--cases", type=click.IntRange(1), default=500, help="At most this many.")
@click.option("--store", "url", metavar="URL", help="ARCHIVE is the name of a study in this store.")
@json_option
@_errors
def features(
    archive: str, domain: str | None, cases: int, url: str | None, as_json: bool, **how: Any
) -> None:
    """Say which feature is missing, from the corrections of an ARCHIVE, or of a study (--store).

    Candidates are habits, single parts, squares and products of the present features. Each is measured on
    cases that were held back when its weight was fitted.
    """
    from dataclasses import asdict

    from coactor.archives import missing_features
    from coactor.studies import NotFound, open_study

    if url is None:
        recorded = missing_features.cases_of_archive(_open(archive, domain=domain, **how), cases)
    else:
        own = None if domain is None else plugins.load_domain(domain, {})
        try:
            with open_study(url, archive, own) as study:
                recorded = missing_features.cases_of_study(study, cases)
        except NotFound as error:
            raise ValueError(str(error)) from error
    diagnosis = missing_features.diagnose(*recorded)
    if as_json:
        click.echo(json.dumps(asdict(diagnosis)))
    else:
        click.echo("\n".join(diagnosis.sentences()))

"""Archives on the command line: learn, evaluate."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from coactor.cli.paper import sentences

_FOUR = "PER,CSPER,PA,CSPA,PER@start,CSPER@start,PA@start,CSPA@start"
_LONG = "PER@start*1000,CSPER@start*1000,PA@start*1000,CSPA@start*1000"
DEFAULT_LINES = {
    "trips": f"copy,alike,{_FOUR},{_LONG},averaged-PER,averaged-PER@start*1000,default,hindsight",
    "plans": f"copy,alike,{_FOUR},averaged-PER,averaged-PER@start,default,hindsight",
    "queries": "PER,CSPER,PA,CSPA,PER@start,averaged-PER,default",
}
CASES = {"trips": 3000}

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")


def _archive_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--budget", metavar="LOW,HIGH", help="Queries: the most exchanges the expert makes."),
        click.option(
            "--features",
            metavar="A,B,...",
            default="similar",
            show_default=True,
            help="Plans: features beside distance, of similar, always, weekday.",
        ),
        click.option(
            "--habit/--no-habit",
            default=True,
            show_default=True,
            help="Trips: do routes know how usual each turn was on earlier trips?",
        ),
        click.argument("archive", type=click.Path()),
    ):
        command = option(command)
    return command


def _open(archive: str, habit: bool, features: str, budget: str | None) -> Any:
    from coactor.lab.archives.archives import open_archive

    limits = None
    if budget is not None:
        parts = budget.split(",")
        if len(parts) != 2 or not all(part.strip().isdigit() for part in parts):
            raise ValueError(f"--budget is {budget!r}; expected two whole numbers like 5,15.")
        limits = (int(parts[0]), int(parts[1]))
    columns: Any = tuple(name.strip() for name in features.split(",") if name.strip())
    try:
        return open_archive(archive, habit=habit, columns=columns, budget=limits)
    except FileNotFoundError as error:
        raise ValueError(str(error)) from error


@click.command()
@_archive_options
@click.option(
    "--learners", metavar="A,B,...", help="Lines, such as copy, PER, PER@start, default, hindsight."
)
@click.option("--orders", type=click.IntRange(1), default=10, show_default=True, help="Random orders.")
@click.option("--cases", type=click.IntRange(1), help="Cases an order.  [default: all; 3000 trips]")
@click.option("--true-order", is_flag=True, help="Replay in the archive's own order instead.")
@click.option(
    "--proposals",
    type=click.Choice(["paper", "polish", "deep", "effort-aware"]),
    default="paper",
    show_default=True,
    help="Which of the solver's local optima to show.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all random numbers.")
@click.option("--jobs", type=click.IntRange(1), help="Processes; one a core by default.")
@click.option("--cluster", metavar="ADDRESS", help="Run on the Dask cluster whose scheduler is there.")
@click.option(
    "--out", type=click.Path(), default="evaluation", show_default=True, help="The folder to write."
)
@_json
def evaluate(
    archive: str,
    habit: bool,
    features: str,
    budget: str | None,
    learners: str | None,
    orders: int,
    cases: int | None,
    true_order: bool,
    proposals: str,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    out: str,
    as_json: bool,
) -> None:
    """Replay an ARCHIVE of what people did: how much effort would have been saved?

    Case by case: propose, compare with what the person did, correct, learn. ARCHIVE is a folder with
    links.csv and trips.csv, a folder with days.json and distances.csv, or a LETOR / SVMlight file.
    """
    with sentences(as_json):
        from coactor.lab.archives.evaluation import evaluate as run
        from coactor.lab.engine.progress import Progress
        from coactor.lab.output.archive_report import report, write_report

        data = _open(archive, habit, features, budget)
        lines = [name.strip() for name in (learners or DEFAULT_LINES[data.kind]).split(",") if name.strip()]
        wanted = min(data.size, CASES.get(data.kind, data.size)) if cases is None else cases
        progress = Progress(0, silent=as_json)
        found = run(
            data,
            lines,
            orders=orders,
            cases=wanted,
            seed=seed,
            true_order=true_order,
            proposals=proposals,
            jobs=jobs or os.cpu_count() or 1,
            cluster=cluster,
            progress=progress,
        )
        progress.close()
        told = "default" if "default" in found.efforts else list(found.efforts)[-1]
        command = "coactor " + shlex.join(sys.argv[1:])
        files = write_report(Path(out), data, found, command, told)
        if as_json:
            click.echo(json.dumps({"settings": found.settings, "rows": found.rows(), "files": files}))
        else:
            click.echo(report(data, found, command, told))
            click.echo(f"Written to {out}: {', '.join(files)}")


@click.command()
@_archive_options
@click.option(
    "--learner", default="default", show_default=True, help="Any line that learns, such as PER@start."
)
@click.option(
    "--shards",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Learn from so many parts of the archive apart, then mix.",
)
@click.option("--cluster", metavar="ADDRESS", help="Learn from the shards on a Dask cluster.")
@click.option(
    "--out", type=click.Path(), default="learner.json", show_default=True, help="The file to write."
)
@_json
def learn(
    archive: str,
    habit: bool,
    features: str,
    budget: str | None,
    learner: str,
    shards: int,
    cluster: str | None,
    out: str,
    as_json: bool,
) -> None:
    """Warm-start a learner from an ARCHIVE of what people did, in its own order.

    The file holds the learner's state; coactor.learners.from_state reads it.
    """
    with sentences(as_json):
        from coactor import learners as known
        from coactor.lab.archives.explain import in_words
        from coactor.lab.archives.sharding import learn_shards
        from coactor.lab.engine.atomic_files import prepare, write

        data = _open(archive, habit, features, budget)
        state, effort = learn_shards(data, learner, shards, cluster=cluster)
        words = in_words(data, known.from_state(state).weights)
        prepare(Path(out).absolute().parent, 1 << 16)
        write(Path(out), json.dumps(state))
        if as_json:
            click.echo(json.dumps({"file": out, "cases": data.size, "effort": effort, "words": words}))
            return
        click.echo(
            f"{learner} learned from {data.size} {data.kind} ({effort:.2f} {data.effort_name} a case)."
        )
        for sentence in words:
            click.echo(f"- {sentence}")
        click.echo(f"Written to {out}.")

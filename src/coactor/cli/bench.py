"""The command bench."""

from __future__ import annotations

from pathlib import Path

import click

from coactor.cli.options import jobs_option, report_errors, seed_option


@click.command()
@click.argument("learners", nargs=-1, metavar="[LEARNER]...")
@click.option("--archive", "archives", multiple=True, type=click.Path(), help="An archive; can be repeated.")
@click.option("--quick", is_flag=True, help="2 runs of 30 examples: a minute; decides nothing.")
@click.option("--out", default="bench", type=click.Path(), help="The folder to write.")
@seed_option
@jobs_option
@report_errors(ValueError, OSError)
def bench(
    learners: tuple[str, ...],
    archives: tuple[str, ...],
    quick: bool,
    out: str,
    seed: int,
    jobs: int | str | None,
) -> None:
    """Compare a learner with the paper's four, the default and other libraries.

    LEARNER is a name (default, PER, ...) or module:Class of your own. They run on the paper's panels, on
    panels with several people and on archives; peers (river, Vowpal Wabbit, InvOpt) take part if they are
    installed.
    """
    from coactor.bench import bench as run
    from coactor.lab.engine import atomic_files

    atomic_files.prepare(Path(out))  # it is written after minutes
    result = run(learners, archives=archives, quick=quick, seed=seed, jobs=jobs, silent=False)
    click.echo(f"{result}\n\nThe page is {result.write(out)}.")

"""The paper's experiments on the command line: reproduce, verify-results, open-choices, compare."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from coactor.cli.options import jobs_option, json_option, names, report_errors, seed_option, with_options

if TYPE_CHECKING:
    from coactor.lab import Settings

_errors = report_errors(ValueError, OSError)
_data = click.option(
    "--data",
    multiple=True,
    type=click.Path(),
    metavar="PATH",
    help="LETOR/SVMlight file for the ranking panels, plain or .gz. Can be repeated.",
)


def _with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Add --out, --jobs and the options of what is run; the command takes them as `Settings`."""

    @wraps(command)
    def run(
        quick: bool,
        panels: str | None,
        runs: int | None,
        seed: int,
        data: tuple[str, ...],
        learners: str | None = None,
        **given: Any,
    ) -> None:
        from coactor.lab.paper.experiment import QUICK, WHOLE_PAPER

        named = {"panels": names(panels), "runs": runs, "learners": names(learners)}
        chosen: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        command(replace(QUICK if quick else WHOLE_PAPER, seed=seed, data=data, **chosen), **given)

    return with_options(
        click.option("--quick", is_flag=True, help="3 runs of 150 examples: seconds; decides nothing."),
        click.option("--out", default="results", type=click.Path(), help="The folder to write."),
        click.option("--panels", metavar="A,B,...", help="Only these panels.  [default: all eight]"),
        click.option("--runs", type=click.IntRange(1), help="Runs per panel.  [default: 10]"),
        seed_option,
        jobs_option,
        _data,
    )(run)


@click.command()
@click.option(
    "--learners",
    metavar="A,B,...",
    help="Contenders.  [default: those of the paper and those it suggests, expert, default]",
)
@_errors
@_with_settings
def reproduce(settings: Settings, out: str, jobs: int | str | None) -> None:
    """Reproduce the paper: eight panels, intervals, a verdict on every claim, a report.

    All results are plain files in the folder --out; open report.html. Ctrl-C keeps finished runs, and the
    same command resumes from there.
    """
    from coactor.lab import reproduce as run
    from coactor.lab.paper.claims import CLOSE, DECIDING_RUNS, MOST_RUNS, undecided

    result = run(out, settings, jobs=jobs, silent=False)
    for claim in result.claims:
        click.echo(f"{claim.number:>3}  {claim.verdict:<18} {claim.sentence}")
    if settings.runs < DECIDING_RUNS:
        click.echo(f"\n{undecided(settings.runs)}.")
    else:
        for claim in result.claims:
            if claim.command:
                click.echo(f"\nClaim {claim.number}: about {claim.deciding_runs} runs would decide it.")
                click.echo(f"  {claim.command}")
            elif claim.verdict == CLOSE:
                click.echo(f"\nClaim {claim.number}: more than {MOST_RUNS} runs would be needed.")
    click.echo(f"\nAll files are in {result.out}. Open {result.out / 'report.html'}.")


@click.command(name="verify-results")
@click.argument("manifest", type=click.Path())
@_data
@jobs_option
@json_option
@_errors
def verify_results(manifest: str, data: tuple[str, ...], jobs: int | str | None, as_json: bool) -> None:
    """Run the experiment of a MANIFEST again, and compare every number.

    MANIFEST is the manifest.json of a folder that `coactor reproduce` wrote. --data says where the data files
    are now, if they were moved.
    """
    from coactor.lab import verify

    result = verify(manifest, data=data, jobs=jobs, silent=as_json)
    if as_json:
        click.echo(json.dumps({"same": result.same, "findings": result.findings, "checked": result.checked}))
    elif result.same:
        click.echo(f"Identical, byte for byte: {', '.join(result.checked)}.")
    else:
        click.echo("Not identical:\n" + "\n".join(f"  {finding}" for finding in result.findings))
    if not result.same:
        sys.exit(1)


@click.command(name="open-choices")
@_errors
@_with_settings
def open_choices(settings: Settings, out: str, jobs: int | str | None) -> None:
    """Judge the paper's claims again, with each choice that the paper leaves open made otherwise.

    The expert's policy, the candidate, ties, kappa on multi-TSP and the features of a ranking, one at a time.
    """
    from coactor.lab.paper.open_choices import FILE, explore_choices

    rows = explore_choices(out, settings, jobs=jobs, silent=False)
    for row in rows:
        number, claim, default, *_ = row.values()
        click.echo(f"{number:>3}  {default:<18} {claim}")
        for name in list(row)[3:]:
            if row[name] != default:
                click.echo(f"     {row[name]:<18} with {name}")
    click.echo(f"\nThe table is in {out}/{FILE}.")


def _choice(name: str, *values: str, help: str) -> Callable[[Any], Any]:
    return click.option(f"--{name}", type=click.Choice(values), default=values[0], help=help)


@click.command()
@click.argument("learners", nargs=-1, required=True, metavar="LEARNER...")
@click.option("--panel", default="tsp-noise", help="A panel, or module:Class of your own domain.")
@click.option("--runs", type=click.IntRange(1), default=10, help="Number of runs.")
@click.option(
    "--examples", type=click.IntRange(1), help="Examples per run.  [default: 300, and all queries of --data]"
)
@seed_option
@jobs_option
@_data
@_choice(
    "candidate",
    "final",
    "disagreement",
    help="What learners get: the expert's last solution, or the last one that they do not prefer to theirs.",
)
@_choice("policy", "first", "best", help="Which improving move the expert makes.")
@_choice("ties", "lowest", "random", help="How the solver breaks ties while all weights are 0.")
@_choice("discount", "log", "linear", help="The weight of a position in a ranking's features.")
@click.option("--kappa", type=float, help="The expert's threshold.  [default: the panel's]")
@json_option
@_errors
def compare(
    learners: tuple[str, ...],
    panel: str,
    runs: int,
    examples: int | None,
    seed: int,
    jobs: int | str | None,
    data: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compare learners on one panel: same problems, same expert, paired statistics.

    LEARNER is a name (PER, CSPER, default, ...), optionally with start weights (PER@start) and a proposal
    strategy (default+paper); a baseline (expert: the true weights; alike: all weights 1); or module:Class of
    your own.
    """
    from coactor.lab import Choices
    from coactor.lab import compare as run

    result = run(
        [name for text in learners for name in text.split(",")],
        panel,
        runs=runs,
        examples=examples,
        seed=seed,
        choices=Choices(**chosen),
        data=data,
        jobs=jobs,
        silent=as_json,
    )
    if as_json:
        click.echo(json.dumps(result.data(), ensure_ascii=False))
        return
    shape = next(iter(result.costs.values())).shape
    click.echo(f"{panel}: {runs} runs of {shape[1]} examples, seed {seed}\n")
    click.echo(str(result))

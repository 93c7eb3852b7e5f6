"""The paper's experiments on the command line: reproduce, compare, demo."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import reduce
from pathlib import Path
from typing import Any, Literal, TypeVar

import click
from click.core import ParameterSource

from coactor.cli.options import (
    cluster_option,
    exclusive_jobs,
    jobs_option,
    json_option,
    names,
    report_errors,
    seed_option,
)
from coactor.lab.engine.atomic_files import CannotWriteError

QUICK = {"runs": 3, "examples": 150}
FULL = {"runs": 10, "examples": 1000}
PEOPLE = {"runs": 10, "examples": 600}

_errors = report_errors(ValueError, CannotWriteError)
Command = TypeVar("Command", bound=Callable[..., Any])


def _examples(text: str) -> int | Literal["all"]:
    """A number of examples, or "all". Raises ValueError, which click reports."""
    if str(text) == "all":
        return "all"
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def _choice(name: str, values: tuple[str, str], help: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name}", type=click.Choice(values), default=values[0], show_default=True, help=help
    )


_OPEN = (
    _choice(
        "candidate",
        ("final", "disagreement"),
        "What learners get: the expert's last solution, or the "
        "last one that they do not prefer to their own.",
    ),
    _choice("policy", ("first", "best"), "Which improving move the expert makes."),
    _choice("ties", ("lowest", "random"), "How the solver breaks ties while all weights are 0."),
    _choice("discount", ("log", "linear"), "The weight of a position in the features of a ranking."),
)


def _open_choices(command: Command) -> Command:
    """The choices that the paper leaves open."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPEN), command)


_data = click.option(
    "--data",
    multiple=True,
    type=click.Path(),
    metavar="PATH",
    help="LETOR/SVMlight file for the ranking panels, plain or .gz. Can be repeated.",
)


@click.command()
@click.option(
    "--quick",
    is_flag=True,
    help=f"Takes seconds and decides nothing: {QUICK['runs']} runs of {QUICK['examples']} examples.",
)
@click.option("--out", default="results", show_default=True, type=click.Path(), help="The folder to write.")
@click.option("--panels", metavar="A,B,...", help="Only these panels.  [default: all eight]")
@click.option(
    "--learners", metavar="A,B,...", help="Contenders.  [default: PER,CSPER,PA,CSPA,expert,default]"
)
@click.option("--runs", type=click.IntRange(1), help=f"Runs per panel.  [default: {FULL['runs']}]")
@click.option(
    "--examples",
    type=_examples,
    metavar="N|all",
    help=f"Examples per run.  [default: {FULL['examples']}, and all queries of --data]",
)
@seed_option
@jobs_option
@cluster_option
@_data
@_open_choices
@click.option(
    "--kappa",
    multiple=True,
    metavar="PANEL=VALUE",
    help="The expert's threshold on a panel; mtsp stands for both.  [default: 0.1]  Can be repeated.",
)
@click.option(
    "--robustness", is_flag=True, help="Also run other experts, features and weights; takes minutes more."
)
@click.option(
    "--choices",
    is_flag=True,
    help="Judge the claims under all 48 combinations of what the paper leaves open, instead.",
)
@click.option(
    "--people",
    is_flag=True,
    help="Run panels with several experts instead: one learner that knows who corrects, against one for all "
    "and one each. --panels takes tsp-clean or tsp-clean-similar-20; --learners adds contenders.  [default: "
    f"{PEOPLE['runs']} runs of {PEOPLE['examples']} examples]",
)
@click.option("--verify", type=click.Path(), metavar="MANIFEST", help="Run a manifest again and compare.")
@json_option
@_errors
def reproduce(
    quick: bool,
    out: str,
    panels: str | None,
    learners: str | None,
    runs: int | None,
    examples: int | Literal["all"] | None,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    data: tuple[str, ...],
    kappa: tuple[str, ...],
    robustness: bool,
    choices: bool,
    people: bool,
    verify: str | None,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Reproduce the paper: eight panels, intervals, a verdict on every claim, a report.

    All results are plain files in the folder --out; open report.html. Ctrl-C keeps finished runs, and the
    same command resumes from there.
    """
    exclusive_jobs(jobs, cluster)
    if verify is not None:
        _verify(verify, data, jobs, cluster, as_json)
        return
    default = QUICK if quick else PEOPLE if people else FULL
    size: dict[str, Any] = {"runs": runs or default["runs"], "seed": seed}
    size["examples"] = examples or (default["examples"] if quick or people else None)
    if people:
        _refuse_with("--people", *_ONE_SETTING, "data", "choices")
        if examples == "all":
            raise click.UsageError("--people needs a number of --examples.")
        _people(out, names(panels), names(learners) or (), size, jobs, cluster, as_json)
        return
    if choices:
        _refuse_with("--choices", *_ONE_SETTING, "learners")
        _explore(out, names(panels), size, data, jobs, cluster, as_json)
        return
    from coactor.lab import Choices
    from coactor.lab import reproduce as run
    from coactor.lab.paper.choices import parse_kappa
    from coactor.lab.paper.claims import DECIDING_RUNS
    from coactor.lab.paper.reproduction import UNDECIDED

    result = run(
        out,
        panels=names(panels),
        learners=names(learners),
        **size,
        choices=Choices(**chosen, kappa=parse_kappa(kappa)),
        data=data,
        robust=robustness,
        jobs=jobs,
        cluster=cluster,
        silent=as_json,
    )
    if as_json:
        click.echo(json.dumps(result.data(), ensure_ascii=False))
        return
    for claim in result.claims:
        click.echo(f"{claim.number:>3}  {claim.verdict:<18} {claim.sentence}")
    if result.results[0].runs < DECIDING_RUNS:
        click.echo(f"\n{UNDECIDED[0].upper()}{UNDECIDED[1:]}.")
    click.echo(f"\nAll files are in {result.out}. Open {result.out / 'report.html'}.")


_ONE_SETTING = ("candidate", "policy", "ties", "discount", "kappa", "robustness")


def _refuse_with(option: str, *others: str) -> None:
    """Raise UsageError if one of the other options is given: it would have no effect."""
    context = click.get_current_context()
    for name in others:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} has no effect with {option}; leave it out.")


def _explore(
    out: str,
    panels: list[str] | None,
    size: dict[str, Any],
    data: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    from coactor.lab.paper.claims import DECIDING_RUNS
    from coactor.lab.paper.reproduction import UNDECIDED, explore_choices

    tables = explore_choices(
        out, panels=panels, **size, data=data, jobs=jobs, cluster=cluster, silent=as_json
    )
    if as_json:
        click.echo(json.dumps([asdict(table) for table in tables], ensure_ascii=False))
        return
    for table in tables:
        click.echo(f"{table.number:>3}  {table.sentence}\n     {table.conclusion}")
    if size["runs"] < DECIDING_RUNS:
        click.echo(f"\n{UNDECIDED[0].upper()}{UNDECIDED[1:]}.")
    click.echo(f"\nAll files are in {out}. Open {Path(out) / 'choices.html'}.")


def _people(
    out: str,
    panels: list[str] | None,
    learners: Sequence[str],
    size: dict[str, Any],
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    from coactor.lab import people
    from coactor.lab.engine import atomic_files
    from coactor.lab.output.people import write
    from coactor.lab.paper.claims import DECIDING_RUNS, undecided

    cells, folder = people.chosen_cells(panels), Path(out)
    atomic_files.prepare(folder, people.ESTIMATED_BYTES)
    results = people.measure(
        cells, learners=learners, **size, folder=folder, jobs=jobs, cluster=cluster, silent=as_json
    )
    words = ["coactor", "reproduce", "--people", *(["--panels", ",".join(panels)] if panels else [])]
    words += ["--learners", ",".join(learners)] if learners else []
    words += [word for name, value in size.items() for word in (f"--{name}", str(value))]
    runs = size["runs"]
    note = f"; {undecided(runs)}" if runs < DECIDING_RUNS else ""
    text = f"{runs} run{'' if runs == 1 else 's'} of {size['examples']} examples{note}"
    write(folder, results, shlex.join(words), text)
    if as_json:
        click.echo(json.dumps([cell.row() for cell in results], ensure_ascii=False))
        return
    for cell in results:
        more = "".join(f"; {name} {effort.value:.0f}" for name, effort in cell.others.items())
        click.echo(f"{cell.name:<28} {cell.ratio:.2f}, at most {cell.goal}: {cell.verdict}{more}")
    click.echo(f"\n{text}.")
    click.echo(f"\nAll files are in {out}. Open {folder / 'people.md'}.")


def _verify(
    manifest: str, data: tuple[str, ...], jobs: int | None, cluster: str | None, as_json: bool
) -> None:
    from coactor.lab.paper.verification import verify

    result = verify(manifest, data=data, jobs=jobs, cluster=cluster, silent=as_json)
    if as_json:
        click.echo(json.dumps({"same": result.same, "findings": result.findings, "checked": result.checked}))
    elif result.same:
        click.echo(f"Identical, byte for byte: {', '.join(result.checked)}.")
    else:
        click.echo("Not identical:\n" + "\n".join(f"  {finding}" for finding in result.findings))
    if not result.same:
        sys.exit(1)


@click.command()
@click.argument("learners", nargs=-1, required=True, metavar="LEARNER...")
@click.option(
    "--panel", default="tsp-noise", show_default=True, help="A panel, or module:Class of your own domain."
)
@click.option("--runs", type=click.IntRange(1), default=10, show_default=True, help="Number of runs.")
@click.option(
    "--examples",
    type=_examples,
    metavar="N|all",
    help="Examples per run.  [default: 300, and all queries of --data]",
)
@seed_option
@jobs_option
@cluster_option
@click.option("--kappa", type=float, help="The expert's threshold.  [default: the panel's]")
@_data
@_open_choices
@json_option
@_errors
def compare(
    learners: tuple[str, ...],
    panel: str,
    runs: int,
    examples: int | Literal["all"] | None,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    kappa: float | None,
    data: tuple[str, ...],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compare learners on one panel: same problems, same expert, paired statistics.

    LEARNER is a name (PER, CSPER, default, ...), optionally with start weights (PER@start) and a proposal
    strategy (default+paper); a baseline (expert: the true weights; alike: all weights 1); or module:Class of
    your own.
    """
    exclusive_jobs(jobs, cluster)
    from coactor.lab import Choices
    from coactor.lab import compare as run

    result = run(
        [name for text in learners for name in text.split(",")],
        panel,
        runs=runs,
        examples=examples,
        seed=seed,
        kappa=kappa,
        choices=Choices(**chosen),
        data=data,
        jobs=jobs,
        cluster=cluster,
        silent=as_json,
    )
    if as_json:
        click.echo(json.dumps(result.data(), ensure_ascii=False))
        return
    shape = next(iter(result.costs.values())).shape
    click.echo(f"{panel}: {runs} runs of {shape[1]} examples, seed {seed}\n")
    click.echo(str(result))


@click.command()
@click.option("--learner", default="CSPER", show_default=True, help="The learner.")
@seed_option
@json_option
@_errors
def demo(learner: str, seed: int, as_json: bool) -> None:
    """Watch effort fall in the terminal: a simulated expert and one learner, in seconds."""
    from coactor.lab import demo as scene

    if as_json:
        import io

        click.echo(json.dumps(scene.show(seed, learner, io.StringIO())))
    else:
        scene.show(seed, learner)

"""The lab on the command line: reproduce, compare, demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

QUICK = {"runs": 3, "examples": 150}
FULL = {"runs": 10, "examples": 1000}

_json = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
_seed = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all random numbers."
)
_policy = click.option(
    "--policy",
    type=click.Choice(["first", "best"]),
    default="first",
    show_default=True,
    help="The improving operator the expert takes.",
)
_jobs = click.option("--jobs", type=click.IntRange(1), default=None, help="Processes; one a core by default.")
_data = click.option(
    "--data",
    multiple=True,
    type=click.Path(),
    metavar="PATH",
    help="LETOR/SVMlight file for ranking, .gz welcome; repeat for several.",
)


@contextmanager
def sentences(as_json: bool) -> Iterator[None]:
    """Mistakes end in one sentence, not in a traceback."""
    from coactor.lab.engine.atomic_files import CannotWriteError
    from coactor.lab.engine.parallel import Interrupted

    try:
        yield
    except (ValueError, CannotWriteError) as error:
        if as_json:
            click.echo(json.dumps({"error": str(error)}, ensure_ascii=False))
        raise click.ClickException(str(error)) from error
    except Interrupted as stop:
        click.echo(
            f"Stopped. {stop.done} of {stop.total} units are finished and kept; "
            "the same command goes on from there.",
            err=True,
        )
        sys.exit(130)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        sys.exit(130)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@click.command()
@click.option(
    "--quick", is_flag=True, help=f"In seconds: {QUICK['runs']} runs of {QUICK['examples']} examples."
)
@click.option("--out", default="results", show_default=True, type=click.Path(), help="The folder to write.")
@click.option("--panels", metavar="A,B,...", help="Only these panels; by default all eight.")
@click.option("--learners", metavar="A,B,...", help="By default PER,CSPER,PA,CSPA,expert,default.")
@click.option("--runs", type=click.IntRange(1), help=f"Runs a panel.  [default: {FULL['runs']}]")
@click.option("--examples", type=click.IntRange(1), help=f"Examples a run.  [default: {FULL['examples']}]")
@_seed
@_jobs
@click.option("--cluster", metavar="ADDRESS", help="Run on the Dask cluster whose scheduler is there.")
@_data
@_policy
@click.option("--robustness", is_flag=True, help="Also other experts, features and tastes; minutes more.")
@click.option("--verify", type=click.Path(), metavar="MANIFEST", help="Run a manifest again and compare.")
@_json
def reproduce(
    quick: bool,
    out: str,
    panels: str | None,
    learners: str | None,
    runs: int | None,
    examples: int | None,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    data: tuple[str, ...],
    policy: Any,
    robustness: bool,
    verify: str | None,
    as_json: bool,
) -> None:
    """Reproduce the paper: eight panels, intervals, a verdict on every claim, a report.

    Everything is written to the folder --out as plain files; open report.html. Ctrl-C keeps what is finished,
    and the same command goes on from there.
    """
    if jobs is not None and cluster is not None:
        raise click.UsageError("--jobs is for this machine and --cluster for another; give one of them.")
    with sentences(as_json):
        if verify is not None:
            _verify(verify, data, jobs, cluster, as_json)
            return
        from coactor.lab.paper.reproduction import reproduce as run

        size = QUICK if quick else FULL
        done = run(
            out,
            panels=_names(panels),
            learners=_names(learners),
            runs=runs or size["runs"],
            examples=examples or size["examples"],
            seed=seed,
            policy=policy,
            data=data,
            robust=robustness,
            jobs=jobs,
            cluster=cluster,
            silent=as_json,
        )
    if as_json:
        click.echo(json.dumps(done.data(), ensure_ascii=False))
        return
    for claim in done.claims:
        click.echo(f"{claim.number:>3}  {claim.verdict:<18} {claim.sentence}")
    click.echo(f"\nEverything is in {done.out}; open {done.out / 'report.html'}.")


def _verify(
    manifest: str, data: tuple[str, ...], jobs: int | None, cluster: str | None, as_json: bool
) -> None:
    from coactor.lab.paper.verification import verify

    found = verify(manifest, data=data, jobs=jobs, cluster=cluster, silent=as_json)
    if as_json:
        click.echo(json.dumps({"same": found.same, "findings": found.findings, "checked": found.checked}))
    elif found.same:
        click.echo(f"The same, byte for byte: {', '.join(found.checked)}.")
    else:
        click.echo("Not the same:\n" + "\n".join(f"  {finding}" for finding in found.findings))
    if not found.same:
        sys.exit(1)


@click.command()
@click.argument("learners", nargs=-1, required=True, metavar="LEARNER...")
@click.option("--panel", default="tsp-noise", show_default=True, help="By name, or module:Class of a domain.")
@click.option("--runs", type=click.IntRange(1), default=10, show_default=True)
@click.option("--examples", type=click.IntRange(1), default=300, show_default=True)
@_seed
@_jobs
@click.option("--kappa", type=float, help="The expert's threshold; the panel's own by default.")
@_data
@_policy
@_json
def compare(
    learners: tuple[str, ...],
    panel: str,
    runs: int,
    examples: int,
    seed: int,
    jobs: int | None,
    kappa: float | None,
    data: tuple[str, ...],
    policy: Any,
    as_json: bool,
) -> None:
    """Compare learners on one panel: same problems, same expert, paired statistics.

    LEARNER is a name (PER, CSPER, default, ...), a name with proposals (default+paper), expert for the true
    weights, or module:Class of your own.
    """
    with sentences(as_json):
        from coactor.lab.paper.comparison import compare as run
        from coactor.lab.paper.reproduction import cores

        names = [name for text in learners for name in text.split(",")]
        found = run(
            names,
            panel,
            runs=runs,
            examples=examples,
            seed=seed,
            kappa=kappa,
            policy=policy,
            data=data,
            jobs=jobs or cores(),
            silent=as_json,
        )
    if as_json:
        click.echo(json.dumps(found.data(), ensure_ascii=False))
        return
    click.echo(f"{panel}: {runs} runs of {next(iter(found.costs.values())).shape[1]} examples, seed {seed}\n")
    click.echo(str(found))


@click.command()
@click.option("--learner", default="CSPER", show_default=True, help="Who learns.")
@_seed
@_json
def demo(learner: str, seed: int, as_json: bool) -> None:
    """Watch effort fall: a simulated expert and one learner, in the terminal, in seconds."""
    with sentences(as_json):
        from coactor.lab import demo as scene

        if as_json:
            import io

            click.echo(json.dumps(scene.show(seed, learner, io.StringIO())))
        else:
            scene.show(seed, learner)

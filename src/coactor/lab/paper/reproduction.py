"""The paper in one call: run the panels, judge the claims, draw the figure, write every file."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import coactor
from coactor.experts import Policy
from coactor.lab.engine import atomic_files
from coactor.lab.engine.cache import code_digest
from coactor.lab.engine.contenders import EXPERT, OURS, PAPER, parse_lines
from coactor.lab.output import figure, report, tables
from coactor.lab.output.calibration import calibrations
from coactor.lab.paper import robustness
from coactor.lab.paper.claims import Claim, judge
from coactor.lab.paper.experiment import Experiment, use_data
from coactor.lab.paper.panels import PANELS, find_panel
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.robustness import Cell
from coactor.lab.paper.versus_paper import margins

# Files whose every byte follows from the manifest's parameters.
NUMBERS = (
    "runs.csv",
    "summary.csv",
    "pairs.csv",
    "margins.csv",
    "calibration.csv",
    "bounds.csv",
    "claims.json",
    "claims.md",
)
ROBUSTNESS = "robustness.csv"
PICTURES = ("figure.png", "figure.svg", "report.html")
MANIFEST = "manifest.json"
TWIN = (
    "a generated twin (700 features, about a third present, non-linear relevance, noisy labels, uneven "
    "lists), drawn anew for each run, so claims 7 to 9 are asked of it and not of the paper's data; "
    "give --data for real judgements"
)
_BYTES_A_COST = 40
_BYTES_AROUND = 30_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """What a reproduction found, and where it is written."""

    out: Path
    results: Sequence[PanelResult]
    claims: Sequence[Claim]
    cells: Sequence[Cell] = ()

    def data(self) -> dict[str, Any]:
        """As JSON-able data."""
        return {
            "out": str(self.out),
            "summary": [tables.summary_row(row) for result in self.results for row in result.rows()],
            "margins": [row for result in self.results for row in map(tables.margin_row, margins(result))],
            "claims": [tables.claim_data(claim) for claim in self.claims],
            "robustness": robustness.rows(self.cells),
            "files": [*numbers(bool(self.cells)), *PICTURES, MANIFEST],
        }


def parameters(
    panels: Sequence[str] | None,
    learners: Sequence[str] | None,
    runs: int,
    examples: int,
    seed: int,
    policy: str,
    data: Sequence[str],
    robust: bool = False,
) -> dict[str, Any]:
    """What the numbers follow from, as the manifest keeps it."""
    return {
        "panels": list(PANELS if panels is None else panels),
        "learners": list((*PAPER, EXPERT, OURS) if learners is None else learners),
        "runs": runs,
        "examples": examples,
        "seed": seed,
        "policy": policy,
        "data": [str(path) for path in data],
        "robustness": robust,
    }


def numbers(robust: bool) -> tuple[str, ...]:
    """The files that hold numbers."""
    return (*NUMBERS, ROBUSTNESS) if robust else NUMBERS


def experiment_of(chosen: dict[str, Any]) -> Experiment:
    """The experiment that parameters describe; refused in a sentence when they describe none."""
    panels = tuple(find_panel(name) for name in chosen["panels"])
    if chosen["data"]:
        if not any(panel.problems == "twin" for panel in panels):
            raise ValueError("a data file was given, but no ranking panel is run; add rank-unlimited")
        panels = use_data(panels, chosen["data"])
    lines = parse_lines(chosen["learners"])
    return Experiment(
        panels, lines, chosen["runs"], chosen["examples"], chosen["seed"], chosen["policy"], theorem=True
    )


def command_of(chosen: dict[str, Any]) -> str:
    """The command that makes these numbers, with nothing left to a default."""
    words = ["coactor", "reproduce", "--panels", ",".join(chosen["panels"])]
    words += ["--learners", ",".join(chosen["learners"])]
    for name in ("runs", "examples", "seed", "policy"):
        words += [f"--{name}", str(chosen[name])]
    for path in chosen["data"]:
        words += ["--data", path]
    if chosen.get("robustness"):
        words += ["--robustness"]
    return shlex.join(words)


def reproduce(
    out: str | Path = "results",
    *,
    panels: Sequence[str] | None = None,
    learners: Sequence[str] | None = None,
    runs: int = 10,
    examples: int = 1000,
    seed: int = 0,
    policy: Policy = "first",
    data: Sequence[str | Path] = (),
    robust: bool = False,
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> Reproduction:
    """Reproduce the paper's experiments and write every file into `out`.

    Parameters
    ----------
    out
        The folder; finished runs are kept there, so that the same call goes on where it was stopped.
    panels, learners
        Names; by default the paper's eight panels, its four learners, the expert line and ours.
    runs, examples, seed, policy
        How often, how long, from which random numbers, and how the expert chooses.
    data
        LETOR/SVMlight files for the ranking panels; without them a generated twin is used.
    robust
        Also run the robustness table: other experts, features and tastes.
    jobs, cluster
        Processes on this machine (by default one a core), or the address of a Dask scheduler.
    silent
        Show no progress.
    """
    chosen = parameters(panels, learners, runs, examples, seed, policy, [str(path) for path in data], robust)
    experiment = experiment_of(chosen)
    folder = Path(out)
    cells = sum(unit.examples * len(unit.lines) for unit in experiment.units())
    atomic_files.prepare(folder, cells * _BYTES_A_COST + _BYTES_AROUND)
    results = experiment.measure(folder=folder, jobs=jobs or cores(), cluster=cluster, silent=silent)
    found = robustness_of(chosen, folder=folder, jobs=jobs or cores(), cluster=cluster, silent=silent)
    claims = write_all(folder, chosen, results, found)
    return Reproduction(folder, results, claims, found)


def robustness_of(
    chosen: dict[str, Any], *, folder: Path | None, jobs: int, cluster: str | None, silent: bool
) -> list[Cell]:
    """The robustness table, where the parameters ask for it."""
    if not chosen.get("robustness"):
        return []
    return robustness.measure(
        runs=chosen["runs"],
        examples=chosen["examples"],
        seed=chosen["seed"],
        folder=folder,
        jobs=jobs,
        cluster=cluster,
        silent=silent,
    )


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_numbers(
    folder: Path, chosen: dict[str, Any], results: Sequence[PanelResult], cells: Sequence[Cell] = ()
) -> list[Claim]:
    """The files that hold numbers."""
    totals = {result.panel.name: result.totals() for result in results}
    theorem = [row for result in results for row in result.theorem]
    claims = judge(totals, theorem, chosen["seed"])
    preface = f"{_size(results)}. Made by `{command_of(chosen)}`."
    if any(result.panel.problems == "twin" for result in results):
        preface += f"\n\nRanking data: {TWIN}."
    atomic_files.write(folder / "runs.csv", tables.runs_csv(results))
    atomic_files.write(
        folder / "summary.csv",
        tables.to_csv([tables.summary_row(row) for result in results for row in result.rows()]),
    )
    atomic_files.write(
        folder / "pairs.csv",
        tables.to_csv([tables.pair_row(r.panel.name, pair) for r in results for pair in r.pairs()]),
    )
    atomic_files.write(
        folder / "margins.csv",
        tables.to_csv([tables.margin_row(margin) for result in results for margin in margins(result)]),
    )
    atomic_files.write(
        folder / "calibration.csv",
        tables.to_csv([tables.bin_row(b) for found in calibrations(results) for b in found.bins]),
    )
    if cells:
        atomic_files.write(folder / ROBUSTNESS, tables.to_csv(robustness.rows(cells)))
    atomic_files.write(folder / "bounds.csv", tables.to_csv([tables.theorem_row(row) for row in theorem]))
    atomic_files.write(folder / "claims.json", tables.to_json([tables.claim_data(claim) for claim in claims]))
    atomic_files.write(folder / "claims.md", tables.claims_markdown(claims, preface))
    return claims


def write_all(
    folder: Path, chosen: dict[str, Any], results: Sequence[PanelResult], cells: Sequence[Cell] = ()
) -> list[Claim]:
    """Every file; the manifest last, so that it vouches only for what is there."""
    claims = write_numbers(folder, chosen, results, cells)
    written = numbers(bool(cells))
    png, svg = figure.draw(results)
    atomic_files.write(folder / "figure.png", png)
    atomic_files.write(folder / "figure.svg", svg)
    page = report.render(
        results,
        claims,
        svg,
        command=command_of(chosen),
        settings=_settings(chosen, results),
        environment=environment(),
        files=[*written, *PICTURES[:2], MANIFEST],
        cells=cells,
    )
    atomic_files.write(folder / "report.html", page)
    manifest: dict[str, Any] = {
        "command": command_of(chosen),
        "parameters": chosen,
        "panels": [result.panel.plain() for result in results],
        "environment": environment(),
        "code": code_digest(),
        "outputs": {name: atomic_files.digest(folder / name) for name in (*written, *PICTURES)},
    }
    for panel in manifest["panels"]:
        if panel["data"]:
            panel["data"] = {"digest": panel["data"]["digest"]}
    atomic_files.write(folder / MANIFEST, tables.to_json(manifest))
    return claims


def environment() -> dict[str, str]:
    """The versions that the last digit of a number may depend on."""
    found = {"coactor": coactor.__version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "matplotlib", "joblib"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    found["system"] = f"{platform.system()} {platform.machine()}"
    return found


def _size(results: Sequence[PanelResult]) -> str:
    longest = max(result.examples for result in results)
    return f"{results[0].runs} runs of up to {longest} examples"


def _settings(chosen: dict[str, Any], results: Sequence[PanelResult]) -> dict[str, str]:
    """What was run, in words."""
    said = {
        "panels": ", ".join(chosen["panels"]),
        "learners": ", ".join(chosen["learners"]),
        "runs": f"{chosen['runs']}; all learners of a run see the same problems and the same expert",
        "examples": ", ".join(sorted({str(result.examples) for result in results}, key=int)) + " a run",
        "seed": str(chosen["seed"]),
        "expert": f"takes the {chosen['policy']} operator that gains at least kappa = "
        + " or ".join(sorted({f"{result.panel.kappa:g}" for result in results}, key=float)),
        "intervals": "95 %, percentile bootstrap over runs, 10 000 samples, paired",
    }
    if any(result.panel.problems == "twin" for result in results):
        said["ranking data"] = TWIN
    if chosen["data"]:
        said["ranking data"] = (
            f"{', '.join(Path(path).name for path in chosen['data'])}; a run is a random permutation"
        )
    if chosen["runs"] * chosen["examples"] < 10_000:
        said["size"] = "smaller than the paper's 10 runs; its full size is --runs 10 --examples 1000"
    return said

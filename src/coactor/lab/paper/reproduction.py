"""Reproduce the paper: run the panels, test the claims, draw the figure, write every file."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from threadpoolctl import threadpool_info

from coactor.lab.engine import atomic_files
from coactor.lab.engine.cache import code_digest
from coactor.lab.engine.contenders import EXPERT, OURS, PAPER, parse_contenders
from coactor.lab.output import figure, report, specification, tables
from coactor.lab.output.calibration import calibrations
from coactor.lab.paper import robustness
from coactor.lab.paper import specification as settings_of_claims
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices, parse_kappa
from coactor.lab.paper.claims import DECIDING_RUNS, Claim
from coactor.lab.paper.data.files import read_queries
from coactor.lab.paper.experiment import GENERATED, Experiment, Measure
from coactor.lab.paper.panels import PANELS, find_panel, use_data
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.robustness import Cell
from coactor.lab.paper.sentences import judge_paper
from coactor.lab.paper.specification import ClaimTable
from coactor.lab.paper.versus_paper import margins
from coactor.version import __version__

# Files that are determined, byte by byte, by the parameters in the manifest.
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
CHOICES_FILES = ("choices.csv", "choices.md", "choices.png", "choices.svg", "choices.html")
PICTURES = ("figure.png", "figure.svg", "report.html")
MANIFEST = "manifest.json"
SYNTHETIC = (
    "a synthetic data set (700 features, about a third present; non-linear relevance, noisy labels, lists of "
    "different lengths), generated for each run; so claims 7 to 9 are tested on it and not on the paper's "
    "data; give --data for real judgements"
)
PAPER_RUNS = 10
UNDECIDED = f"fewer than {DECIDING_RUNS} runs decide no claim, they only show that everything works"
_CANDIDATES = {
    "final": "the expert's final solution",
    "disagreement": "the last solution on the expert's path that they do not prefer to their own",
}
_CHOICES = ("candidate", "policy", "ties", "discount")
_BYTES_PER_COST = 40
_BYTES_OVERHEAD = 30_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """The results of `reproduce`, and the folder they are written to."""

    out: Path
    results: Sequence[PanelResult]
    claims: Sequence[Claim]
    cells: Sequence[Cell] = ()

    def data(self) -> dict[str, Any]:
        """The tables as JSON-able data."""
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
    examples: int | Literal["all"],
    seed: int,
    choices: Choices,
    data: Sequence[str],
    robust: bool = False,
) -> dict[str, Any]:
    """Everything that determines the numbers, as stored in the manifest."""
    return {
        "panels": list(PANELS if panels is None else panels),
        "learners": list((*PAPER, EXPERT, OURS) if learners is None else learners),
        "runs": runs,
        "examples": examples,
        "seed": seed,
        **{name: getattr(choices, name) for name in _CHOICES},
        "kappa": [f"{name}={value:g}" for name, value in choices.kappa],
        "data": [str(path) for path in data],
        "robustness": robust,
    }


def numbers(robust: bool) -> tuple[str, ...]:
    """The names of the files with numbers."""
    return (*NUMBERS, ROBUSTNESS) if robust else NUMBERS


def experiment_of(chosen: dict[str, Any]) -> Experiment:
    """The experiment that the parameters describe. Raises ValueError if they are not valid."""
    choices = _choices(chosen)
    panels = tuple(choices.apply(find_panel(name)) for name in chosen["panels"])
    if chosen["data"]:
        panels = use_data(panels, chosen["data"])
    contenders = parse_contenders(chosen["learners"], "panel")
    return Experiment(panels, contenders, chosen["runs"], chosen["examples"], chosen["seed"], theorem=True)


def _choices(chosen: dict[str, Any]) -> Choices:
    """The choices in a manifest; one that it does not name has its default."""
    named = {name: chosen[name] for name in _CHOICES if name in chosen}
    return Choices(**named, kappa=parse_kappa(chosen.get("kappa", ())))


def command_of(chosen: dict[str, Any]) -> str:
    """The command that makes these numbers, with all defaults written out."""
    words = ["coactor", "reproduce", "--panels", ",".join(chosen["panels"])]
    words += ["--learners", ",".join(chosen["learners"])]
    for name in ("runs", "examples", "seed", *_CHOICES):
        if name in chosen:
            words += [f"--{name}", str(chosen[name])]
    for text in chosen.get("kappa", ()):
        words += ["--kappa", text]
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
    examples: int | Literal["all"] | None = None,
    seed: int = 0,
    choices: Choices = DEFAULT_CHOICES,
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
        The folder. Finished runs are cached there, so that the same call resumes where it was stopped.
    panels, learners
        Names; by default the paper's eight panels, its four learners, the expert line and our learner.
    runs, seed
        The number of runs, and the seed of all random numbers.
    examples
        Of each run. By default 1000 generated problems, and "all" queries of a data set: "random permutations
        of the original dataset".
    choices
        What the paper leaves open: the candidate, the expert's policy, ties, kappa and the discount.
    data
        LETOR/SVMlight files for the ranking panels; by default a synthetic data set is used.
    robust
        Also make the robustness table: other experts, features and weights.
    jobs, cluster
        Processes on this machine (by default one per core), or the address of a Dask scheduler. The numbers
        do not depend on it.
    silent
        Show no progress.
    """
    examples = examples or _all_examples(data)
    chosen = parameters(panels, learners, runs, examples, seed, choices, [str(path) for path in data], robust)
    experiment = experiment_of(chosen)
    folder = Path(out)
    costs = sum(unit.examples * len(unit.contenders) for unit in experiment.units())
    atomic_files.prepare(folder, costs * _BYTES_PER_COST + _BYTES_OVERHEAD)
    measure = partial(Experiment.measure, folder=folder, jobs=jobs, cluster=cluster, silent=silent)
    results, cells = measure(experiment), robustness_of(chosen, measure)
    claims = write_all(folder, chosen, results, cells)
    return Reproduction(folder, results, claims, cells)


def _all_examples(data: Sequence[str | Path]) -> int | Literal["all"]:
    return "all" if data else GENERATED


def explore_choices(
    out: str | Path = "results",
    *,
    panels: Sequence[str] | None = None,
    runs: int,
    examples: int | Literal["all"] | None = None,
    seed: int = 0,
    data: Sequence[str | Path] = (),
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> list[ClaimTable]:
    """Judge the claims under every combination of what the paper leaves open; write table, picture and page.

    Parameters
    ----------
    out
        The folder. Finished runs are cached there, so that the same call resumes where it was stopped.
    panels, runs, examples, seed, data, jobs, cluster, silent
        As in `reproduce`. Verdicts are also given after a fifth of the examples.
    """
    examples, folder = examples or _all_examples(data), Path(out)
    atomic_files.prepare(folder, _BYTES_OVERHEAD)
    claim_tables = settings_of_claims.explore(
        runs=runs,
        examples=examples,
        seed=seed,
        panels=panels,
        data=data,
        folder=folder,
        jobs=jobs,
        cluster=cluster,
        silent=silent,
    )
    words = ["coactor", "reproduce", "--choices", "--runs", str(runs), "--examples", str(examples)]
    words += ["--seed", str(seed), *(["--panels", ",".join(panels)] if panels else [])]
    command = shlex.join([*words, *(word for path in data for word in ("--data", Path(path).name))])
    size = f"{runs} runs of {examples} examples"
    if data and examples != "all":
        size += f"; of the ranking data at most {examples} queries (--examples all takes every query)"
    if runs < DECIDING_RUNS:
        size += f"; {UNDECIDED}"
    png, svg = specification.draw(claim_tables)
    page = specification.page(claim_tables, svg, command=command, size=size, environment=environment())
    rows = settings_of_claims.rows(claim_tables)
    text = specification.markdown(claim_tables, command, size)
    contents: tuple[str | bytes, ...] = (tables.to_csv(rows), text, png, svg, page)
    for name, content in zip(CHOICES_FILES, contents, strict=True):
        atomic_files.write(folder / name, content)
    return claim_tables


def robustness_of(chosen: dict[str, Any], measure: Measure) -> list[Cell]:
    """The robustness table; empty unless the parameters ask for it."""
    if not chosen.get("robustness"):
        return []
    examples = GENERATED if chosen["examples"] == "all" else chosen["examples"]
    return robustness.measure(chosen["runs"], examples, chosen["seed"], measure)


def write_numbers(
    folder: Path, chosen: dict[str, Any], results: Sequence[PanelResult], cells: Sequence[Cell] = ()
) -> list[Claim]:
    """Write the tables and the claims."""
    theorem = [row for result in results for row in result.theorem]
    claims = judge_paper({result.panel.name: result.costs for result in results}, theorem)
    preface = f"{_size(results)}. Made by `{command_of(chosen)}`."
    if chosen["runs"] < DECIDING_RUNS:
        preface += f"\n\n**Note:** {UNDECIDED}."
    if any(result.panel.problems == "synthetic" for result in results):
        preface += f"\n\nRanking data: {SYNTHETIC}."
    summary = [tables.summary_row(row) for result in results for row in result.rows()]
    pairs = [tables.pair_row(result.panel.name, pair) for result in results for pair in result.pairs()]
    above = [tables.margin_row(margin) for result in results for margin in margins(result)]
    bins = [tables.bin_row(c.panel, c.learner, b) for c in calibrations(results) for b in c.bins]
    contents: dict[str, str | Iterable[str]] = {
        "runs.csv": tables.runs_csv(results),
        "summary.csv": tables.to_csv(summary),
        "pairs.csv": tables.to_csv(pairs),
        "margins.csv": tables.to_csv(above),
        "calibration.csv": tables.to_csv(bins),
        "bounds.csv": tables.to_csv([tables.theorem_row(row) for row in theorem]),
        "claims.json": tables.to_json([tables.claim_data(claim) for claim in claims]),
        "claims.md": tables.claims_markdown(claims, preface),
    }
    if cells:
        contents[ROBUSTNESS] = tables.to_csv(robustness.rows(cells))
    for name, content in contents.items():
        atomic_files.write(folder / name, content)
    return claims


def write_all(
    folder: Path, chosen: dict[str, Any], results: Sequence[PanelResult], cells: Sequence[Cell] = ()
) -> list[Claim]:
    """Write every file; the manifest last, because it has the digests of the others."""
    claims = write_numbers(folder, chosen, results, cells)
    written = numbers(bool(cells))
    png, svg = figure.draw(results)
    atomic_files.write(folder / "figure.png", png)
    atomic_files.write(folder / "figure.svg", svg)
    page = report.report(
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
        "panels": [asdict(result.panel) for result in results],
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
    """The versions that the last digits of a number may depend on."""
    versions = {"coactor": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "matplotlib", "joblib"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    # The kernel that multiplies matrices is chosen by the processor.
    kernels = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
    versions["blas"] = ", ".join(f"{lib['internal_api']} {lib.get('architecture', '')}" for lib in kernels)
    versions["system"] = f"{platform.system()} {platform.machine()}"
    return versions


def _size(results: Sequence[PanelResult]) -> str:
    longest = max(result.examples for result in results)
    return f"{results[0].runs} runs of up to {longest} examples"


def _settings(chosen: dict[str, Any], results: Sequence[PanelResult]) -> dict[str, str]:
    """The parameters, described for the report."""
    choices = _choices(chosen)
    settings = {
        "panels": ", ".join(chosen["panels"]),
        "learners": ", ".join(chosen["learners"]),
        "runs": f"{chosen['runs']}; all learners of a run get the same problems and the same expert",
        "examples": ", ".join(sorted({str(result.examples) for result in results}, key=int)) + " per run",
        "seed": str(chosen["seed"]),
        "expert": f"takes the {choices.policy} move that gains at least kappa = "
        + " or ".join(sorted({f"{result.panel.kappa:g}" for result in results}, key=float)),
        "learners get": _CANDIDATES[choices.candidate],
        "ties": f"{choices.ties} index, while all weights are 0",
        "intervals": "95 %, over runs, paired: Student's t, widened by Hall's correction for skewness",
    }
    if any(result.panel.problems == "synthetic" for result in results):
        settings["ranking data"] = SYNTHETIC
    if chosen["data"]:
        names = ", ".join(Path(path).name for path in chosen["data"])
        settings["ranking data"] = f"{names}; each run is a random permutation of the queries{_cut(results)}"
    if any(result.panel.problems != "sample" for result in results):
        settings["ranking features"] = f"{choices.discount} discount of positions"
    if chosen["runs"] < PAPER_RUNS:
        settings["size"] = f"fewer runs than the {PAPER_RUNS} of the paper"
    if chosen["runs"] < DECIDING_RUNS:
        settings["size"] += f"; {UNDECIDED}"
    return settings


def _cut(results: Sequence[PanelResult]) -> str:
    """A clause that says how much of the data was left out; empty if nothing was."""
    for result in results:
        if result.panel.data is not None:
            queries = len(read_queries(result.panel.data))
            if result.examples < queries:
                return f", cut to {result.examples} of {queries} (--examples all takes every query)"
    return ""

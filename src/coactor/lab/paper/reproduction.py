"""Reproduce the paper: run the panels, test the claims, draw the figure, write every file."""

from __future__ import annotations

import platform
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from coactor.lab.engine import atomic_files
from coactor.lab.engine.cache import code_digest
from coactor.lab.engine.parallel import Jobs
from coactor.lab.engine.statistics import flat
from coactor.lab.output import figure, tables
from coactor.lab.output.rendering import render
from coactor.lab.paper.choices import DEFAULT_CHOICES
from coactor.lab.paper.claims import DECIDING_RUNS, FAILS, HOLDS, Claim, undecided
from coactor.lab.paper.data.files import read_queries
from coactor.lab.paper.experiment import QUICK, WHOLE_PAPER, Settings, make_units, measure
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.sentences import NEXT_STEPS, judge_paper
from coactor.lab.paper.theorem import MARGIN, THEOREM_EXAMPLES, TheoremRow
from coactor.version import __version__

# Files that are determined, byte by byte, by the settings in the manifest.
NUMBERS = ("runs.csv", "summary.csv", "pairs.csv", "bounds.csv", "claims.json", "claims.md")
PICTURES = ("figure.png", "figure.svg", "report.html")
MANIFEST = "manifest.json"
SYNTHETIC = (
    "a synthetic data set (700 features, about a third present; non-linear relevance, noisy labels, lists of "
    "different lengths), generated for each run; so claims 7 to 9 are tested on it and not on the paper's "
    "data; give --data for real judgements"
)


@dataclass(frozen=True, slots=True, eq=False)
class Reproduction:
    """The results of `reproduce`, and the folder they are written to."""

    out: Path
    results: Sequence[PanelResult]
    claims: Sequence[Claim]


def reproduce(
    out: str | Path = "results", settings: Settings = WHOLE_PAPER, *, jobs: Jobs = None, silent: bool = True
) -> Reproduction:
    """Reproduce the paper's experiments and write every file into `out`.

    Parameters
    ----------
    out
        The folder. Finished runs are cached there, so that the same call resumes where it was stopped.
    settings
        What to run; by default the whole paper.
    jobs
        Processes on this machine (by default one per core), or the address of a Dask scheduler. The numbers
        do not depend on it.
    silent
        Show no progress.
    """
    folder = Path(out)
    make_units(settings)  # settings that cannot be run are refused before the folder is made
    atomic_files.prepare(folder)
    results = measure(settings, theorem=True, folder=folder, jobs=jobs, silent=silent)
    return Reproduction(folder, results, _write_all(folder, settings, results))


def command_of(settings: Settings, out: str = "results") -> str:
    """The command that makes these numbers; a line of Python where the command has no option for them."""
    if settings.examples not in (None, QUICK.examples) or settings.choices != DEFAULT_CHOICES:
        changed = {f.name: getattr(settings, f.name) for f in fields(Settings)}
        words = [
            f"{name}={value!r}" for name, value in changed.items() if value != getattr(WHOLE_PAPER, name)
        ]
        return f"coactor.lab.reproduce({out!r}, Settings({', '.join(words)}))"
    default, words = WHOLE_PAPER, ["coactor", "reproduce"]
    if settings.examples is not None:
        default, words = QUICK, [*words, "--quick"]
    for name in ("panels", "learners"):
        if tuple(getattr(settings, name)) != getattr(default, name):
            words += [f"--{name}", ",".join(getattr(settings, name))]
    if settings.runs != default.runs:
        words += ["--runs", str(settings.runs)]
    words += ["--seed", str(settings.seed)]
    for path in settings.data:
        words += ["--data", str(path)]
    return shlex.join(words if out == "results" else [*words, "--out", out])


def write_numbers(folder: Path, settings: Settings, results: Sequence[PanelResult]) -> list[Claim]:
    """Write the tables and the claims."""
    theorem = [row for result in results for row in result.theorem]
    claims = judge_paper({result.panel.name: result.costs for result in results}, theorem)
    claims = [_with_command(claim, settings) for claim in claims]
    longest = max(result.examples for result in results)
    preface = f"{results[0].runs} runs of up to {longest} examples. Made by `{command_of(settings)}`."
    if settings.runs < DECIDING_RUNS:
        preface += f"\n\n**Note:** {undecided(settings.runs)}."
    if any(result.panel.problems == "synthetic" for result in results):
        preface += f"\n\nRanking data: {SYNTHETIC}."
    summary = [row for result in results for row in result]
    pairs = [{"panel": result.panel.name, **flat(pair)} for result in results for pair in result.pairs()]
    contents = {
        "runs.csv": tables.runs_csv(results),
        "summary.csv": tables.to_csv(summary),
        "pairs.csv": tables.to_csv(pairs),
        "bounds.csv": tables.to_csv([asdict(row) for row in theorem]),
        "claims.json": tables.to_json([asdict(claim) for claim in claims]),
        "claims.md": render("claims.md", claims=claims, preface=preface),
    }
    for name, content in contents.items():
        atomic_files.write(folder / name, content)
    return claims


def _with_command(claim: Claim, settings: Settings) -> Claim:
    """With the command that decides a claim that is too close to call."""
    if claim.deciding_runs is None:
        return claim
    asked = replace(settings, panels=claim.panels, learners=claim.learners, runs=claim.deciding_runs)
    return replace(claim, command=command_of(asked, f"claim-{claim.number}"))


def _write_all(folder: Path, settings: Settings, results: Sequence[PanelResult]) -> list[Claim]:
    """Write every file; the manifest last, because it has the digests of the others."""
    claims = write_numbers(folder, settings, results)
    shown = settings.learners
    if tuple(shown) == WHOLE_PAPER.learners:
        shown = [name for name in shown if name not in NEXT_STEPS]
    png, svg = figure.draw(results, shown)
    atomic_files.write(folder / "figure.png", png)
    atomic_files.write(folder / "figure.svg", svg)
    page = render(
        "paper.html",
        results=results,
        claims=claims,
        verdicts=Counter(claim.verdict for claim in claims),
        svg=svg,
        shown=shown,
        bounds=nearest_bounds([row for result in results for row in result.theorem]),
        theorem_examples=THEOREM_EXAMPLES,
        command=command_of(settings),
        settings=_described(settings, results),
        environment=environment(),
        files=[*NUMBERS, *PICTURES[:2], MANIFEST],
    )
    atomic_files.write(folder / "report.html", page)
    digests = [result.panel.data.digest for result in results if result.panel.data]
    manifest = {
        "command": command_of(settings),
        "settings": asdict(settings),
        "data": digests[0] if digests else None,
        "environment": environment(),
        "code": code_digest(),
        "outputs": {name: atomic_files.digest(folder / name) for name in (*NUMBERS, *PICTURES)},
    }
    atomic_files.write(folder / MANIFEST, tables.to_json(manifest))
    return claims


def nearest_bounds(rows: Sequence[TheoremRow]) -> list[dict[str, Any]]:
    """One row per panel and learner: the run that is nearest to its bound."""
    groups: dict[tuple[str, str], list[TheoremRow]] = {}
    for row in rows:
        if row.statement == MARGIN:
            continue
        groups.setdefault((row.panel, row.learner), []).append(row)
    table = []
    for group in groups.values():
        met = [row for row in group if row.assumptions_met]
        verdict = (HOLDS if all(row.held for row in met) else FAILS) if met else ""
        worst = max(group, key=lambda row: row.measured / row.bound)
        table.append({"worst": worst, "met": len(met), "runs": len(group), "verdict": verdict})
    return table


def environment() -> dict[str, str]:
    """The versions that the last digits of a number may depend on."""
    versions = {"coactor": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "scipy", "matplotlib", "joblib"):
        versions[package] = version(package)
    # The kernel that multiplies matrices is chosen by the processor.
    kernels = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
    versions["blas"] = ", ".join(f"{lib['internal_api']} {lib.get('architecture', '')}" for lib in kernels)
    versions["system"] = f"{platform.system()} {platform.machine()}"
    return versions


def _described(settings: Settings, results: Sequence[PanelResult]) -> dict[str, str]:
    """The settings, described for the report."""
    choices = settings.choices
    kappas = sorted({result.panel.kappa for result in results})
    words = {
        "panels": ", ".join(settings.panels),
        "learners": ", ".join(settings.learners),
        "runs": f"{settings.runs}; all learners of a run get the same problems and the same expert",
        "examples": ", ".join(map(str, sorted({result.examples for result in results}))) + " per run",
        "seed": str(settings.seed),
        "expert": f"takes the {choices.policy} move that gains at least kappa = "
        + " or ".join(f"{kappa:g}" for kappa in kappas),
        "learners get": f"the expert's {choices.candidate} candidate",
        "ties": f"{choices.ties} index, while all weights are 0",
        "ranking features": f"{choices.discount} discount of positions",
        "intervals": "95 %, over runs, paired: Student's t, widened by Hall's correction for skewness",
    }
    for result in results:
        if result.panel.problems == "synthetic":
            words["ranking data"] = SYNTHETIC
        elif result.panel.data is not None:
            names, queries = (
                ", ".join(Path(path).name for path in settings.data),
                read_queries(result.panel.data),
            )
            words["ranking data"] = f"{names}; each run is a random permutation of the queries"
            if result.examples < len(queries):
                words["ranking data"] += f", cut to {result.examples} of {len(queries)}"
    if settings.runs < DECIDING_RUNS:
        words["size"] = undecided(settings.runs)
    return words

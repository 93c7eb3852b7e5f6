"""The claims with one of the choices that the paper leaves open made otherwise, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coactor.lab.engine import atomic_files
from coactor.lab.engine.contenders import EXPERT, PAPER
from coactor.lab.engine.parallel import Jobs
from coactor.lab.output.rendering import render
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices
from coactor.lab.paper.claims import DECIDING_RUNS, judge, undecided
from coactor.lab.paper.experiment import WHOLE_PAPER, Settings, measure
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.sentences import NEXT_STEPS, SENTENCES

CONTENDERS = (*PAPER, EXPERT, *NEXT_STEPS)
_ROUTES = tuple(name for name, panel in PANELS.items() if panel.problems == "sample")
_MULTI = ("mtsp-clean", "mtsp-noise")
# name -> the choice, and the panels whose numbers it can change. Sorting is exact, so an order that the
# expert prefers is never preferred by the learner: its candidate is the final solution. Without a budget
# the exchanges end in the same order, whichever comes first.
ALTERNATIVES: dict[str, tuple[Choices, Sequence[str]]] = {
    "as reproduced": (DEFAULT_CHOICES, tuple(PANELS)),
    "candidate: disagreement": (Choices(candidate="disagreement"), _ROUTES),
    "policy: best": (Choices(policy="best"), (*_ROUTES, "rank-budget")),
    "ties: random": (Choices(ties="random"), tuple(PANELS)),
    "discount: linear": (Choices(discount="linear"), ("rank-unlimited", "rank-budget")),
    "kappa: 0.3 on multi-TSP": (Choices(kappa=0.3), _MULTI),
    "kappa: 0.5 on multi-TSP": (Choices(kappa=0.5), _MULTI),
}
FILE = "open-choices.md"


def explore_choices(
    out: str | Path = "results", settings: Settings = WHOLE_PAPER, *, jobs: Jobs = None, silent: bool = True
) -> list[dict[str, Any]]:
    """Judge the claims under every alternative, and write a table; returns one row for each claim.

    Parameters
    ----------
    out
        The folder. Finished runs are cached there, so that the same call resumes where it was stopped.
    settings
        The panels, the size and the data; the choices and learners are those of this module.
    jobs, silent
        As in `reproduce`.
    """
    folder = Path(out)
    atomic_files.prepare(folder)
    settings = replace(settings, learners=CONTENDERS)
    costs: dict[str, Any] = {}
    rows: list[dict[str, Any]] = [
        {"number": number, "claim": sentence.text} for number, sentence in enumerate(SENTENCES, start=1)
    ]
    for name, (choices, where) in ALTERNATIVES.items():
        panels = [panel for panel in settings.panels if panel in where]
        if panels:
            changed = replace(settings, panels=panels, choices=choices)
            results = measure(changed, folder=folder, jobs=jobs, silent=silent)
            own = {result.panel.name: result.costs for result in results}
            costs = costs or own  # those of the first alternative, where the choice changes nothing
            for row, claim in zip(rows, judge(SENTENCES, costs | own), strict=True):
                row[name] = claim.verdict
    size = f"{settings.runs} runs of {settings.examples or 'all'} examples"
    if settings.runs < DECIDING_RUNS:
        size += f"; {undecided(settings.runs)}"
    text = render("open-choices.md", rows=rows, columns=list(rows[0])[2:], size=size)
    atomic_files.write(folder / FILE, text)
    return rows

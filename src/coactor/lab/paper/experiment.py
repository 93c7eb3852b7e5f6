"""An experiment: its settings, its units of work, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from coactor.lab.engine.contenders import EXPERT, OURS, PAPER, parse_contenders
from coactor.lab.engine.parallel import Jobs, run_all
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices
from coactor.lab.paper.data.files import read_queries
from coactor.lab.paper.panels import PANELS, Panel, find_panel, use_data
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.runs import Unit, measure_unit, unit_cache
from coactor.lab.paper.sentences import NEXT_STEPS
from coactor.validation import positive

GENERATED = 1000  # examples of a run where the problems have no natural number


@dataclass(frozen=True, slots=True)
class Settings:
    """All that determines the numbers of an experiment, as plain data; `dataclasses.asdict` and JSON keep it.

    Attributes
    ----------
    panels, learners
        Names; by default the paper's eight panels, its four learners, the expert line, our learner, and the
        learners that the paper suggests.
    runs, seed
        The number of runs, and the seed of all random numbers.
    examples
        Of each run. None stands for 1000 generated problems, and for all queries of a data set: "random
        permutations of the original dataset".
    choices
        What the paper leaves open: the candidate, the expert's policy, ties, kappa and the discount.
    data
        LETOR/SVMlight files for the ranking panels; by default a synthetic data set is used.
    """

    panels: Sequence[str] = tuple(PANELS)
    learners: Sequence[str] = (*PAPER, EXPERT, OURS, *NEXT_STEPS)
    runs: int = 10
    examples: int | None = None
    seed: int = 0
    choices: Choices = DEFAULT_CHOICES
    data: Sequence[str | Path] = ()

    def __post_init__(self) -> None:
        for name in ("panels", "learners", "data"):
            given = getattr(self, name)
            given = (given,) if isinstance(given, str) else given
            object.__setattr__(self, name, tuple(map(str, given)))
        for name, least in (("runs", 1), ("examples", 1), ("seed", 0)):
            if (value := getattr(self, name)) is not None:
                positive(value, least, name)
        if not self.panels:
            raise ValueError("No panel is named; give at least one, for example tsp-clean.")
        for name, times in Counter(self.panels).items():
            if times > 1:
                raise ValueError(f"Panel {name!r} is named twice; name it once.")

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Settings:
        """The settings in a manifest. Raises KeyError or TypeError if they are not complete."""
        return cls(**{**plain, "choices": Choices(**plain["choices"])})

    def make_panels(self) -> tuple[Panel, ...]:
        """The panels, with the choices and the data. Raises ValueError if there is no such panel."""
        panels = tuple(self.choices.apply(find_panel(name)) for name in self.panels)
        return use_data(panels, self.data) if self.data else panels


WHOLE_PAPER = Settings()
QUICK = Settings(runs=3, examples=150)
"""Takes seconds and decides nothing."""


def make_units(settings: Settings, theorem: bool = False) -> list[Unit]:
    """All units of work; with `theorem`, the theorems are checked as well.

    Run by run, so that the time left is estimated well and a stopped experiment is balanced. Within a run the
    domains alternate, so that in a new environment two workers compile two domains, not one twice.

    Raises ValueError if a panel has no contender.
    """
    earlier: Counter[str] = Counter()
    turns = []
    contenders = parse_contenders(settings.learners, "panel")
    for panel in settings.make_panels():
        own = tuple(c for c in contenders if c.text != EXPERT or panel.expert_line)
        if not own:
            raise ValueError(f"Panel {panel.name} has no expert line; name a learner as well.")
        examples = settings.examples or GENERATED
        if panel.data is not None:
            queries = len(read_queries(panel.data))
            examples = min(settings.examples or queries, queries)
        turns.append((earlier[panel.domain], Unit(panel, 0, settings.seed, examples, own, theorem)))
        earlier[panel.domain] += 1
    ordered = [unit for _, unit in sorted(turns, key=lambda turn: turn[0])]
    return [replace(unit, run=run) for run in range(settings.runs) for unit in ordered]


def measure(
    settings: Settings,
    *,
    theorem: bool = False,
    folder: Path | None = None,
    jobs: Jobs = None,
    silent: bool = True,
) -> list[PanelResult]:
    """Run all units and collect the results of each panel.

    Parameters
    ----------
    settings, theorem
        As in `make_units`.
    folder
        Where finished units are cached; None caches nothing.
    jobs, silent
        As in `engine.parallel.run_all`.
    """
    units = make_units(settings, theorem)
    data = {unit.panel.data.digest: read_queries(unit.panel.data) for unit in units if unit.panel.data}
    cache = None if folder is None else unit_cache(folder)
    results = run_all(measure_unit, data or None, units, cache=cache, jobs=jobs, silent=silent)
    collected = []
    for panel in settings.make_panels():
        own = [(unit, result) for unit, result in zip(units, results, strict=True) if unit.panel == panel]
        names = [contender.text for contender in own[0][0].contenders]
        costs, utilities = (
            {name: np.stack([getattr(result, kind)[k] for _, result in own]) for k, name in enumerate(names)}
            for kind in ("costs", "utilities")
        )
        rows = [row for _, result in own for row in result.theorem]
        collected.append(PanelResult(panel, costs, utilities, rows))
    return collected

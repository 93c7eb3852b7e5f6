"""An experiment: panels, contenders and sizes; its units of work and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coactor.lab.engine.contenders import EXPERT, OURS, PAPER, Contender, parse_contenders
from coactor.lab.engine.parallel import Jobs, run_all
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices
from coactor.lab.paper.data.files import read_queries
from coactor.lab.paper.panels import PANELS, Panel, find_panel, use_data
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.runs import Unit, UnitResult, measure_unit, unit_cache
from coactor.lab.paper.sentences import NEXT_STEPS

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
    data: Sequence[str] = ()

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Settings:
        """The settings in a manifest. Raises KeyError or TypeError if they are not complete."""
        lists = {name: tuple(plain[name]) for name in ("panels", "learners", "data")}
        return cls(**{**plain, **lists, "choices": Choices(**plain["choices"])})


WHOLE_PAPER = Settings()
QUICK = Settings(runs=3, examples=150)
"""Takes seconds and decides nothing."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What to run. The constructor raises ValueError if it cannot be run.

    Attributes
    ----------
    panels, contenders
        The settings, and what makes the proposals.
    runs, examples, seed
        As in `Settings`.
    theorem
        Whether to check Theorem 1 on the panels without noise.
    """

    panels: tuple[Panel, ...]
    contenders: tuple[Contender, ...]
    runs: int = 10
    examples: int | None = None
    seed: int = 0
    theorem: bool = False

    @classmethod
    def of(cls, settings: Settings, theorem: bool = False) -> Experiment:
        """The experiment with these settings."""
        panels = tuple(settings.choices.apply(find_panel(name)) for name in settings.panels)
        if settings.data:
            panels = use_data(panels, settings.data)
        contenders = parse_contenders(settings.learners, "panel")
        return cls(panels, contenders, settings.runs, settings.examples, settings.seed, theorem)

    def __post_init__(self) -> None:
        for name, value, least in (
            ("runs", self.runs, 1),
            ("examples", 1 if self.examples is None else self.examples, 1),
            ("seed", self.seed, 0),
        ):
            if value < least:
                raise ValueError(f"{name} is {value}; expected a whole number of at least {least}.")
        if not self.panels:
            raise ValueError("No panel is named; give at least one, for example tsp-clean.")
        for panel, times in Counter(self.panels).items():
            if times > 1:
                raise ValueError(f"Panel {panel.name!r} is named twice; name it once.")
        for panel in self.panels:
            if not self._contenders(panel):
                raise ValueError(f"Panel {panel.name} has no expert line; name a learner as well.")

    def _contenders(self, panel: Panel) -> tuple[Contender, ...]:
        return tuple(c for c in self.contenders if c.text != EXPERT or panel.expert_line)

    def _examples(self, panel: Panel) -> int:
        if panel.data is None:
            return self.examples or GENERATED
        queries = len(read_queries(panel.data))
        return min(self.examples or queries, queries)

    def units(self) -> list[Unit]:
        """All units of work.

        Run by run, so that the time left is estimated well and a stopped experiment is balanced. Within a run
        the domains alternate, so that in a new environment two workers compile two domains, not one twice.
        """
        earlier: Counter[str] = Counter()
        turns = []
        for panel in self.panels:
            turns.append((earlier[panel.domain], panel))
            earlier[panel.domain] += 1
        ordered = [panel for _, panel in sorted(turns, key=lambda turn: turn[0])]
        return [
            Unit(panel, run, self.seed, self._examples(panel), self._contenders(panel), self.theorem)
            for run in range(self.runs)
            for panel in ordered
        ]

    def measure(
        self, *, folder: Path | None = None, jobs: Jobs = None, silent: bool = True
    ) -> list[PanelResult]:
        """Run all units and collect the results of each panel.

        Parameters
        ----------
        folder
            Where finished units are cached; None caches nothing.
        jobs, silent
            As in `engine.parallel.run_all`.
        """
        units = self.units()
        data = {panel.data.digest: read_queries(panel.data) for panel in self.panels if panel.data}
        cache = None if folder is None else unit_cache(folder)
        results = run_all(measure_unit, data or None, units, cache=cache, jobs=jobs, silent=silent)
        return [self._collect(panel, units, results) for panel in self.panels]

    def _collect(self, panel: Panel, units: Sequence[Unit], results: Sequence[UnitResult]) -> PanelResult:
        own = [result for unit, result in zip(units, results, strict=True) if unit.panel == panel]
        names = [contender.text for contender in self._contenders(panel)]
        return PanelResult(
            panel,
            {name: np.stack([result.costs[k] for result in own]) for k, name in enumerate(names)},
            {name: np.stack([result.utilities[k] for result in own]) for k, name in enumerate(names)},
            [row for result in own for row in result.theorem],
        )


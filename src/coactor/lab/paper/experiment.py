"""From names to results: which units there are, and what their numbers say together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from coactor.experts import Policy
from coactor.lab.engine import atomic_files
from coactor.lab.engine.contenders import EXPERT, Line
from coactor.lab.engine.parallel import execute
from coactor.lab.paper.panels import DataFile, Panel, with_data
from coactor.lab.paper.results import PanelResult, stack
from coactor.lab.paper.runs import Unit, UnitResult, read_data

_GROUPS = (".query", ".group")  # where LightGBM keeps how many rows each query has


@dataclass(frozen=True, slots=True)
class Experiment:
    """What to run: it checks itself when made.

    Attributes
    ----------
    panels, lines
        Where, and whom.
    runs, examples, seed
        How often, how long, and from which random numbers.
    policy
        Whether the expert takes the first improving operator or the best.
    theorem
        Whether to check Theorem 1 beside the panels without noise.
    """

    panels: tuple[Panel, ...]
    lines: tuple[Line, ...]
    runs: int = 10
    examples: int = 1000
    seed: int = 0
    policy: Policy = "first"
    theorem: bool = False

    def __post_init__(self) -> None:
        for name, least in (("runs", 1), ("examples", 1), ("seed", 0)):
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"{name} is {value}; expected a whole number of at least {least}")
        if self.policy not in get_args(Policy):
            raise ValueError(f"policy is {self.policy!r}; expected first or best")
        if not self.panels:
            raise ValueError("no panel was named; give at least one, for example tsp-clean")
        names = [panel.name for panel in self.panels]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"panel {name!r} is named twice; name it once")
        for panel in self.panels:
            if not self._lines(panel):
                raise ValueError(f"panel {panel.name} has no expert line; name a learner as well")

    def _lines(self, panel: Panel) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.learner != EXPERT or panel.expert_line)

    def _examples(self, panel: Panel) -> int:
        return self.examples if panel.data is None else min(self.examples, len(read_data(panel.data)))

    def units(self) -> list[Unit]:
        """All the work.

        Run by run, so that the time left is well guessed and a stopped run is balanced; within a run domain
        by domain, so that on the first day two workers compile two domains and not the same one twice.
        """
        seen: Counter[str] = Counter()
        turns = []
        for panel in self.panels:
            turns.append((seen[panel.domain], panel))
            seen[panel.domain] += 1
        ordered = [panel for _, panel in sorted(turns, key=lambda turn: turn[0])]
        return [
            Unit(panel, run, self.seed, self._examples(panel), self._lines(panel), self.policy, self.theorem)
            for run in range(self.runs)
            for panel in ordered
        ]

    def measure(
        self, *, folder: Path | None = None, jobs: int = 1, cluster: str | None = None, silent: bool = True
    ) -> list[PanelResult]:
        """Run what is not finished yet, and put each panel's runs together."""
        units = self.units()
        done = execute(units, folder=folder, jobs=jobs, cluster=cluster, silent=silent)
        return [self._gather(panel, units, done) for panel in self.panels]

    def _gather(self, panel: Panel, units: Sequence[Unit], done: Sequence[UnitResult]) -> PanelResult:
        mine = [result for unit, result in zip(units, done, strict=True) if unit.panel == panel]
        names = [line.text for line in self._lines(panel)]
        return PanelResult(
            panel,
            self.seed,
            {name: stack([result.costs[k] for result in mine]) for k, name in enumerate(names)},
            {name: stack([result.utilities[k] for result in mine]) for k, name in enumerate(names)},
            [row for result in mine for row in result.theorem],
            {name: stack([result.chances[k] for result in mine]) for k, name in enumerate(names)},
        )


def use_data(panels: Sequence[Panel], paths: Sequence[str | Path]) -> tuple[Panel, ...]:
    """The same panels, with ranking on these files; they are read now, so that a bad line is told now."""
    for path in paths:
        if not Path(path).is_file():
            raise ValueError(f"there is no data file {path}; give the path of a LETOR/SVMlight file")
    total = hashlib.sha256()
    for path in paths:
        total.update(atomic_files.digest(Path(path)).encode())
        stems = dict.fromkeys((str(path), str(path).removesuffix(".gz")))
        for beside in (f"{stem}{end}" for stem in stems for end in _GROUPS):
            if Path(beside).is_file():
                total.update(atomic_files.digest(Path(beside)).encode())
    data = DataFile(tuple(str(Path(path).resolve()) for path in paths), total.hexdigest())
    queries = read_data(data)
    if not any((query.labels > 0).any() for query in queries):
        raise ValueError(f"{paths[0]}: every label is 0; expected judgements from 0 to 4 in the first column")
    features = int(queries[0].documents.shape[1])
    return tuple(
        with_data(panel, data, features) if panel.problems != "sample" else panel for panel in panels
    )

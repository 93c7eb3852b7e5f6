"""What the runs of a panel measured, as plain arrays, and the statistics drawn from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from coactor.lab.engine.contenders import EXPERT
from coactor.lab.engine.statistics import Interval, Pair, all_pairs, interval, resamples, standard_error
from coactor.lab.paper.panels import Panel
from coactor.lab.paper.theorem import TheoremRow
from coactor.protocol import Indices, Matrix, Vector


@dataclass(frozen=True, slots=True)
class Row:
    """One learner on one panel: what is printed in a table."""

    panel: str
    learner: str
    runs: int
    examples: int
    total: Interval
    standard_error: float
    above_expert: Interval | None
    final_utility: Interval


@dataclass(frozen=True, slots=True, eq=False)
class PanelResult:
    """All runs of one panel.

    Attributes
    ----------
    costs, utilities
        For each line the effort, and the true utility of the expert's final solution; shape (runs, examples).
    theorem
        Runs made to check Theorem 1; empty where it does not apply.
    chances
        How likely each proposal was said to be accepted; NaN where nothing was said.
    """

    panel: Panel
    seed: int
    costs: Mapping[str, Matrix]
    utilities: Mapping[str, Matrix]
    theorem: Sequence[TheoremRow] = field(default_factory=tuple)
    chances: Mapping[str, Matrix] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        return int(next(iter(self.costs.values())).shape[0])

    @property
    def examples(self) -> int:
        return int(next(iter(self.costs.values())).shape[1])

    def totals(self) -> dict[str, Vector]:
        """Total effort of each run, by line."""
        return {line: costs.sum(axis=1) for line, costs in self.costs.items()}

    def drawn(self) -> Indices:
        """The bootstrap samples; the same for every question about this panel."""
        return resamples(self.seed, self.runs, self.panel.name)

    def rows(self) -> list[Row]:
        """The table of this panel, one row a line, in the order the lines were named."""
        drawn, totals = self.drawn(), self.totals()
        expert = totals.get(EXPERT)
        return [
            Row(
                self.panel.name,
                line,
                self.runs,
                self.examples,
                interval(total, drawn),
                standard_error(total),
                None if expert is None or line == EXPERT else interval(total - expert, drawn),
                interval(self.utilities[line].mean(axis=1), drawn),
            )
            for line, total in totals.items()
        ]

    def pairs(self) -> list[Pair]:
        """Every learner against every other; the expert line is a reference, not a rival."""
        return all_pairs({name: t for name, t in self.totals().items() if name != EXPERT}, self.drawn())


def stack(arrays: Sequence[Matrix]) -> Matrix:
    """Runs of one line, one below the other."""
    return np.stack(list(arrays))

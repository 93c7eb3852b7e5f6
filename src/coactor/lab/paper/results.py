"""The measured runs of a panel as plain arrays, and statistics of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coactor.lab.engine.contenders import EXPERT
from coactor.lab.engine.statistics import (
    Interval,
    Pair,
    all_pairs,
    effort_interval,
    interval,
    interval_fields,
)
from coactor.lab.paper.panels import Panel
from coactor.lab.paper.theorem import TheoremRow
from coactor.protocol import Matrix, Vector


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One contender on one panel: a row of summary.csv."""

    panel: str
    learner: str
    runs: int
    examples: int
    total: Interval
    above_expert: Interval | None
    final_utility: Interval

    def fields(self) -> dict[str, Any]:
        """The row as named columns."""
        plain = {"panel": self.panel, "learner": self.learner, "runs": self.runs, "examples": self.examples}
        for name in ("total", "above_expert", "final_utility"):
            plain |= interval_fields(name, getattr(self, name))
        return plain


@dataclass(frozen=True, slots=True, eq=False)
class PanelResult:
    """All runs of one panel: iterate over its rows, or print it.

    Attributes
    ----------
    costs, utilities
        The effort of each contender, and the true utility of the expert's final solution; shape
        (runs, examples).
    theorem
        Runs that check Theorem 1; empty where it does not apply.
    """

    panel: Panel
    costs: Mapping[str, Matrix]
    utilities: Mapping[str, Matrix]
    theorem: Sequence[TheoremRow] = field(default_factory=tuple)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(next(iter(self.costs.values())))

    @property
    def examples(self) -> int:
        """The number of examples of each run."""
        return int(next(iter(self.costs.values())).shape[1])

    def totals(self) -> dict[str, Vector]:
        """Total effort of each run, by contender."""
        return {name: costs.sum(axis=1) for name, costs in self.costs.items()}

    def rows(self) -> list[SummaryRow]:
        """One row per contender, in their order."""
        totals = self.totals()
        expert = totals.get(EXPERT)
        return [
            SummaryRow(
                self.panel.name,
                name,
                self.runs,
                self.examples,
                effort_interval(total),
                None if expert is None or name == EXPERT else interval(total - expert),
                interval(self.utilities[name].mean(axis=1)),
            )
            for name, total in totals.items()
        ]

    def pairs(self) -> list[Pair]:
        """Every contender against every later one, without the expert, which is a reference."""
        return all_pairs({name: t for name, t in self.totals().items() if name != EXPERT})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (row.fields() for row in self.rows())

    def data(self) -> dict[str, Any]:
        """The rows and the pairs as JSON-able data."""
        pairs = [pair.fields() for pair in self.pairs()]
        return {"panel": self.panel.name, "totals": list(self), "pairs": pairs}

    def __str__(self) -> str:
        width = max(7, *(len(name) for name in self.costs))
        lines = [f"{'learner':<{width}}  {'total effort':>12}  {'95 % interval':>17}  {'final utility':>13}"]
        lines += [
            f"{row.learner:<{width}}  {row.total.value:>12.1f}  "
            f"{row.total.low:>7.1f} – {row.total.high:<7.1f}  {row.final_utility.value:>13.2f}"
            for row in self.rows()
        ]
        pairs, wide = self.pairs(), 2 * width + 3
        head = f"{'A against B':<{wide}}  {'A minus B':>12}  {'95 % interval':>17}  {'A wins':>13}"
        lines += ["", head] if pairs else []
        lines += [
            f"{pair.a + ' – ' + pair.b:<{wide}}  {pair.difference.value:>12.1f}  "
            f"{pair.difference.low:>7.1f} – {pair.difference.high:<7.1f}  {pair.wins:>13.0%}"
            for pair in pairs
        ]
        return "\n".join(lines)

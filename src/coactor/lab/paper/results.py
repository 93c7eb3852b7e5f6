"""The measured runs of a panel as plain arrays, and statistics of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coactor import display, frames
from coactor.frames import Backend
from coactor.lab.engine.contenders import EXPERT
from coactor.lab.engine.statistics import all_pairs, effort_interval, flat, interval
from coactor.lab.output import curves
from coactor.lab.paper.panels import Panel
from coactor.lab.paper.theorem import TheoremRow
from coactor.protocol import Matrix, Vector


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

    def rows(self) -> list[dict[str, Any]]:
        """One row per contender, in their order; the numbers are intervals."""
        totals = self.totals()
        expert = totals.get(EXPERT)
        return [
            {
                "panel": self.panel.name,
                "learner": name,
                "runs": self.runs,
                "examples": self.examples,
                "total": effort_interval(total),
                "above_expert": None if expert is None or name == EXPERT else interval(total - expert),
                "final_utility": interval(self.utilities[name].mean(axis=1)),
            }
            for name, total in totals.items()
        ]

    def pairs(self) -> list[dict[str, Any]]:
        """Every contender against every later one, without the expert, which is a reference."""
        return all_pairs({name: t for name, t in self.totals().items() if name != EXPERT})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(flat, self.rows())

    def data(self) -> dict[str, Any]:
        """The rows and the pairs as JSON-able data."""
        return {"panel": self.panel.name, "totals": list(self), "pairs": [*map(flat, self.pairs())]}

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """One row for each contender as a data frame, see `coactor.frames.to_frame`."""
        return frames.to_frame(list(self), backend)

    def plot(self, ax: Any = None) -> Any:
        """Draw the average effort of each contender on axes of matplotlib, and return the axes."""
        axes = frames.axes_of(ax)
        lines = curves.draw(axes, self.costs, curves.styles_of(self.costs), self.panel.title, self.panel.log)
        axes.legend(handles=[*lines.values()], frameon=False)
        return axes

    def __repr__(self) -> str:
        names = ", ".join(self.costs)
        return f"<PanelResult of {self.panel.name}: {self.runs} runs of {self.examples} examples, {names}>"

    def _repr_html_(self) -> str:
        rows = list(self)
        return display.table([*rows[0]], [[*row.values()] for row in rows])

    def __str__(self) -> str:
        width = max(7, *(len(name) for name in self.costs))
        lines = [f"{'learner':<{width}}  {'total effort':>12}  {'95 % interval':>17}  {'final utility':>13}"]
        lines += [
            f"{row['learner']:<{width}}  {row['total']:>12.1f}  "
            f"{row['total_low']:>7.1f} – {row['total_high']:<7.1f}  {row['final_utility']:>13.2f}"
            for row in self
        ]
        pairs, wide = [*map(flat, self.pairs())], 2 * width + 3
        head = f"{'A against B':<{wide}}  {'A minus B':>12}  {'95 % interval':>17}  {'A wins':>13}"
        lines += ["", head] if pairs else []
        lines += [
            f"{pair['a'] + ' – ' + pair['b']:<{wide}}  {pair['difference']:>12.1f}  "
            f"{pair['difference_low']:>7.1f} – {pair['difference_high']:<7.1f}  {pair['a_beats_b']:>13.0%}"
            for pair in pairs
        ]
        return "\n".join(lines)

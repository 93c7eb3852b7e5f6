"""Comparing learners fairly: the same problems, the same expert, and what may be said from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coactor.experts import Policy
from coactor.lab.engine.contenders import parse_lines
from coactor.lab.output.tables import pair_row
from coactor.lab.paper.experiment import Experiment, use_data
from coactor.lab.paper.panels import find_panel
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The rows of a comparison; iterate over it, or print it.

    Attributes
    ----------
    panel
        Where it was made.
    totals
        One row a learner: learner, total (mean over runs of the summed effort), low, high, final_utility.
    pairs
        One row for each two learners: the paired difference, and how often the first one wins.
    costs
        The effort itself, by learner, shape (runs, examples).
    """

    panel: str
    totals: Sequence[Mapping[str, Any]]
    pairs: Sequence[Mapping[str, Any]]
    costs: Mapping[str, Matrix]

    @classmethod
    def of(cls, result: PanelResult) -> Comparison:
        """The statistics of a measured panel."""
        totals = [
            {
                "learner": row.learner,
                "total": row.total.value,
                "low": row.total.low,
                "high": row.total.high,
                "final_utility": row.final_utility.value,
            }
            for row in result.rows()
        ]
        pairs = [pair_row(result.panel.name, pair) for pair in result.pairs()]
        for pair in pairs:
            del pair["panel"]
        return cls(result.panel.name, totals, pairs, result.costs)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.totals)

    def __len__(self) -> int:
        return len(self.totals)

    def data(self) -> dict[str, Any]:
        """Without the arrays, as JSON-able data."""
        return {"panel": self.panel, "totals": list(self.totals), "pairs": list(self.pairs)}

    def __str__(self) -> str:
        width = max(7, *(len(row["learner"]) for row in self.totals))
        lines = [f"{'learner':<{width}}  {'total effort':>12}  {'95 % interval':>17}  {'final utility':>13}"]
        lines += [
            f"{row['learner']:<{width}}  {row['total']:>12.1f}  "
            f"{row['low']:>7.1f} – {row['high']:<7.1f}  {row['final_utility']:>13.2f}"
            for row in self.totals
        ]
        if self.pairs:
            wide = 2 * width + 3
            lines += [
                "",
                f"{'A against B':<{wide}}  {'A minus B':>12}  {'95 % interval':>17}  {'A wins':>13}",
            ]
            lines += [
                f"{pair['a'] + ' – ' + pair['b']:<{wide}}  {pair['difference']:>12.1f}  "
                f"{pair['difference_low']:>7.1f} – {pair['difference_high']:<7.1f}  "
                f"{pair['a_beats_b']:>13.0%}"
                for pair in self.pairs
            ]
        return "\n".join(lines)


def compare(
    learners: Sequence[str],
    panel: str = "tsp-noise",
    *,
    runs: int = 10,
    examples: int = 300,
    seed: int = 0,
    kappa: float | None = None,
    policy: Policy = "first",
    data: Sequence[str | Path] = (),
    jobs: int = 1,
    silent: bool = True,
) -> Comparison:
    """Compare learners on one panel: every run shows all of them the same problems and the same expert.

    Parameters
    ----------
    learners
        Names like "CSPER" or "default", "default+paper" for a learner with the paper's proposals, "expert"
        for the true weights, or "module:Class" of your own, which is called with the number of features.
    panel
        One of the paper's eight, or "module:Class" of your own domain; it needs ``sample(rng, n)``.
    runs, examples, seed
        How often, how long, and from which random numbers.
    kappa, policy
        The expert's threshold and choice; the panel's own by default.
    data
        LETOR/SVMlight files for the ranking panels.
    jobs
        Processes to use; the numbers do not depend on it.

    Examples
    --------
    >>> rows = compare(["PER", "CSPER"], panel="path-clean", runs=2, examples=20)
    >>> [row["learner"] for row in rows]
    ['PER', 'CSPER']
    """
    found = find_panel(panel, kappa=kappa)
    if data:
        if found.problems == "sample":
            raise ValueError(f"panel {panel} makes its own problems; a data file is for the ranking panels")
        (found,) = use_data([found], data)
    experiment = Experiment((found,), parse_lines(list(learners)), runs, examples, seed, policy)
    (result,) = experiment.measure(jobs=jobs, silent=silent)
    return Comparison.of(result)

"""Compare learners on one panel: the same problems, the same expert, paired statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.panels import Panel, find_panel, use_data
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Matrix

EXAMPLES = 300


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The result of `compare`: iterate over its rows, or print it.

    Attributes
    ----------
    panel
        The name of the panel.
    totals
        One row per learner: learner, total (mean over runs of the summed effort), low, high, final_utility.
    pairs
        One row per pair of learners: the paired difference, and how often the first one wins.
    costs
        The effort of each learner, shape (runs, examples).
    """

    panel: str
    totals: Sequence[Mapping[str, Any]]
    pairs: Sequence[Mapping[str, Any]]
    costs: Mapping[str, Matrix]

    @classmethod
    def of(cls, result: PanelResult) -> Comparison:
        """The statistics of one panel."""
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
        return cls(result.panel.name, totals, [pair.fields() for pair in result.pairs()], result.costs)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.totals)

    def __len__(self) -> int:
        return len(self.totals)

    def data(self) -> dict[str, Any]:
        """The rows as JSON-able data, without `costs`."""
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
    examples: int | Literal["all"] | None = None,
    seed: int = 0,
    kappa: float | None = None,
    choices: Choices = DEFAULT_CHOICES,
    data: Sequence[str | Path] = (),
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> Comparison:
    """Compare learners on one panel. In every run all of them get the same problems and the same expert.

    Parameters
    ----------
    learners
        Names such as "CSPER" or "default"; "default+paper" for a learner with the paper's proposals;
        "PER@start" for other initial weights; the baselines "expert" (the true weights) and "alike" (all
        weights 1); or "module:Class" of your own, which is called with the number of features.
    panel
        One of the paper's eight, or "module:Class" of your own domain, which needs ``sample(rng, n)``.
    runs, examples, seed
        The number of runs, the examples of each (by default 300, and "all" queries of a data set), and the
        seed of all random numbers.
    kappa
        The expert's threshold; by default the panel's.
    choices
        What the paper leaves open: the candidate, the expert's policy, ties, kappa and the discount.
    data
        LETOR/SVMlight files for the ranking panels.
    jobs, cluster
        Processes on this machine (by default one per core), or the address of a Dask scheduler. The numbers
        do not depend on it.
    silent
        Show no progress.

    Examples
    --------
    >>> rows = compare(["PER", "CSPER"], panel="path-clean", runs=2, examples=20, jobs=1)
    >>> [row["learner"] for row in rows]
    ['PER', 'CSPER']
    """
    if kappa is not None:
        choices = replace(choices, kappa=((panel, kappa),))
    panels: tuple[Panel, ...] = (choices.apply(find_panel(panel)),)
    if data:
        panels = use_data(panels, data)
    examples = examples or ("all" if data else EXAMPLES)
    experiment = Experiment(panels, parse_contenders(learners, "panel"), runs, examples, seed)
    (result,) = experiment.measure(jobs=jobs, cluster=cluster, silent=silent)
    return Comparison.of(result)

"""Compare learners on one panel: the same problems, the same expert, paired statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coactor.lab.engine.parallel import Jobs
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices
from coactor.lab.paper.experiment import Experiment, Settings
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Matrix

EXAMPLES = 300


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The result of `compare`: iterate over its rows, or print it."""

    result: PanelResult

    @property
    def costs(self) -> Mapping[str, Matrix]:
        """The effort of each learner, shape (runs, examples)."""
        return self.result.costs

    @property
    def totals(self) -> list[dict[str, Any]]:
        """One row per learner: the mean over runs of its summed effort, with an interval; its utility."""
        return [
            {
                "learner": row.learner,
                "total": row.total.value,
                "low": row.total.low,
                "high": row.total.high,
                "final_utility": row.final_utility.value,
            }
            for row in self.result.rows()
        ]

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """One row per pair of learners: the paired difference, and how often the first one wins."""
        return [pair.fields() for pair in self.result.pairs()]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.totals)

    def __len__(self) -> int:
        return len(self.costs)

    def data(self) -> dict[str, Any]:
        """The rows as JSON-able data, without `costs`."""
        return {"panel": self.result.panel.name, "totals": self.totals, "pairs": self.pairs}

    def __str__(self) -> str:
        width = max(7, *(len(name) for name in self.costs))
        lines = [f"{'learner':<{width}}  {'total effort':>12}  {'95 % interval':>17}  {'final utility':>13}"]
        lines += [
            f"{row['learner']:<{width}}  {row['total']:>12.1f}  "
            f"{row['low']:>7.1f} – {row['high']:<7.1f}  {row['final_utility']:>13.2f}"
            for row in self.totals
        ]
        wide = 2 * width + 3
        if self.pairs:
            lines += ["", f"{'A against B':<{wide}}  {'A minus B':>12}  {'95 % interval':>17}  {'A wins':>13}"]
        lines += [
            f"{pair['a'] + ' – ' + pair['b']:<{wide}}  {pair['difference']:>12.1f}  "
            f"{pair['difference_low']:>7.1f} – {pair['difference_high']:<7.1f}  {pair['a_beats_b']:>13.0%}"
            for pair in self.pairs
        ]
        return "\n".join(lines)


def compare(
    learners: Sequence[str],
    panel: str = "tsp-noise",
    *,
    runs: int = 10,
    examples: int | None = None,
    seed: int = 0,
    choices: Choices = DEFAULT_CHOICES,
    data: Sequence[str | Path] = (),
    jobs: Jobs = None,
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
        The number of runs, the examples of each (by default 300, and all queries of a data set), and the seed
        of all random numbers.
    choices
        What the paper leaves open: the candidate, the expert's policy, ties, kappa and the discount.
    data
        LETOR/SVMlight files for the ranking panels.
    jobs
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
    if examples is None and not data:
        examples = EXAMPLES
    paths = [str(path) for path in data]
    experiment = Experiment.of(Settings([panel], learners, runs, examples, seed, choices, paths))
    (result,) = experiment.measure(jobs=jobs, silent=silent)
    return Comparison(result)

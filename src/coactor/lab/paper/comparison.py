"""Compare learners on one panel: the same problems, the same expert, paired statistics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coactor.lab.engine.parallel import Jobs
from coactor.lab.paper.choices import DEFAULT_CHOICES, Choices
from coactor.lab.paper.experiment import Settings, measure
from coactor.lab.paper.results import PanelResult

EXAMPLES = 300


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
) -> PanelResult:
    """Compare learners on one panel. In every run all of them get the same problems and the same expert.

    Iterate over the rows of the result, or print it.

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
    settings = Settings([panel], learners, runs, examples, seed, choices, data)
    (result,) = measure(settings, jobs=jobs, silent=silent)
    return result

"""Whether what was said about acceptance came true: predicted against observed, in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from coactor.lab.engine.statistics import Interval, percentiles, resamples
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Matrix, Vector

EDGES = np.arange(11) / 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Proposals of one line on one panel that were said to be about equally likely to be accepted.

    Attributes
    ----------
    panel, line, low, high
        Whose, and the limits of the bin.
    proposals
        How many there were.
    predicted
        The mean chance that was told beforehand.
    observed
        The share that was accepted untouched, with an interval over runs.
    """

    panel: str
    line: str
    low: float
    high: float
    proposals: int
    predicted: float
    observed: Interval


@dataclass(frozen=True, slots=True)
class Calibration:
    """All proposals of one line on one panel.

    Attributes
    ----------
    predicted, observed
        The mean chance told, and the share accepted.
    gap
        Mean distance between predicted and observed over the bins, by their size; 0 is perfect.
    brier, base
        Mean squared error of the chances, and of always telling the share that was accepted in the end.
    """

    panel: str
    line: str
    proposals: int
    predicted: float
    observed: float
    gap: float
    brier: float
    base: float
    bins: Sequence[Bin]


def calibrations(results: Sequence[PanelResult]) -> list[Calibration]:
    """One for every line that tells chances, panel by panel."""
    return [
        _calibration(result, line, chances)
        for result in results
        for line, chances in result.chances.items()
        if np.isfinite(chances).any()
    ]


def _calibration(result: PanelResult, line: str, chances: Matrix) -> Calibration:
    accepted = (result.costs[line] == 0).astype(np.float64)
    told = np.isfinite(chances)
    bins = _bins(result, line, chances, accepted)
    c, a = chances[told], accepted[told]
    gap = sum(b.proposals * abs(b.predicted - b.observed.value) for b in bins) / c.size
    return Calibration(
        result.panel.name,
        line,
        int(c.size),
        float(c.mean()),
        float(a.mean()),
        float(gap),
        float(((c - a) ** 2).mean()),
        float(a.mean() * (1.0 - a.mean())),
        bins,
    )


def _bins(result: PanelResult, line: str, chances: Matrix, accepted: Matrix) -> list[Bin]:
    drawn = resamples(result.seed, result.runs, result.panel.name, 2000)
    found = []
    for k, (low, high) in enumerate(pairwise(EDGES)):
        last = k == EDGES.size - 2
        inside = (chances >= low) & ((chances <= high) if last else (chances < high))
        if not inside.any():
            continue
        hits: Vector = (inside * accepted).sum(axis=1)
        sizes: Vector = inside.sum(axis=1).astype(np.float64)
        drawn_sizes = sizes[drawn].sum(axis=1)
        shares = hits[drawn].sum(axis=1)[drawn_sizes > 0] / drawn_sizes[drawn_sizes > 0]
        observed = Interval(float(hits.sum() / sizes.sum()), *percentiles(shares))
        found.append(
            Bin(
                result.panel.name,
                line,
                float(low),
                float(high),
                int(sizes.sum()),
                float(chances[inside].mean()),
                observed,
            )
        )
    return found

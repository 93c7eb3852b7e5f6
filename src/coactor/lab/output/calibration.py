"""Calibration of the predicted chance of acceptance: predicted and observed shares in bins."""

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
    """Proposals with a predicted chance in one range.

    Attributes
    ----------
    low, high
        The limits of the range.
    proposals
        The number of proposals.
    predicted
        Their mean predicted chance.
    observed
        The share that was accepted without an edit, with an interval over runs.
    """

    low: float
    high: float
    proposals: int
    predicted: float
    observed: Interval


@dataclass(frozen=True, slots=True)
class Calibration:
    """All proposals of one contender on one panel.

    Attributes
    ----------
    predicted, observed
        The mean predicted chance, and the share that was accepted.
    gap
        The expected calibration error: mean distance between predicted and observed over the bins, weighted
        by their size; 0 is perfect.
    brier, base
        The Brier score of the predictions, and of always predicting the observed share.
    """

    panel: str
    learner: str
    proposals: int
    predicted: float
    observed: float
    gap: float
    brier: float
    base: float
    bins: Sequence[Bin]


def calibrations(results: Sequence[PanelResult]) -> list[Calibration]:
    """One for every contender with predictions, panel by panel."""
    return [
        _calibration(result, name, chances)
        for result in results
        for name, chances in result.chances.items()
        if np.isfinite(chances).any()
    ]


def _calibration(result: PanelResult, name: str, chances: Matrix) -> Calibration:
    accepted = (result.costs[name] == 0).astype(np.float64)
    predicted = np.isfinite(chances)
    bins = _bins(result, chances, accepted)
    c, a = chances[predicted], accepted[predicted]
    gap = sum(b.proposals * abs(b.predicted - b.observed.value) for b in bins) / c.size
    return Calibration(
        result.panel.name,
        name,
        int(c.size),
        float(c.mean()),
        float(a.mean()),
        float(gap),
        float(((c - a) ** 2).mean()),
        float(a.mean() * (1.0 - a.mean())),
        bins,
    )


def _bins(result: PanelResult, chances: Matrix, accepted: Matrix) -> list[Bin]:
    drawn = resamples(result.seed, result.runs, result.panel.name, 2000)
    bins = []
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
        bins.append(Bin(float(low), float(high), int(sizes.sum()), float(chances[inside].mean()), observed))
    return bins

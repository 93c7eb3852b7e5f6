"""Calibration of the predicted chance of acceptance: predicted and observed shares in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coactor.lab.engine.statistics import percentiles, resamples
from coactor.lab.paper.results import PanelResult
from coactor.proposals.calibration import Bin, Mask, bins
from coactor.protocol import Matrix, Vector

EDGES = tuple((np.arange(11) / 10).tolist())


@dataclass(frozen=True, slots=True)
class PanelCalibration:
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


def calibrations(results: Sequence[PanelResult]) -> list[PanelCalibration]:
    """One for every contender with predictions, panel by panel."""
    return [
        _calibration(result, name, chances)
        for result in results
        for name, chances in result.chances.items()
        if np.isfinite(chances).any()
    ]


def _calibration(result: PanelResult, name: str, chances: Matrix) -> PanelCalibration:
    accepted = (result.costs[name] == 0).astype(np.float64)
    predicted = np.isfinite(chances)
    parts = _bins(result, chances, accepted)
    c, a = chances[predicted], accepted[predicted]
    gap = sum(b.proposals * abs(b.predicted - b.observed) for b in parts) / c.size
    return PanelCalibration(
        result.panel.name,
        name,
        int(c.size),
        float(c.mean()),
        float(a.mean()),
        float(gap),
        float(((c - a) ** 2).mean()),
        float(a.mean() * (1.0 - a.mean())),
        parts,
    )


def _bins(result: PanelResult, chances: Matrix, accepted: Matrix) -> list[Bin]:
    drawn = resamples(result.seed, result.runs, result.panel.name)

    def interval(inside: Mask) -> tuple[float, float]:
        """By the bootstrap over runs."""
        hits: Vector = (inside * accepted).sum(axis=1)
        sizes: Vector = inside.sum(axis=1).astype(np.float64)
        drawn_sizes = sizes[drawn].sum(axis=1)
        return percentiles(hits[drawn].sum(axis=1)[drawn_sizes > 0] / drawn_sizes[drawn_sizes > 0])

    return bins(chances, accepted, EDGES, interval)

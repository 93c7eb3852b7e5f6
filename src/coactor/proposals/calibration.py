"""Calibration: the predicted chance of acceptance against the share that was accepted, in bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import EffortRow

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ENOUGH = 20  # finished proposals with a chance before a verdict
SURE = 1.96  # standard deviations

Mask: TypeAlias = NDArray[np.bool_]


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
    observed, least, most
        The share that was accepted unchanged, and its 95 % interval.
    """

    low: float
    high: float
    proposals: int
    predicted: float
    observed: float
    least: float
    most: float


def bins(
    chances: NDArray[Any],
    accepted: NDArray[Any],
    edges: Sequence[float],
    interval: Callable[[Mask], tuple[float, float]],
) -> list[Bin]:
    """The bins that contain proposals, the least likely first.

    Parameters
    ----------
    chances, accepted
        The predicted chance of each proposal (NaN if there is none), and 1 if it was accepted unchanged;
        arrays of one shape.
    edges
        The limits of the bins; the last one includes its upper limit.
    interval
        The 95 % interval of the share accepted among the proposals of a mask.
    """
    result = []
    for low, high in pairwise(edges):
        inside = (chances >= low) & ((chances <= high) if high == edges[-1] else (chances < high))
        if inside.any():
            share = float(accepted[inside].sum() / inside.sum())
            mean = float(chances[inside].mean())
            result.append(Bin(float(low), float(high), int(inside.sum()), mean, share, *interval(inside)))
    return result


@dataclass(frozen=True, slots=True)
class Calibration:
    """All finished proposals of a study that had a predicted chance.

    Attributes
    ----------
    proposals
        The number of proposals.
    predicted, observed
        The mean predicted chance, and the share accepted unchanged; None if there are no proposals.
    verdict
        "silent", "early", "fits", "hopeful" or "careful".
    sentence
        The verdict in words.
    bins
        The bins that contain proposals, the least likely first.
    """

    proposals: int
    predicted: float | None
    observed: float | None
    verdict: str
    sentence: str
    bins: list[Bin]


def calibration(rows: Sequence[EffortRow]) -> Calibration:
    """Predicted against observed over the finished proposals of a study.

    Examples
    --------
    >>> calibration([]).sentence
    'No proposal with a chance is done yet.'
    """
    predicted = [row for row in rows if row.chance is not None]
    if not predicted:
        return Calibration(0, None, None, "silent", "No proposal with a chance is done yet.", [])
    chances = np.array([row.chance for row in predicted], dtype=np.float64)
    accepted = np.array([row.effort == 0 for row in predicted])

    def interval(inside: Mask) -> tuple[float, float]:
        return wilson(float(accepted[inside].mean()), int(inside.sum()))

    return Calibration(
        len(predicted),
        float(chances.mean()),
        float(accepted.mean()),
        *_verdict(chances, int(accepted.sum())),
        bins(chances, accepted, EDGES, interval),
    )


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share that was observed n times."""
    z2 = SURE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = SURE * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def _verdict(chances: NDArray[Any], accepted: int) -> tuple[str, str]:
    """Test against the binomial spread of perfectly calibrated predictions."""
    n, expected = len(chances), float(chances.sum())
    if n < ENOUGH:
        return "early", f"Too early to tell: {n} of at least {ENOUGH} proposals with a chance are done."
    course = f"of {n} proposals about {expected:.0f} were expected to be accepted unchanged, {accepted} were"
    if abs(accepted - expected) <= SURE * sqrt(float((chances * (1.0 - chances)).sum())):
        return "fits", f"The chances fit what happened: {course}."
    if accepted < expected:
        return "hopeful", f"The chances were too hopeful: {course}."
    return "careful", f"The chances were too careful: {course}."

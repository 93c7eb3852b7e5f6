"""Calibration: the predicted chance of acceptance against the share that was accepted, in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import Vector

BINS = 5  # of equal width: a fifth is as fine as a study of a hundred proposals can tell
ENOUGH = 20  # finished proposals with a chance before a verdict: a binomial of fewer is far from normal
SURE = 1.96  # standard deviations of a 95 % interval


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


@dataclass(frozen=True, slots=True)
class Calibration:
    """Finished proposals of a study that had a predicted chance.

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


def calibration(predicted: Sequence[float | None], unchanged: Sequence[bool]) -> Calibration:
    """Predicted against observed over the finished proposals of a study.

    Examples
    --------
    >>> calibration([None], [True]).sentence
    'No proposal with a chance is done yet.'
    """
    chances = np.array(predicted, dtype=np.float64)
    known = ~np.isnan(chances)
    if not known.any():
        return Calibration(0, None, None, "silent", "No proposal with a chance is done yet.", [])
    chances, accepted = chances[known], np.array(unchanged)[known]
    verdict, sentence = _verdict(chances, int(accepted.sum()))
    bins = _bins(chances, accepted)
    return Calibration(len(chances), float(chances.mean()), float(accepted.mean()), verdict, sentence, bins)


def _bins(chances: Vector, accepted: NDArray[np.bool_]) -> list[Bin]:
    """The bins that contain proposals, the least likely first; the last one includes its upper limit."""
    number = np.minimum((chances * BINS).astype(int), BINS - 1)
    bins = []
    for k in sorted(set(number.tolist())):
        inside = number == k
        count, share = int(inside.sum()), float(accepted[inside].mean())
        mean = float(chances[inside].mean())
        bins.append(Bin(k / BINS, (k + 1) / BINS, count, mean, share, *wilson(share, count)))
    return bins


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share that was observed n times."""
    z2 = SURE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = SURE * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def _verdict(chances: Vector, accepted: int) -> tuple[str, str]:
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

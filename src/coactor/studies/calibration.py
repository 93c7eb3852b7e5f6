"""Whether what was said about acceptance came true: predicted against observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from coactor.protocol import EffortRow

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ENOUGH = 20  # finished proposals with a chance before anything is said
SURE = 1.96  # deviations


@dataclass(frozen=True, slots=True)
class Bin:
    """Proposals that were said to be about equally likely to be accepted.

    Attributes
    ----------
    low, high
        The limits of the chances in it.
    proposals
        How many there were.
    predicted
        The mean chance that was told beforehand.
    observed, least, most
        The share that was accepted untouched, and its 95 % interval (Wilson's).
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
    """All finished proposals for which a chance was told.

    Attributes
    ----------
    proposals
        How many.
    predicted, observed
        The mean chance told, and the share accepted untouched; None where there are none.
    verdict
        "silent", "early", "fits", "hopeful" or "careful".
    sentence
        The same in words.
    bins
        Those that hold proposals, the least likely first.
    """

    proposals: int
    predicted: float | None
    observed: float | None
    verdict: str
    sentence: str
    bins: list[Bin]


def calibration(rows: Sequence[EffortRow]) -> Calibration:
    """Predicted against observed over finished proposals.

    Examples
    --------
    >>> calibration([]).sentence
    'No proposal with a chance is done yet.'
    """
    told = [(row.chance, row.effort == 0) for row in rows if row.chance is not None]
    if not told:
        return Calibration(0, None, None, "silent", "No proposal with a chance is done yet.", [])
    n, expected, accepted = len(told), sum(p for p, _ in told), sum(a for _, a in told)
    bins = [
        made
        for low, high in pairwise(EDGES)
        if (made := _bin(low, high, [(p, a) for p, a in told if low <= p < high or p == high == 1.0]))
    ]
    return Calibration(n, expected / n, accepted / n, *_verdict(told, expected, accepted), bins)


def _bin(low: float, high: float, told: list[tuple[float, bool]]) -> Bin | None:
    n = len(told)
    if n == 0:
        return None
    share = sum(a for _, a in told) / n
    least, most = wilson(share, n)
    return Bin(low, high, n, sum(p for p, _ in told) / n, share, least, most)


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share that was observed n times."""
    z2 = SURE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = SURE * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def _verdict(told: list[tuple[float, bool]], expected: float, accepted: int) -> tuple[str, str]:
    """Compared with what chance alone would do if every word had been true."""
    n = len(told)
    if n < ENOUGH:
        return "early", f"Too early to tell: {n} of at least {ENOUGH} proposals with a chance are done."
    far = accepted - expected
    course = f"of {n} proposals {expected:.1f} were expected to be accepted untouched, {accepted} were"
    if abs(far) <= SURE * sqrt(sum(p * (1 - p) for p, _ in told)):
        return "fits", f"The chances fit what happened: {course}."
    if far < 0:
        return "hopeful", f"The chances were too hopeful: {course}."
    return "careful", f"The chances were too careful: {course}."

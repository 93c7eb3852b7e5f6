"""Is there less to correct? A running mean, a band, and a sentence that admits when it is too early."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

WINDOW = 10  # proposals in the running mean
ENOUGH = 12  # proposals before anything is said
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Trend:
    """The course of the effort.

    Attributes
    ----------
    window
        How many proposals the running mean takes in.
    mean, low, high
        After each proposal: the mean of the last ones, and two standard errors to either side.
    change, interval
        Mean of the last third minus mean of the first, with a 95 % bootstrap interval; None while early.
    verdict
        "early", "fell", "rose" or "unclear".
    sentence
        The same in words.
    """

    window: int
    mean: list[float]
    low: list[float]
    high: list[float]
    change: float | None
    interval: tuple[float, float] | None
    verdict: str
    sentence: str


def trend(efforts: list[float]) -> Trend:
    """The course of these efforts, oldest first."""
    values = np.asarray(efforts, dtype=float)
    mean, low, high = [], [], []
    for end in range(1, len(values) + 1):
        seen = values[max(0, end - WINDOW) : end]
        centre = float(seen.mean())
        error = 2 * float(seen.std(ddof=1)) / sqrt(len(seen)) if len(seen) > 1 else 0.0
        mean.append(centre)
        low.append(max(0.0, centre - error))
        high.append(centre + error)
    return Trend(WINDOW, mean, low, high, *_verdict(values))


def _verdict(values: np.ndarray) -> tuple[float | None, tuple[float, float] | None, str, str]:
    n = len(values)
    if n < ENOUGH:
        said = f"Too early to tell: {n} of at least {ENOUGH} proposals are done."
        return None, None, "early", said
    third = n // 3
    first, last = values[:third], values[-third:]
    change = float(last.mean() - first.mean())
    rng = np.random.default_rng([n, third])  # the same numbers give the same sentence
    draws = last[rng.integers(0, third, (RESAMPLES, third))].mean(axis=1)
    draws -= first[rng.integers(0, third, (RESAMPLES, third))].mean(axis=1)
    low, high = (float(q) for q in np.quantile(draws, [0.025, 0.975]))
    course = f"from {first.mean():.1f} edits a proposal (first {third}) to {last.mean():.1f} (last {third})"
    range_ = f"95 % interval of the change {low:+.1f} to {high:+.1f}"
    if high < 0:
        return change, (low, high), "fell", f"There is less to correct: effort fell {course}; {range_}."
    if low > 0:
        return change, (low, high), "rose", f"There is more to correct: effort rose {course}; {range_}."
    return change, (low, high), "unclear", f"No clear change yet: {course}; {range_}."

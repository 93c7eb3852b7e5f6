"""Whether effort falls: a running mean with a band, and a verdict in one sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor.lab.engine.statistics import Interval, difference_of_means
from coactor.protocol import Vector
from coactor.web.routes.wording import EDITS

WINDOW = 10  # proposals in the running mean
ENOUGH = 12  # proposals before there is a verdict
MOST_ROWS = 10_000  # of the curves
LONGEST = 30  # proposals at either end that the verdict compares, at most


@dataclass(frozen=True, slots=True)
class Trend:
    """The course of the effort.

    Attributes
    ----------
    window
        Number of proposals in the running mean.
    mean, low, high
        After each of the last proposals: the running mean, minus and plus two standard errors.
    change, interval
        Mean of the last proposals minus mean of the first ones, with its 95 % bootstrap interval; None if
        there are too few.
    verdict
        "early", "fell", "rose" or "unclear".
    sentence
        The verdict for people.
    """

    window: int
    mean: list[float]
    low: list[float]
    high: list[float]
    change: float | None
    interval: list[float] | None
    verdict: str
    sentence: str


def trend(efforts: list[float]) -> Trend:
    """Return the course of the efforts, oldest first."""
    values = np.asarray(efforts, dtype=float)
    shape = (len(values), WINDOW)
    padded = np.concatenate([np.zeros(WINDOW), values])
    recent = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[1:]
    count = np.minimum(np.arange(1, len(values) + 1), WINDOW)
    present = np.broadcast_to(np.arange(WINDOW), shape) >= WINDOW - count[:, None]
    mean = recent.sum(axis=1) / count
    squares = np.where(present, (recent - mean[:, None]) ** 2, 0.0).sum(axis=1)
    margin = 2 * np.sqrt(squares / np.maximum(count - 1, 1) / count)
    low, high = np.maximum(mean - margin, 0.0), mean + margin
    mean, low, high = (curve[-MOST_ROWS:] for curve in (mean, low, high))
    return Trend(WINDOW, mean.tolist(), low.tolist(), high.tolist(), *_verdict(values))


def end_size(count: int) -> int:
    """The number of proposals at either end that are compared; bounded, so that success dilutes no start."""
    return 0 if count < ENOUGH else min(LONGEST, count // 3)


def change_between(first: Vector, last: Vector) -> Interval:
    """Mean of the last values minus mean of the first ones; equal values give equal intervals."""
    return difference_of_means(last, first, np.random.default_rng([len(first), len(last)]))


def _verdict(values: Vector) -> tuple[float | None, list[float] | None, str, str]:
    """Compare the two ends."""
    n, size = len(values), end_size(len(values))
    if size == 0:
        sentence = f"Too early to tell: {n} of at least {ENOUGH} proposals are done."
        return None, None, "early", sentence
    first, last = values[:size], values[-size:]
    change = change_between(first, last)
    before, after = EDITS.value(float(first.mean())), EDITS.value(float(last.mean()))
    course = f"from {before} edits a proposal (first {size}) to {after} (last {size})"
    range_ = f"95 % interval of the change {EDITS.change(change.low)} to {EDITS.change(change.high)}"
    interval = [change.low, change.high]
    if change.high < 0:
        return change.value, interval, "fell", f"There is less to correct: effort fell {course}; {range_}."
    if change.low > 0:
        return change.value, interval, "rose", f"There is more to correct: effort rose {course}; {range_}."
    return change.value, interval, "unclear", f"No clear change yet: {course}; {range_}."

"""Bootstrap statistics of a few paired runs: means with intervals, differences, and who wins how often.

A bootstrap sample draws whole runs, for all contenders at once. So what the runs of a panel share (the same
problems, the same expert) cancels in a difference.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coactor.protocol import Indices, Matrix, Vector

RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


@dataclass(frozen=True, slots=True)
class Pair:
    """Contender `a` against contender `b` in the same runs.

    Attributes
    ----------
    difference
        Mean of total(a) - total(b); below 0 if `a` needs less effort.
    wins
        Probability that `a` needs less effort than `b` in a run; a tie counts half.
    """

    a: str
    b: str
    difference: Interval
    wins: Interval

    def fields(self) -> dict[str, str | float | None]:
        """The pair as named columns."""
        return {
            "a": self.a,
            "b": self.b,
            **interval_fields("difference", self.difference),
            **interval_fields("a_beats_b", self.wins),
        }


def interval_fields(name: str, interval: Interval | None) -> dict[str, float | None]:
    """An interval as three named columns."""
    if interval is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def resamples(seed: int, runs: int, topic: str, count: int = RESAMPLES) -> Indices:
    """The runs that each bootstrap sample draws, shape (count, runs).

    The random stream is addressed by the topic, so that one more statistic changes no other.
    """
    rng = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return rng.integers(0, runs, size=(count, runs))


def percentiles(samples: Vector) -> tuple[float, float]:
    """The limits of the central 95 % of bootstrap samples."""
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def interval(values: Vector, drawn: Indices) -> Interval:
    """The mean over runs with its interval; `drawn` comes from `resamples`."""
    return Interval(float(values.mean()), *percentiles(values[drawn].mean(axis=1)))


def difference_of_means(a: Vector, b: Vector, rng: np.random.Generator, count: int = 2000) -> Interval:
    """mean(a) - mean(b) of two independent samples, each resampled by itself.

    Examples
    --------
    >>> a, b = np.array([1.0, 2.0, 1.0]), np.array([5.0, 6.0])
    >>> change = difference_of_means(a, b, np.random.default_rng(0))
    >>> round(change.value, 2), change.high < 0
    (-4.17, True)
    """
    draws = a[rng.integers(0, len(a), (count, len(a)))].mean(axis=1)
    draws = draws - b[rng.integers(0, len(b), (count, len(b)))].mean(axis=1)
    return Interval(float(a.mean() - b.mean()), *percentiles(draws))


def standard_error(values: Vector) -> float:
    """The standard error of the mean over runs; NaN for a single run."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def compare_pair(a: str, b: str, totals_a: Vector, totals_b: Vector, drawn: Indices) -> Pair:
    """The paired difference of the totals of two contenders, and how often the first one wins."""
    wins = (totals_a < totals_b) + 0.5 * (totals_a == totals_b)
    return Pair(a, b, interval(totals_a - totals_b, drawn), interval(wins, drawn))


def all_pairs(totals: dict[str, Vector], drawn: Indices) -> list[Pair]:
    """Every contender against every later one."""
    names = list(totals)
    return [
        compare_pair(a, b, totals[a], totals[b], drawn) for i, a in enumerate(names) for b in names[i + 1 :]
    ]


def running_mean(costs: Matrix) -> Matrix:
    """(1/t) sum of the first t costs, along the last axis: the curve of the paper's figure."""
    steps = np.arange(1, costs.shape[-1] + 1)
    return np.cumsum(costs, axis=-1) / steps


def band(curves: Matrix, drawn: Indices) -> tuple[Vector, Vector]:
    """Pointwise 95 % bootstrap band of the mean of `curves`, shape (runs, points)."""
    runs = len(curves)
    counts = np.zeros((len(drawn), runs))
    np.add.at(counts, (np.arange(len(drawn))[:, None], drawn), 1.0)
    means = counts @ curves / runs
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def checkpoints(examples: int, points: int = 160) -> Indices:
    """Indices at which a curve is drawn: dense at the start, sparser later."""
    geometric = np.unique(np.geomspace(1, examples, points).round().astype(np.int64))
    even = np.unique(np.linspace(1, examples, points // 2).round().astype(np.int64))
    return np.union1d(geometric, even) - 1


def best_of(totals: dict[str, Vector], names: Sequence[str]) -> str:
    """The contender with the least mean total."""
    return min(names, key=lambda name: float(totals[name].mean()))

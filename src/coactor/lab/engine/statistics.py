"""Statistics of a few paired runs: means with intervals, differences, and who wins how often.

Differences are taken run by run, so what the contenders of a run share (the same problems, the same expert)
cancels.

The interval of a mean. With 10 runs a percentile bootstrap misses 10 to 20 % of the time, not 5 %. Student's
t is exact for normal values and misses 10 % for exponential ones. Hall's transformation of t (1992) corrects
for skewness, but is narrower than t on one side. Each end here is the outer one of the two. Simulated
coverage (tests/lab/engine/test_statistics.py) is between 93 and 97 % with 10 runs, for normal values and for
skewness up to that of the exponential distribution; 90 % for a log-normal one with sigma 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from coactor.protocol import Indices, Matrix, Vector

RESAMPLES = 2000
LEVEL = 0.95
FEWEST_CASES = 10  # for an interval over cases
_POINTS = 160  # of a curve
_STRAIGHT = 1e-6  # skewness below which Hall's transformation is the identity


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its 95 % interval."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with three columns for each interval; None stands for one that there is not."""
    columns: dict[str, Any] = {}
    for name, value in row.items():
        if value is None or isinstance(value, Interval):
            ends = (None,) * 3 if value is None else (value.value, value.low, value.high)
            columns |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
        else:
            columns[name] = value
    return columns


def percentiles(samples: Vector) -> tuple[float, float]:
    """The limits of the central 95 % of bootstrap samples."""
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def limits(values: Matrix) -> tuple[Vector, Vector]:
    """The ends of the interval of the mean of each column; the mean itself if there is one row only."""
    n, mean = len(values), values.mean(axis=0)
    if n < 2:
        return mean, mean
    t = stdtrit(n - 1, (1 + LEVEL) / 2) / math.sqrt(n)
    deviation = values.std(axis=0, ddof=1)
    skew = _skewness(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        below, above = (
            np.where(abs(skew) < _STRAIGHT, z, (np.cbrt(1 + skew * (z - skew / (6 * n))) - 1) * 3 / skew)
            for z in (-t, t)
        )
    low = mean - deviation * np.maximum(t, above)
    high = mean - deviation * np.minimum(-t, below)
    return low, high


def _skewness(values: Matrix) -> Vector:
    centred = values - values.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    scaled = centred / np.where(deviation > 0, deviation, 1.0)  # first, because a small cube would underflow
    skew: Vector = (scaled**3).mean(axis=0)
    return skew


def interval(values: Vector) -> Interval:
    """The mean over runs with its interval.

    Examples
    --------
    >>> f"{interval(np.array([1.0, 2.0, 3.0, 4.0])):.2f}"
    '2.50 [0.45, 4.55]'
    """
    low, high = limits(values[:, None])
    return Interval(float(values.mean()), float(low[0]), float(high[0]))


def effort_interval(values: Vector) -> Interval:
    """The mean effort over runs with its interval, which does not go below 0.

    Examples
    --------
    >>> f"{effort_interval(np.array([0.0, 0.0, 9.0])):.1f}".partition(",")[0]
    '3.0 [0.0'
    """
    mean = interval(values)
    return Interval(mean.value, max(0.0, mean.low), mean.high)


def p_below_zero(values: Vector) -> float:
    """The p-value of "the mean is at least 0": small if it is surely below.

    It is below 0.025 exactly if all of the 95 % interval is below 0.
    """
    n, mean = len(values), float(values.mean())
    if n < 2:
        return 1.0
    deviation = float(values.std(ddof=1))
    if deviation == 0.0:
        return 0.0 if mean < 0 else 1.0
    t, skew = mean / deviation, float(_skewness(values[:, None])[0])
    corrected = t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / (6 * n)
    return float(stdtr(n - 1, math.sqrt(n) * max(t, corrected)))


def holm(p_values: Sequence[float], level: float) -> list[bool]:
    """Which hypotheses Holm's procedure rejects: the chance of any wrong rejection is at most `level`.

    Examples
    --------
    >>> holm([0.04, 0.001, 0.02], 0.05)
    [True, True, True]
    >>> holm([0.04, 0.001, 0.03], 0.05)
    [False, True, False]
    """
    rejected = [False] * len(p_values)
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[i] > level / (len(p_values) - rank):
            break
        rejected[i] = True
    return rejected


def mean_over_cases(totals: Vector, counts: Vector, rng: np.random.Generator) -> Interval:
    """The sum of totals over the sum of counts, with a percentile bootstrap over their entries.

    There is one entry per case: its total effort in all orders, and the number of orders that have it. With
    too few cases for an interval, its ends are the mean.

    Examples
    --------
    >>> effort = mean_over_cases(np.arange(20.0), np.full(20, 2.0), np.random.default_rng(0))
    >>> effort.low < effort.value == 4.75 < effort.high
    True
    """
    mean = float(totals.sum() / counts.sum())
    if len(totals) < FEWEST_CASES:
        return Interval(mean, mean, mean)
    draws = np.empty(RESAMPLES)
    for k in range(RESAMPLES):  # one at a time: an archive may have thousands of cases
        drawn = rng.integers(0, len(totals), len(totals))
        draws[k] = totals[drawn].sum() / counts[drawn].sum()
    return Interval(mean, *percentiles(draws))


def all_pairs(totals: Mapping[str, Vector]) -> list[dict[str, Any]]:
    """Every contender against every later one in the same runs.

    The difference is below 0 if `a` needs less effort than `b`; in `a_beats_b`, the share of runs in which it
    does, a tie counts half.
    """
    pairs = []
    for (a, one), (b, other) in combinations(totals.items(), 2):
        wins = float(((one < other) + 0.5 * (one == other)).mean())
        pairs.append({"a": a, "b": b, "difference": interval(one - other), "a_beats_b": wins})
    return pairs


def running_mean(costs: Matrix) -> Matrix:
    """(1/t) sum of the first t costs, along the last axis: the curve of the paper's figure."""
    steps = np.arange(1, costs.shape[-1] + 1)
    return np.cumsum(costs, axis=-1) / steps


def checkpoints(examples: int) -> Indices:
    """Indices at which a curve is drawn: dense at the start, sparser later."""
    geometric = np.unique(np.geomspace(1, examples, _POINTS).round().astype(np.int64))
    even = np.unique(np.linspace(1, examples, _POINTS // 2).round().astype(np.int64))
    return np.union1d(geometric, even) - 1

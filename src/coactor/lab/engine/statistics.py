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
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from coactor.proposals.calibration import wilson
from coactor.protocol import Indices, Matrix, Vector

RESAMPLES = 2000
LEVEL = 0.95
_POINTS = 160  # of a curve
_NORMAL_FROM = 1000  # degrees of freedom
_STRAIGHT = 1e-6  # skewness below which Hall's transformation is the identity


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and its 95 % interval."""

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


def resamples(seed: int, runs: int, topic: str) -> Indices:
    """The runs that each bootstrap sample draws, shape (RESAMPLES, runs).

    The random stream is addressed by the topic, so that one more statistic changes no other.
    """
    rng = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return rng.integers(0, runs, size=(RESAMPLES, runs))


def percentiles(samples: Vector) -> tuple[float, float]:
    """The limits of the central 95 % of bootstrap samples."""
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def student_cdf(t: float, freedom: int) -> float:
    """P(T <= t) of Student's distribution with a whole number of degrees of freedom.

    Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite sum.
    """
    if freedom >= _NORMAL_FROM:
        return NormalDist().cdf(t)
    angle = math.atan(t / math.sqrt(freedom))
    cosine, odd = math.cos(angle), freedom % 2
    term = total = cosine if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine**2 * (k - 1) / k
        total += term
    if freedom == 1:
        total = 0.0
    inside = math.sin(angle) * total
    return 0.5 + ((angle + inside) / math.pi if odd else inside / 2)


@lru_cache(maxsize=1024)
def student_quantile(share: float, freedom: int) -> float:
    """The t with P(T <= t) = share, for shares above one half."""
    low, high = 0.0, 1.0
    while student_cdf(high, freedom) < share:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, freedom) < share else (low, middle)
    return high


def limits(values: Matrix) -> tuple[Vector, Vector]:
    """The ends of the interval of the mean of each column; the mean itself if there is one row only."""
    n, mean = len(values), values.mean(axis=0)
    if n < 2:
        return mean, mean
    t = student_quantile((1 + LEVEL) / 2, n - 1) / math.sqrt(n)
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
    return student_cdf(math.sqrt(n) * max(t, corrected), n - 1)


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


def difference_of_means(a: Vector, b: Vector, rng: np.random.Generator) -> Interval:
    """mean(a) - mean(b) of two independent samples, each resampled by itself.

    Examples
    --------
    >>> a, b = np.array([1.0, 2.0, 1.0]), np.array([5.0, 6.0])
    >>> change = difference_of_means(a, b, np.random.default_rng(0))
    >>> round(change.value, 2), change.high < 0
    (-4.17, True)
    """
    draws = a[rng.integers(0, len(a), (RESAMPLES, len(a)))].mean(axis=1)
    draws = draws - b[rng.integers(0, len(b), (RESAMPLES, len(b)))].mean(axis=1)
    return Interval(float(a.mean() - b.mean()), *percentiles(draws))


def ratios(effort: Vector, best: Vector) -> Vector:
    """Effort over the best, run by run; 1 where both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(effort == best, 1.0, effort / best)


def ratio_of_totals(effort: Vector, best: Vector) -> Interval:
    """Total effort over the best total; the interval is that of the residuals (delta method)."""
    ratio = float(ratios(effort.sum(keepdims=True), best.sum(keepdims=True))[0])
    scale = best.mean()
    if scale == 0:
        return Interval(ratio, ratio, ratio)
    residuals = interval((effort - ratio * best) / scale)
    return Interval(ratio, ratio + residuals.low, ratio + residuals.high)


def standard_error(values: Vector) -> float:
    """The standard error of the mean over runs; NaN for a single run."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def compare_pair(a: str, b: str, totals_a: Vector, totals_b: Vector) -> Pair:
    """The paired difference of the totals of two contenders, and how often the first one wins."""
    wins = float(((totals_a < totals_b) + 0.5 * (totals_a == totals_b)).mean())
    return Pair(a, b, interval(totals_a - totals_b), Interval(wins, *wilson(wins, len(totals_a))))


def all_pairs(totals: dict[str, Vector]) -> list[Pair]:
    """Every contender against every later one."""
    names = list(totals)
    return [compare_pair(a, b, totals[a], totals[b]) for i, a in enumerate(names) for b in names[i + 1 :]]


def running_mean(costs: Matrix) -> Matrix:
    """(1/t) sum of the first t costs, along the last axis: the curve of the paper's figure."""
    steps = np.arange(1, costs.shape[-1] + 1)
    return np.cumsum(costs, axis=-1) / steps


def checkpoints(examples: int) -> Indices:
    """Indices at which a curve is drawn: dense at the start, sparser later."""
    geometric = np.unique(np.geomspace(1, examples, _POINTS).round().astype(np.int64))
    even = np.unique(np.linspace(1, examples, _POINTS // 2).round().astype(np.int64))
    return np.union1d(geometric, even) - 1


def best_of(totals: dict[str, Vector], names: Sequence[str]) -> str:
    """The contender with the least mean total."""
    return min(names, key=lambda name: float(totals[name].mean()))

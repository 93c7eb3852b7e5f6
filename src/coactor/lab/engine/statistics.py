"""What may be said from a handful of paired runs: means with intervals, differences, who beats whom.

Everything is a bootstrap over runs. A run is drawn whole, for all learners at once, so what the runs
have in common (the same problems, the same expert) cancels in a difference.
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
    """An estimate and the 95 % bootstrap interval around it."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"


@dataclass(frozen=True, slots=True)
class Pair:
    """How learner `a` fares against learner `b` in the same runs.

    Attributes
    ----------
    difference
        Mean of total(a) - total(b); below 0 when `a` needs less effort.
    wins
        Probability that `a` needs less effort than `b` in a run; a tie counts half.
    """

    a: str
    b: str
    difference: Interval
    wins: Interval


def resamples(seed: int, runs: int, topic: str, count: int = RESAMPLES) -> Indices:
    """Which runs each bootstrap sample draws, shape (count, runs).

    The stream is addressed by the topic, so that one question more changes no other answer.
    """
    rng = np.random.default_rng([seed, zlib.crc32(topic.encode())])
    return rng.integers(0, runs, size=(count, runs))


def percentiles(samples: Vector) -> tuple[float, float]:
    """The ends of the central 95 % of bootstrap samples."""
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def interval(values: Vector, drawn: Indices) -> Interval:
    """The mean over runs, with its interval."""
    return Interval(float(values.mean()), *percentiles(values[drawn].mean(axis=1)))


def standard_error(values: Vector) -> float:
    """Of the mean over runs; nan for a single run."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def compare_pair(a: str, b: str, totals_a: Vector, totals_b: Vector, drawn: Indices) -> Pair:
    """The paired difference of two learners' totals, and how often the first one wins."""
    won = (totals_a < totals_b) + 0.5 * (totals_a == totals_b)
    return Pair(a, b, interval(totals_a - totals_b, drawn), interval(won, drawn))


def all_pairs(totals: dict[str, Vector], drawn: Indices) -> list[Pair]:
    """Every learner against every later one."""
    names = list(totals)
    return [
        compare_pair(a, b, totals[a], totals[b], drawn) for i, a in enumerate(names) for b in names[i + 1 :]
    ]


def running_mean(costs: Matrix) -> Matrix:
    """(1/t) sum of the first t costs, along the last axis: the curve the paper draws."""
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
    """Where to look at a curve: every example at first, then further and further apart."""
    spread = np.unique(np.geomspace(1, examples, points).round().astype(np.int64))
    even = np.unique(np.linspace(1, examples, points // 2).round().astype(np.int64))
    return np.union1d(spread, even) - 1


def best_of(totals: dict[str, Vector], names: Sequence[str]) -> str:
    """The learner with the least mean total."""
    return min(names, key=lambda name: float(totals[name].mean()))

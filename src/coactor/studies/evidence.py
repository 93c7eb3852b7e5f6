"""What finished proposals show about learning, whenever one looks.

Did the edits change? The statistic is the covariance of log(1 + edits), around the person's mean, with what
was learned. Its exact p-value comes from drawing what was learned again:

    With the setting `control`, some proposals are made without what was learned. Which ones was drawn by
    chance, so they are drawn again with the same probabilities. If learning had no effect on any proposal,
    that changes nothing, whatever people and weights do meanwhile.
    Without such proposals, log(1 + version) is permuted among the proposals of each person: by the power law
    of practice (Newell and Rosenbloom 1981) log effort falls linearly in the log of how much was learned. If
    nothing changed, the proposals of a person are exchangeable.

The test is made when 20, 40, 80, ... proposals are finished, the j-th time at level 0.05 / 2^j, so that all
together err in at most 5 % of the studies without an effect.

How much? The difference in each proposal is estimated by inverse propensity, around what the person needed
before: a martingale difference plus the effect. The interval is an asymptotic confidence sequence:
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Time-uniform central limit theory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from coactor.proposals.outcomes import CONTROL
from coactor.protocol import Vector
from coactor.studies.log.facts import Finished

START = 2  # the newest version of the weights with which nearly nothing is learned
LEVEL = 0.05
FIRST_LOOK = 20  # proposals before the first test
ENDS = 160  # proposals at either end that a test draws again, at most
DRAWS = 4999
TYPICAL = 100  # compared proposals for which the interval is the shortest


def change(rows: Sequence[Finished]) -> int:
    """-1 if learning has made the edits fewer, 1 if more, 0 if neither is sure, at whatever moment one looks.

    It errs in at most 5 % of the studies without an effect, for either sign.
    """
    size, level, found = FIRST_LOOK, LEVEL / 2, 0
    while size <= len(rows) and level >= 1 / (1 + DRAWS):  # no p-value is smaller
        fewer, more = p_values(rows[:size])
        found = -1 if fewer <= level else 1 if more <= level else found
        size, level = 2 * size, level / 2
    return found


def p_values(rows: Sequence[Finished]) -> tuple[float, float]:
    """The p-values of "learning has not made the edits fewer" and of "has not made them more"."""
    if len(rows) > 2 * ENDS:
        rows = [*rows[:ENDS], *rows[-ENDS:]]
    names = {name: k for k, name in enumerate(dict.fromkeys(row.actor for row in rows))}
    rows = sorted(rows, key=lambda row: names[row.actor])
    person = np.array([names[row.actor] for row in rows])
    y = np.log1p([row.effort for row in rows])
    y = y - (np.bincount(person, y) / np.bincount(person))[person]
    keys = np.random.default_rng(len(rows)).random((DRAWS, len(rows)))
    shares = [row.control for row in rows]
    if any(shares):
        x = np.array([float(row.proposer != CONTROL) for row in rows])
        drawn = (keys >= shares) @ y
    else:
        x = np.log1p([row.proposed_with for row in rows])
        drawn = x[np.argsort(person + keys, axis=1)] @ y
    observed, margin = float(x @ y), 1e-9 * float(np.abs(y).sum() * x.max())
    fewer, more = np.sum(drawn <= observed + margin), np.sum(drawn >= observed - margin)
    return float(1 + fewer) / (1 + DRAWS), float(1 + more) / (1 + DRAWS)


def differences(rows: Sequence[Finished], values: Sequence[float]) -> Vector:
    """For each proposal an unbiased estimate of what learning saves in it, of a value such as the edits.

    The outcome that was not seen is predicted by the mean of the person, or else of all, so far; the one that
    was seen corrects its prediction, divided by its probability. The first one only predicts.
    """
    sums: dict[tuple[str | None, bool], tuple[float, int]] = {}

    def predicted(person: str, without: bool) -> float:
        for key in ((person, without), (None, without), (person, not without), (None, not without)):
            if key in sums:
                return sums[key][0] / sums[key][1]
        return math.nan  # the first

    estimates = np.empty(len(rows))
    for k, (row, value) in enumerate(zip(rows, values, strict=True)):
        share = row.control
        person, without = row.actor, row.proposer == CONTROL
        both = {arm: predicted(person, arm) for arm in (True, False)}
        residual = (value - both[without]) / (share if without else share - 1.0)
        estimates[k] = both[True] - both[False] + residual
        for key in ((person, without), (None, without)):
            total, count = sums.get(key, (0.0, 0))
            sums[key] = total + value, count + 1
    return estimates[1:]


def confidence_sequence(values: Vector) -> tuple[float, float, float]:
    """The mean of martingale differences around an effect, and its 95 % interval, valid at all times.

    Examples
    --------
    >>> [round(end, 1) for end in confidence_sequence(np.tile([1.0, 3.0], 50))]
    [2.0, 1.7, 2.3]
    """
    n, mean, deviation = len(values), float(values.mean()), float(values.std())
    tail = -2.0 * math.log(LEVEL)
    scaled = n * (tail + math.log(tail + 1.0)) / TYPICAL + 1.0  # n rho^2 + 1
    bound = 2.0 * scaled / (n * (scaled - 1.0)) * (0.5 * math.log(scaled) + 0.5 * tail)
    half = deviation * math.sqrt(bound)
    return mean, mean - half, mean + half

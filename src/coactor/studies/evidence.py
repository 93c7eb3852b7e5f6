"""What finished proposals show about learning, whenever one looks.

Trend. By the power law of practice (Newell and Rosenbloom 1981) log effort falls linearly in the log of how
much was learned. So the statistic is the covariance of log(1 + edits) and log(1 + version), within each
person. If nothing changed, the proposals of a person are exchangeable: permutations give its exact p-value.
The test is made when 10, 20, 40, ... proposals are finished, the j-th one at level 0.05 / (j (j + 1)), so
that all together err in at most 5 % of the studies without a change.

Comparison. With the setting `control`, some proposals are made without what was learned. The difference in
each proposal is estimated by inverse propensity, around what the person needed before: a martingale
difference plus the effect, whatever people and weights do meanwhile. The interval is an asymptotic confidence
sequence: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Time-uniform central limit theory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from coactor.proposals.outcomes import CONTROL
from coactor.protocol import Round, Vector

LEVEL = 0.05
FIRST_LOOK = 10  # proposals before the first test
ENDS = 160  # proposals at either end that a test permutes, at most
DRAWS = 4999
TYPICAL = 100  # compared proposals for which the interval is the shortest


def trend(rows: Sequence[Round], level: float = LEVEL) -> int:
    """-1 if the edits have fallen, 1 if they have risen, 0 if neither is sure, at whatever moment one looks.

    It errs in at most `level` of the studies without a change, for either sign.
    """
    size, look = FIRST_LOOK, 1
    found = 0
    while size <= len(rows):
        fallen, risen = permutation_p_values(rows[:size])
        limit = level / (look * (look + 1))
        found = -1 if fallen <= limit else 1 if risen <= limit else found
        size, look = 2 * size, look + 1
    return found


def permutation_p_values(rows: Sequence[Round]) -> tuple[float, float]:
    """The p-values of "the edits have not fallen" and of "have not risen", as more was learned."""
    if len(rows) > 2 * ENDS:
        rows = [*rows[:ENDS], *rows[-ENDS:]]
    names = {name: k for k, name in enumerate(dict.fromkeys(row.work.actor for row in rows))}
    rows = sorted(rows, key=lambda row: names[row.work.actor])
    person = np.array([names[row.work.actor] for row in rows])
    x = np.log1p([row.basis.version for row in rows])
    y = np.log1p([row.effort for row in rows])
    x = x - (np.bincount(person, x) / np.bincount(person))[person]
    observed, margin = float(x @ y), 1e-9 * float(np.abs(x).sum() * np.abs(y).max(initial=0.0))
    keys = np.random.default_rng(len(rows)).random((DRAWS, len(rows)))
    drawn = y[np.argsort(person + keys, axis=1)] @ x
    fallen, risen = np.sum(drawn <= observed + margin), np.sum(drawn >= observed - margin)
    return float(1 + fallen) / (1 + DRAWS), float(1 + risen) / (1 + DRAWS)


def differences(rows: Sequence[Round], values: Sequence[float]) -> Vector:
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
        share = row.basis.control
        person, without = row.work.actor, row.basis.proposer == CONTROL
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
    tail = -2.0 * math.log(LEVEL / 2)  # half of the level is the trend's
    scaled = n * (tail + math.log(tail + 1.0)) / TYPICAL + 1.0  # n rho^2 + 1
    bound = 2.0 * scaled / (n * (scaled - 1.0)) * (0.5 * math.log(scaled) + 0.5 * tail)
    half = deviation * math.sqrt(bound)
    return mean, mean - half, mean + half

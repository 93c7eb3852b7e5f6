"""What a learner knows about the weights, in words and numbers.

The report, the lesson of a round and the exchange rates use the same two questions: is a weight clear of 0 by
its standard deviation, and is it large beside the largest weight?
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from coactor.protocol import Learner, Round, Vector
from coactor.protocol.abilities import Preferences, has

SURE, LIKELY = 2.0, 1.0  # a weight so many deviations from 0: 95 % and 68 % of a normal distribution
STRONG, LITTLE = 0.5, 0.2  # of the largest weight
NAMED = 2  # features in a lesson, differences of a person, corrections behind a belief: read at a glance


class Known(NamedTuple):
    """The weights of a learner in comparable numbers.

    Attributes
    ----------
    sizes
        The weights in prior standard deviations, as parts of the largest; their own unit without a posterior.
    deviations
        Their standard deviations in the same unit; 0 without a posterior.
    clear
        1 or -1, the sign of the weight, where it is sure and not little; else 0. Without a posterior nothing
        is clear.
    """

    sizes: Vector
    deviations: Vector
    clear: Vector

    @staticmethod
    def of(learner: Learner | Preferences) -> Known:
        """What a learner knows."""
        weights: Vector = np.asarray(learner.weights, dtype=np.float64)
        units, deviations = np.ones(weights.size), np.zeros(weights.size)
        if has(learner, Preferences):
            units, deviations = np.maximum(learner.prior_deviations(), 1e-300), learner.deviations()
        largest = max(float(np.abs(weights / units).max(initial=0.0)), 1e-300)
        sizes, errors = weights / units / largest, deviations / units / largest
        sure = (np.abs(sizes) >= np.maximum(SURE * errors, LITTLE)) & (errors > 0.0)
        return Known(sizes, errors, np.where(sure, np.sign(sizes), 0.0))


def lesson(
    names: Sequence[str],
    signs: Sequence[int],
    before: Known,
    after: Known,
    *,
    learn: bool = True,
    accepted: bool = False,
) -> str:
    """What has become clear, as a sentence; it says nothing that `beliefs` does not say.

    Parameters
    ----------
    names, signs
        Of the features; a sign is -1 for each cost.
    before, after
        What was known before and after.
    learn, accepted
        Whether anything was to be learned, and whether the proposal was accepted unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> before = Known(np.array([1.0, 0.1, 0.3]), np.full(3, 0.2), np.array([1.0, 0.0, 0.0]))
    >>> after = Known(np.array([1.0, 0.1, 0.6]), np.full(3, 0.2), np.array([1.0, 0.0, 1.0]))
    >>> lesson(["distance (km)", "toll", "parks"], [-1, -1, 1], before, after)
    'Learned: parks wanted.'
    """
    start = "Accepted. " if accepted else ""
    if not learn:
        return "Recorded for today only; nothing was learned from it."
    new = np.flatnonzero((after.clear != before.clear) & (after.clear != 0.0))
    largest: list[int] = new[np.argsort(-np.abs(after.sizes[new]), kind="stable")][:NAMED].tolist()
    if not largest:
        return start + ("Nothing new to learn." if accepted else "Learned from it.")
    parts = [f"{without_unit(names[k])} {taste_word(signs[k] * after.clear[k])}" for k in largest]
    return f"{start}Learned: {join_words(parts)}."


def taste_word(taste: float) -> str:
    """What the expert does with a feature: above 0 it is wanted, below 0 avoided."""
    return "wanted" if taste > 0 else "avoided"


@lru_cache(maxsize=4096)
def without_unit(name: str) -> str:
    """The name of a feature without its unit: "distance (km)" is "distance"."""
    return re.sub(r"\s*\([^()]{1,40}\)$", "", name)


def join_words(names: list[str]) -> str:
    """The names with commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True, slots=True)
class Belief:
    """What is known about one feature.

    Attributes
    ----------
    feature
        Its name.
    weight, deviation
        The weight and its standard deviation; None where the learner keeps none.
    taste
        From 1, wanted as much as anything, to -1, avoided as much.
    known
        How much of the prior uncertainty is gone, 0 to 1; None where the learner keeps none.
    words
        All this in words.
    worth
        What it is worth of another feature, as a sentence; empty unless both are clear.
    sure
        The probability that the weight has this sign; None where the learner keeps no deviation.
    behind
        The numbers of the proposals whose correction changed the feature most in that direction.
    """

    feature: str
    weight: float
    deviation: float | None
    taste: float
    known: float | None
    words: str
    worth: str = ""
    sure: float | None = None
    behind: list[int] = field(default_factory=list)


def beliefs(
    names: Sequence[str], signs: Sequence[int], learner: Learner | Preferences, rounds: Sequence[Round] = ()
) -> list[Belief]:
    """What a learner knows about each feature.

    Parameters
    ----------
    names, signs
        Of the features; a sign is -1 for each cost.
    learner
        The learner, or what it knows about one person.
    rounds
        Corrections that it has learned from, with their vectors.

    Examples
    --------
    >>> import numpy as np
    >>> import coactor
    >>> learner = coactor.learners.PER(2)
    >>> learner.weights = np.array([3.0, -1.0])
    >>> for belief in beliefs(["distance", "toll"], [-1, -1], learner):
    ...     print(belief.feature, belief.words)
    distance avoided, strongly
    toll wanted
    """
    known, shares = Known.of(learner), None
    deviations: Vector | None = None
    if has(learner, Preferences):
        deviations, shares = learner.deviations(), learner.known()
    tastes = np.asarray(signs) * known.sizes
    yardstick = _yardstick(known, tastes)
    per_unit = [w / unit_of(name)[1] for w, name in zip(learner.weights.tolist(), names, strict=True)]
    rows = []
    for k, name in enumerate(names):
        w, taste, error = float(learner.weights[k]), float(tastes[k]), float(known.deviations[k])
        deviation = None if deviations is None else float(deviations[k])
        share = None if shares is None else float(shares[k])
        sure = None if deviation is None else NormalDist().cdf(abs(w) / max(deviation, 1e-300))
        worth = ""
        if k != yardstick and yardstick is not None and known.clear[k]:
            rate = abs(per_unit[k] / per_unit[yardstick])
            worth = exchange_rate(name, names[yardstick], rate, avoided=taste < 0)
        behind = _behind(rounds, k, w)
        rows.append(Belief(name, w, deviation, taste, share, _words(taste, error), worth, sure, behind))
    return rows


def _behind(rounds: Sequence[Round], k: int, weight: float) -> list[int]:
    """The proposals whose correction changed a feature most in the direction of its weight."""
    towards = [(float(row.delta[k]) * weight, row.proposal) for row in rounds]
    largest = sorted((row for row in towards if row[0] > 0), key=lambda row: -row[0])
    return [proposal for _, proposal in largest[:NAMED]]


def _words(taste: float, deviation: float) -> str:
    size = abs(taste)
    if size + SURE * deviation < LITTLE:
        return "makes no difference"
    if size == 0.0 or size < LIKELY * deviation:
        return "not known yet"
    probably = "" if size >= SURE * deviation else "probably "
    degree = ", strongly" if size > STRONG else "" if size >= LITTLE else ", a little"
    return f"{probably}{taste_word(taste)}{degree}"


def _yardstick(known: Known, tastes: Vector) -> int | None:
    """What the others are measured with: the first feature if it is clearly avoided, else the strongest."""
    avoided = (known.clear != 0.0) & (tastes < 0.0)
    if not avoided.any():
        return None
    return 0 if avoided[0] else int(np.where(avoided, tastes, 0.0).argmin())


def exchange_rate(name: str, yardstick: str, rate: float, avoided: bool) -> str:
    """What one unit of a feature is worth of another that is avoided, as a sentence.

    Examples
    --------
    >>> exchange_rate("roadworks", "distance (km)", 6.2, avoided=True)
    'To avoid one roadworks, a detour of 6.2 km is fine.'
    >>> exchange_rate("left turns", "distance (km)", 0.5, avoided=True)
    'To avoid one left turn, a detour of 0.5 km is fine.'
    >>> exchange_rate("lift", "price (€)", 48.9, avoided=False)
    'One lift is worth 49 €.'
    >>> exchange_rate("walking (m)", "waiting (min)", 0.0909, avoided=True)
    '11 m of walking count like 1 min of waiting.'
    >>> exchange_rate("shifts without a senior (shifts)", "disliked shifts (points)", 4.06, avoided=True)
    'One shift without a senior counts like 4.1 disliked shifts.'
    >>> exchange_rate("single nights (nights)", "split weekends (weekends)", 1.04, avoided=True)
    'One single night counts like one split weekend.'
    """
    count = 1.0
    if rate < 1.0 and unit_of(name)[0]:  # 11 m of walking, not 0.09 min of waiting
        count, rate = 1.0 / rate, 1.0
    one, unit = _quantity(name, count), unit_of(yardstick)[0]
    if unit and without_unit(yardstick) == "distance":
        detour = f"a detour of {_number(rate)} {unit} is fine."
        return f"To avoid {one}, {detour}" if avoided else f"For {one}, {detour}"
    verb = ["counts like", "count like", "is worth", "are worth"][2 * (not avoided) + (count != 1.0)]
    return f"{one[0].upper()}{one[1:]} {verb} {_quantity(yardstick, rate)}."


def unit_of(name: str) -> tuple[str, float]:
    """The unit of a feature that is measured, and how many of it one counts; no unit for points or times."""
    match = re.search(r"\((?:×([0-9.e+]+) )?([^()]{1,12})\)$", name)
    if match is None or (len(match[2]) > 3 and match[2].isalpha()):
        return "", 1.0
    return match[2], float(match[1] or 1.0)


def _quantity(name: str, value: float) -> str:
    label, (unit, _) = without_unit(name), unit_of(name)
    if unit:
        return f"{_number(value)} {unit}" + f" of {label}" * unit[0].isalpha()  # not of money
    if _number(value) != "1":
        return f"{_number(value)} {label}"
    words = label.split(" ")
    for k, word in enumerate(words):
        if re.search(r"[a-z]{2}[^su]s$", word) and not word.endswith("works"):
            return " ".join(["one", *words[:k], word[:-1], *words[k + 1 :]])
    return f"one {label}"


def _number(value: float) -> str:
    """Two significant digits, or all digits before the point."""
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"

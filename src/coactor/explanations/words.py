"""What a learner believes, in words and numbers.

A share is a weight's part of the absolute sum of all weights: fair where features have similar sizes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from coactor.protocol import Domain, Learner, Vector, feature_names, feature_signs
from coactor.protocol.abilities import Preferences, has

SURE, LIKELY = 2.0, 1.0  # a weight so many deviations from 0: 95 % and 68 % of a normal distribution
NAMED = 3  # features named in a lesson: what one reads at a glance


def lesson(
    names: Sequence[str],
    before: Vector,
    after: Vector,
    units: Vector | None = None,
    *,
    signs: Sequence[int] | None = None,
    learn: bool = True,
    accepted: bool = False,
) -> str:
    """What a round changed, as a sentence that says the direction of each change.

    Parameters
    ----------
    names
        Of the features.
    before, after
        The weights before and after the round.
    units
        The unit in which changes are compared: the prior standard deviations of the weights; 1 by default.
    signs
        1 for each feature that is counted as it is, -1 for each cost; 1 by default.
    learn, accepted
        Whether anything was to be learned, and whether the proposal was accepted unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> before, after = np.array([1.0, 1.0, 0.0]), np.array([2.0, 0.5, 0.8])
    >>> lesson(["distance (km)", "toll", "parks"], before, after, signs=[-1, -1, 1])
    'Now avoids distance more, prefers parks and minds toll less.'
    """
    if not learn:
        return "Recorded for today only; nothing was learned from it."
    size = np.abs(after - before)
    if units is not None:
        size /= units
    least, groups = 0.0, dict[str, list[str]]()
    for _ in range(NAMED):
        k = int(size.argmax())
        largest = size.item(k)
        if largest <= least:
            break
        least = least or 0.1 * largest
        size[k] = 0.0
        sign = 1 if signs is None else signs[k]
        words = _shift(sign * before.item(k), sign * after.item(k))
        groups.setdefault(words, []).append(without_unit(names[k]))
    if not groups:
        return "Accepted as proposed; the weights stay." if accepted else "Recorded; the weights stay."
    parts = [words.format(join_words(some)) for words, some in groups.items()]
    return f"{'Accepted as proposed. ' if accepted else ''}Now {join_words(parts)}."


def _shift(before: float, after: float) -> str:
    """What a changed taste does with a feature: above 0 it is wanted, below 0 avoided."""
    if abs(after) < abs(before) and before * after >= 0:
        return "minds {} less" if before < 0 else "cares less for {}"
    more = " more" if before * after > 0 else ""
    return ("prefers {}" if after > 0 else "avoids {}") + more


@lru_cache(maxsize=4096)
def without_unit(name: str) -> str:
    """The name of a feature without its unit: "distance (km)" is "distance"."""
    return re.sub(r"\s*\([^()]{1,40}\)$", "", name)


def join_words(names: list[str]) -> str:
    """The names with commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True, slots=True)
class Belief:
    """What is believed about one feature.

    Attributes
    ----------
    feature
        Its name.
    weight, deviation
        The weight and its standard deviation; None where the learner keeps none.
    share
        The weight's part of all weights' absolute sum, with its sign.
    known
        How much of the prior uncertainty is gone, 0 to 1; None where the learner keeps none.
    words
        All this in a sentence.
    """

    feature: str
    weight: float
    deviation: float | None
    share: float
    known: float | None
    words: str


def beliefs(domain: Domain, learner: Learner) -> list[Belief]:
    """What the learner believes about each feature, the weightiest first.

    Examples
    --------
    >>> import numpy as np
    >>> import coactor
    >>> domain = coactor.domains.Tour(points=8, features=2, names=["distance", "toll"])
    >>> learner = coactor.learners.PER(2)
    >>> learner.weights = np.array([3.0, -1.0])
    >>> for belief in beliefs(domain, learner):
    ...     print(belief.words)
    avoids distance (75 % of what counts)
    prefers toll (25 % of what counts)
    """
    names, signs = feature_names(domain), feature_signs(domain)
    shares = _shares(learner.weights)
    deviations, known = None, None
    if has(learner, Preferences):
        deviations, known = learner.deviations(), learner.known()
    rows = []
    for k in np.argsort(-np.abs(shares), kind="stable"):
        w = float(learner.weights[k])
        sd = None if deviations is None else float(deviations[k])
        words = _words(names[k], w, sd, float(shares[k]), verb(signs[k], w))
        certainty = None if known is None else float(known[k])
        rows.append(Belief(names[k], w, sd, float(shares[k]), certainty, words))
    return rows


def verb(sign: int, weight: float) -> str:
    """What the expert does with a feature of this sign and weight; phi is minus what a cost counts."""
    return "prefers" if sign * weight > 0 else "avoids"


def _shares(weights: Vector) -> Vector:
    total = float(np.abs(weights).sum())
    return weights / total if total > 0 else np.zeros(weights.size)


def _words(name: str, weight: float, deviation: float | None, share: float, does: str) -> str:
    if weight == 0 or (deviation is not None and abs(weight) < LIKELY * deviation):
        return f"{name}: not known yet"
    hedge = "" if deviation is None or abs(weight) >= SURE * deviation else "probably "
    return f"{hedge}{does} {name} ({100 * abs(share):.0f} % of what counts)"

"""What a learner believes, in words and numbers.

A share is a weight's part of the absolute sum of all weights: fair where features have similar sizes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import Domain, Learner, Matrix, Vector, feature_names, feature_signs
from coactor.protocol.abilities import has_posterior, knows_people

SURE, LIKELY = 2.0, 1.0  # a weight so many deviations from 0
NAMED = 3  # features named in a lesson


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
        groups.setdefault(words, []).append(_without_unit(names[k]))
    if not groups:
        return "Accepted as proposed; the weights stay." if accepted else "Recorded; the weights stay."
    parts = [words.format(_and(some)) for words, some in groups.items()]
    return f"{'Accepted as proposed. ' if accepted else ''}Now {_and(parts)}."


def _shift(before: float, after: float) -> str:
    """What a changed taste does with a feature: above 0 it is wanted, below 0 avoided."""
    if abs(after) < abs(before) and before * after >= 0:
        return "minds {} less" if before < 0 else "cares less for {}"
    more = " more" if before * after > 0 else ""
    return ("prefers {}" if after > 0 else "avoids {}") + more


@lru_cache(maxsize=4096)
def _without_unit(name: str) -> str:
    """The name of a feature without its unit: "distance (km)" is "distance"."""
    return re.sub(r"\s*\([^()]{1,40}\)$", "", name)


def _and(names: list[str]) -> str:
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
    if has_posterior(learner):
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


# -- several people ----------------------------------------------------------------------------------------

CLEAR = 0.03  # the least difference of two shares that is reported
APART = 1.5  # people whose weights differ by more, in standard deviations, do not go together


@dataclass(frozen=True, slots=True)
class PersonView:
    """One person beside the others.

    Attributes
    ----------
    name, group
        Who, and the number of the group they belong to, from 1.
    shares
        Each feature's part of all weights, by its size in prior standard deviations, with its sign.
    words
        How they clearly differ from the others, in sentences.
    """

    name: str
    group: int
    shares: list[float]
    words: list[str]


@dataclass(frozen=True, slots=True)
class PeopleView:
    """What people share and how they differ.

    Attributes
    ----------
    difference
        By how much people differ, in prior standard deviations of a weight; 0 while there is one person.
    features
        The names of the features.
    shared
        What everybody does, in sentences, the weightiest first.
    people
        One row each.
    """

    difference: float
    features: list[str]
    shared: list[str]
    people: list[PersonView]

    @property
    def groups(self) -> list[list[str]]:
        """Who goes together, the largest group first."""
        groups: dict[int, list[str]] = {}
        for one in self.people:
            groups.setdefault(one.group, []).append(one.name)
        return sorted(groups.values(), key=len, reverse=True)


def people(names: Sequence[str], signs: Sequence[int], learner: Learner, hide: bool = False) -> PeopleView:
    """What people share and how they differ.

    Parameters
    ----------
    names, signs
        Of the features.
    learner
        What learned from them; it must keep a posterior of each person's weights, as the default does.
    hide
        Whether to replace the names of people by "person 1", "person 2", ...

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.learners import Population
    >>> from coactor.protocol import Feedback
    >>> learner = Population(2)
    >>> moves = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> for _ in range(20):
    ...     for person, made in (("ana", 2), ("ben", 3)):
    ...         path = np.vstack([np.zeros(2), moves[0], moves[0] + moves[made]])
    ...         learner.update(Feedback(path, 2.0, moves[[1, 5 - made]], person=person))
    >>> view = people(["distance", "toll"], [-1, -1], learner)
    >>> view.shared
    ['Everybody avoids distance.']
    >>> view.people[0].words
    ['ana avoids toll, the others prefer it.']
    >>> view.groups
    [['ana'], ['ben']]
    """
    features = [_without_unit(name) for name in names]
    if not has_posterior(learner) or not knows_people(learner) or not learner.people:
        return PeopleView(0.0, features, [], [])
    views = [learner.person(name) for name in learner.people]
    shown = [f"person {k + 1}" if hide else name or "unnamed" for k, name in enumerate(learner.people)]
    matter = np.array([view.weights / view.prior_deviations() for view in views])
    total = np.maximum(np.abs(matter).sum(axis=1, keepdims=True), 1e-300)
    shares = matter / total
    deviation = np.array([view.deviations() / view.prior_deviations() for view in views]) / total
    agreed = (np.sign(shares) == np.sign(shares[0])).all(axis=0)
    same = agreed & (np.abs(shares) > LIKELY * deviation).all(axis=0)
    mean = shares.mean(axis=0)
    weightiest = [k for k in np.argsort(-np.abs(mean), kind="stable") if same[k] and abs(mean[k]) >= CLEAR]
    shared = [f"Everybody {verb(signs[k], float(mean[k]))} {features[k]}." for k in weightiest]
    groups = _groups(shares, deviation)
    rows = []
    for k, name in enumerate(shown):
        others = np.delete(np.arange(len(shown)), k)
        words = _differences(name, features, signs, shares, deviation, k, others) if others.size else []
        rows.append(PersonView(name, groups[k], shares[k].tolist(), words))
    return PeopleView(learner.difference, features, shared if len(shown) > 1 else [], rows)


def _differences(
    name: str,
    features: Sequence[str],
    signs: Sequence[int],
    shares: Matrix,
    deviation: Matrix,
    k: int,
    others: NDArray[np.intp],
) -> list[str]:
    """How one person clearly differs from the mean of the others, the largest difference first."""
    theirs = shares[others].mean(axis=0)
    away = shares[k] - theirs
    around = np.sqrt((deviation[others] ** 2).mean(axis=0) / others.size)
    clear = (np.abs(away) >= CLEAR) & (np.abs(away) > SURE * np.hypot(deviation[k], around))
    opposite = (np.abs(shares[k]) > SURE * deviation[k]) & (np.abs(theirs) > SURE * around)
    words = []
    for j in [j for j in np.argsort(-np.abs(away), kind="stable") if clear[j]][:NAMED]:
        own, mean = float(shares[k, j]), float(theirs[j])
        does = verb(signs[j], own)
        if own * mean < 0 and opposite[j]:
            words.append(f"{name} {does} {features[j]}, the others {verb(signs[j], mean)[:-1]} it.")
        elif abs(own) > 1.5 * abs(mean):
            ratio = abs(own) / max(abs(mean), 1e-300)
            much = "twice" if 1.75 < ratio < 2.25 else f"{ratio:.1f} times"
            much = f"{much} as much as" if ratio <= 5 else "much more than"
            words.append(f"{name} {does} {features[j]} {much} the others.")
        elif abs(mean) > 1.5 * abs(own):
            words.append(f"{name} {verb(signs[j], mean)} {features[j]} less than the others.")
    return words


def _groups(shares: Matrix, deviation: Matrix) -> list[int]:
    """The group of each person: the nearest groups are joined while they differ by less than `APART`."""
    square = (shares[:, None] - shares[None]) ** 2 / (deviation[:, None] ** 2 + deviation[None] ** 2 + 1e-300)
    apart = np.sqrt(square.mean(axis=2))
    groups = [[k] for k in range(len(shares))]
    while len(groups) > 1:
        mean = np.array([[apart[np.ix_(a, b)].mean() for b in groups] for a in groups])
        np.fill_diagonal(mean, np.inf)
        i, j = sorted(divmod(int(mean.argmin()), len(groups)))
        if mean[i, j] > APART:
            break
        groups[i] += groups.pop(j)
    numbers = {k: number for number, group in enumerate(groups, 1) for k in group}
    return [numbers[k] for k in range(len(shares))]

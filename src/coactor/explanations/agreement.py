"""What people share, how they differ, and who goes together, in words and numbers.

People are compared by shares: a weight's part of the absolute sum of all weights, in prior standard
deviations, because only proportions of weights are comparable between people. With m the weights in these
units and s their shares, the covariance of the shares is J C J', J = (I - s sign(m)') / sum |m|: what is
unknown about the common factor of all weights does not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coactor import display
from coactor.explanations.words import LIKELY, NAMED, SURE, join_words, without_unit
from coactor.protocol import Learner, Matrix, Vector
from coactor.protocol.abilities import KnowsPeople, Preferences, has

CLEAR = 0.03  # the least difference of two shares that is reported: less changes no proposal
LISTED = 8  # names in a sentence, at most: more are counted


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
    together
        Who goes together, in sentences.
    people
        One row each; those who differ most come first.
    reader
        The name in the row of the person who reads this; None if they are not among the people.
    """

    difference: float
    features: list[str]
    shared: list[str]
    together: list[str]
    people: list[PersonView]
    reader: str | None = None

    __repr__ = display.brief("people", "shared", "together")


def compare_people(
    features: Sequence[str], signs: Sequence[int], learner: Learner, hide: bool = False, reader: str = ""
) -> PeopleView:
    """What people share and how they differ. Corrections without a name belong to no person.

    Parameters
    ----------
    features, signs
        The names of the features, and -1 for each cost.
    learner
        What learned from them; it must keep a posterior of each person's weights, as the default does.
    hide
        Whether to replace the names of people by "Person 1", "Person 2", ...
    reader
        The name of the person who reads it.

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
    ...         learner.update(Feedback(path, 2.0, moves[[1, 5 - made]], learned_for=person))
    >>> view = compare_people(["distance", "toll"], [-1, -1], learner)
    >>> view.shared, view.together
    (['Everybody avoids distance.'], ['No two of them want the same.'])
    >>> sorted(one.words[0] for one in view.people)
    ['ana avoids toll, which ben prefers.', 'ben prefers toll, which ana avoids.']
    """
    features = [without_unit(name) for name in features]
    if not has(learner, Preferences) or not has(learner, KnowsPeople):
        return PeopleView(0.0, features, [], [], [])
    names = [name for name in learner.people if name]
    if not names:
        return PeopleView(0.0, features, [], [], [])
    rows = zip(*map(_shares, map(learner.person, names)), strict=True)
    shares, deviations, differing = (np.array(column) for column in rows)
    far = np.round(np.abs(shares - shares.mean(axis=0)).sum(axis=1), 9)
    order = np.lexsort((-shares[:, 0], -far))  # not by their first corrections, which would name them
    shown = [f"Person {k + 1}" if hide else names[i] for k, i in enumerate(order)]
    table = _Table(shown, features, signs, shares[order], deviations[order], differing[order])
    several = len(shown) > 1
    groups = table.groups()
    people = [
        PersonView(name, groups[k], table.shares[k].tolist(), table.differences(k) if several else [])
        for k, name in enumerate(shown)
    ]
    own = next((shown[k] for k, i in enumerate(order) if names[i] == reader), None)
    together = table.together(groups) if several else []
    return PeopleView(learner.difference, features, table.shared() if several else [], together, people, own)


def verb(sign: int, weight: float) -> str:
    """What the expert does with a feature of this sign and weight; phi is minus what a cost counts."""
    return "prefers" if sign * weight > 0 else "avoids"


def _shares(person: Preferences) -> tuple[Vector, Vector, Vector]:
    """The shares of one person, their standard deviations, and those of differences from other people."""
    units = person.prior_deviations()
    matter = person.weights / units
    total = max(float(np.abs(matter).sum()), 1e-300)
    shares = matter / total
    slopes = (np.eye(len(shares)) - np.outer(shares, np.sign(matter))) / total
    rows = slopes / units
    return shares, np.sqrt(person.variances(rows)), np.sqrt(person.variances(rows, around_others=True))


class _Table(NamedTuple):
    """The shares of all people and their standard deviations, alone and as differences: a row for each."""

    names: Sequence[str]
    features: Sequence[str]
    signs: Sequence[int]
    shares: Matrix
    deviations: Matrix
    differing: Matrix

    @property
    def sure(self) -> float:
        """So many standard deviations are a clear difference: the largest of many is large by chance."""
        return math.sqrt(SURE**2 + 2.0 * math.log(len(self.features)))

    def shared(self) -> list[str]:
        """What everybody does."""
        shares, mean = self.shares, self.shares.mean(axis=0)
        same = (np.sign(shares) == np.sign(shares[0])) & (np.abs(shares) > LIKELY * self.deviations)
        weightiest = [k for k in np.argsort(-np.abs(mean), kind="stable") if abs(mean[k]) >= CLEAR]
        return [
            f"Everybody {verb(self.signs[k], float(mean[k]))} {self.features[k]}."
            for k in weightiest
            if same[:, k].all()
        ]

    def differences(self, k: int) -> list[str]:
        """How one person clearly differs from the mean of the others, the largest difference first."""
        others = np.delete(np.arange(len(self.names)), k)
        theirs, deviations = self.shares[others], self.deviations[others]
        mean, error = theirs.mean(axis=0), np.sqrt((self.differing[others] ** 2).mean(axis=0) / others.size)
        away = self.shares[k] - mean
        clear = (np.abs(away) >= CLEAR) & (np.abs(away) > self.sure * np.hypot(self.differing[k], error))
        named = [j for j in np.argsort(-np.abs(away), kind="stable") if clear[j]][:NAMED]
        name, rest = self.names[k], "the others" if others.size > 1 else self.names[others[0]]
        words = []
        for j in named:
            own, usual, feature = float(self.shares[k, j]), float(mean[j]), self.features[j]
            does, do = verb(self.signs[j], own), verb(self.signs[j], usual)
            others_do = do if others.size == 1 else do[:-1]
            certain = np.sign(theirs[:, j][np.abs(theirs[:, j]) > SURE * deviations[:, j]])
            if len(set(certain)) > 1:
                words.append(f"{name} {does} {feature}; the others do not agree about that.")
            elif own * usual <= 0 and abs(own) <= SURE * self.deviations[k, j]:
                words.append(f"{name} does not {do[:-1]} {feature}, which {rest} {others_do}.")
            elif own * usual <= 0 and abs(usual) <= SURE * error[j]:
                words.append(f"{name} {does} {feature} much more than {rest}.")
            elif own * usual < 0:
                words.append(f"{name} {does} {feature}, which {rest} {others_do}.")
            elif abs(own) > 1.5 * abs(usual):
                ratio = abs(own) / abs(usual)
                much = "twice" if 1.75 < ratio < 2.25 else f"{ratio:.1f} times"
                much = f"{much} as much as" if ratio <= 5 else "much more than"
                words.append(f"{name} {does} {feature} {much} {rest}.")
            elif abs(usual) > 1.5 * abs(own):
                words.append(f"{name} {do} {feature} less than {rest}.")
        return words

    def groups(self) -> list[int]:
        """The group of each person.

        Groups are joined while no two people in them clearly differ in a share (complete linkage).
        """
        people = len(self.names)
        distance = np.zeros((people, people))
        for k in range(people):
            away = np.abs(self.shares - self.shares[k])
            error = np.hypot(self.differing, self.differing[k])
            distance[k] = np.where(away >= CLEAR, away / np.maximum(error, 1e-300), 0.0).max(axis=1)
        groups = np.arange(people)
        np.fill_diagonal(distance, np.inf)
        while True:
            i, j = sorted(divmod(int(distance.argmin()), people))
            if not distance[i, j] <= self.sure:  # also if it is not a number
                break
            groups[groups == j] = i
            distance[i] = distance[:, i] = np.maximum(distance[i], distance[j])
            distance[i, i] = distance[j] = distance[:, j] = np.inf
        numbers = {int(first): n for n, first in enumerate(dict.fromkeys(groups.tolist()), 1)}
        return [numbers[int(first)] for first in groups]

    def together(self, groups: list[int]) -> list[str]:
        """Who goes together, in sentences."""
        number = np.array(groups)
        members = [np.flatnonzero(number == n) for n in range(1, number.max() + 1)]
        several = sorted((one for one in members if one.size > 1), key=len, reverse=True)
        if not several:
            return ["No two of them want the same."]
        if several[0].size == number.size:
            return ["No two of them clearly differ so far."]
        names = (self._list([self.names[int(k)] for k in one]) for one in several)
        return [f"{who} do not clearly differ so far." for who in names]

    def _list(self, names: list[str]) -> str:
        """The names with "and"; many are counted."""
        more = [f"{len(names) - LISTED + 1} others"] if len(names) > LISTED else []
        return join_words(names[: LISTED - 1] + more if more else names)

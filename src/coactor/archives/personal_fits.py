"""Conditional logits of the choices of several people, scored on cases that were held back.

The weights of person k are w + v_k. w and v_k are fitted in turn, each with a ridge; a person with few cases,
and the only person, has v_k = 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coactor.archives.replays import fit_choices
from coactor.protocol import Indices, Matrix, Vector

FOLDS = 5
FEWEST_OWN = 5  # cases of a person who has weights of their own
SWEEPS = 3  # over w and all v_k
RIDGE = 1.0

Mask: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]


class PersonalFits:
    """Fits to four fifths of the cases, for each fifth in turn.

    Parameters
    ----------
    rows, owner
        Feature differences of alternatives to what was chosen, and the case of each.
    people
        Whose each case is.
    """

    def __init__(self, rows: Matrix, owner: Indices, people: Sequence[str]) -> None:
        self._rows, self._owner, self._cases = rows, owner, len(people)
        names, counts = np.array(people), Counter(people)
        self._fold = np.empty(len(people), np.int64)
        self._fold[np.argsort(names, kind="stable")] = np.arange(len(people)) % FOLDS  # each person in turn
        self._people: list[Mask] = [
            names == name for name, cases in counts.items() if len(counts) > 1 and cases >= FEWEST_OWN
        ]
        self._starts = [self._fit(rows, self._fold != k, None)[1] for k in range(FOLDS)]

    def all_cases(self) -> tuple[Vector, Vector]:
        """Fitted to all cases: w, and the utility of each row by v_k."""
        return self._fit(self._rows, np.ones(self._cases, bool), None)

    def held_back(self, column: Vector | None = None) -> Vector:
        """The log-likelihood of each case when it was held back; with one more feature, if it is given.

        All people have the same weight of that feature.
        """
        values = np.empty(self._cases)
        rows = self._rows if column is None else np.column_stack([self._rows, column])
        for k, start in enumerate(self._starts):
            weights, own = self._fit(rows, self._fold != k, start)
            utility = np.exp(np.minimum(rows @ weights + own, 50.0))
            total = np.bincount(self._owner, utility, self._cases)
            values[self._fold == k] = -np.log1p(total[self._fold == k])
        return values

    def _fit(self, rows: Matrix, train: Mask, start: Vector | None) -> tuple[Vector, Vector]:
        """w, and the utility of each row by v_k; one sweep from a start, or several from v_k = 0."""
        own = np.zeros(len(rows)) if start is None else start
        weights = self._weights(rows, train, own)
        for _ in range(SWEEPS if start is None else 1) if self._people else ():
            common, own = rows @ weights, np.zeros(len(rows))
            for mine in self._people:
                at = mine[self._owner]
                own[at] = self._rows[at] @ self._weights(self._rows, train & mine, common)
            weights = self._weights(rows, train, own)
        return weights, own

    def _weights(self, rows: Matrix, train: Mask, known: Vector) -> Vector:
        """Fitted to some of the cases, beside what is known about the utility of each row."""
        at = train[self._owner]
        number = np.cumsum(train) - 1  # the cases that are left, counted from 0
        return fit_choices(rows[at], number[self._owner[at]], int(train.sum()), RIDGE, known[at])

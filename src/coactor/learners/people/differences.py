"""How much people differ: the values of t in population.py, their prior, and which one is the likeliest."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from coactor.protocol import Matrix, Vector

GRID: Vector = np.append(10.0 ** np.arange(-5.5, -0.4, 0.5), [0.6, 0.9])  # values of t
LOG_PRIOR: Vector = -0.5 * np.log10(100.0 * GRID) ** 2  # log-normal around 0.01, standard deviation a decade
NEWCOMERS = 2.0  # nats that the first cases of all people count in the choice of t, at most
UNSCORED: Matrix = np.zeros((2, len(GRID)))


def likeliest(scores: Vector) -> int:
    """The index of the t with the largest sum of log probability and log prior."""
    return int(np.argmax(scores + LOG_PRIOR))


def likeliest_of(people: Iterable[Matrix]) -> int:
    """The same from the log probabilities of each person's first case and of their later ones."""
    first, later = np.sum([UNSCORED, *people], axis=0)
    return likeliest(later + np.maximum(first - first.max(), -NEWCOMERS))

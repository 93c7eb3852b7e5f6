"""The true weights of several experts: how much they have in common.

    identical      the same weights
    similar        the same weights, each changed by about 30 %
    groups         two kinds of people
    independent    nothing in common

All are drawn as the paper draws those of one expert, uniform on [0, 1]; similar ones then get log-normal
factors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from coactor.protocol import Vector

Tastes: TypeAlias = Callable[[np.random.Generator, int, int], list[Vector]]
"""From random numbers, the number of people and of weights to the weights of each person."""

DIFFERENCE = 0.3  # of similar people: the standard deviation of the logarithm of a weight


def _identical(rng: np.random.Generator, people: int, size: int) -> list[Vector]:
    return [rng.random(size)] * people


def _similar(rng: np.random.Generator, people: int, size: int) -> list[Vector]:
    shared = rng.random(size)
    return list(shared * np.exp(DIFFERENCE * rng.standard_normal((people, size))))


def _groups(rng: np.random.Generator, people: int, size: int) -> list[Vector]:
    kinds = rng.random((2, size))
    return [kinds[k % 2] for k in range(people)]


def _independent(rng: np.random.Generator, people: int, size: int) -> list[Vector]:
    return list(rng.random((people, size)))


TASTES: Mapping[str, Tastes] = MappingProxyType(
    {"identical": _identical, "similar": _similar, "groups": _groups, "independent": _independent}
)

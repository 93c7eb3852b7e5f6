"""Equality, keys and JSON of solutions, whatever they are made of."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pytest

from coactor import check_domain
from coactor.checks import CheckError
from coactor.protocol import Move, Vector
from coactor.solutions import leaves, same_solution, solution_key
from tests.cases import Coins


@dataclass(frozen=True, eq=False)
class Route:
    """As the solutions of the road domain: a dataclass with arrays."""

    links: Any
    vias: tuple[int, ...] = ()
    cache: Any = field(default=None, compare=False)


@dataclass
class Comparable:
    links: Any


class Plain:
    """A class without == and repr."""

    def __init__(self, a: Any) -> None:
        self.a = a


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: Any) -> None:
        self.a = a


class Modulo:
    """A class with its own ==."""

    def __init__(self, a: int) -> None:
        self.a = a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Modulo) and (self.a - other.a) % 10 == 0

    __hash__ = None  # type: ignore[assignment]


LONG = np.arange(5000.0)
SOLUTIONS = [
    np.arange(3),
    LONG,
    (np.arange(3), [1, "x"]),
    {"b": 1, "a": np.arange(2)},
    {1, 2, 300},
    frozenset({"a", "b"}),
    Route(LONG),
    Comparable(np.arange(4)),
    Comparable(np.array([])),
    Plain({"x": [1, 2]}),
    Slotted(np.arange(3)),
    date(2026, 11, 16),
    None,
    3,
    "abc",
]


@pytest.mark.parametrize("y", SOLUTIONS, ids=lambda y: type(y).__name__)
def test_a_solution_equals_its_deep_copy_and_shares_its_key(y: Any) -> None:
    z = copy.deepcopy(y)
    assert same_solution(y, z)
    assert solution_key(y) == solution_key(z)
    assert list(leaves(y)) == list(leaves(z)) or isinstance(y, Slotted | Plain)


def test_different_solutions_are_not_equal_and_have_different_keys() -> None:
    for i, y in enumerate(SOLUTIONS):
        for z in SOLUTIONS[:i]:
            assert not same_solution(y, z)
            assert solution_key(y) != solution_key(z)


def test_long_arrays_are_compared_by_every_element() -> None:
    other = LONG.copy()
    other[2500] += 1e-9
    assert not same_solution(Route(LONG), Route(other))
    assert solution_key(Route(LONG)) != solution_key(Route(other))


def test_sets_and_dicts_are_compared_independent_of_order() -> None:
    one, two = {"a": {1, 1000}, "b": 2}, {"b": 2, "a": {1000, 1}}
    assert same_solution(one, two)
    assert solution_key(one) == solution_key(two)
    assert list(leaves(one)) == list(leaves(two))


def test_own_equality_is_used_first() -> None:
    assert same_solution(Modulo(3), Modulo(13))
    assert not same_solution(Modulo(3), Modulo(4))


def test_fields_that_are_not_compared_are_ignored() -> None:
    assert same_solution(Route((1,), cache=1), Route((1,), cache=2))
    assert solution_key(Route((1,), cache=1)) == solution_key(Route((1,), cache=2))


def test_arrays_lists_and_tuples() -> None:
    a = np.arange(3)
    assert same_solution(a, np.arange(3, dtype=np.int32))
    assert solution_key(a) == solution_key(np.arange(3, dtype=np.int32))
    assert same_solution((1, 2), [1, 2])
    assert not same_solution(a, [0, 1, 2])
    assert not same_solution((a,), (a, a))
    assert not same_solution(a, a[::-1])
    assert not same_solution({"route": 1}, {"route": 2})
    assert not same_solution(np.zeros((2, 3)), np.zeros((3, 2)))


def test_key_of_an_object_without_attributes_raises() -> None:
    with pytest.raises(TypeError, match="contains a object, which has no attributes"):
        solution_key([object()])


COINS = [[[1.0, 0.0], [-1.0, 2.0], [0.5, 0.5]]]


class Stored(Coins):
    """Coins whose solution is made by `form`, and read by its inverse."""

    def __init__(self, form: Any, back: Any) -> None:
        self.form, self.back = form, back

    def features(self, x: Any, y: Any) -> Vector:
        return super().features(x, self.back(y))

    def solve(self, x: Any, w: Vector) -> Any:
        return self.form(super().solve(x, w))

    def moves(self, x: Any, y: Any) -> list[Move]:
        return super().moves(x, self.back(y))

    def apply(self, x: Any, y: Any, move: Move) -> Any:
        return self.form(super().apply(x, self.back(y), move))


@dataclass
class Row:
    coins: list[int]


class Pair(NamedTuple):
    coins: tuple[int, ...]
    count: int


@pytest.mark.parametrize(
    ("form", "back", "sentence"),
    [
        (
            lambda y: dict(enumerate(y)),
            lambda y: tuple(y[k] for k in range(len(y))),
            "The solution on problem 0 has keys that are not text; after storing, 0 is '0'. "
            "Use a list, or give the JSON methods.",
        ),
        (
            lambda y: Row(list(y)),
            lambda y: tuple(y.coins),
            "The solution on problem 0 contains Row(), of type Row, which cannot be stored as JSON. "
            "Use numbers, text, lists and dictionaries, or give the JSON methods.",
        ),
        (
            lambda y: Pair(y, len(y)),
            lambda y: y.coins,
            "After storing, features returns AttributeError ('tuple' object has no attribute 'coins') on "
            "problem 0; give the JSON methods.",
        ),
        (
            lambda y: [*y, float("nan")],
            lambda y: tuple(y[:-1]),
            "The solution on problem 0 contains NaN or infinity, which JSON cannot hold. "
            "Give the JSON methods.",
        ),
    ],
)
def test_solutions_that_change_in_a_store_are_named(form: Any, back: Any, sentence: str) -> None:
    with pytest.raises(CheckError) as found:
        check_domain(Stored(form, back), COINS, locally_optimal=False)
    assert re.sub(r"\(coins=.*?\)", "()", str(found.value)) == sentence

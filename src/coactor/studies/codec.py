"""Problems, solutions and moves as JSON-able data, for any domain; and checks of data from outside.

A domain with its own encoding (`Codes`) is asked; for others, plain data and arrays are written as they are.
Needs numpy only, so that the client can use it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from coactor.corrections import report_of
from coactor.habits import HabitualDomain, plain
from coactor.protocol import Codes, Correction, Domain, Move, Problem, Samples, Solution, has
from coactor.search import check_solution
from coactor.solutions import from_plain, in_form_of, short, to_plain
from coactor.studies.errors import Invalid

T = TypeVar("T")
_JSON = (list, dict, str, int, float, bool, type(None))


@contextmanager
def as_invalid(sentence: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise `Invalid`, which says what is wrong, in place of a ValueError and of other exceptions."""
    translated: tuple[type[Exception], ...] = (ValueError, *kinds)
    try:
        yield
    except Invalid:
        raise
    except translated as error:
        raise Invalid(f"{sentence}: {error}") from error


class Codec:
    """Encodes a domain's problems and solutions, and decodes and validates what comes from outside.

    Decoding raises Invalid if the domain rejects the data with a ValueError. Every other exception is a bug
    in the domain and passes.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        own = domain.domain if isinstance(domain, HabitualDomain) else domain
        self._codes = own if has(own, Codes) else None

    def plain_problem(self, x: Problem) -> Any:
        """The problem as JSON-able data, without what was recalled for it.

        Raises Invalid if the domain has no JSON methods and the problem would not come back as it is.
        """
        with as_invalid(
            f"{short(x)} is not a problem of {type(self.domain).__name__}", AttributeError, TypeError
        ):
            return self._codes.encode_problem(plain(x)) if self._codes else _stored("problem", plain(x))

    @property
    def needs_example(self) -> bool:
        """Whether lists in natural JSON may stand for arrays or tuples, which only an example can tell."""
        return self._codes is None

    def sampled(self) -> Problem | None:
        """An example, if one is needed and the domain samples problems; else None."""
        if not self.needs_example or not has(self.domain, Samples):
            return None
        return next(iter(self.domain.sample(np.random.default_rng(0), 1)))

    def problem(self, data: Any, example: Any = None) -> Problem:
        """A problem from JSON-able data. Raises Invalid if it is not one.

        An `example` says where lists are arrays or tuples, if the domain has no JSON methods.
        """
        with as_invalid("The problem is invalid"):
            return self._codes.decode_problem(data) if self._codes else _read(example, data)

    def plain_solution(self, y: Solution) -> Any:
        """The solution as JSON-able data. Raises Invalid as `plain_problem` does."""
        return self._codes.encode_solution(y) if self._codes else _stored("solution", y)

    def solution(self, x: Problem, data: Any, example: Any = None) -> Solution:
        """A solution of x from JSON-able data, as `problem`. Raises Invalid if it is not one."""
        with as_invalid("The solution is invalid"):
            y = self._codes.decode_solution(plain(x), data) if self._codes else _read(example, data)
            check_solution(self.domain, x, y)
        return y

    def moves(self, x: Problem, moves: Iterable[Move], example: Any = None) -> list[Move]:
        """Moves with the solution of each re-plan as an object of the domain."""
        return [
            {**move, "to": self.solution(x, self.plain(move["to"]), example)} if "to" in move else move
            for move in moves
        ]

    def plain_moves(self, moves: Iterable[Move]) -> list[Move]:
        """Moves with the solution of each re-plan as JSON-able data."""
        return [{**move, "to": self.plain(move["to"])} if "to" in move else move for move in moves]

    def report(self, correction: Correction) -> dict[str, Any]:
        """A correction as JSON-able data: the arguments of a tell, and the path."""
        path = [self.plain(z) for z in correction.path]
        moves = self.plain_moves(correction.moves)
        return {**report_of(replace(correction, path=path, moves=moves)), "path": path}

    def plain(self, y: Any) -> Any:
        """A solution as JSON-able data, where it is an object of the domain."""
        return y if isinstance(y, _JSON) else self.plain_solution(y)


def _read(example: Any, data: Any) -> Any:
    return from_plain(data) if example is None else in_form_of(example, from_plain(data))


def _stored(what: str, data: Any) -> Any:
    try:
        return to_plain(data)
    except ValueError as error:
        raise Invalid(f"The {what} {error}") from error


# -- dataclasses as JSON-able data -------------------------------------------------------------------


def to_object(value: Any, without: Mapping[type, Collection[str]]) -> Any:
    """A dataclass, and those in its fields, as JSON-able data, without some fields of some classes."""
    kind: Any = type(value)
    names = _field_names(kind)
    if not names:
        return value
    omitted = without.get(kind, ())
    return {name: to_object(getattr(value, name), without) for name in names if name not in omitted}


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def read(kind: Callable[..., T], data: Any) -> T:
    """A value of a type, such as a dataclass or a list of them, from JSON-able data.

    Raises ValueError or TypeError if the data is not of that type.
    """
    value: T = _reader(kind)(data)
    return value


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda data: data
    if is_dataclass(kind) or is_typeddict(kind):
        return _reader_of_fields(kind)
    if origin in (Union, UnionType):
        return _reader_of_one(parts)
    if origin is np.ndarray:
        return lambda data: np.array(data, dtype=np.float64)
    if origin in (dict, Mapping):
        read_one = _reader(parts[1])
        return lambda data: {name: read_one(value) for name, value in _checked(data, dict).items()}
    if origin in (list, Sequence):
        read_one = _reader(parts[0])
        return lambda data: [read_one(item) for item in _checked(data, list)]
    if origin is tuple:
        read_one = _reader(parts[0])
        return lambda data: tuple(read_one(item) for item in _checked(data, list))
    return lambda data: _checked(data, kind)


def _reader_of_fields(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else list(hints)
    readers = {name: _reader(hints[name]) for name in names}
    required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())

    def read_fields(data: Any) -> Any:
        if not required <= _checked(data, dict).keys() <= readers.keys():
            raise ValueError(f"{short(data)} has other fields than {', '.join(readers)}.")
        return kind(**{name: readers[name](value) for name, value in data.items()})

    return read_fields


def _reader_of_one(kinds: Sequence[Any]) -> Callable[[Any], Any]:
    readers = [_reader(kind) for kind in kinds]

    def read_first(data: Any) -> Any:
        if data is None and NoneType in kinds:
            return None
        for read_one in readers[:-1]:
            try:
                return read_one(data)
            except (ValueError, TypeError):
                continue
        return readers[-1](data)

    return read_first


def _checked(data: Any, kind: type) -> Any:
    right = type(data) is kind
    if kind is float:
        right = type(data) in (int, float) and math.isfinite(data)
    if not right:
        raise ValueError(f"{short(data)} is not of type {kind.__name__}.")
    return data

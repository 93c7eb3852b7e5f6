"""Problems, solutions and moves as JSON-able data, for any domain; and checks of data from outside.

A domain with its own encoding (`Codes`) is asked; for others, plain data and arrays are written as they are.
Needs numpy only, so that the client can use it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coactor.habits import HabitualDomain, plain
from coactor.protocol import Codes, Domain, Problem, Solution, has
from coactor.search import check_solution
from coactor.solutions import from_plain, in_form_of, short, to_plain
from coactor.studies.errors import Invalid

_JSON = (list, dict, str, int, float, bool, type(None))


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
        return self._codes.encode_problem(plain(x)) if self._codes else _stored("problem", plain(x))

    @property
    def needs_example(self) -> bool:
        """Whether lists in natural JSON may stand for arrays or tuples, which only an example can tell."""
        return self._codes is None

    def problem(self, data: Any, example: Any = None) -> Problem:
        """A problem from JSON-able data. Raises Invalid if it is not one.

        An `example` says where lists are arrays or tuples, if the domain has no JSON methods.
        """
        try:
            return self._codes.decode_problem(data) if self._codes else _read(example, data)
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid(f"The problem is invalid: {error}") from error

    def plain_solution(self, y: Solution) -> Any:
        """The solution as JSON-able data. Raises Invalid as `plain_problem` does."""
        return self._codes.encode_solution(y) if self._codes else _stored("solution", y)

    def solution(self, x: Problem, data: Any, example: Any = None) -> Solution:
        """A solution of x from JSON-able data, as `problem`. Raises Invalid if it is not one."""
        try:
            y = self._codes.decode_solution(plain(x), data) if self._codes else _read(example, data)
            check_solution(self.domain, x, y)
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid(f"The solution is invalid: {error}") from error
        return y

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


def number(value: Any, what: str, most: float = 1e12) -> float:
    """The value as a float. Raises Invalid unless it is a number from 0 to `most`."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not 0 <= value <= most:
        raise Invalid(f"The {what} must be a number from 0 to {most:g}; found {short(value)}.")
    return float(value)

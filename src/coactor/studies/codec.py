"""Problems, solutions and moves as JSON-able data, for any domain; and checks of data from outside.

A domain with its own encoding (`Codes`) is asked; for others, plain data and arrays are written as they are.
Needs numpy only, so that the client can use it.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from coactor.memory import HabitualDomain, plain
from coactor.protocol import Codes, Domain, Problem, Solution
from coactor.search import check_solution
from coactor.studies.errors import Invalid

STUDY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_JSON = (list, dict, str, int, float, bool, type(None))


def to_plain(data: Any) -> Any:
    """Lists, tuples, dicts, arrays and numbers as JSON-able data that `from_plain` reads back."""
    if isinstance(data, np.ndarray):
        return {"array": data.tolist(), "dtype": data.dtype.str}
    if isinstance(data, np.generic):
        return data.item()
    if isinstance(data, tuple):
        return {"tuple": [to_plain(item) for item in data]}
    if isinstance(data, list):
        return [to_plain(item) for item in data]
    if isinstance(data, dict):
        return {str(name): to_plain(value) for name, value in data.items()}
    return data


def from_plain(data: Any) -> Any:
    """What `to_plain` was given. Raises Invalid if an array or a tuple cannot be read."""
    if isinstance(data, list):
        return [from_plain(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {"array", "dtype"}:
        return _array(data["array"], data["dtype"])
    if data.keys() == {"tuple"}:
        if not isinstance(data["tuple"], list):
            raise Invalid(f"A tuple must be a list in JSON; found {short(data['tuple'])}.")
        return tuple(from_plain(item) for item in data["tuple"])
    return {name: from_plain(value) for name, value in data.items()}


def _array(values: Any, name: Any) -> Any:
    try:
        dtype = np.dtype(name)
        if dtype.kind in "biuf":
            return np.array(values, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise Invalid(f"An array of type {short(name)} cannot be read: {error}") from error
    raise Invalid(f"Arrays of type {short(name)} are not supported; use numbers.")


class Codec:
    """Encodes a domain's problems and solutions, and decodes and validates what comes from outside.

    Decoding raises Invalid if the domain rejects the data with a ValueError. Every other exception is a bug
    in the domain and passes.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        own = domain.domain if isinstance(domain, HabitualDomain) else domain
        self._codes = own if isinstance(own, Codes) else None

    def plain_problem(self, x: Problem) -> Any:
        """The problem as JSON-able data, without what was recalled for it."""
        return self._codes.encode_problem(plain(x)) if self._codes else to_plain(plain(x))

    def problem(self, data: Any) -> Problem:
        """A problem from JSON-able data. Raises Invalid if it is not one."""
        try:
            return self._codes.decode_problem(data) if self._codes else from_plain(data)
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid(f"The problem is invalid: {error}") from error

    def plain_solution(self, y: Solution) -> Any:
        """The solution as JSON-able data."""
        return self._codes.encode_solution(y) if self._codes else to_plain(y)

    def solution(self, x: Problem, data: Any) -> Solution:
        """A solution of x from JSON-able data. Raises Invalid if it is not one."""
        try:
            y = self._codes.decode_solution(plain(x), data) if self._codes else from_plain(data)
            check_solution(self.domain, x, y)
        except Invalid:
            raise
        except ValueError as error:
            raise Invalid(f"The solution is invalid: {error}") from error
        return y

    def plain(self, y: Any) -> Any:
        """A solution as JSON-able data, where it is an object of the domain."""
        return y if isinstance(y, _JSON) else self.plain_solution(y)


def short(data: Any) -> str:
    """A representation of at most 120 characters, for messages."""
    text = repr(data)
    return text if len(text) <= 120 else text[:117] + "..."


def text(value: Any, what: str, longest: int) -> str:
    """The value. Raises Invalid unless it is Unicode text of at most `longest` characters."""
    if not isinstance(value, str) or len(value) > longest or "\x00" in value:
        raise Invalid(f"The {what} must be text of at most {longest} characters; found {short(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid(f"The {what} contains an unpaired surrogate; send valid Unicode text.") from None
    return value


def number(value: Any, what: str, most: float = 1e12) -> float:
    """The value as a float. Raises Invalid unless it is a number from 0 to `most`."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not 0 <= value <= most:
        raise Invalid(f"The {what} must be a number from 0 to {most:g}; found {short(value)}.")
    return float(value)

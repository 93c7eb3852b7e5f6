"""Problems, solutions and moves as JSON-able data, for any domain.

A domain with its own codes (`Codes`) is asked; for the others, plain data and arrays are written as they are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import orjson

from coactor.protocol import Codes, Domain, Move, Names, Problem, Solution, Validates
from coactor.studies.errors import Invalid
from coactor.studies.log.facts import canonical

_WRONG = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError)


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
    """What `to_plain` was given."""
    if isinstance(data, list):
        return [from_plain(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {"array", "dtype"}:
        dtype = np.dtype(data["dtype"])
        if dtype.kind not in "biuf":
            raise Invalid(f"Arrays of type {data['dtype']!r} are not read; use numbers.")
        return np.array(data["array"], dtype)
    if data.keys() == {"tuple"}:
        return tuple(from_plain(item) for item in data["tuple"])
    return {name: from_plain(value) for name, value in data.items()}


class Codec:
    """Writes and reads a domain's objects, and checks what comes from outside."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.own = domain if isinstance(domain, Codes) else None
        self._judge = domain if isinstance(domain, Validates) else None

    def problem_bytes(self, x: Problem) -> bytes:
        """The problem as canonical JSON."""
        try:
            return canonical(self.own.encode_problem(x) if self.own else to_plain(x))
        except Invalid:
            raise
        except _WRONG as error:
            raise Invalid(f"The problem cannot be written down: {error}") from error

    def problem(self, data: bytes | Any) -> Problem:
        """A problem from its bytes, or from JSON-able data."""
        try:
            plain = orjson.loads(data) if isinstance(data, bytes) else data
            return self.own.decode_problem(plain) if self.own else from_plain(plain)
        except _WRONG as error:
            raise Invalid(f"The problem is not understood: {error}") from error

    def plain_solution(self, y: Solution) -> Any:
        """The solution as JSON-able data."""
        return self.own.encode_solution(y) if self.own else to_plain(y)

    def solution(self, x: Problem, data: Any) -> Solution:
        """A solution of x from JSON-able data, checked."""
        try:
            return self.checked(x, self.own.decode_solution(x, data) if self.own else from_plain(data))
        except _WRONG as error:
            raise Invalid(f"The solution is not understood: {error}") from error

    def checked(self, x: Problem, y: Solution) -> Solution:
        """The solution itself, unless the domain says it is none."""
        try:
            if self._judge is not None:
                self._judge.check_solution(x, y)
            return y
        except _WRONG as error:
            raise Invalid(f"That is no solution of this problem: {error}") from error

    def same(self, y: Solution, z: Solution) -> bool:
        """Whether two solutions are written alike."""
        return canonical(self.plain_solution(y)) == canonical(self.plain_solution(z))

    def apply(self, x: Problem, y: Solution, move: Any) -> Solution:
        """The solution an edit leads to; refuses what is no operator here."""
        step = plain_move(move)
        try:
            # A domain that reads from outside checks its moves; for another we look the move up.
            if self.own is None and all(step != other for other in map(plain_move, self.domain.moves(x, y))):
                raise Invalid(
                    f"The move {short(step)} cannot be made here; choose one of the domain's moves."
                )
            return self.checked(x, self.domain.apply(x, y, step))
        except Invalid:
            raise
        except _WRONG as error:
            raise Invalid(f"The move {short(step)} cannot be made here: {error}") from error

    def names(self) -> list[str]:
        """What the features are called."""
        if isinstance(self.domain, Names):
            return [str(name) for name in self.domain.feature_names]
        return [f"feature {i + 1}" for i in range(self.domain.dim)]


def plain(codec: Codec, y: Any) -> Any:
    """A solution as JSON-able data, where it is not that already."""
    if isinstance(y, list | dict | str | int | float | bool) or y is None:
        return y
    try:
        return codec.plain_solution(y)
    except (TypeError, ValueError, AttributeError) as error:
        raise Invalid(f"The solution cannot be written down: {error}") from error


def plain_move(move: Any) -> Move:
    """A move as plain data, or a sentence."""
    good = isinstance(move, dict) and move.keys() == {"op", "args"} and isinstance(move["op"], str)
    if (
        not good
        or not isinstance(move["args"], list | tuple)
        or len(move["op"]) > 40
        or len(move["args"]) > 10_000
    ):
        raise Invalid(f"{short(move)} is no move; give {{'op': name, 'args': [whole numbers]}}.")
    args = [int(a) for a in move["args"] if isinstance(a, int | np.integer) and not isinstance(a, bool)]
    if len(args) != len(move["args"]) or any(abs(a) > 2**53 for a in args):
        raise Invalid(f"{short(move)} is no move; its args must be whole numbers.")
    return {"op": move["op"], "args": args}


def short(data: Any) -> str:
    """At most a line of it, for a message."""
    text = repr(data)
    return text if len(text) <= 120 else text[:117] + "..."


def text(value: Any, what: str, longest: int) -> str:
    """A line or a note from outside."""
    if not isinstance(value, str) or len(value) > longest or "\x00" in value:
        raise Invalid(f"The {what} must be text of at most {longest} characters; found {short(value)}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid(f"The {what} holds half a character; send whole Unicode text.") from None
    return value


def number(value: Any, what: str, most: float = 1e12) -> float:
    """A finite number of at least 0 from outside."""
    good = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not 0 <= value <= most:
        raise Invalid(f"The {what} must be a number from 0 to {most:g}; found {short(value)}.")
    return float(value)

"""States of learners: arrays to and from JSON, bit for bit."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from coactor.protocol import State, Vector

ROUNDING = 1e-12  # a difference below this share of the vectors is rounding: PA would divide by it


def tells(delta: Vector, start: Vector) -> bool:
    """Whether delta is more than rounding: hidden features can leave it at 0 although C > 0."""
    return float(delta @ delta) > ROUNDING**2 * float(start @ start)


def pack(array: Vector) -> Any:
    """The array as JSON-able data: a list for a vector, base64 of the bytes for a matrix, which is large."""
    if array.ndim == 1:
        return array.tolist()
    data = base64.b64encode(np.ascontiguousarray(array, dtype="<f8").tobytes()).decode("ascii")
    return {"shape": list(array.shape), "f8": data}


def unpack(state: State, key: str, owner: str, shape: tuple[int, ...]) -> Vector:
    """The opposite of `pack`. Raises ValueError if the key is missing or the array is invalid."""
    if state.get("learner") != owner:
        raise ValueError(f"This state belongs to learner {state.get('learner')!r}, not to {owner!r}.")
    try:
        data = state[key]
        if isinstance(data, dict):
            raw = base64.b64decode(data["f8"], validate=True)
            array = np.frombuffer(raw, dtype="<f8").astype(np.float64).reshape(data["shape"])
        else:
            array = np.array(data, dtype=np.float64)
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"The state of {owner!r} has no readable {key!r}; was it written by state()?"
        ) from None
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(
            f"{key!r} in the state of {owner!r} has shape {array.shape}; expected {shape}, finite."
        )
    return array


def _value(state: State, key: str, owner: str, good: Callable[[Any], bool], expected: str) -> Any:
    value = state.get(key)
    if not good(value):
        raise ValueError(f"{key!r} in the state of {owner!r} is {value!r}; expected {expected}.")
    return value


def number(state: State, key: str, owner: str) -> float:
    """A finite number from a state."""
    return float(_value(state, key, owner, _is_number, "a finite number"))


def setting(state: State, key: str, owner: str) -> float:
    """A number above 0 from a state."""
    return float(_value(state, key, owner, lambda v: _is_number(v) and v > 0, "a number above 0"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def count(state: State, key: str, owner: str, least: int = 0) -> int:
    """A whole number from a state."""
    expected = f"a whole number from {least} on"
    return int(_value(state, key, owner, lambda v: type(v) is int and v >= least, expected))


def flag(state: State, key: str, owner: str) -> bool:
    """True or false from a state."""
    return bool(_value(state, key, owner, lambda v: isinstance(v, bool), "true or false"))


def people_in(state: State, owner: str) -> list[State]:
    """The states of people, each with a name. Raises ValueError if they are invalid."""
    rows = state.get("people")
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and isinstance(row.get("person"), str) for row in rows
    ):
        raise ValueError(f"The state of {owner!r} has no people; was it written by state()?")
    return rows


def inner_state(state: State, owner: str, key: str) -> State:
    """The state of an inner learner."""
    value = state.get(key)
    if not isinstance(value, dict):
        raise ValueError(
            f"The state of {owner!r} has no state of the learner inside; was it written by state()?"
        )
    return value

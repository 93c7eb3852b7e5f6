"""Validation of settings; arrays to and from JSON, bit for bit."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from coactor.protocol import State, Vector

ROUNDING = 1e-12  # a difference below this share of the vectors is rounding: PA would divide by it


def positive_dim(dim: int) -> int:
    """The dimension as an int. Raises ValueError if it is not a whole number above 0."""
    if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
        raise ValueError(f"dim is {dim!r}; a learner needs at least one feature.")
    return int(dim)


def positive_number(value: float, what: str) -> float:
    """The value as a float. Raises ValueError if it is not a finite number above 0."""
    if not (isinstance(value, int | float | np.number) and math.isfinite(value) and value > 0):
        raise ValueError(f"{what} is {value!r}; it must be a number above 0.")
    return float(value)


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


def number(state: State, key: str, owner: str) -> float:
    """A finite number from a state."""
    value = state.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{key!r} in the state of {owner!r} is {value!r}; expected a finite number.")
    return float(value)


def setting(state: State, key: str, owner: str) -> float:
    """A number above 0 from a state."""
    value = number(state, key, owner)
    if value <= 0:
        raise ValueError(f"{key!r} in the state of {owner!r} is {value!r}; expected a number above 0.")
    return value


def count(state: State, key: str, owner: str, least: int = 0) -> int:
    """A whole number from a state."""
    value = state.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(
            f"{key!r} in the state of {owner!r} is {value!r}; expected a whole number from {least} on."
        )
    return value


def flag(state: State, key: str, owner: str) -> bool:
    """True or false from a state."""
    value = state.get(key)
    if not isinstance(value, bool):
        raise ValueError(f"{key!r} in the state of {owner!r} is {value!r}; expected true or false.")
    return value


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

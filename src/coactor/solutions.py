"""Equality, keys and JSON of solutions, whatever they are made of.

Arrays are compared by every element, lists and tuples by position, sets and dicts independent of order,
dataclasses field by field, and other objects by their own ``==``, or by their attributes if they have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from coactor.protocol import Solution

_ATOMS = (bool, int, float, complex, str, bytes, type(None))


def same_solution(one: Solution, two: Solution) -> bool:
    """Whether two solutions are equal.

    Examples
    --------
    >>> import numpy as np
    >>> same_solution((np.arange(3), {"vans": {2, 1}}), [np.arange(3), {"vans": {1, 2}}])
    True
    """
    if one is two:
        return True
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        return isinstance(one, type(two)) and np.array_equal(one, two)
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(map(same_solution, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same_solution(value, two[k]) for k, value in one.items())
    try:
        if bool(one == two):
            return True
    except (ValueError, TypeError):  # the generated == of a dataclass fails if a field is an array
        pass
    if type(one) is not type(two) or isinstance(one, (*_ATOMS, np.generic)):
        return False
    if is_dataclass(one) or not _defines(one, "__eq__"):
        parts = _attributes(one), _attributes(two)
        return None not in parts and same_solution(*parts)
    return False


def solution_key(y: Solution) -> bytes:
    """Bytes that equal solutions of the same types share, and different ones do not.

    Raises TypeError if an object has neither attributes nor a ``repr`` of its own.
    """
    if isinstance(y, np.ndarray):
        wide = y.astype(np.int64, copy=False) if y.dtype.kind in "iu" else y
        return wide.tobytes() + str(y.shape).encode()
    if isinstance(y, list | tuple):
        return b"[" + b",".join(solution_key(part) for part in y) + b"]"
    if isinstance(y, _ATOMS):
        return repr(y).encode()
    if isinstance(y, np.generic):
        return repr(y.item()).encode()
    if isinstance(y, set | frozenset):
        return b"{" + b",".join(sorted(map(solution_key, y))) + b"}"
    if isinstance(y, dict):
        pairs = sorted((solution_key(name), solution_key(value)) for name, value in y.items())
        return b"{" + b",".join(name + b":" + value for name, value in pairs) + b"}"
    attributes = _attributes(y)
    if attributes is not None:
        return type(y).__qualname__.encode() + solution_key(attributes)
    if not _defines(y, "__repr__"):
        raise TypeError(f"A solution contains a {type(y).__name__}, which has no attributes to compare.")
    return repr(y).encode()


def leaves(y: Solution) -> Iterator[Any]:
    """The numbers, texts and other indivisible parts of a solution, in a fixed order."""
    if isinstance(y, np.ndarray):
        yield from y.ravel().tolist()
    elif isinstance(y, list | tuple):
        for part in y:
            yield from leaves(part)
    elif isinstance(y, set | frozenset):
        for part in sorted(y, key=solution_key):
            yield from leaves(part)
    elif isinstance(y, dict):
        for name in sorted(y, key=solution_key):
            yield from leaves(y[name])
    elif isinstance(y, (*_ATOMS, np.generic)) or (attributes := _attributes(y)) is None:
        yield y
    else:
        yield from leaves(attributes)


def to_plain(data: Any) -> Any:
    """Lists, tuples, dicts, arrays and numbers as JSON-able data that `from_plain` reads back.

    Raises ValueError for anything else, and for keys that are not text: they would come back changed.

    Examples
    --------
    >>> to_plain({"rooms": (1, 2)})
    {'rooms': {'tuple': [1, 2]}}
    """
    if isinstance(data, np.ndarray):
        return {"array": data.tolist(), "dtype": data.dtype.str}
    if isinstance(data, np.generic):
        return data.item()
    if isinstance(data, tuple):
        return {"tuple": [to_plain(item) for item in data]}
    if isinstance(data, list):
        return [to_plain(item) for item in data]
    if isinstance(data, dict):
        for name in data:
            if not isinstance(name, str):
                raise ValueError(
                    f"has keys that are not text; after storing, {short(name)} is {short(str(name))}. "
                    "Use a list, or give the JSON methods."
                )
        return {name: to_plain(value) for name, value in data.items()}
    if data is None or isinstance(data, str | int | float):
        return data
    raise ValueError(
        f"contains {short(data)}, of type {type(data).__name__}, which cannot be stored as JSON. "
        "Use numbers, text, lists and dictionaries, or give the JSON methods."
    )


def from_plain(data: Any) -> Any:
    """What `to_plain` was given. Raises ValueError if an array or a tuple cannot be read."""
    if isinstance(data, list):
        return [from_plain(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {"array", "dtype"}:
        return _array(data["array"], data["dtype"])
    if data.keys() == {"tuple"}:
        if not isinstance(data["tuple"], list):
            raise ValueError(f"A tuple must be a list in JSON; found {short(data['tuple'])}.")
        return tuple(from_plain(item) for item in data["tuple"])
    return {name: from_plain(value) for name, value in data.items()}


def in_form_of(example: Any, data: Any) -> Any:
    """Data whose lists are arrays and tuples where the example has them; other data as it is.

    Raises ValueError if a list cannot be such an array.

    Examples
    --------
    >>> in_form_of({"rooms": (1, 2)}, {"rooms": [3, 4, 5]})
    {'rooms': (3, 4, 5)}
    """
    if isinstance(example, np.ndarray) and isinstance(data, list):
        array = _array(data, example.dtype.str)
        if array.ndim != example.ndim:
            raise ValueError(f"An array must have {example.ndim} dimensions; found {array.ndim}.")
        return array
    if isinstance(example, list | tuple) and isinstance(data, list):
        examples = example if len(example) == len(data) else [*example[:1]] * len(data)
        items = [in_form_of(*pair) for pair in zip(examples, data, strict=True)] if examples else data
        return tuple(items) if isinstance(example, tuple) else items
    if isinstance(example, dict) and isinstance(data, dict):
        return {name: in_form_of(example.get(name), value) for name, value in data.items()}
    return data


def _array(values: Any, name: Any) -> Any:
    try:
        dtype = np.dtype(name)
        if dtype.kind in "biuf":
            return np.array(values, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"An array of type {short(name)} cannot be read: {error}") from error
    raise ValueError(f"Arrays of type {short(name)} are not supported; use numbers.")


def short(data: Any) -> str:
    """A representation of at most 120 characters on one line, for messages."""
    text = " ".join(repr(data).split())
    return text if len(text) <= 120 else text[:117] + "..."


def _defines(y: Any, method: str) -> bool:
    return getattr(type(y), method) is not getattr(object, method)


def _attributes(y: Any) -> dict[str, Any] | None:
    """The compared fields of a dataclass, or all attributes of another object; None if it has none."""
    if is_dataclass(y):
        return {field.name: getattr(y, field.name) for field in fields(y) if field.compare}
    state = y.__getstate__()
    if isinstance(state, tuple):  # attributes in __dict__, then those in __slots__
        return {name: value for part in state if part for name, value in part.items()}
    return state if isinstance(state, dict) else None

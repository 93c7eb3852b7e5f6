"""A day as JSON-able data; a time without a limit is null."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from coactor import validation
from coactor.domains.plans.day import Day
from coactor.domains.plans.tables import Shifts, Visits

Part = TypeVar("Part", Visits, Shifts)


def encode_day(x: Day) -> dict[str, Any]:
    """The day as JSON-able data; what is absent is left out."""
    encoded: dict[str, Any] = _plain(x)
    return encoded


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        given = {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.init}
        return {name: one for name, one in given.items() if one is not None and one != []}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if np.isfinite(value).all() else _plain(value.tolist())
    return None if isinstance(value, float) and not np.isfinite(value) else value


def decode_day(data: Any) -> Day:
    """A validated day from JSON-able data."""
    given = {key: validation.entry(data, key, "the day") for key in ("arcs", "demand", "capacity")}
    more = {key: data.get(key) for key in ("stops", "coordinates", "vehicles", "minutes")}
    try:
        visits, shifts = _part(data, "visits", Visits), _part(data, "shifts", Shifts)
        return Day.of(**given, **more, visits=visits, shifts=shifts)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"The day is not valid: {error}.") from error


def _part(data: Any, name: str, kind: type[Part]) -> Part | None:
    given = data.get(name)
    if given is None:
        return None
    known = [f.name for f in fields(kind)]
    if not isinstance(given, dict) or not set(given) <= set(known):
        raise ValueError(f"The {name} are {str(given)[:60]}; expected some of {', '.join(known)}.")
    return kind(**given)

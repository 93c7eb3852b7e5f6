"""A day as JSON-able data; a time without a limit is null."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from coactor import validation
from coactor.domains.plans.day import Day
from coactor.domains.plans.tables import Shifts, Visits

Part = TypeVar("Part", Visits, Shifts)


def encode_day(x: Day) -> dict[str, Any]:
    """The day as JSON-able data; what is absent is left out."""
    data: dict[str, Any] = {"arcs": x.arcs, "demand": x.demand, "capacity": x.capacity, "stops": x.stops}
    data |= {"coordinates": x.coordinates, "vehicles": x.vehicles, "minutes": x.minutes}
    for name, part in (("visits", x.visits), ("shifts", x.shifts)):
        if part is not None:
            given = {f.name: getattr(part, f.name) for f in fields(part)}
            data[name] = {key: value for key, value in given.items() if value is not None and len(value)}
    encoded: dict[str, Any] = _plain({key: value for key, value in data.items() if value is not None})
    return encoded


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
        return _plain(value) if isinstance(value, list) and not np.isfinite(value).all() else value
    return None if isinstance(value, float) and not np.isfinite(value) else value


def decode_day(data: Any) -> Day:
    """A validated day from JSON-able data."""
    arcs, demand, capacity = (
        validation.entry(data, key, "the day") for key in ("arcs", "demand", "capacity")
    )
    points = len(arcs) if isinstance(arcs, list) else 0
    if points and isinstance(arcs[0], list) and np.ndim(arcs) == 4:
        points = len(arcs[0])
    stops = validation.titles(data.get("stops"), points, "points")
    try:
        visits, shifts = _part(data, "visits", Visits), _part(data, "shifts", Shifts)
        return Day.of(
            arcs,
            demand,
            capacity,
            stops,
            data.get("coordinates"),
            data.get("vehicles"),
            minutes=data.get("minutes"),
            visits=visits,
            shifts=shifts,
        )
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

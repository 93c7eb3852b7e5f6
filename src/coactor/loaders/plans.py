"""Plans that people made, from JSON, and the distances between their stops, from CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from coactor.domains.plans import PlannedDay
from coactor.protocol import Matrix


def read_distances(path: str | Path) -> Matrix:
    """Read a square table of distances without a header; the depot is the first row and column."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    rows: list[list[float]] = []
    with path.open(newline="", encoding="utf-8-sig") as file:
        for line, cells in enumerate(csv.reader(file), 1):
            if not cells:
                continue
            row = [_number(cell) for cell in cells]
            if any(value is None or value < 0 for value in row):
                bad = next(c for c, v in zip(cells, row, strict=True) if v is None or v < 0)
                raise ValueError(f"{path}, line {line}: found {bad!r}, expected a distance of 0 or more.")
            if rows and len(row) != len(rows[0]):
                raise ValueError(f"{path}, line {line}: found {len(row)} distances, expected {len(rows[0])}.")
            rows.append([value for value in row if value is not None])
    if not rows or len(rows) != len(rows[0]):
        width = len(rows[0]) if rows else 0
        raise ValueError(f"{path} has {len(rows)} rows of {width} distances; expected a square table.")
    return np.array(rows)


def read_plans(path: str | Path, distances: Matrix) -> list[PlannedDay]:
    """Read planned days from a JSON list, in its order.

    Each entry is ``{"day": 3, "weekday": 4, "capacity": 13, "routes": [[5, 2], [7]], "demand": {"5": 2}}``;
    stops are row numbers of the distance table and the depot, 0, is left out of the routes. ``vehicles``
    may say how many vehicles were on duty; by default as many as there are routes.

    Raises
    ------
    ValueError
        With file, line and what was expected; nothing is returned half loaded.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    days = [_day(f"{path}, line {line}", entry, len(distances)) for line, entry in _entries(path)]
    if not days:
        raise ValueError(f"{path} has no days; expected a list of at least one.")
    return days


def _entries(path: Path) -> Iterator[tuple[int, Any]]:
    """The entries of a JSON list, each with the line it begins on."""
    text = path.read_text(encoding="utf-8-sig")
    decoder = json.JSONDecoder()
    place = _skip(text, 0)
    if text[place : place + 1] != "[":
        raise ValueError(f"{path}, line 1: expected a JSON list of days, beginning with '['.")
    place = _skip(text, place + 1)
    while text[place : place + 1] != "]":
        line = text.count("\n", 0, place) + 1
        try:
            entry, end = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise ValueError(
                f"{path}, line {error.lineno}: not JSON ({error.msg}); is the file cut?"
            ) from None
        yield line, entry
        place = _skip(text, end)
        if text[place : place + 1] == ",":
            place = _skip(text, place + 1)
        elif text[place : place + 1] != "]":
            line = text.count("\n", 0, place) + 1
            raise ValueError(f"{path}, line {line}: the list of days does not end; is the file cut?")


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _day(where: str, entry: Any, points: int) -> PlannedDay:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: found {type(entry).__name__}, expected a day with 'routes' and 'demand'.")
    for key in ("day", "weekday", "capacity", "routes", "demand"):
        if key not in entry:
            raise ValueError(f"{where}: the day has no {key!r}; it has {', '.join(entry)}.")
    numbers = {key: _number(entry[key]) for key in ("day", "weekday", "capacity")}
    for key, value in numbers.items():
        if value is None or (key == "capacity" and value <= 0):
            raise ValueError(
                f"{where}: {key} is {entry[key]!r}; expected a number{' above 0' * (key == 'capacity')}."
            )
    demand = {}
    for stop, wanted in dict(entry["demand"]).items():
        amount = _number(wanted)
        if not str(stop).isdigit() or not 0 < int(stop) < points:
            raise ValueError(f"{where}: there is no stop {stop!r}; stops are 1 to {points - 1}.")
        if amount is None or amount < 0:
            raise ValueError(f"{where}: stop {stop} wants {wanted!r}; expected a number of 0 or more.")
        if amount > float(entry["capacity"]):
            raise ValueError(
                f"{where}: stop {stop} wants {amount:g}, but a vehicle holds {entry['capacity']}."
            )
        demand[int(stop)] = amount
    if not isinstance(entry["routes"], list) or not all(isinstance(route, list) for route in entry["routes"]):
        raise ValueError(f"{where}: routes must be a list of lists of stops.")
    routes = tuple(tuple(route) for route in entry["routes"])
    served = [stop for route in routes for stop in route]
    for stop in served:
        if stop not in demand:
            raise ValueError(f"{where}: a route serves stop {stop!r}, which has no demand.")
    if len(set(served)) != len(served) or (routes and len(served) != len(demand)):
        raise ValueError(f"{where}: the routes must serve each stop that has a demand exactly once.")
    vehicles = int(_number(entry.get("vehicles", len(routes))) or 0)
    if vehicles < max(1, len(routes)):
        raise ValueError(
            f"{where}: there are {len(routes)} routes for {vehicles} vehicles; expected one each."
        )
    day, weekday, capacity = (numbers[key] or 0.0 for key in ("day", "weekday", "capacity"))
    return PlannedDay(int(day), int(weekday), demand, capacity, routes, vehicles)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool) else None

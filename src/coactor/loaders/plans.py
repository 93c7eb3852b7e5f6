"""Planned days from JSON, and the distances between their stops from CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from coactor.domains.plans import PlannedDay
from coactor.loaders.tables import Row, csv_lines, existing_file, read_json, shortened, to_number
from coactor.protocol import Matrix


def read_distances(path: str | Path) -> Matrix:
    """Read a square table of distances without a header; the depot is the first row and column.

    Raises
    ------
    ValueError
        With the file, the line and what was expected.
    """
    path = existing_file(path)
    rows: list[list[float]] = []
    for line, cells in csv_lines(path):
        if not cells:
            continue
        row = [to_number(cell) for cell in cells]
        distances = [value for value in row if value is not None and value >= 0]
        if len(distances) < len(row):
            bad = next(c for c, v in zip(cells, row, strict=True) if v is None or v < 0)
            raise Row(path, line, {}).fail(f"got {bad!r}, expected a distance of 0 or more.")
        if rows and len(row) != len(rows[0]):
            raise ValueError(f"{path}, line {line}: got {len(row)} distances, expected {len(rows[0])}.")
        rows.append(distances)
    if not rows or len(rows) != len(rows[0]):
        width = len(rows[0]) if rows else 0
        raise ValueError(f"{path} has {len(rows)} rows of {width} distances; expected a square table.")
    return np.array(rows)


def read_plans(path: str | Path, distances: Matrix) -> list[PlannedDay]:
    """Read planned days from a JSON list, in its order.

    Each entry is ``{"day": 3, "weekday": 4, "capacity": 13, "routes": [[5, 2], [7]], "demand": {"5": 2}}``;
    stops are row numbers of the distance table, and the routes leave out the depot, 0. ``vehicles`` is the
    number of vehicles on duty, or a list of their names; by default the number of routes.

    Raises
    ------
    ValueError
        With the file, the index of the entry (counted from 0) and what was expected.
    """
    entries = read_json(path)
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{path} has no days; expected a JSON list with at least one day.")
    try:
        return [_day(f"{path}, entry {k}", entry, len(distances)) for k, entry in enumerate(entries)]
    except ValueError as error:
        raise ValueError(shortened(str(error))) from None


def _day(where: str, entry: Any, points: int) -> PlannedDay:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: got {type(entry).__name__}, expected a day with 'routes' and 'demand'.")
    for key in ("day", "weekday", "capacity", "routes", "demand"):
        if key not in entry:
            raise ValueError(f"{where}: the day has no {key!r}; it has {', '.join(entry)}.")
    numbers = {}
    for key in ("day", "weekday", "capacity"):
        value = to_number(entry[key])
        if value is None or (key == "capacity" and value <= 0):
            expected = "a number above 0" if key == "capacity" else "a number"
            raise ValueError(f"{where}: {key} is {entry[key]!r}; expected {expected}.")
        numbers[key] = value
    demand = _demand(where, entry["demand"], numbers["capacity"], points)
    routes = _routes(where, entry["routes"], demand)
    duty = entry.get("vehicles", len(routes))
    called = isinstance(duty, list)
    if called and not all(isinstance(name, str) and 0 < len(name) <= 200 for name in duty):
        raise ValueError(f"{where}: vehicles are {str(duty)[:60]}; expected a number, or a list of names.")
    vehicles = len(duty) if called else int(to_number(duty) or 0)
    if vehicles < max(1, len(routes)):
        raise ValueError(
            f"{where}: there are {len(routes)} routes for {vehicles} vehicles; expected one each."
        )
    return PlannedDay(
        int(numbers["day"]),
        int(numbers["weekday"]),
        demand,
        numbers["capacity"],
        routes,
        vehicles,
        tuple(duty) if called else None,
    )


def _demand(where: str, data: Any, capacity: float, points: int) -> dict[int, float]:
    if not isinstance(data, dict):
        raise ValueError(f"{where}: demand is a {type(data).__name__}; expected an amount for each stop.")
    demand = {}
    for stop, value in data.items():
        amount = to_number(value)
        if not stop.isdecimal() or not 0 < int(stop) < points:
            raise ValueError(f"{where}: there is no stop {stop!r}; stops are 1 to {points - 1}.")
        if amount is None or amount < 0:
            raise ValueError(f"{where}: stop {stop} has demand {value!r}; expected a number of 0 or more.")
        if amount > capacity:
            raise ValueError(f"{where}: stop {stop} has demand {amount:g}; a vehicle holds {capacity:g}.")
        demand[int(stop)] = amount
    return demand


def _routes(where: str, data: Any, demand: dict[int, float]) -> tuple[tuple[int, ...], ...]:
    if not isinstance(data, list) or not all(isinstance(route, list) for route in data):
        raise ValueError(f"{where}: routes must be a list of lists of stops.")
    stops = [stop for route in data for stop in route]
    for stop in stops:
        if isinstance(stop, bool) or not isinstance(stop, int) or stop not in demand:
            raise ValueError(f"{where}: a route serves stop {stop!r}, which has no demand.")
    if len(set(stops)) != len(stops) or (data and len(stops) != len(demand)):
        raise ValueError(f"{where}: the routes must serve each stop that has a demand exactly once.")
    return tuple(tuple(route) for route in data)

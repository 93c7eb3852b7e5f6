"""Past routes from a CSV file: one line for each stop of a route."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coactor.domains import Day, Shifts, Visits
from coactor.domains.plans import Routes, timing
from coactor.domains.plans.schedule import clock_text
from coactor.domains.roads import Network
from coactor.loaders.roads import street_km
from coactor.loaders.tables import Row, named_lines, read_table
from coactor.protocol import Matrix

COLUMNS = {
    "date": ("date", "day", "Date"),
    "vehicle": ("vehicle", "route", "driver", "van", "truck", "Vehicle"),
    "sequence": ("sequence", "seq", "order", "position", "Sequence"),
    "stop": ("stop", "stop_id", "stop id", "customer", "customer_id", "id", "Stop"),
    "lat": ("lat", "latitude", "Latitude"),
    "lon": ("lon", "lng", "longitude", "Longitude"),
    "demand": ("demand", "load", "quantity", "weight", "Demand"),
    "service": ("service", "service_minutes"),
    "from": ("from", "ready", "window_from", "earliest"),
    "to": ("to", "due", "window_to", "latest"),
    "capacity": ("capacity", "vehicle_capacity"),
}
OPTIONAL = ("demand", "service", "from", "to", "capacity")
DEPOTS = ("depot", "warehouse", "hub", "0")
SPEED = 40.0  # km/h
RADIUS = 6371.0  # of the earth in km


class Arcs(NamedTuple):
    """What is known of ways: the names of further features, and per (from, to) km, minutes and these."""

    names: tuple[str, ...]
    known: dict[tuple[str, str], list[float]]

    def tables(self, stops: Sequence[str]) -> NDArray[np.float64]:
        """One table for each column; a way that is known in the other direction only counts as the same."""
        none = [np.nan] * (2 + len(self.names))
        rows = [[self.known.get((a, b)) or self.known.get((b, a), none) for b in stops] for a in stops]
        return np.array(rows).transpose(2, 0, 1)


def read_arcs(source: Any) -> Arcs:
    """Read ways from a CSV file or a data frame: from, to, and km, minutes or further features."""
    header = [name.strip() for name in next(named_lines(source)[1], (1, list[str]()))[1]]
    names = tuple(name for name in header if name not in ("from", "to", "km", "minutes"))
    columns = {name: (name,) for name in ("from", "to", "km", "minutes", *names)}
    known = dict[tuple[str, str], list[float]]()
    for row in read_table(source, columns, ("km", "minutes")):
        cells = [row.number(name) if name in row.cells else np.nan for name in ("km", "minutes", *names)]
        if any(cell < 0 for cell in cells[:2]):
            raise row.fail("km and minutes must be 0 or more.")
        a, b = (row.text(end) for end in ("from", "to"))
        known["depot" if a.lower() in DEPOTS else a, "depot" if b.lower() in DEPOTS else b] = cells
    return Arcs(names, known)


def arcs_beside(source: Any) -> Arcs | None:
    """The ways in ``past.arcs.csv``, if it lies beside ``past.csv``."""
    beside = Path(source).with_suffix(".arcs.csv") if isinstance(source, str | Path) else None
    return read_arcs(beside) if beside is not None and beside.is_file() else None


def read_past_routes(
    source: Any,
    columns: Mapping[str, str] | None = None,
    speed: float = SPEED,
    arcs: Arcs | None = None,
    streets: Network | None = None,
) -> list[tuple[Day, Routes, str]]:
    """Read days with their routes and dates; the first arc feature is the distance in km.

    The depot is a stop named depot, or of sequence 0; without one it is the middle of all stops. Without a
    column of capacities, a vehicle holds the most that it ever carried. Times are minutes or hh:mm.
    What is assumed, and days that cannot be read, are warned of. A stop may have another position on another
    day: customers move, and measured positions differ.

    Parameters
    ----------
    source
        The path of a CSV file, or a data frame of pandas or polars.
    columns
        The names of columns that are not usual ones, such as ``{"stop": "Kunde"}``.
    speed
        Kilometres in an hour, for driving times if there are windows.
    arcs
        What is known of ways, see `read_arcs`; what is not is measured, without further features.
    streets
        Where distances are measured, see `street_km`; without, they are as the crow flies.
    """
    given = {} if columns is None else dict(columns)
    names = {name: (given[name],) if name in given else aliases for name, aliases in COLUMNS.items()}
    rows = list(read_table(source, names, OPTIONAL))
    if not rows:
        raise ValueError(f"{named_lines(source)[0]} has no stops; expected one line for each.")
    depots = [row for row in rows if row.text("stop").lower() in DEPOTS or row.number("sequence") == 0]
    stops = [row for row in rows if row not in depots]
    rest = "Distances" if arcs is None else "Distances that are not given"
    way = "as the crow flies" if streets is None else "along the streets"
    notes = [f"{rest} are those {way}{f', at {speed:g} km/h' if 'to' in rows[0].cells else ''}."]
    places = np.array([_place(row) for row in depots or stops])
    depot = places.mean(axis=0)
    measure: Callable[[Matrix], Matrix] = crow_flies
    if streets is not None:
        measure = _along(streets, [depot, *map(_place, stops)])
    if not depots:
        notes.append("No stop is named depot or has sequence 0: the depot is the middle of all stops.")
    if "capacity" not in rows[0].cells:
        notes.append("There is no column of capacities: a vehicle holds the most that it ever carried.")
    days = dict[str, list[Row]]()
    for row in stops:
        days.setdefault(_date(row), []).append(row)
    capacity = _capacities(days.values())
    read, wrong = list[tuple[Day, Routes, str]](), list[str]()
    for date in sorted(days, key=lambda date: date.zfill(10)):
        try:
            read.append((*_day(days[date], depot, capacity, speed, arcs, measure), date))
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        notes.append(f"{len(wrong)} of {len(days)} days are left out. The first: {wrong[0]}")
    if not read:
        raise ValueError(notes[-1])
    warnings.warn(" ".join(notes), stacklevel=2)
    return read


def _date(row: Row) -> str:
    """The date, as text that can be sorted. Raises ValueError if it cannot be read."""
    text = row.text("date")
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        with suppress(ValueError):
            return datetime.strptime(text[:10], form).date().isoformat()
    if not text.isdigit():
        raise row.fail(f"the date is {text!r}; expected one such as 2026-01-05 or 5.1.2026, or a number.")
    return text


def _place(row: Row) -> tuple[float, float]:
    return row.number("lat", 90.0), row.number("lon", 360.0)


def _load(row: Row) -> float:
    return row.number("demand") if "demand" in row.cells else 1.0


def _capacities(days: Iterable[Sequence[Row]]) -> dict[str, float]:
    """What each vehicle holds."""
    most = dict[str, float]()
    for rows in days:
        loads = dict[str, float]()
        for row in rows:
            name = row.text("vehicle")
            loads[name] = loads.get(name, 0.0) + _load(row)
            if row.cells.get("capacity", "").strip():
                most[name] = row.number("capacity")
        for name, load in loads.items():
            if "capacity" not in rows[0].cells:
                most[name] = max(load, most.get(name, 0.0))
    return most


def _along(streets: Network, places: Sequence[Any]) -> Callable[[Matrix], Matrix]:
    """The function of places, each one of these, that gives the kilometres between them along the streets."""
    known = np.unique(np.array(places), axis=0)
    km = street_km(streets, known[:, ::-1])
    number = {tuple(place): k for k, place in enumerate(known.tolist())}

    def between(some: Matrix) -> Matrix:
        at = [number[tuple(place)] for place in some.tolist()]
        return km[np.ix_(at, at)]

    return between


def _day(
    rows: Sequence[Row],
    depot: Matrix,
    capacity: Mapping[str, float],
    speed: float,
    arcs: Arcs | None,
    measure: Callable[[Matrix], Matrix],
) -> tuple[Day, Routes]:
    """One day and its routes. Raises ValueError with the line if a stop is there twice."""
    vehicles = sorted({row.text("vehicle") for row in rows})
    names, at = ["depot"], [(float(depot[0]), float(depot[1]))]
    routes: list[list[tuple[float, int]]] = [[] for _ in vehicles]
    for row in rows:
        if row.text("stop") in names:
            raise row.fail(f"stop {row.text('stop')} is on this day twice.")
        route, place = routes[vehicles.index(row.text("vehicle"))], row.number("sequence")
        if any(place == earlier for earlier, _ in route):
            raise row.fail(f"vehicle {row.text('vehicle')} has two stops of sequence {place:g} on this day.")
        route.append((place, len(names)))
        names.append(row.text("stop"))
        at.append(_place(row))
    ways = measure(np.array(at))[None]
    minutes = 60.0 / speed * ways[0]
    if arcs is not None:
        given = arcs.tables(names)
        km = np.where(np.isnan(given[0]), ways[0], given[0])
        minutes = np.where(np.isnan(given[1]), 60.0 / speed * km, given[1])
        ways = np.stack([km, *np.nan_to_num(given[2:])])
    timed = "to" in rows[0].cells or "from" in rows[0].cells
    visits = None
    if timed:
        windows = [[(_minutes(row, "from", -np.inf), _minutes(row, "to", np.inf))] for row in rows]
        service = [row.number("service") if "service" in row.cells else 0.0 for row in rows]
        visits = Visits(windows=[None, *windows], service=[0.0, *service])
    for name in vehicles:
        if name not in capacity:
            raise rows[0].fail(f"vehicle {name} has no capacity.")
    x = Day.of(
        ways.transpose(1, 2, 0),
        [0.0, *map(_load, rows)],
        [max(capacity[name], 1e-9) for name in vehicles],
        names,
        [(lon, lat) for lat, lon in at],
        vehicles,
        minutes=minutes if timed else None,
        visits=visits,
        shifts=Shifts() if timed else None,
    )
    return x, tuple(np.array([v for _, v in sorted(route)], np.int64) for route in routes)


def _minutes(row: Row, column: str, missing: float) -> float:
    """A time of the day in minutes."""
    text = row.cells.get(column, "").strip()
    if not text:
        return missing
    hours, colon, rest = text.partition(":")
    if colon and hours.isdigit() and rest[:2].isdigit():
        return 60.0 * int(hours) + int(rest[:2])
    return row.number(column)


def crow_flies(places: Matrix) -> Matrix:
    """The kilometres between places, given as latitudes and longitudes. Raises ValueError if they are not."""
    if (abs(places) > (90.0, 360.0)).any():
        raise ValueError("A place has a latitude beyond 90 or a longitude beyond 360 degrees.")
    lat, lon = np.radians(places).T
    half = np.sin((lat[:, None] - lat) / 2) ** 2
    half = half + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2
    km: Matrix = 2.0 * RADIUS * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0)))
    return km


def write_routes(path: str | Path, x: Day, y: Routes) -> None:
    """Write a plan as CSV, with the arrivals if there are times."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["vehicle", "sequence", "stop", "lat", "lon", "demand", "arrival"])
        for r, route in enumerate(y[: len(x.capacity)]):
            arrivals = timing(x, r, route).arrivals if x.tables.timed else ()
            for k, stop in enumerate(route.tolist()):
                lon, lat = ("", "") if x.coordinates is None else x.coordinates[stop].tolist()
                when = clock_text(arrivals[k]) if arrivals else ""
                load = np.ravel(x.demand[stop])[0]
                table.writerow([x.vehicle(r), k + 1, x.stops[stop], lat, lon, f"{load:g}", when])

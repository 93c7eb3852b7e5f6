"""The problem of the plans domain: what has to be delivered on one day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.domains.plans.tables import Shifts, Tables, Visits, tables_of
from coactor.kernels.plans import KIND
from coactor.protocol import Indices, Matrix


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Day:
    """What has to be delivered on one day. Point 0 is the depot, 1 to n are the stops, further ones depots.

    Attributes
    ----------
    arcs
        Features of the direct way from one point to another, shape (points, points, d), or (kinds of
        vehicles, points, points, d); directed. The arc from a depot to itself belongs to an idle vehicle.
    demand
        Of the depot, 0, and each stop; one number, or one for each unit of loads.
    capacity
        Of each vehicle on duty; one number, or one for each unit.
    stops
        The names of the points in the data.
    coordinates
        Of the points, shape (points, 2), for a map; optional.
    vehicles
        What people call the vehicles, such as "Van 7, Ana"; optional.
    minutes
        The driving time of each arc, for all vehicles or for each kind; None if there are no times.
    visits, shifts
        What stops ask for and what vehicles are; None if all are plain.
    tables
        The same as the kernels read it.
    """

    arcs: NDArray[np.float64]
    demand: NDArray[np.float64]
    capacity: NDArray[np.float64]
    stops: tuple[str, ...]
    coordinates: Matrix | None
    vehicles: tuple[str, ...] | None
    minutes: NDArray[np.float64] | None
    visits: Visits | None
    shifts: Shifts | None
    tables: Tables = field(init=False)

    def __post_init__(self) -> None:
        own = [(self.arcs, 3), (self.minutes, 2)]
        kinds = {len(one) for one, flat in own if one is not None and one.ndim > flat} or {1}
        loads, capacities = self.demand, self.capacity
        tables = tables_of(
            loads.reshape(len(loads), -1),
            capacities.reshape(len(capacities), -1),
            len(self.stops),
            max(kinds),
            self.stops,
            self.minutes,
            self.visits,
            self.shifts,
        )
        used = int(tables.fleet[: len(capacities), KIND].max()) + 1
        if used > min(kinds) or len(kinds) > 1:
            raise ValueError(
                f"There are {used} kinds of vehicles; give each its table of arcs and of minutes."
            )
        object.__setattr__(self, "tables", tables)

    def __repr__(self) -> str:
        arcs = self.arcs.shape[-1]
        return f"Day({self.size} stops, {len(self.capacity)} vehicles, {arcs} arc features)"

    @property
    def size(self) -> int:
        """n, the number of stops."""
        return len(self.demand) - 1

    @property
    def rows(self) -> int:
        """The number of routes of a plan: one for each vehicle, one more if stops may be left out."""
        return len(self.capacity) + self.tables.optional

    @property
    def plain(self) -> bool:
        """Whether there are loads of one unit only: no times, skills, prices, pairs or other depots."""
        return self.visits is None and self.shifts is None and self.minutes is None and self.tables.units == 1

    def vehicle(self, r: int) -> str:
        """The name of a vehicle, or its number from 1."""
        return str(r + 1) if self.vehicles is None else self.vehicles[r]

    @staticmethod
    def of(
        arcs: Any,
        demand: Any,
        capacity: Any,
        stops: Sequence[str] | None = None,
        coordinates: Any = None,
        vehicles: Sequence[str] | None = None,
        *,
        minutes: Any = None,
        visits: Visits | None = None,
        shifts: Shifts | None = None,
    ) -> Day:
        """A validated day."""
        loads, capacities = _units(demand, "demands"), _units(capacity, "capacities")
        n, m, flat = len(loads) - 1, len(capacities), np.ndim(demand) < 2
        table = validation.array(arcs, "arc features")
        if table.ndim == 2:
            table = table[:, :, None]
        points = table.shape[-2] if table.ndim > 2 else 0
        if table.ndim not in (3, 4) or table.shape[-3] != points or points < 2:
            raise ValueError(
                f"Arc features have shape {table.shape}; expected (n + 1, n + 1, d) with n above 0."
            )
        if n < 1 or points < n + 1:
            raise ValueError(
                f"There are {n + 1} demands for {points} points; give one for the depot and each stop."
            )
        names = validation.titles(stops, points, "points") or tuple(map(str, range(points)))
        if not capacities.size or (capacities <= 0).any():
            raise ValueError("There must be a vehicle, and every capacity must be above 0.")
        if loads.shape[1] != capacities.shape[1]:
            raise ValueError(f"Loads have {loads.shape[1]} units, capacities {capacities.shape[1]}.")
        if (loads < 0).any() or (loads[0] != 0).any():
            raise ValueError("Demands must be 0 or more, and 0 at the depot.")
        if (loads.max(axis=0) > capacities.max(axis=0)).any():
            unit = int((loads.max(axis=0) > capacities.max(axis=0)).argmax())
            worst = int(loads[:, unit].argmax())
            raise ValueError(
                f"Stop {names[worst]} has demand {loads[worst, unit]:g}; the largest vehicle holds "
                f"{capacities[:, unit].max():g}."
            )
        if shifts is not None and shifts.ends is not None and -1 in shifts.ends:  # a point without ways
            table = np.pad(table, [*[(0, 0)] * (table.ndim - 3), (0, 1), (0, 1), (0, 0)])
            minutes = (
                None
                if minutes is None
                else np.pad(np.asarray(minutes, float), [(0, 0)] * (np.ndim(minutes) - 2) + [(0, 1), (0, 1)])
            )
            coordinates = (
                None if coordinates is None else [*np.asarray(coordinates).tolist(), list(coordinates[0])]
            )
            names = (*names, "anywhere")
            shifts = replace(shifts, ends=[points if end == -1 else end for end in shifts.ends])
            points += 1
        on_stops = np.arange(1, n + 1)
        table[..., on_stops, on_stops, :] = 0.0  # a route never goes from a stop to itself
        times = None if minutes is None else validation.array(minutes, "minutes")
        if times is not None and times.shape[-2:] != (points, points):
            raise ValueError(f"Minutes have shape {times.shape}; expected a table of {points} points.")
        places = None if coordinates is None else validation.matrix(coordinates, "coordinates", points, 2)
        called = validation.titles(vehicles, m, "vehicles")
        return Day(
            table,
            loads[:, 0] if flat else loads,
            capacities[:, 0] if flat else capacities,
            names,
            places,
            called,
            times,
            visits,
            shifts,
        )


def _units(data: Any, what: str) -> Matrix:
    """Loads or capacities as a matrix with one column for each unit."""
    rows = validation.array(data, what)
    if rows.ndim not in (1, 2):
        raise ValueError(
            f"The {what} have shape {rows.shape}; expected a list of numbers, or one for each unit."
        )
    return rows.reshape(len(rows), -1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlannedDay:
    """One day of an archive of plans.

    Attributes
    ----------
    day, weekday
        The date as a number, and the weekday, 0 to 6.
    demand
        Of each stop of that day, by stop number.
    capacity
        Of one vehicle.
    routes
        The planner's routes: stop numbers without the depot. Empty if not known yet.
    vehicles
        The number of vehicles on duty.
    vehicle_names
        What people call them; None if they have no names.
    """

    day: int
    weekday: int
    demand: dict[int, float]
    capacity: float
    routes: tuple[tuple[int, ...], ...]
    vehicles: int
    vehicle_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return (
            f"PlannedDay(day={self.day}, weekday={self.weekday}, {len(self.demand)} stops, "
            f"{len(self.routes)} routes, {self.vehicles} vehicles)"
        )

    @property
    def stops(self) -> tuple[int, ...]:
        """The day's stops, sorted."""
        return tuple(sorted(self.demand))

    def local_routes(self) -> tuple[Indices, ...]:
        """The planner's routes in the numbers of the day's problem."""
        number = {stop: k + 1 for k, stop in enumerate(self.stops)}
        routes = [np.array([number[s] for s in route], dtype=np.int64) for route in self.routes]
        return (*routes, *(np.empty(0, np.int64) for _ in range(self.vehicles - len(routes))))

    def problem(self, distances: Matrix) -> Day:
        """The problem of the day, without its routes; the feature of an arc is distance / mean distance.

        `distances` are those between all stops, the depot first.
        """
        points = np.array([0, *self.stops])
        table = distances[np.ix_(points, points)] / distances[distances > 0].mean()
        demand = np.array([0.0, *(self.demand[stop] for stop in self.stops)])
        names = [str(point) for point in points]
        capacity = np.full(self.vehicles, float(self.capacity))
        return Day.of(table, demand, capacity, names, vehicles=self.vehicle_names)

"""The problem of the plans domain: what has to be delivered on one day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.protocol import Indices, Matrix, Vector


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Day:
    """What has to be delivered on one day. Point 0 is the depot, 1 to n are the day's stops.

    Attributes
    ----------
    arcs
        Features of the direct way from one point to another, shape (n + 1, n + 1, d); directed. The arc from
        the depot to the depot belongs to an idle vehicle.
    demand
        Of each point; 0 at the depot.
    capacity
        Of each vehicle on duty.
    stops
        The names of the points in the data.
    coordinates
        Of the points, shape (n + 1, 2), for a map; optional.
    vehicles
        What people call the vehicles, such as "Van 7, Ana"; optional.
    """

    arcs: NDArray[np.float64]
    demand: Vector
    capacity: Vector
    stops: tuple[str, ...]
    coordinates: Matrix | None = None
    vehicles: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"Day({self.size} stops, {len(self.capacity)} vehicles, {self.arcs.shape[2]} arc features)"

    @property
    def size(self) -> int:
        """n, the number of stops."""
        return len(self.demand) - 1

    @staticmethod
    def of(
        arcs: Any,
        demand: Any,
        capacity: Any,
        stops: Sequence[str] | None = None,
        coordinates: Any = None,
        vehicles: Sequence[str] | None = None,
    ) -> Day:
        """A validated day."""
        table = validation.array(arcs, "arc features")
        if table.ndim == 2:
            table = table[:, :, None]
        if table.ndim != 3 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
            raise ValueError(
                f"Arc features have shape {table.shape}; expected (n + 1, n + 1, d) with n above 0."
            )
        n = table.shape[0] - 1
        table[np.arange(1, n + 1), np.arange(1, n + 1)] = 0.0  # a route never goes from a stop to itself
        demands = validation.matrix([demand], "demands", 1, n + 1)[0]
        capacities = validation.matrix([capacity], "capacities", 1)[0]
        names = tuple(map(str, range(n + 1))) if stops is None else tuple(stops)
        if len(names) != n + 1:
            raise ValueError(f"{len(names)} names were given for {n + 1} points; give one each, depot first.")
        if not capacities.size or (capacities <= 0).any():
            raise ValueError("There must be a vehicle, and every capacity must be above 0.")
        if (demands < 0).any() or demands[0] != 0:
            raise ValueError("Demands must be 0 or more, and 0 at the depot.")
        if demands.max() > capacities.max():
            worst = int(demands.argmax())
            raise ValueError(
                f"Stop {names[worst]} has demand {demands[worst]:g}; the largest vehicle holds "
                f"{capacities.max():g}."
            )
        places = None if coordinates is None else validation.matrix(coordinates, "coordinates", n + 1, 2)
        called = validation.titles(vehicles, len(capacities), "vehicles")
        return Day(table, demands, capacities, names, places, called)


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

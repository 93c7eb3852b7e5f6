"""Features from earlier days: how usual it is to drive from one stop to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from coactor.domains.plans.day import Day
from coactor.protocol import Indices, Matrix, Vector

Column: TypeAlias = Literal["similar", "always", "weekday", "district"]
COLUMNS: dict[Column, str] = {
    "similar": "unusual on similar days",
    "always": "unusual on all days",
    "weekday": "unusual on this weekday",
    "district": "into another district",
}
SMOOTHING = 0.1  # of one day, added to the number of days on which both stops were served


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
    """

    day: int
    weekday: int
    demand: dict[int, float]
    capacity: float
    routes: tuple[tuple[int, ...], ...]
    vehicles: int

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


class History:
    """Turns planned days into problems with features from earlier days.

    How usual an arc is: of the earlier days that served both its ends, the share on which a vehicle drove
    directly from one to the other. The feature is 1 - sqrt(share), a cost between 0 and 1. For "similar" an
    earlier day counts half as much for each stop that only one of the two days has; for "always" all days
    count alike; for "weekday" only those of the same weekday. "district" is 1 where an arc leaves a district.
    The first feature is the distance divided by the mean distance.

    Parameters
    ----------
    distances
        Between all stops, the depot first, shape (stops, stops).
    columns
        The features besides distance.
    districts
        The district of each stop; needed for "district".
    """

    def __init__(
        self,
        distances: Matrix,
        columns: Sequence[Column] = ("similar",),
        districts: Sequence[str] | None = None,
    ) -> None:
        unknown = [column for column in columns if column not in COLUMNS]
        if unknown:
            raise ValueError(f"There is no feature {unknown[0]!r}; expected some of {', '.join(COLUMNS)}.")
        if "district" in columns and districts is None:
            raise ValueError("The feature 'district' needs the district of each stop.")
        self.distances = distances / distances[distances > 0].mean()
        self.columns = tuple(columns)
        self.names = ("distance", *(COLUMNS[column] for column in columns))
        self._districts = None if districts is None else np.array(districts)
        self._sets: list[frozenset[int]] = []
        self._weekdays: list[int] = []
        n = len(distances)
        self._used: list[Indices] = []
        self._present = np.zeros((0, n))

    def record(self, day: PlannedDay) -> None:
        """Add a planned day."""
        self._sets.append(frozenset(day.demand))
        self._weekdays.append(day.weekday)
        idle = ((),) * (day.vehicles - len(day.routes))
        arcs = [pair for route in (*day.routes, *idle) for pair in zip((0, *route), (*route, 0), strict=True)]
        self._used.append(np.array(arcs, dtype=np.int64).reshape(-1, 2))
        present = np.zeros(len(self.distances))
        present[[0, *day.demand]] = 1.0
        self._present = np.vstack([self._present, present])

    def problem(self, day: PlannedDay) -> Day:
        """The problem of a day, from earlier days only: the day's own routes are not used."""
        points = np.array([0, *day.stops])
        table = [self.distances[np.ix_(points, points)]]
        for column in self.columns:
            table.append(self._column(column, day, points))
        demand = np.array([0.0, *(day.demand[stop] for stop in day.stops)])
        names = [str(point) for point in points]
        return Day.of(np.stack(table, axis=2), demand, np.full(day.vehicles, float(day.capacity)), names)

    def most_similar(self, day: PlannedDay) -> int:
        """The index of the recorded day whose stops differ least, the latest of them; -1 if there is none."""
        differences = self._differences(day)
        return int(np.flatnonzero(differences == differences.min())[-1]) if len(differences) else -1

    def _differences(self, day: PlannedDay) -> Indices:
        today = frozenset(day.demand)
        return np.array([len(today ^ earlier) for earlier in self._sets], dtype=np.int64)

    def _column(self, column: Column, day: PlannedDay, points: Indices) -> Matrix:
        if column == "district":
            assert self._districts is not None  # checked in __init__
            where = self._districts[points]
            other: Matrix = (where[:, None] != where[None, :]).astype(np.float64)
            return other
        weights = np.ones(len(self._sets))
        if column == "similar" and len(weights):
            differences = self._differences(day)
            weights = 0.5 ** (differences - differences.min()).astype(np.float64)
        elif column == "weekday":
            weights = (np.array(self._weekdays) == day.weekday).astype(np.float64)
        return self._unusual(weights, points)

    def _unusual(self, weights: Vector, points: Indices) -> Matrix:
        n = len(self.distances)
        used = np.zeros((n, n))
        for weight, arcs in zip(weights, self._used, strict=True):
            np.add.at(used, (arcs[:, 0], arcs[:, 1]), weight)
        together = self._present[:, points]
        both = (together * weights[:, None]).T @ together
        share = np.minimum(1.0, used[np.ix_(points, points)] / (both + SMOOTHING))
        unusual: Matrix = 1.0 - np.sqrt(share)
        return unusual

"""What a planner knows that is not on the map: how the same stops were served on earlier days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from coactor.domains.plans.domain import Day
from coactor.protocol import Indices, Matrix, Vector

Column: TypeAlias = Literal["similar", "always", "weekday", "district"]
COLUMNS: dict[Column, str] = {
    "similar": "unusual on similar days",
    "always": "unusual on all days",
    "weekday": "unusual on this weekday",
    "district": "into another district",
}
SMOOTHING = 0.1  # of one day: a pair of stops seen once or never is not a habit yet


@dataclass(frozen=True, slots=True, eq=False)
class PlannedDay:
    """One day of an archive.

    Attributes
    ----------
    day, weekday
        When it was; weekday 0 to 6.
    demand
        Of each stop of that day, by stop number.
    capacity
        Of one vehicle.
    routes
        What the planner decided: stop numbers without the depot. Empty if it is not known yet.
    vehicles
        How many vehicles were on duty.
    """

    day: int
    weekday: int
    demand: dict[int, float]
    capacity: float
    routes: tuple[tuple[int, ...], ...]
    vehicles: int

    @property
    def stops(self) -> tuple[int, ...]:
        return tuple(sorted(self.demand))

    def local_routes(self) -> tuple[Indices, ...]:
        """The planner's routes in the numbers of the day's problem."""
        number = {stop: k + 1 for k, stop in enumerate(self.stops)}
        routes = [np.array([number[s] for s in route], dtype=np.int64) for route in self.routes]
        return (*routes, *(np.empty(0, np.int64) for _ in range(self.vehicles - len(routes))))


class History:
    """Turns days into problems whose arcs know how usual they are.

    An arc is as usual as the share of earlier days that served both its ends and drove straight from one to
    the other; the feature is 1 - sqrt(share), a cost between 0 and 1. For "similar" each stop that only one
    of the two days has halves what that day counts; "always" counts all days alike, "weekday" those of the
    same weekday. "district" is 1 where an arc leaves a district. The first feature is the distance, in mean
    distances.

    Parameters
    ----------
    distances
        Between all stops, the depot first, shape (stops, stops).
    columns
        Which features beside distance.
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
            raise ValueError(f"there is no feature {unknown[0]!r}; the features are {', '.join(COLUMNS)}.")
        if "district" in columns and districts is None:
            raise ValueError("the feature 'district' needs the district of each stop.")
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
        """Remember what the planner did."""
        self._sets.append(frozenset(day.demand))
        self._weekdays.append(day.weekday)
        idle = ((),) * (day.vehicles - len(day.routes))
        arcs = [pair for route in (*day.routes, *idle) for pair in zip((0, *route), (*route, 0), strict=True)]
        self._used.append(np.array(arcs, dtype=np.int64).reshape(-1, 2))
        present = np.zeros(len(self.distances))
        present[[0, *day.demand]] = 1.0
        self._present = np.vstack([self._present, present])

    def problem(self, day: PlannedDay) -> Day:
        """The day as it stands in the morning: what was driven on it is not looked at."""
        points = np.array([0, *day.stops])
        table = [self.distances[np.ix_(points, points)]]
        for column in self.columns:
            table.append(self._column(column, day, points))
        demand = np.array([0.0, *(day.demand[stop] for stop in day.stops)])
        names = [str(point) for point in points]
        return Day.of(np.stack(table, axis=2), demand, np.full(day.vehicles, float(day.capacity)), names)

    def most_similar(self, day: PlannedDay) -> int:
        """The earlier day whose stops differ least, the latest of them; -1 if there is none."""
        differ = self._differences(day)
        return int(np.flatnonzero(differ == differ.min())[-1]) if len(differ) else -1

    def _differences(self, day: PlannedDay) -> Indices:
        today = frozenset(day.demand)
        return np.array([len(today ^ then) for then in self._sets], dtype=np.int64)

    def _column(self, column: Column, day: PlannedDay, points: Indices) -> Matrix:
        if column == "district":
            assert self._districts is not None  # checked when made
            where = self._districts[points]
            other: Matrix = (where[:, None] != where[None, :]).astype(np.float64)
            return other
        weights = np.ones(len(self._sets))
        if column == "similar" and len(weights):
            differ = self._differences(day)
            weights = 0.5 ** (differ - differ.min()).astype(np.float64)
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

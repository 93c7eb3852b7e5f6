"""A day as the kernels read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Matrix, Vector

MOST_SKILLS = 50


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Visits:
    """What stops ask for beside their loads; one entry for each point of `Day.demand`, the depot first.

    Attributes
    ----------
    service
        Minutes at the stop.
    windows
        The (from, to) minutes in which the service may begin: none, one or several for each stop.
    needs
        The skills that a vehicle must have to serve the stop.
    prices
        What it counts to leave the stop out; 0 if it must be served.
    pairs
        (pickup, delivery): both on one route, the pickup first. Their load is on board in between.
    """

    service: Any = None
    windows: Sequence[Sequence[tuple[float, float]] | None] | None = None
    needs: Sequence[Sequence[str]] | None = None
    prices: Any = None
    pairs: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Shifts:
    """What vehicles are beside their capacities; one entry for each vehicle.

    Attributes
    ----------
    starts, ends
        The points where they begin and end: 0, or a point beyond the stops. An end of -1 is anywhere.
    hours
        The minutes (from, to) between which they are on duty; None for any time.
    longest
        The most minutes from start to end.
    fixed
        What using the vehicle counts; 1 by default.
    skills
        The needs of stops that it meets.
    kinds
        Which table of arcs and minutes is theirs, if there are several.
    """

    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None
    hours: Sequence[tuple[float, float] | None] | None = None
    longest: Any = None
    fixed: Any = None
    skills: Sequence[Sequence[str]] | None = None
    kinds: Sequence[int] | None = None


class Tables(NamedTuple):
    """The columns of points and vehicles (see `kernels.plans`), and what a day has of what is optional.

    Attributes
    ----------
    points, fleet, minutes
        As in `kernels.plans.Rules`.
    units
        The number of units of loads. If stops may be left out, the last counts the stops that must be served.
    skills
        All needs of stops and skills of vehicles.
    prices
        What it counts to leave a stop out; None if none may be. Those left out are in a last row of a plan,
        which has a row in `fleet` too.
    timed, needy, walked
        As in `kernels.plans.Rules`.
    """

    points: Matrix
    fleet: Matrix
    minutes: NDArray[np.float64]
    units: int
    skills: tuple[str, ...]
    prices: Vector | None
    timed: bool
    needy: bool
    walked: bool

    @property
    def optional(self) -> bool:
        """Whether stops may be left out."""
        return self.prices is not None


def tables_of(
    loads: Matrix,
    capacities: Matrix,
    points: int,
    kinds: int,
    names: Sequence[str],
    minutes: NDArray[np.float64] | None,
    visits: Visits | None,
    shifts: Shifts | None,
) -> Tables:
    """The tables of a day, for so many kinds of vehicles or more. Raises ValueError if one is invalid."""
    n = len(loads) - 1
    prices = (
        None if visits is None or visits.prices is None else _column(visits.prices, n + 1, "prices of stops")
    )
    optional = prices is not None and bool((prices > 0).any())
    if prices is not None and optional:
        loads = np.column_stack([loads, np.zeros(n + 1)])
        capacities = np.column_stack([capacities, np.full(len(capacities), np.inf)])
    units = loads.shape[1]
    stops, skills = _points(loads, points, names, visits)
    needs = sorted(
        {
            skill
            for more in (skills, () if shifts is None else shifts.skills or ())
            for one in more
            for skill in one
        }
    )
    if len(needs) > MOST_SKILLS:
        raise ValueError(
            f"There are {len(needs)} different needs and skills; expected at most {MOST_SKILLS}."
        )
    number = {name: 1 << k for k, name in enumerate(needs)}
    for v, own in enumerate(skills):
        stops[v, kernel.NEED] = sum(number[name] for name in set(own))
    fleet = _fleet(capacities, points, n, shifts, number)
    kinds = max(kinds, int(fleet[:, kernel.KIND].max()) + 1)
    if prices is not None and optional:
        stops[1 : n + 1, kernel.DEMAND + units - 1] = prices[1:] == 0
        pool = np.zeros((1, fleet.shape[1]))
        pool[0, [kernel.UNTIL, kernel.LONGEST]] = np.inf
        pool[0, kernel.CAPACITY : kernel.CAPACITY + units - 1] = np.inf
        pool[0, [kernel.SKILLS, kernel.ALIKE, kernel.KIND, -1]] = 2**MOST_SKILLS - 1, -1, kinds, 1
        fleet = np.concatenate([fleet, pool])
    timed = minutes is not None
    times = np.zeros((1, 1, 1))
    if minutes is not None:
        times = np.zeros((kinds + optional, points, points))
        times[:kinds] = minutes
    windows = stops.shape[1] > kernel.DEMAND + units
    pairs = bool(stops[:, kernel.PARTNER].any())
    return Tables(
        stops,
        fleet,
        times,
        units,
        tuple(needs),
        prices if optional else None,
        timed,
        bool(needs),
        windows or pairs,
    )


def _points(
    loads: Matrix, points: int, names: Sequence[str], visits: Visits | None
) -> tuple[Matrix, Sequence[Sequence[str]]]:
    """The columns of the points, and the needs of the stops."""
    n, units = len(loads) - 1, loads.shape[1]
    windows: list[list[tuple[float, float]]] = [[] for _ in range(n + 1)]
    given = () if visits is None or visits.windows is None else visits.windows
    if given and len(given) != n + 1:
        raise ValueError(
            f"There are windows for {len(given)} points; give one entry for the depot and each stop."
        )
    for v, own in enumerate(given):
        windows[v] = _windows(own, names[v])
    most = max(1, *map(len, windows))
    table = np.zeros((points, kernel.DEMAND + units + 2 * (most - 1)))
    table[:, kernel.LATEST], table[:, kernel.EARLY] = np.inf, -np.inf
    table[: n + 1, kernel.DEMAND : kernel.DEMAND + units] = loads
    table[:, kernel.DEMAND + units :] = np.inf
    for v, own in enumerate(windows):
        for k, (opens, closes) in enumerate(own):
            at = kernel.EARLY if k == 0 else kernel.DEMAND + units + 2 * (k - 1)
            table[v, at : at + 2] = opens, closes
    if visits is None:
        return table, ()
    if visits.service is not None:
        table[: n + 1, kernel.DURATION] = _column(visits.service, n + 1, "service minutes")
    for pickup, delivery in visits.pairs:
        if (
            not (1 <= pickup <= n and 1 <= delivery <= n and pickup != delivery)
            or table[[pickup, delivery], kernel.PARTNER].any()
        ):
            raise ValueError(
                f"({pickup}, {delivery}) is not a pair; expected two stops of 1 to {n}, each in one pair."
            )
        table[pickup, kernel.PARTNER], table[delivery, kernel.PARTNER] = delivery, -pickup
        if (loads[pickup] != loads[delivery]).any():
            raise ValueError(f"{names[pickup]} and {names[delivery]} are a pair; give both the same load.")
    needs = visits.needs or ()
    if needs and len(needs) != n + 1:
        raise ValueError(
            f"There are needs of {len(needs)} points; give one list for the depot and each stop."
        )
    return table, needs


def _windows(data: Sequence[tuple[float, float]] | None, name: str) -> list[tuple[float, float]]:
    """The windows of a stop, sorted."""
    rows = sorted(
        (float(-np.inf if a is None else a), float(np.inf if b is None else b)) for a, b in data or ()
    )
    for opens, closes in rows:
        if not opens <= closes:
            raise ValueError(f"{name}: the window {opens:g} to {closes:g} min ends before it begins.")
    return rows


def _column(data: Any, count: int, what: str, least: float = 0.0) -> Vector:
    """One number for each of `count` things, none below `least`."""
    column: Vector = validation.matrix([data], what, 1, count)[0]
    if (column < least).any():
        raise ValueError(f"The {what} contain {column.min():g}; expected {least:g} or more.")
    return column


def _fleet(
    capacities: Matrix, points: int, n: int, shifts: Shifts | None, number: Mapping[str, int]
) -> Matrix:
    """The columns of the vehicles."""
    m, units = capacities.shape
    fleet = np.zeros((m, kernel.CAPACITY + 2 * units))
    fleet[:, kernel.CAPACITY : kernel.CAPACITY + units] = capacities
    fleet[:, kernel.CAPACITY + units :] = 1.0 / capacities.mean(axis=0)
    fleet[:, kernel.BEGIN], fleet[:, kernel.UNTIL], fleet[:, kernel.LONGEST] = -np.inf, np.inf, np.inf
    fleet[:, kernel.CHARGE] = 1.0
    if shifts is not None:
        for column, given in ((kernel.START, shifts.starts), (kernel.END, shifts.ends)):
            if given is not None:
                depots = validation.integers(given, "the depots of vehicles")
                if len(depots) != m or not ((depots == 0) | ((depots > n) & (depots < points))).all():
                    raise ValueError(
                        f"The depots of vehicles are {depots.tolist()}; expected 0 or points after the stops."
                    )
                fleet[:, column] = depots
        for v, hours in enumerate(shifts.hours or ()):
            fleet[v, [kernel.BEGIN, kernel.UNTIL]] = (
                _windows([hours], f"Vehicle {v + 1}")[0] if hours is not None else (-np.inf, np.inf)
            )
        if shifts.longest is not None:
            limits = [np.inf if limit is None else float(limit) for limit in shifts.longest]
            fleet[:, kernel.LONGEST] = np.array(limits, float)
        if shifts.fixed is not None:
            fleet[:, kernel.CHARGE] = _column(shifts.fixed, m, "fixed costs")
        if shifts.kinds is not None:
            fleet[:, kernel.KIND] = _column(shifts.kinds, m, "kinds of vehicles")
        for v, skills in enumerate(shifts.skills or ()):
            fleet[v, kernel.SKILLS] = sum(number[name] for name in set(skills))
    _, alike = np.unique(fleet, axis=0, return_inverse=True)
    fleet[:, kernel.ALIKE] = alike.ravel()
    return fleet


def rules_of(
    t: Tables, stops: int, costs: NDArray[np.float64], prices: Vector, hard: Vector, unserved: float | None
) -> Rules:
    """The rules of a day of so many stops.

    Parameters
    ----------
    costs
        Of each arc: one table, or one for each kind of vehicle.
    prices, hard
        As in `kernels.plans.Rules`.
    unserved
        The price of what stops count that are left out; None if all must be served.
    """
    points, fleet = t.points, t.fleet.copy()
    size = len(points)
    kinds = int(fleet[-1, kernel.KIND]) if t.optional else len(costs) if costs.ndim == 3 else len(t.minutes)
    ways = np.zeros((kinds + t.optional, size, size, 1 + t.timed))
    ways[:kinds, :, :, 0] = costs
    if t.timed:
        ways[..., 1] = t.minutes
    if t.optional:
        if unserved is None:
            points = points.copy()
            points[1 : stops + 1, kernel.DEMAND + t.units - 1] = 1.0
        elif t.prices is not None:
            ways[-1, :, : stops + 1, 0] = unserved * t.prices
    start, end, kind = (fleet[:, c].astype(np.int64) for c in (kernel.START, kernel.END, kernel.KIND))
    fleet[:, kernel.IDLE] = np.where(start == end, ways[kind, start, end, 0], 0.0)
    pool = len(fleet) - 1 if t.optional else -1
    return Rules(
        ways,
        points,
        fleet,
        np.array([prices, hard]),
        pool,
        t.units,
        t.needy,
        False,
        True if t.timed else None,
        True if t.walked else None,
    )


def plain_rules(costs: Matrix, fleet: Matrix) -> Rules:
    """Rules of arcs alone, the same for all vehicles; which vehicles are alike is known."""
    points, vehicles = np.zeros((len(costs), kernel.DEMAND)), np.zeros((len(fleet), kernel.CAPACITY))
    same = [kernel.START, kernel.END, kernel.ALIKE]
    vehicles[:, same] = fleet[:, same]
    return Rules(costs[None, :, :, None], points, vehicles, np.zeros((2, 8)), -1, 0, False, False, None, None)

"""Plans by PyVRP: windows, shifts, depots, units, skills and vehicles that differ, on learned costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from coactor.domains import Day, Plans
from coactor.domains.plans import Routes, solver
from coactor.domains.plans.domain import unpack
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Vector

UNIT = 1000  # of loads and minutes: three decimals
FAR = 10_000_000  # the most that an arc costs after scaling; ten times that for a stop that is not allowed


def solve_day(domain: Plans, x: Day, w: Vector, seconds: float, engine: str) -> Routes:
    """A plan in so many seconds by an engine, "own" or "pyvrp", then a climb; by our own if PyVRP finds none.

    What is soft beside unserved stops and vehicles is a rule for PyVRP, and priced by the climb.
    """
    view = domain.landscape(x, w)
    if engine == "pyvrp":
        y = pyvrp_plan(view.rules, x.size, seconds)
        if y is not None:
            return view.climb(y)[0][-1]
    return unpack(*solver.solve(view.rules, x.size, seconds))


def pyvrp_plan(rules: Rules, stops: int, seconds: float, seed: int = 0) -> Routes | None:
    """PyVRP's best plan; None if it finds none that keeps the rules."""
    import pyvrp as package

    if rules.walked is not None:
        return None
    api: Any = package
    data, types = _data(api, rules, stops)
    result = api.solve(data, api.stop.MaxRuntime(seconds), seed=seed, collect_stats=False, display=False)
    if not result.best.is_feasible():
        return None
    routes: list[list[int]] = [[] for _ in rules.fleet]
    idle = [list(vehicles) for vehicles in types]
    for route in result.best.routes():
        routes[idle[route.vehicle_type()].pop(0)] = [a.idx + 1 for a in route if a.is_client()]
    if rules.pool >= 0:
        routes[rules.pool] = sorted({*range(1, stops + 1)} - {v for route in routes for v in route})
    return tuple(np.array(route, np.int64) for route in routes)


def _data(api: Any, rules: Rules, stops: int) -> tuple[Any, list[list[int]]]:
    """PyVRP's data, and the vehicles of each of its types."""
    m = len(rules.fleet) - (rules.pool >= 0)
    points = len(rules.points)
    costs = rules.ways[: int(rules.fleet[:m, kernel.KIND].max()) + 1, :, :, 0].copy()
    if rules.pool < 0 and costs.min() < 0:  # each stop is entered once
        costs[:, :, 1 : stops + 1] -= min(0.0, float(costs[:, :, 1 : stops + 1].min()))
    costs = np.maximum(costs, 0.0)
    scale = FAR / max(float(costs.max()), 1e-12)
    needs = rules.points[:, kernel.NEED].astype(np.int64)
    profiles = dict[tuple[int, int], int]()
    distances, durations, types, vehicles = list[Any](), list[Any](), list[list[int]](), list[Any]()
    for alike in np.unique(rules.fleet[:m, kernel.ALIKE]):
        numbers = np.flatnonzero(rules.fleet[:m, kernel.ALIKE] == alike).tolist()
        row = rules.fleet[numbers[0]]
        kind, skills = int(row[kernel.KIND]), int(row[kernel.SKILLS])
        if (kind, skills) not in profiles:
            profiles[kind, skills] = len(distances)
            table = np.rint(costs[kind] * scale).astype(np.int64)
            table[:, (needs & ~skills) > 0] = 10 * FAR
            np.fill_diagonal(table, 0)
            distances.append(table)
            minutes = rules.ways[kind, :, :, 1] if rules.timed else np.zeros((points, points))
            times = np.ceil(minutes * UNIT - 1e-6).astype(np.int64)
            np.fill_diagonal(times, 0)
            durations.append(times)
        limits = {"tw_early": _time(row[kernel.BEGIN]), "tw_late": _time(row[kernel.UNTIL])}
        capacity = row[kernel.CAPACITY : kernel.CAPACITY + rules.units]
        depots = [0 if place == 0 else int(place) - stops for place in row[[kernel.START, kernel.END]]]
        vehicles.append(
            api.VehicleType(
                len(numbers),
                [int(most * UNIT + 0.5) for most in capacity],
                *depots,
                fixed_cost=max(0, round(float(rules.terms[0, kernel.VEHICLES] * row[kernel.CHARGE] * scale))),
                shift_duration=_time(row[kernel.LONGEST]),
                profile=profiles[kind, skills],
                **limits,
            )
        )
        types.append(numbers)
    clients = [
        api.Client(
            v,
            np.rint(rules.points[v, kernel.DEMAND : kernel.DEMAND + rules.units] * UNIT).astype(int).tolist(),
            service_duration=_time(rules.points[v, kernel.DURATION]),
            tw_early=_time(np.ceil(rules.points[v, kernel.EARLY] * UNIT) / UNIT),
            tw_late=_time(rules.points[v, kernel.LATEST]),
            prize=0 if rules.pool < 0 else max(0, round(float(rules.ways[-1, 0, v, 0] * scale))),
            required=rules.pool < 0 or int(needs[v]) >> 51 > 0,
        )
        for v in range(1, stops + 1)
    ]
    depots = [api.Depot(place) for place in (0, *range(stops + 1, points))]
    return api.ProblemData(
        [api.Location(0, 0) for _ in range(points)], clients, depots, vehicles, distances, durations
    ), types


def _time(minutes: float) -> int:
    """Minutes as PyVRP's whole number; without a limit, its largest."""
    if np.isinf(minutes):
        return 0 if minutes < 0 else 2**63 - 1
    return max(0, int(minutes * UNIT + 1e-6))

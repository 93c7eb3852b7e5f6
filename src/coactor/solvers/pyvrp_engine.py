"""PyVRP on learned costs: windows, shifts, depots, units, skills and vehicles that differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from coactor.domains import Day, Plans
from coactor.domains.plans import Routes, solver
from coactor.domains.plans.domain import unpack
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Domain, Vector
from coactor.solvers.adapters import RoutingSolver
from coactor.solvers.prices import FAR, UNIT, whole_costs
from coactor.validation import above_zero


def pyvrp(domain: Domain, seconds: float = 1.0, seed: int = 0) -> RoutingSolver:
    """A solver for Tour, Fleet or Plans: PyVRP with a time limit, then polishing.

    Of a day with pairs or several windows the domain's own plan is taken. What is soft beside unserved stops
    and vehicles is a rule for PyVRP, and left to polishing.
    """
    try:
        import pyvrp as package
    except ImportError:
        raise ImportError("PyVRP is not installed: pip install 'coactor[pyvrp]'.") from None
    if not hasattr(package, "Location"):
        raise ImportError("This version of PyVRP is too old: pip install 'pyvrp>=0.14'.")
    above_zero(seconds, "The time limit in seconds")
    return RoutingSolver(domain, lambda rules, stops, start: pyvrp_plan(rules, stops, seconds, seed, start))


def solve_day(domain: Plans, x: Day, w: Vector, seconds: float, engine: str) -> Routes:
    """A plan in so many seconds by an engine, "own" or "pyvrp", then a climb; by our own if PyVRP finds none.

    What is soft beside unserved stops and vehicles is a rule for PyVRP, and priced by the climb.
    """
    above_zero(seconds, "The time limit in seconds")
    view = domain.landscape(x, w)
    if engine == "pyvrp":
        y = pyvrp_plan(view.rules, x.size, seconds)
        if y is not None:
            return view.climb(y)[0][-1]
    return unpack(*solver.solve(view.rules, x.size, seconds))


def pyvrp_plan(rules: Rules, stops: int, seconds: float, seed: int = 0, start: Routes = ()) -> Routes | None:
    """PyVRP's best plan, perhaps from a given one; None if it finds none that keeps the rules."""
    import pyvrp as package

    if rules.walked is not None:
        return None
    api: Any = package
    data, types = _data(api, rules, stops)
    kinds = {v: kind for kind, vehicles in enumerate(types) for v in vehicles}
    given = [api.Route(data, start[v] - 1, kinds[v]) for v in kinds if len(start) and len(start[v])]
    result = api.solve(
        data,
        api.stop.MaxRuntime(seconds),
        seed=seed,
        collect_stats=False,
        display=False,
        initial_solution=api.Solution(data, given) if given else None,
    )
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
    points, units = len(rules.points), rules.units - (rules.pool >= 0)
    costs, fixed, left_out, _ = whole_costs(rules, stops)
    needs = rules.points[:, kernel.NEED].astype(np.int64)
    profiles = dict[tuple[int, int], int]()
    distances, durations, types, vehicles = list[Any](), list[Any](), list[list[int]](), list[Any]()
    for alike in np.unique(rules.fleet[:m, kernel.ALIKE]):
        numbers = np.flatnonzero(rules.fleet[:m, kernel.ALIKE] == alike).tolist()
        row = rules.fleet[numbers[0]]
        profile = kind, skills = int(row[kernel.KIND]), int(row[kernel.SKILLS])
        if profile not in profiles:
            profiles[profile] = len(distances)
            table = costs[kind].copy()
            table[:, (needs & ~skills) > 0] = 10 * FAR  # not allowed
            np.fill_diagonal(table, 0)
            distances.append(table)
            minutes = rules.ways[kind, :, :, 1] if rules.timed else np.zeros((points, points))
            times = np.ceil(minutes * UNIT - 1e-6).astype(np.int64)
            np.fill_diagonal(times, 0)
            durations.append(times)
        limits = {"tw_early": _time(row[kernel.BEGIN]), "tw_late": _time(row[kernel.UNTIL])}
        capacity = row[kernel.CAPACITY : kernel.CAPACITY + units]
        depots = [0 if at == 0 else at - stops for at in row[[kernel.START, kernel.END]].astype(int).tolist()]
        vehicles.append(
            api.VehicleType(
                len(numbers),
                [int(most * UNIT + 0.5) for most in capacity],
                *depots,
                fixed_cost=int(fixed[numbers[0]]),
                shift_duration=_time(row[kernel.LONGEST]),
                profile=profiles[profile],
                **limits,
            )
        )
        types.append(numbers)
    clients = [
        api.Client(
            v,
            np.rint(rules.points[v, kernel.DEMAND : kernel.DEMAND + units] * UNIT).astype(int).tolist(),
            service_duration=_time(rules.points[v, kernel.DURATION]),
            tw_early=_time(np.ceil(rules.points[v, kernel.EARLY] * UNIT) / UNIT),
            tw_late=_time(rules.points[v, kernel.LATEST]),
            prize=0 if rules.pool < 0 else int(left_out[v - 1]),
            required=rules.pool < 0 or rules.points[v, kernel.DEMAND + units] > 0,
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

"""PyVRP's iterated local search on learned costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from coactor.protocol import Domain
from coactor.solvers.adapters import RoutingSolver
from coactor.solvers.pyvrp_plans import pyvrp_plan
from coactor.solvers.routing_model import LOADS, RoutingModel


def pyvrp(domain: Domain, seconds: float = 1.0, seed: int = 0) -> RoutingSolver:
    """A solver for Tour, Fleet or Plans: PyVRP with a time limit, then polishing.

    Times, skills and depots of plans are its constraints. Of a day with pairs or several windows the domain's
    own plan is taken. Two things that PyVRP cannot express are approximated, and left to polishing. An idle
    vehicle costs nothing in PyVRP, so its cost is subtracted from the arcs of the others into their ends, as
    far as no arc becomes negative. Soft capacities are ignored.
    """
    try:
        import pyvrp as package
    except ImportError:
        raise ImportError("PyVRP is not installed: pip install 'coactor[pyvrp]'.") from None
    if not hasattr(package, "Location"):
        raise ImportError("This version of PyVRP is too old: pip install 'pyvrp>=0.14'.")
    if not seconds > 0:
        raise ValueError(f"The time limit is {seconds!r} seconds; it must be above 0.")
    return RoutingSolver(
        domain, partial(_solve, seconds, seed), partial(pyvrp_plan, seconds=seconds, seed=seed)
    )


def _solve(seconds: float, seed: int, model: RoutingModel, start: list[list[int]]) -> list[list[int]]:
    import pyvrp as package

    api: Any = package
    free = model.free.tolist()
    if not free:
        return start
    depots = np.unique(np.concatenate([model.starts, model.ends])).tolist()
    place = {point: k for k, point in enumerate(free)}
    data = _data(api, model, free, depots)
    # Each vehicle is its own type, so that it keeps its number; idle vehicles have no route.
    routes = [api.Route(data, [place[p] for p in stops], v) for v, stops in enumerate(start) if stops]
    result = api.solve(
        data,
        api.stop.MaxRuntime(seconds),
        seed=seed,
        collect_stats=False,
        display=False,
        initial_solution=api.Solution(data, routes),
    )
    best = result.best
    if not best.is_feasible():
        return start
    visits: list[list[int]] = [[] for _ in start]
    for route in best.routes():
        visits[route.vehicle_type()] = [free[a.idx] for a in route if a.is_client()]
    return visits


def _data(api: Any, model: RoutingModel, free: list[int], depots: list[int]) -> Any:
    costs, _ = model.integer_costs()
    for v, end in enumerate(model.ends.tolist()):
        if v == model.ends.tolist().index(end):
            home = costs[:, end] - costs[model.starts[v], end]
            column = np.ones(len(costs), dtype=bool)
            column[depots] = False
            lift = max(0, -int(home[column].min(initial=0)))
            costs[column, end] = home[column] + lift
    np.fill_diagonal(costs, 0)
    demand = np.zeros(len(costs), np.int64)
    hard = model.demand is not None and model.capacity is not None and model.overload_price is None
    capacity: list[list[int]] = [[] for _ in model.starts]
    if hard and model.demand is not None and model.capacity is not None:
        demand = np.rint(model.demand * LOADS).astype(np.int64)
        capacity = [[int(np.floor(c * LOADS + 0.5))] for c in model.capacity]
    clients = [api.Client(p, delivery=[int(demand[p])] if hard else []) for p in free]
    vehicles = [
        api.VehicleType(1, capacity=capacity[v], start_depot=depots.index(s), end_depot=depots.index(e))
        for v, (s, e) in enumerate(zip(model.starts.tolist(), model.ends.tolist(), strict=True))
    ]
    places = [api.Location(0, 0) for _ in range(len(costs))]
    return api.ProblemData(
        places, clients, [api.Depot(d) for d in depots], vehicles, [costs], [np.zeros_like(costs)]
    )

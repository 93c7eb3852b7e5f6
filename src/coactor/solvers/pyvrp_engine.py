"""PyVRP's iterated local search on learned costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from coactor.protocol import Domain
from coactor.solvers.adapters import RoutingSolver
from coactor.solvers.models import LOADS, Model


def pyvrp(domain: Domain, seconds: float = 1.0, seed: int = 0) -> RoutingSolver:
    """A solver for a Tour, a Fleet or Plans that asks PyVRP for so many seconds, then polishes.

    Two things PyVRP has no words for are put as near as they go, and left to polishing: an idle vehicle
    costs nothing there, so its cost is taken off the way home of the others, as far as that leaves no
    negative arc; and capacities that are only wishes are not seen.
    """
    try:
        import pyvrp as package
    except ImportError:
        raise ImportError("PyVRP is not installed: pip install 'coactor[pyvrp]'.") from None
    if not hasattr(package, "Location"):
        raise ImportError("this PyVRP is too old: pip install 'pyvrp>=0.14'.")
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds!r}; PyVRP needs a time limit above 0.")
    return RoutingSolver(domain, _Engine(seconds, seed))


class _Engine:
    def __init__(self, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.seed = seed

    def __call__(self, model: Model, start: list[list[int]]) -> list[list[int]]:
        import pyvrp as package

        api: Any = package
        free = model.free.tolist()
        if not free:
            return start
        depots = np.unique(np.concatenate([model.starts, model.ends])).tolist()
        place = {point: k for k, point in enumerate(free)}
        data = _data(api, model, free, depots)
        # A vehicle of its own type keeps its number; those without work have no route.
        routes = [api.Route(data, [place[p] for p in stops], v) for v, stops in enumerate(start) if stops]
        result = api.solve(
            data,
            api.stop.MaxRuntime(self.seconds),
            seed=self.seed,
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


def _data(api: Any, model: Model, free: list[int], depots: list[int]) -> Any:
    whole, _ = model.whole_costs()
    for v, end in enumerate(model.ends.tolist()):
        if v == model.ends.tolist().index(end):
            home = whole[:, end] - whole[model.starts[v], end]
            column = np.ones(len(whole), dtype=bool)
            column[depots] = False
            lift = max(0, -int(home[column].min(initial=0)))
            whole[column, end] = home[column] + lift
    np.fill_diagonal(whole, 0)
    demand = np.zeros(len(whole), np.int64)
    kept = model.demand is not None and model.capacity is not None and model.overload_price is None
    capacity: list[list[int]] = [[] for _ in model.starts]
    if kept and model.demand is not None and model.capacity is not None:
        demand = np.rint(model.demand * LOADS).astype(np.int64)
        capacity = [[int(np.floor(c * LOADS + 0.5))] for c in model.capacity]
    clients = [api.Client(p, delivery=[int(demand[p])] if kept else []) for p in free]
    vehicles = [
        api.VehicleType(1, capacity=capacity[v], start_depot=depots.index(s), end_depot=depots.index(e))
        for v, (s, e) in enumerate(zip(model.starts.tolist(), model.ends.tolist(), strict=True))
    ]
    places = [api.Location(0, 0) for _ in range(len(whole))]
    return api.ProblemData(
        places, clients, [api.Depot(d) for d in depots], vehicles, [whole], [np.zeros_like(whole)]
    )

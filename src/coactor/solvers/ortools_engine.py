"""OR-Tools routing on learned costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from coactor.domains.plans import Routes
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Domain
from coactor.solvers.adapters import RoutingSolver
from coactor.solvers.prices import UNIT, whole_costs
from coactor.validation import above_zero


def ortools(domain: Domain, seconds: float = 1.0) -> RoutingSolver:
    """A solver for Tour, Fleet or Plans: OR-Tools with a time limit, then polishing.

    Hard capacities are constraints; soft ones cost their learned price.

    Examples
    --------
    >>> import coactor
    >>> domain = coactor.domains.Tour(points=12, features=3)
    >>> session = coactor.Session(domain, coactor.learners.PER(3), solver=ortools(domain, seconds=0.2))
    """
    try:
        import ortools.constraint_solver  # noqa: F401
    except ImportError:
        raise ImportError("OR-Tools is not installed: pip install 'coactor[ortools]'.") from None
    above_zero(seconds, "The time limit in seconds")
    return RoutingSolver(domain, partial(_solve, seconds))


def _solve(seconds: float, rules: Rules, stops: int, start: Routes) -> Routes | None:
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    if rules.timed or rules.walked or rules.needy or rules.pool >= 0:
        raise ValueError(
            "This engine knows loads and depots only; coactor.solvers.pyvrp knows times and skills."
        )
    ends = rules.fleet[:, [kernel.START, kernel.END]].astype(int).T.tolist()
    manager: Any = pywrapcp.RoutingIndexManager(len(rules.points), len(rules.fleet), *ends)
    routing: Any = pywrapcp.RoutingModel(manager)
    costs, fixed, _, scale = whole_costs(rules, stops)
    kinds = [routing.RegisterTransitMatrix(table.tolist()) for table in costs]
    for v, kind in enumerate(rules.fleet[:, kernel.KIND].astype(int).tolist()):
        routing.SetArcCostEvaluatorOfVehicle(kinds[kind], v)
        routing.SetFixedCostOfVehicle(int(fixed[v]), v)
    for depot in {0, *range(stops + 1, len(rules.points))} - {*ends[0], *ends[1]}:
        routing.AddDisjunction([manager.NodeToIndex(depot)], 0)
    for unit in range(rules.units):
        _add_capacities(rules, unit, routing, scale)
    parameters: Any = pywrapcp.DefaultRoutingSearchParameters()
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(max(1, round(1000 * seconds)))
    routing.CloseModelWithParameters(parameters)
    indices = [[manager.NodeToIndex(stop) for stop in route.tolist()] for route in start]
    first = routing.ReadAssignmentFromRoutes(indices, True)
    assignment = None
    if first is not None:
        assignment = routing.SolveFromAssignmentWithParameters(first, parameters)
    if assignment is None:
        assignment = routing.SolveWithParameters(parameters)
    return None if assignment is None else _routes(manager, routing, assignment, len(start))


def _add_capacities(rules: Rules, unit: int, routing: Any, scale: float) -> None:
    demand = np.rint(rules.points[:, kernel.DEMAND + unit] * UNIT).astype(np.int64)
    capacity = np.floor(rules.fleet[:, kernel.CAPACITY + unit] * UNIT + 0.5).astype(np.int64)
    soft = rules.terms[1, kernel.OVERLOAD] == 0.0
    limits = np.full(len(capacity), int(demand.sum())) if soft else capacity
    callback = routing.RegisterUnaryTransitVector(demand.tolist())
    routing.AddDimensionWithVehicleCapacity(callback, 0, limits.tolist(), True, f"load {unit}")
    prices = rules.terms[0, kernel.OVERLOAD] * rules.fleet[:, kernel.CAPACITY + rules.units + unit]
    for v, price in enumerate((prices * scale / UNIT).tolist()):
        if soft and price > 0:
            load = routing.GetDimensionOrDie(f"load {unit}")
            load.SetCumulVarSoftUpperBound(routing.End(v), int(capacity[v]), max(1, round(price)))


def _routes(manager: Any, routing: Any, assignment: Any, vehicles: int) -> Routes:
    routes = []
    for v in range(vehicles):
        stops = []
        index = assignment.Value(routing.NextVar(routing.Start(v)))
        while not routing.IsEnd(index):
            stops.append(int(manager.IndexToNode(index)))
            index = assignment.Value(routing.NextVar(index))
        routes.append(np.array(stops, np.int64))
    return tuple(routes)

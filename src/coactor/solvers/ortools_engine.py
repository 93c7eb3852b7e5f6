"""OR-Tools routing on learned costs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from coactor.protocol import Domain
from coactor.solvers.adapters import RoutingSolver
from coactor.solvers.routing_model import LOADS, RoutingModel


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
    if not seconds > 0:
        raise ValueError(f"The time limit is {seconds!r} seconds; it must be above 0.")
    return RoutingSolver(domain, partial(_solve, seconds))


def _solve(seconds: float, model: RoutingModel, start: list[list[int]]) -> list[list[int]]:
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    vehicles = len(model.starts)
    manager: Any = pywrapcp.RoutingIndexManager(
        len(model.costs), vehicles, model.starts.tolist(), model.ends.tolist()
    )
    routing: Any = pywrapcp.RoutingModel(manager)
    costs, scale = model.integer_costs()
    routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(costs.tolist()))
    for v in range(vehicles):
        routing.SetVehicleUsedWhenEmpty(True, v)  # the arc from start to end counts for idle vehicles too
    _add_capacities(model, routing, scale)
    parameters: Any = pywrapcp.DefaultRoutingSearchParameters()
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(max(1, round(1000 * seconds)))
    routing.CloseModelWithParameters(parameters)
    indices = [[manager.NodeToIndex(point) for point in stops] for stops in start]
    first = routing.ReadAssignmentFromRoutes(indices, True)
    assignment = None
    if first is not None:
        assignment = routing.SolveFromAssignmentWithParameters(first, parameters)
    if assignment is None:
        assignment = routing.SolveWithParameters(parameters)
    return start if assignment is None else _visits(manager, routing, assignment, vehicles)


def _add_capacities(model: RoutingModel, routing: Any, scale: float) -> None:
    if model.demand is None or model.capacity is None:
        return
    demand = np.rint(model.demand * LOADS).astype(np.int64)
    capacity = np.floor(model.capacity * LOADS + 0.5).astype(np.int64)
    soft = model.overload_price is not None
    limits = np.full(len(capacity), int(demand.sum())) if soft else capacity
    callback = routing.RegisterUnaryTransitVector(demand.tolist())
    routing.AddDimensionWithVehicleCapacity(callback, 0, limits.tolist(), True, "load")
    if model.overload_price is not None and model.overload_price > 0:
        load = routing.GetDimensionOrDie("load")
        price = max(1, round(model.overload_price * scale / LOADS))
        for v, most in enumerate(capacity.tolist()):
            load.SetCumulVarSoftUpperBound(routing.End(v), most, price)


def _visits(manager: Any, routing: Any, assignment: Any, vehicles: int) -> list[list[int]]:
    visits = []
    for v in range(vehicles):
        stops = []
        index = assignment.Value(routing.NextVar(routing.Start(v)))
        while not routing.IsEnd(index):
            stops.append(int(manager.IndexToNode(index)))
            index = assignment.Value(routing.NextVar(index))
        visits.append(stops)
    return visits

"""One routing model for tours, fleets and plans, with the integer costs that routing engines need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor.domains import Day, Fleet, FleetProblem, Graph, Plans, Tour
from coactor.domains.plans import Routes
from coactor.kernels.plans import OVERLOAD
from coactor.protocol import Domain, Indices, Matrix, Problem, Solution, Vector

LARGEST = 1_000_000  # the most expensive arc after scaling; polishing removes the rounding error
LOADS = 1_000  # the resolution of demands, per unit


@dataclass(frozen=True, slots=True, eq=False)
class RoutingModel:
    """Vehicles that visit every free point, one that is neither start nor end, exactly once.

    Attributes
    ----------
    costs
        Of the arc from one point to another; real numbers of any sign.
    starts, ends
        Of each vehicle; equal for closed routes. Several vehicles may share them.
    demand, capacity
        Of each point and vehicle; None if there are no capacities.
    overload_price
        The cost per unit of overload where capacities are soft; None where they are hard.
    """

    costs: Matrix
    starts: Indices
    ends: Indices
    demand: Vector | None = None
    capacity: Vector | None = None
    overload_price: float | None = None

    @property
    def free(self) -> Indices:
        """The points that are neither start nor end."""
        return np.setdiff1d(np.arange(len(self.costs)), np.concatenate([self.starts, self.ends]))

    def integer_costs(self) -> tuple[Indices, float]:
        """Costs as integers from 0 to LARGEST, and the scale: integer cost per unit of the original.

        In every solution each free point is entered once and each vehicle ends once. So a constant can be
        added to all arcs into free points, and another to all arcs into ends, without changing which
        solution is best. This makes all costs non-negative; then they are scaled and rounded.
        """
        costs = self.costs.copy()
        used = ~np.eye(len(costs), dtype=bool)
        same = np.intersect1d(self.starts, self.ends)
        used[same, same] = True  # an idle vehicle stays at the depot, which may have a cost
        used[:, np.setdiff1d(self.starts, self.ends)] = False  # no arc leads into a start or out of an end
        used[np.setdiff1d(self.ends, self.starts)] = False
        costs[~used] = 0.0
        for points in (self.free, np.unique(self.ends)):
            lowest = min(0.0, float(costs[:, points].min(initial=0.0)))
            costs[:, points] -= lowest * used[:, points]
        scale = LARGEST / max(float(costs.max()), 1e-12)
        return np.rint(costs * scale).astype(np.int64), scale


def to_model(domain: Domain, x: Problem, w: Vector) -> RoutingModel:
    """The routing model of a problem under weights."""
    if isinstance(domain, Tour):
        return _tour(x, w)
    if isinstance(domain, Fleet):
        return _fleet(x, w)
    if isinstance(domain, Plans):
        return _plan(domain, x, w)
    raise ValueError(f"{type(domain).__name__} is not a routing domain; expected Tour, Fleet or Plans.")


def to_solution(domain: Domain, x: Problem, visits: list[list[int]]) -> Solution:
    """The domain's solution, from the free points that each vehicle visits in order."""
    if isinstance(domain, Tour):
        return np.array([0, *visits[0]], dtype=np.int64)
    if isinstance(domain, Fleet):
        return tuple(
            np.array([start, *stops, end], dtype=np.int64)
            for (start, end), stops in zip(x.terminals.tolist(), visits, strict=True)
        )
    return tuple(np.array(stops, dtype=np.int64) for stops in visits)


def to_visits(domain: Domain, y: Solution) -> list[list[int]]:
    """The free points that each vehicle visits in a domain's solution."""
    if isinstance(domain, Tour):
        first = int(np.flatnonzero(y == 0)[0])
        return [np.roll(y, -first)[1:].tolist()]
    if isinstance(domain, Fleet):
        return [path[1:-1].tolist() for path in y]
    routes: Routes = y
    return [route.tolist() for route in routes]


def _tour(x: Graph, w: Vector) -> RoutingModel:
    depot = np.zeros(1, np.int64)
    return RoutingModel(x.costs(w), depot, depot)


def _fleet(x: FleetProblem, w: Vector) -> RoutingModel:
    return RoutingModel(x.graph.costs(w), x.terminals[:, 0], x.terminals[:, 1])


def _plan(domain: Plans, x: Day, w: Vector) -> RoutingModel:
    rules = domain.landscape(x, w).rules
    depot = np.zeros(len(x.capacity), np.int64)
    price = rules.terms[0, OVERLOAD] / x.capacity.mean() if "overload" in domain.soft else None
    return RoutingModel(rules.ways[0, :, :, 0], depot, depot, x.demand, x.capacity, price)

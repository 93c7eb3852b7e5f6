"""One routing model for every tour, fleet and plan, and the integers that other people's solvers want."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor.domains import Day, Fleet, FleetProblem, Graph, Plans, Tour
from coactor.domains.plans import Routes
from coactor.protocol import Domain, Indices, Matrix, Problem, Solution, Vector

LARGEST = 1_000_000  # the dearest arc after scaling: fine enough for polishing to mend the rest
LOADS = 1_000  # parts of a unit of demand that are told apart


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Vehicles that visit every point which is not a start or an end exactly once.

    Attributes
    ----------
    costs
        Of going from a point straight to another; real numbers of any sign.
    starts, ends
        Of each vehicle; equal for closed routes, and several vehicles may share them.
    demand, capacity
        Of each point and vehicle; None when there are no capacities.
    overload_price
        What a unit of overload costs where capacities are wishes; None where they must be kept.
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

    def whole_costs(self) -> tuple[Indices, float]:
        """Costs as whole numbers from 0 to LARGEST, and what 1 of the original was scaled to.

        Every free point is entered once and every vehicle ends once, whatever the plan: so a constant may
        be added to all arcs into free points, and another to all arcs into ends, without changing which
        plan is best. That takes away what is negative; then costs are scaled and rounded.
        """
        costs = self.costs.copy()
        used = ~np.eye(len(costs), dtype=bool)
        same = np.intersect1d(self.starts, self.ends)
        used[same, same] = True  # staying at the depot is what an idle vehicle does, and may cost something
        used[:, np.setdiff1d(self.starts, self.ends)] = False  # nobody goes into a start, or out of an end
        used[np.setdiff1d(self.ends, self.starts)] = False
        costs[~used] = 0.0
        for points in (self.free, np.unique(self.ends)):
            lowest = min(0.0, float(costs[:, points].min(initial=0.0)))
            costs[:, points] -= lowest * used[:, points]
        scale = LARGEST / max(float(costs.max()), 1e-12)
        return np.rint(costs * scale).astype(np.int64), scale


def to_model(domain: Domain, x: Problem, w: Vector) -> Model:
    """The routing model of a problem under weights."""
    if isinstance(domain, Tour):
        return _tour(x, w)
    if isinstance(domain, Fleet):
        return _fleet(x, w)
    if isinstance(domain, Plans):
        return _plan(domain, x, w)
    raise ValueError(
        f"a {type(domain).__name__} is not a routing problem; expected a Tour, a Fleet or Plans."
    )


def to_solution(domain: Domain, x: Problem, visits: list[list[int]]) -> Solution:
    """The domain's solution from the free points each vehicle visits, in order."""
    if isinstance(domain, Tour):
        return np.array([0, *visits[0]], dtype=np.int64)
    if isinstance(domain, Fleet):
        return tuple(
            np.array([start, *stops, end], dtype=np.int64)
            for (start, end), stops in zip(x.terminals.tolist(), visits, strict=True)
        )
    return tuple(np.array(stops, dtype=np.int64) for stops in visits)


def to_visits(domain: Domain, y: Solution) -> list[list[int]]:
    """The free points each vehicle visits in a domain's solution."""
    if isinstance(domain, Tour):
        first = int(np.flatnonzero(y == 0)[0])
        return [np.roll(y, -first)[1:].tolist()]
    if isinstance(domain, Fleet):
        return [path[1:-1].tolist() for path in y]
    routes: Routes = y
    return [route.tolist() for route in routes]


def _tour(x: Graph, w: Vector) -> Model:
    depot = np.zeros(1, np.int64)
    return Model(x.costs(w), depot, depot)


def _fleet(x: FleetProblem, w: Vector) -> Model:
    return Model(x.graph.costs(w), x.terminals[:, 0], x.terminals[:, 1])


def _plan(domain: Plans, x: Day, w: Vector) -> Model:
    seen = domain.landscape(x, w)
    depot = np.zeros(len(x.capacity), np.int64)
    costs = seen.costs.copy()
    return Model(costs, depot, depot, x.demand, x.capacity, seen.price if domain.soft else None)

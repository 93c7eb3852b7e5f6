"""What all routing adapters share: tours and fleets as plans, polishing, never worse than the start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from coactor.domains import Day, Fleet, Plans, Shifts, Tour
from coactor.domains.plans import Routes
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Domain, Indices, Problem, Solution, Vector
from coactor.search import check_solution, landscape

Engine: TypeAlias = Callable[[Rules, int, Routes], Routes | None]
"""Solves a day of so many stops under its rules, perhaps from a plan; None if it finds no valid one."""


class RoutingSolver:
    """S(x; w) by an engine on the learned costs, polished with the domain's own moves (Assumption 1).

    The start is the domain's own solution, or a given one, such as the last proposal. Of it and the engine's,
    both polished, the one that breaks fewer rules is returned, then the one with the higher utility. So the
    result is never worse than the start, whatever the effect of rounding and time limit.

    Parameters
    ----------
    domain
        A Tour, a Fleet or Plans.
    engine
        Solves the rules.
    """

    def __init__(self, domain: Domain, engine: Engine) -> None:
        self.domain = domain
        self.engine = engine

    def __call__(self, x: Problem, w: Vector, *, start: Solution | None = None) -> Solution:
        domain = self.domain
        if start is None:
            start = domain.solve(x, w)
        check_solution(domain, x, start)
        given, model = [start], to_rules(domain, x, w)
        if model is not None:
            rules, stops, points = model
            routes = self.engine(rules, stops, to_routes(domain, start, points))
            given += [] if routes is None else [to_solution(domain, x, routes, points)]
        view = landscape(domain, x, w)
        climbed = [view.climb(y)[0][-1] for y in given]

        def worth(y: Solution) -> tuple[int, float]:
            return -len(domain.broken(x, y)) if isinstance(domain, Plans) else 0, view.utility(y)

        return max(climbed, key=worth)


def to_rules(domain: Domain, x: Problem, w: Vector) -> tuple[Rules, int, Indices] | None:
    """The rules of a problem under weights, the number of stops, and the number of each point in the problem.

    None if there are no stops.
    """
    if isinstance(domain, Plans):
        rules = domain.landscape(x, w).rules
        return rules, x.size, np.arange(len(rules.points))
    if isinstance(domain, Tour):
        costs, ends = x.costs(w), np.zeros((1, 2), np.int64)
    elif isinstance(domain, Fleet):
        costs, ends = x.graph.costs(w), x.terminals
    else:
        raise ValueError(f"{type(domain).__name__} is not a routing domain; expected Tour, Fleet or Plans.")
    depots = list(dict.fromkeys(ends.ravel().tolist()))
    stops = np.setdiff1d(np.arange(len(costs)), depots)
    if not len(stops):
        return None
    points = np.array([depots[0], *stops, *depots[1:]])
    first, last = np.argsort(points)[ends].T.tolist()
    table, loads = costs[np.ix_(points, points)], np.zeros(len(stops) + 1)
    day = Day.of(table, loads, np.ones(len(ends)), shifts=Shifts(starts=first, ends=last))
    rules = Plans(1).landscape(day, np.ones(1)).rules
    rules.fleet[:, kernel.IDLE] = costs[ends[:, 0], ends[:, 1]]
    return rules, len(stops), points


def to_routes(domain: Domain, y: Solution, points: Indices) -> Routes:
    """The stops that each vehicle visits in a solution."""
    if isinstance(domain, Plans):
        return tuple(y)
    place = np.argsort(points)
    paths = (
        [np.roll(y, -int(np.flatnonzero(y == 0)[0]))[1:]]
        if isinstance(domain, Tour)
        else [p[1:-1] for p in y]
    )
    return tuple(place[path] for path in paths)


def to_solution(domain: Domain, x: Problem, routes: Routes, points: Indices) -> Solution:
    """The domain's solution with these stops of each vehicle."""
    if isinstance(domain, Plans):
        return routes
    if isinstance(domain, Tour):
        return np.append(0, points[routes[0]])
    return tuple(np.array([a, *points[r], b]) for (a, b), r in zip(x.terminals, routes, strict=True))

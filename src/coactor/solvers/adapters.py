"""What all routing adapters share: solve, polish, and never return a solution worse than the start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from coactor.domains import Day, Plans, Tour
from coactor.domains.plans import Routes
from coactor.kernels.plans import Rules
from coactor.protocol import Domain, Problem, Solution, Vector
from coactor.search import check_solution, landscape
from coactor.solvers.routing_model import RoutingModel, to_model, to_solution, to_visits

Engine: TypeAlias = Callable[[RoutingModel, list[list[int]]], list[list[int]]]
"""Solves a routing model: the free points that each vehicle visits, starting from a given solution."""

PlanEngine: TypeAlias = Callable[[Rules, int], Routes | None]
"""Solves a day of so many stops under its rules; None if it finds no plan that keeps them."""


class RoutingSolver:
    """S(x; w) by an engine on the learned costs, polished with the domain's own moves (Assumption 1).

    The engine starts from the domain's own solution, or from a given `start`, such as the last proposal. Of
    its solution and that start, both polished, the one with the higher utility is returned, so the result is
    never worse than the start, whatever the effect of rounding and time limit.

    Parameters
    ----------
    domain
        A Tour, a Fleet or Plans.
    engine
        Solves the model.
    plans
        Solves days that have more than loads.
    """

    def __init__(self, domain: Domain, engine: Engine, plans: PlanEngine | None = None) -> None:
        self.domain = domain
        self.engine = engine
        self.plans = plans

    def __call__(self, x: Problem, w: Vector, *, start: Solution | None = None) -> Solution:
        if start is None:
            start = self.domain.solve(x, w)
        check_solution(self.domain, x, start)
        if isinstance(self.domain, Plans) and not x.plain:
            return self._plan(self.domain, x, w, start)
        model = to_model(self.domain, x, w)
        visits = to_visits(self.domain, start)
        if not isinstance(self.domain, Tour) or len(model.costs) > 3:  # up to 3 points there is only one tour
            visits = self.engine(model, visits)
        solution = to_solution(self.domain, x, visits)
        check_solution(self.domain, x, solution)
        view = landscape(self.domain, x, w)
        return max((view.climb(y)[0][-1] for y in (solution, start)), key=view.utility)

    def _plan(self, domain: Plans, x: Day, w: Vector, start: Routes) -> Routes:
        """The better of the engine's plan and the start; fewer broken rules are better."""
        if self.plans is None:
            raise ValueError(
                "This engine knows loads only; use coactor.solvers.pyvrp for times, skills and depots."
            )
        view = domain.landscape(x, w)
        y = self.plans(view.rules, x.size)
        climbed = [view.climb(one)[0][-1] for one in (y, start) if one is not None]
        return min(climbed, key=lambda one: (len(domain.broken(x, one)), -view.utility(one)))

"""The solver of the plans domain: exhaustive on small days, ruin and recreate on large ones."""

from __future__ import annotations

import numpy as np

from coactor.kernels import plan_search, plans
from coactor.kernels.plans import Rules
from coactor.protocol import Indices

LARGE = 60  # stops from which ruin and recreate is faster than the best of all moves, and better
ITERATIONS = 40  # of ruin and recreate, per stop
REMOVED = 15  # the most stops that one of them takes out
HOT, COLD = 0.5, 0.005  # the first and the last temperature of the annealing, in mean arc costs of the plan


def solve(rules: Rules) -> tuple[Indices, Indices]:
    """A plan that no move improves, as a padded matrix of routes and their sizes.

    Up to LARGE stops: cheapest insertion, then the best of all moves until none gains. Beyond: ruin and
    recreate with a fixed stream of random numbers, then the first of all moves until none gains.
    """
    small = len(rules.demand) <= LARGE
    routes, sizes = construct(rules, 0 if small else ITERATIONS)
    plans.climb(rules, routes, sizes, 0.0, small, -1)
    return routes, sizes


def construct(rules: Rules, iterations: int) -> tuple[Indices, Indices]:
    """A plan that is not necessarily locally optimal, by so many iterations per stop.

    A stop that fits nowhere is where it overloads least: an overload of hard capacities costs more than any
    plan.
    """
    n = len(rules.demand) - 1
    if not rules.soft:
        price = 1e3 * max(1.0, float(np.abs(rules.costs).max())) * len(rules.demand)
        rules = rules._replace(price=price, soft=True)
    routes, sizes = plan_search.insertion(rules)
    if iterations:
        distance = rules.costs[1:, 1:] + rules.costs[1:, 1:].T
        np.fill_diagonal(distance, -np.inf)
        near = np.argsort(distance, axis=1, kind="stable")[:, :REMOVED] + 1
        draws = np.random.default_rng(0).random((iterations * n, 3 + REMOVED))
        arcs = plan_search.plan_cost(rules._replace(costs=np.abs(rules.costs), price=0.0), routes, sizes)
        scale = arcs / (n + int((sizes > 0).sum())) or 1.0
        plan_search.ruin_and_recreate(rules, routes, sizes, near, draws, HOT * scale, COLD * scale)
    return routes, sizes

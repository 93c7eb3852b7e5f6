"""The solver of the plans domain: exhaustive on small days, ruin and recreate on large ones."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import numpy as np

from coactor.kernels import plan_search, plans, tolerances
from coactor.kernels.plan_search import Plan
from coactor.kernels.plans import Rules
from coactor.protocol import Indices, Matrix, Vector

LARGE = 60  # stops from which ruin and recreate is faster and better than trying every insertion and move
ITERATIONS = 20  # of ruin and recreate, per stop
NEIGHBOURS = 20  # stops beside which an insertion tries to put a stop
HOT, COLD = 0.5, 0.005  # the first and the last temperature of the annealing, in mean arc costs of the plan
PENALTY = 10.0  # mean arc costs for an overload of one mean demand, while a plan breaks hard capacities
ATTEMPTS = 4  # to reach a plan that keeps hard capacities, each at ten times the price of the one before


def solve(rules: Rules) -> tuple[Indices, Indices]:
    """A plan that no move improves, as a padded matrix of routes and their sizes.

    Below LARGE stops: cheapest insertion, then the best of all moves until none gains. From LARGE stops on:
    ruin and recreate with a fixed stream of random numbers, then the first of all moves until none gains.
    """
    if len(rules.demand) <= LARGE:
        plan = cheapest_insertion(rules)
        plans.climb(rules, plan.routes, plan.sizes, 0.0, True, -1)
    else:
        plan = ruin_and_recreate(rules)
        plans.climb(rules, plan.routes, plan.sizes, 0.0, False, -1)
    return plan.routes, plan.sizes


def cheapest_insertion(rules: Rules) -> Plan:
    """A plan by cheapest insertion; a stop that fits nowhere goes last, and where it overloads least."""
    plan = plan_search.new_plan(len(rules.demand) - 1, len(rules.capacity))
    if not rules.soft:  # an overload costs more than any plan
        price = 1e3 * max(1.0, float(np.abs(rules.costs).max())) * len(rules.demand)
        rules = rules._replace(price=price, soft=True)
    plan_search.insertion(rules, plan)
    return plan


def ruin_and_recreate(rules: Rules) -> Plan:
    """A good plan that is not necessarily locally optimal."""
    n, m = len(rules.demand) - 1, len(rules.capacity)
    near = nearest(rules.costs, min(NEIGHBOURS, n - 1))
    stream = plan_search.Stream(_draws(), np.zeros(1, np.int64))
    relaxed = rules
    if not rules.soft:
        price = PENALTY * float(np.abs(rules.costs).mean()) / (float(rules.demand.mean()) or 1.0)
        relaxed = rules._replace(price=price or 1.0, soft=True)
    plan = plan_search.new_plan(n, m)
    farthest_first = np.argsort(-(rules.costs[0, 1:] + rules.costs[1:, 0]), kind="stable") + 1
    plan_search.recreate(relaxed, plan, near, farthest_first, n, stream)
    scale = _mean_arc_cost(rules.costs, plan) or 1.0
    schedule = ITERATIONS * n, HOT * scale, COLD * scale
    for _ in range(ATTEMPTS):
        if rules.soft or _is_feasible(rules, plan):
            break
        plan_search.anneal(relaxed, plan, deepcopy(plan), deepcopy(plan), near, stream, *schedule, True)
        relaxed = relaxed._replace(price=10.0 * relaxed.price)
    if rules.soft or _is_feasible(rules, plan):
        plan_search.anneal(rules, plan, deepcopy(plan), deepcopy(plan), near, stream, *schedule, False)
    return plan


def nearest(costs: Matrix, k: int) -> Indices:
    """The k nearest stops of each stop by the mean of both arcs, nearest first; row 0 is unused."""
    mean = (costs[1:, 1:] + costs[1:, 1:].T) / 2
    np.fill_diagonal(mean, np.inf)
    rows = np.argpartition(mean, k - 1, axis=1)[:, :k]
    order = np.argsort(np.take_along_axis(mean, rows, axis=1), axis=1, kind="stable")
    near: Indices = np.zeros((len(costs), k), np.int64)
    near[1:] = np.take_along_axis(rows, order, axis=1) + 1
    return near


def _is_feasible(rules: Rules, plan: Plan) -> bool:
    return plans.overload(plan.routes, plan.sizes, rules.demand, rules.capacity) <= tolerances.LOAD


def _mean_arc_cost(costs: Matrix, plan: Plan) -> float:
    paths = [plan.routes[r, : size + 2] for r, size in enumerate(plan.sizes.tolist()) if size]
    arcs = [np.abs(costs[path[:-1], path[1:]]).sum() for path in paths]
    return float(sum(arcs)) / (len(costs) - 1 + len(arcs))


@cache
def _draws() -> Vector:
    return np.random.default_rng(0).random(1 << 16)

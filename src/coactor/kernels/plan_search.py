"""Construction of plans: cheapest insertion, and ruin and recreate for large days.

Ruin and recreate takes stops near each other out of their routes, inserts them again one by one at the
cheapest position, and accepts the result by simulated annealing (Schrimpf et al., Record Breaking
Optimization Results Using the Ruin and Recreate Principle, Journal of Computational Physics 2000). Overload
has a price here, even if capacities are hard.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy
from coactor.kernels.plans import Rules, overload
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True)
def plan_cost(rules: Rules, routes: Indices, sizes: Indices) -> float:
    """The cost of the arcs and of the overload."""
    total = rules.price * overload(routes, sizes, rules.demand, rules.capacity)
    for r in range(len(routes)):
        for k in range(sizes[r] + 1):
            total += rules.costs[routes[r, k], routes[r, k + 1]]
    return float(total)


@njit(cache=True)
def best_position(
    rules: Rules, routes: Indices, sizes: Indices, loads: Vector, v: int
) -> tuple[float, int, int]:
    """The least cost of putting a stop on a route, the route, and the position it would follow."""
    costs, demand, capacity = rules.costs, rules.demand, rules.capacity
    least, route, place = np.inf, 0, 0
    for r in range(len(sizes)):
        if r > 0 and sizes[r] + sizes[r - 1] == 0 and capacity[r] == capacity[r - 1]:
            continue  # empty vehicles are alike
        over = max(0.0, loads[r] + demand[v] - capacity[r]) - max(0.0, loads[r] - capacity[r])
        more = rules.price * over
        for k in range(sizes[r] + 1):
            a, b = routes[r, k], routes[r, k + 1]
            cost = more + costs[a, v] + costs[v, b] - costs[a, b]
            if cost < least:
                least, route, place = cost, r, k
    return least, route, place


@njit(cache=True)
def insert(rules: Rules, routes: Indices, sizes: Indices, loads: Vector, v: int, r: int, place: int) -> None:
    """Put a stop after a position of a route."""
    for k in range(sizes[r] + 1, place, -1):
        routes[r, k + 1] = routes[r, k]
    routes[r, place + 1] = v
    sizes[r] += 1
    loads[r] += rules.demand[v]


@njit(cache=True, nogil=True)
def insertion(rules: Rules) -> tuple[Indices, Indices]:
    """Cheapest insertion of all stops over all positions: the routes and their sizes."""
    n, m = len(rules.demand) - 1, len(rules.capacity)
    routes, sizes, loads = np.zeros((m, n + 2), np.int64), np.zeros(m, np.int64), np.zeros(m)
    waiting = np.ones(n + 1, np.bool_)
    for _ in range(n):
        least, chosen, route, place = np.inf, -1, -1, -1
        for v in range(1, n + 1):
            if waiting[v]:
                cost, r, k = best_position(rules, routes, sizes, loads, v)
                if cost < least:
                    least, chosen, route, place = cost, v, r, k
        insert(rules, routes, sizes, loads, chosen, route, place)
        waiting[chosen] = False
    return routes, sizes


@njit(cache=True)
def remove(rules: Rules, routes: Indices, sizes: Indices, loads: Vector, gone: Indices) -> None:
    """Take stops out of their routes."""
    leaves = np.zeros(len(rules.demand), np.bool_)
    for v in gone:
        leaves[v] = True
    for r in range(len(sizes)):
        size = 0
        for k in range(1, sizes[r] + 1):
            v = routes[r, k]
            if leaves[v]:
                loads[r] -= rules.demand[v]
            else:
                size += 1
                routes[r, size] = v
        sizes[r] = size
        routes[r, size + 1] = 0


@njit(cache=True, nogil=True)
def ruin_and_recreate(
    rules: Rules, routes: Indices, sizes: Indices, near: Indices, draws: Matrix, hot: float, cold: float
) -> None:
    """Improve a plan in place, with a temperature that falls from `hot` to `cold`.

    Row v - 1 of `near` is stop v and those nearest to it. An iteration takes one row of `draws`, random
    numbers on [0, 1): for a stop, the number of stops to take out beside it, the acceptance, and their order.
    """
    loads = np.zeros(len(sizes))
    for r in range(len(sizes)):
        for k in range(1, sizes[r] + 1):
            loads[r] += rules.demand[routes[r, k]]
    now = least = plan_cost(rules, routes, sizes)
    before, best = (routes.copy(), sizes.copy(), loads.copy()), (routes.copy(), sizes.copy())
    for step in range(len(draws)):
        draw = draws[step]
        count = 1 + int(draw[1] * near.shape[1])
        gone = near[int(draw[0] * len(near))][:count].copy()
        remove(rules, routes, sizes, loads, gone)
        for k in range(count - 1, -1, -1):
            other = int(draw[3 + k] * (k + 1))
            gone[k], gone[other] = gone[other], gone[k]
            _, route, place = best_position(rules, routes, sizes, loads, gone[k])
            insert(rules, routes, sizes, loads, gone[k], route, place)
        cost = plan_cost(rules, routes, sizes)
        heat = hot * (cold / hot) ** (step / len(draws))
        if cost - now < -heat * np.log(max(draw[2], 1e-300)):
            now = cost
            copy_plan(routes, sizes, before[0], before[1])
            copy(loads, before[2])
            if now < least - 1e-9 * abs(least):
                least = now
                copy_plan(routes, sizes, best[0], best[1])
        else:
            copy_plan(before[0], before[1], routes, sizes)
            copy(before[2], loads)
    copy_plan(best[0], best[1], routes, sizes)


@njit(cache=True)
def copy_plan(routes: Indices, sizes: Indices, to: Indices, to_sizes: Indices) -> None:
    """Copy a plan, without what lies beyond the ends of its routes."""
    copy(sizes, to_sizes)
    for r in range(len(sizes)):
        for k in range(sizes[r] + 2):
            to[r, k] = routes[r, k]

"""Construction and local search for plans: cheapest insertion, then the moves of `kernels.plans`."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels import tolerances
from coactor.kernels.plans import apply, edits, gains
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True)
def insertion(
    costs: Matrix, price: float, demand: Vector, capacity: Vector, hard: bool
) -> tuple[Indices, Indices]:
    """Cheapest insertion: all waiting stops x all places, an overload costing its price.

    With hard capacities the stop with the largest demand that still fits nowhere waits for the end, and goes
    where it overloads least.
    """
    n, m = len(demand) - 1, len(capacity)
    routes = np.zeros((m, n + 2), np.int64)
    sizes = np.zeros(m, np.int64)
    loads = np.zeros(m)
    waiting = np.ones(n + 1, np.bool_)
    waiting[0] = False
    edge = 1e3 * max(1.0, np.abs(costs).max()) * (n + 1)  # dearer than any plan: hard means last resort
    for _ in range(n):
        best, chosen, route, place = np.inf, -1, -1, -1
        for p in range(1, n + 1):
            if not waiting[p]:
                continue
            for r in range(m):
                over = max(0.0, loads[r] + demand[p] - capacity[r]) - max(0.0, loads[r] - capacity[r])
                more = price * over + (edge * over if hard else 0.0)
                for k in range(sizes[r] + 1):
                    u, v = routes[r, k], routes[r, k + 1]
                    extra = more + costs[u, p] + costs[p, v] - costs[u, v]
                    if extra < best:
                        best, chosen, route, place = extra, p, r, k + 1
                if sizes[r] == 0 and r + 1 < m and capacity[r] == capacity[r + 1] and sizes[r + 1] == 0:
                    break  # empty vehicles are alike
        for k in range(sizes[route] + 1, place - 1, -1):
            routes[route, k + 1] = routes[route, k]
        routes[route, place] = chosen
        sizes[route] += 1
        loads[route] += demand[chosen]
        waiting[chosen] = False
    return routes, sizes


@njit(cache=True)
def climb(
    costs: Matrix,
    price: float,
    routes: Indices,
    sizes: Indices,
    demand: Vector,
    capacity: Vector,
    soft: bool,
    kappa: float,
    best: bool,
    limit: int,
) -> Indices:
    """Improve the routes in place until no edit gains enough; returns the edits made."""
    made = np.empty((16, 5), np.int64)
    count = 0
    least = tolerances.GAIN * max(np.abs(costs).max(), abs(price))
    while count != limit:
        rows = edits(routes, sizes, demand, capacity, soft)
        gain = gains(costs, price, routes, sizes, demand, capacity, rows)
        chosen = -1
        most = least
        for k in range(len(rows)):
            if gain[k] >= kappa and gain[k] > most:
                most, chosen = gain[k], k
                if not best:
                    break
        if chosen < 0:
            break
        if count == len(made):
            larger = np.empty((2 * count, 5), np.int64)
            larger[:count] = made
            made = larger
        made[count] = rows[chosen]
        count += 1
        apply(routes, sizes, rows[chosen])
    return made[:count]

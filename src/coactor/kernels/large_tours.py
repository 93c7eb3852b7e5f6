"""2-opt for many points: neighbour lists find most moves, a last full scan proves that none is left."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import reverse
from coactor.kernels.tolerances import rounding
from coactor.kernels.tours import gain, insertion
from coactor.protocol import Indices, Matrix


def nearest(cost: Matrix, k: int) -> Indices:
    """The k cheapest partners of each point, cheapest first. Not compiled: numpy does all the work."""
    out = np.empty((len(cost), k), np.int64)
    for p, costs in enumerate(cost):
        row = costs.copy()
        row[p] = np.inf
        some = np.argpartition(row, max(0, k - 1))[:k]
        out[p] = some[np.argsort(row[some])]
    return out


@njit(cache=True)
def turn(tour: Indices, position: Indices, i: int, j: int) -> None:
    """Reverse positions i..j of the cycle, or the rest of it where that is shorter."""
    n = tour.size
    inside = (j - i) % n + 1
    if 2 * inside > n:
        i, j = (j + 1) % n, (i - 1) % n
        inside = n - inside
    for _ in range(inside // 2):
        tour[i], tour[j] = tour[j], tour[i]
        position[tour[i]] = i
        position[tour[j]] = j
        i = i + 1 if i + 1 < n else 0
        j = j - 1 if j > 0 else n - 1


@njit(cache=True)
def improve_point(
    cost: Matrix, near: Indices, tour: Indices, position: Indices, a: int, awake: Indices, least: float
) -> bool:
    """Make one gaining reversal that gives point a a cheaper neighbour, if the lists show one."""
    n = tour.size
    for ahead in (True, False):
        step = 1 if ahead else -1
        b = tour[(position[a] + step) % n]
        for k in range(near.shape[1]):
            c = near[a, k]
            saved = cost[a, b] - cost[a, c]
            if saved <= 0.0:
                break
            d = tour[(position[c] + step) % n]
            if saved + cost[c, d] - cost[b, d] > least:
                if ahead:
                    turn(tour, position, position[b], position[c])
                else:
                    turn(tour, position, position[c], position[b])
                awake[a] = awake[b] = awake[c] = awake[d] = 1
                return True
    return False


@njit(cache=True)
def two_opt(cost: Matrix, tour: Indices, near: Indices) -> None:
    """Improve the tour in place to a true 2-opt optimum, with the help of the points near each point."""
    n = tour.size
    least = rounding(cost)
    position = np.empty(n, np.int64)
    for k in range(n):
        position[tour[k]] = k
    awake = np.ones(n, np.int64)
    while True:
        active = True
        while active:
            active = False
            for a in range(n):
                while awake[a] == 1:
                    awake[a] = 0
                    if improve_point(cost, near, tour, position, a, awake, least):
                        active = True
        improved = False
        for i in range(1, n - 1):  # what the lists cannot see
            for j in range(i + 1, n - 1 if i == 1 else n):
                if gain(cost, tour, i, j) > least:
                    a, b, c, d = tour[i - 1], tour[i], tour[j], tour[(j + 1) % n]
                    awake[a] = awake[b] = awake[c] = awake[d] = 1
                    reverse(tour, i, j)
                    improved = True
        if not improved:
            return
        for k in range(n):
            position[tour[k]] = k


def solve(cost: Matrix, neighbours: int) -> Indices:
    """Insertion, then 2-opt with neighbour lists."""
    tour = insertion(cost)
    two_opt(cost, tour, nearest(cost, min(neighbours, tour.size - 1)))
    return tour

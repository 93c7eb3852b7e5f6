"""Tours of many points: greedy edges, then 2-opt with neighbour lists to a proven optimum.

A reversal replaces the edges a-b and c-d by a-c and b-d. It gains only if a new edge is cheaper than an old
one at the same point. So a point needs to try only those points that are cheaper to reach than its neighbours
on the tour: few, and usually all of them on its list. Where the list is too short for that, the row of the
point is searched. So after the lists are made, most of the matrix is never read again.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit
from numba.typed import Dict

from coactor.kernels.tolerances import rounding
from coactor.protocol import Indices, Matrix

JOINED = 8  # other ends that each end of a piece tries, when the pieces of a tour are joined


def solve(cost: Matrix, neighbours: int) -> Indices:
    """A tour from point 0 that no reversal improves."""
    near, near_costs = nearest(cost, min(neighbours, len(cost) - 1))
    tour = greedy(cost, near, near_costs)
    two_opt(cost, tour, near, near_costs)
    return np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))


@njit(cache=True, nogil=True)
def nearest(cost: Matrix, k: int) -> tuple[Indices, Matrix]:
    """The k cheapest partners of each point, cheapest first, and their costs.

    The costs are kept beside the list because a large matrix is not in the processor's cache. Of equally
    cheap partners, those that follow the point in cyclic order come first. If it were the lowest numbers, all
    points would list the same few.
    """
    n = cost.shape[0]
    out, costs = np.empty((n, k), np.int64), np.empty((n, k))
    for p in range(n):
        best, size = costs[p], 0
        for step in range(1, n):
            q = p + step if p + step < n else p + step - n
            c = cost[p, q]
            if size == k and c >= best[k - 1]:
                continue
            size = min(size + 1, k)
            t = size - 1
            while t > 0 and best[t - 1] > c:
                best[t], out[p, t] = best[t - 1], out[p, t - 1]
                t -= 1
            best[t], out[p, t] = c, q
    return out, costs


def greedy(cost: Matrix, near: Indices, near_costs: Matrix) -> Indices:
    """A tour of cheap edges that close no circle: among neighbours, then between the ends of pieces."""
    n = len(cost)
    links, opposite = np.full((n, 2), -1), np.arange(n)
    ends = np.arange(n)
    while len(ends) > 2 or (len(ends) == 2 and opposite[ends[0]] != ends[1]):
        pairs = np.column_stack([np.repeat(ends, near.shape[1]), near.ravel()])
        order = np.argsort(near_costs.ravel(), kind="stable")
        join(pairs[order], links, opposite)
        ends = np.flatnonzero(links[:, 1] < 0)
        between = cost[np.ix_(ends, ends)]
        between[np.arange(len(ends)), np.searchsorted(ends, opposite[ends])] = np.inf  # of the same piece
        places, near_costs = nearest(between, min(JOINED, len(ends) - 1))
        near = ends[places]
    return walk(links, int(ends[0]))


@njit(cache=True)
def join(pairs: Indices, links: Indices, opposite: Indices) -> None:
    """Add the edges in order, where both points have a free end and lie on different pieces."""
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        if links[a, 1] < 0 and links[b, 1] < 0 and a != b and opposite[a] != b:
            links[a, 0 if links[a, 0] < 0 else 1] = b
            links[b, 0 if links[b, 0] < 0 else 1] = a
            one, two = opposite[a], opposite[b]
            opposite[one], opposite[two] = two, one


@njit(cache=True)
def walk(links: Indices, first: int) -> Indices:
    """The points of a path from one of its ends."""
    tour = np.empty(len(links), np.int64)
    before, p = -1, first
    for k in range(len(links)):
        tour[k] = p
        before, p = p, links[p, 1] if links[p, 0] == before else links[p, 0]
    return tour


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
def cheaper(cost: Matrix, a: int, bound: float, out: Indices) -> Indices:
    """The points that are cheaper to reach from a than the bound; `out` is room for all points."""
    size = 0
    for p in range(cost.shape[0]):
        out[size] = p  # overwritten by the next one unless it counts: no branch to mispredict
        size += cost[a, p] < bound and p != a
    return out[:size].copy()


@njit(cache=True)
def improve_point(
    cost: Matrix,
    near: Indices,
    near_costs: Matrix,
    tour: Indices,
    position: Indices,
    a: int,
    awake: Indices,
    least: float,
    others: Indices,
) -> bool:
    """Make one gaining reversal that gives point a a cheaper neighbour, if there is one.

    Tries the points on its list or, where some cheaper points are not on it, the `others`, if any are given.
    """
    n, k = tour.size, near.shape[1]
    for ahead in (True, False):
        step = 1 if ahead else -1
        b = tour[(position[a] + step) % n]
        present = cost[a, b]
        listed = others.size == 0 or present <= near_costs[a, k - 1]
        for t in range(k if listed else others.size):
            c = near[a, t] if listed else others[t]
            saved = present - (near_costs[a, t] if listed else cost[a, c])
            if saved <= 0.0:
                if listed:
                    break
                continue
            d = tour[(position[c] + step) % n]
            if saved + cost[c, d] - cost[b, d] > least:
                if ahead:
                    turn(tour, position, position[b], position[c])
                else:
                    turn(tour, position, position[c], position[b])
                awake[a] = awake[b] = awake[c] = awake[d] = 1
                return True
    return False


@njit(cache=True, nogil=True)
def two_opt(cost: Matrix, tour: Indices, near: Indices, near_costs: Matrix) -> None:
    """2-opt in place: by the lists while they help, then with proof that no reversal gains."""
    n = tour.size
    if n < 4:
        return
    least = rounding(cost)
    position = np.empty(n, np.int64)
    for k in range(n):
        position[tour[k]] = k
    awake = np.ones(n, np.int64)  # points whose surroundings changed since they were last tried
    none, room = np.empty(0, np.int64), np.empty(n, np.int64)
    searched: dict[int, Indices] = Dict.empty(int64, int64[::1])  # of points whose list is too short
    bound = near_costs[:, -1].copy()  # as far as the list of a point, or its search, reaches
    proved = 0  # points that were proved since the last reversal
    while True:
        active = True
        while active:
            active = False
            for a in range(n):
                while awake[a] == 1:
                    awake[a] = 0
                    if improve_point(cost, near, near_costs, tour, position, a, awake, least, none):
                        active, proved = True, 0
        for a in range(n):
            while True:
                here = position[a]
                reach = max(cost[a, tour[here - 1]], cost[a, tour[(here + 1) % n]])
                if reach > bound[a]:
                    bound[a] = reach
                    searched[a] = cheaper(cost, a, reach, room)
                others = searched.get(a, none)
                if not improve_point(cost, near, near_costs, tour, position, a, awake, least, others):
                    break
                proved = 0
            proved += 1
            if proved == n:
                return

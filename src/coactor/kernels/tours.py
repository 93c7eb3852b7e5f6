"""Closed tours: cheapest insertion, 2-opt, gains and features of all reversals."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy, enlarged, reverse
from coactor.kernels.edges import exchange_edges, subtract_edges
from coactor.kernels.tolerances import rounding
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True, nogil=True)
def insertion(cost: Matrix) -> Indices:
    """Cheapest insertion from point 0 over all unvisited points and all positions; O(n^2) in practice.

    Each unvisited point keeps its cheapest position (the point it would follow). An insertion opens two new
    positions, and only the points whose position it closed search all positions again. Costs are symmetric
    and read along rows, which is faster once the matrix exceeds the cache.
    """
    n = cost.shape[0]
    follows = np.zeros(n, np.int64)  # follows[p]: the point after p on the tour
    edge = np.zeros(n)  # edge[p]: the cost of the edge to it
    waiting = np.arange(1, n)
    place = np.zeros(n, np.int64)
    extra = np.empty(n)
    for p in range(n):
        extra[p] = 2.0 * cost[0, p]
    for left in range(n - 1, 0, -1):
        chosen = 0
        for k in range(1, left):
            if extra[waiting[k]] < extra[waiting[chosen]]:
                chosen = k
        p = waiting[chosen]
        for k in range(chosen, left - 1):  # keep the order, so that ties go to the lowest point
            waiting[k] = waiting[k + 1]
        before = place[p]
        after = follows[before]
        follows[before] = p
        follows[p] = after
        edge[before] = cost[before, p]
        edge[p] = cost[p, after]
        for k in range(left - 1):
            q = waiting[k]
            if place[q] == before:
                extra[q] = np.inf
                u = 0
                while True:
                    v = follows[u]
                    more = cost[q, u] + cost[q, v] - edge[u]
                    if more < extra[q]:
                        extra[q] = more
                        place[q] = u
                    u = v
                    if u == 0:
                        break
            else:
                more = cost[before, q] + cost[p, q] - edge[before]
                if more < extra[q]:
                    extra[q] = more
                    place[q] = before
                more = cost[p, q] + cost[after, q] - edge[p]
                if more < extra[q]:
                    extra[q] = more
                    place[q] = p
    tour = np.empty(n, np.int64)
    p = 0
    for position in range(n):
        tour[position] = p
        p = follows[p]
    return tour


@njit(cache=True)
def gain(cost: Matrix, tour: Indices, i: int, j: int) -> float:
    """The gain of reversing positions i..j."""
    a, b = tour[i - 1], tour[i]
    c, d = tour[j], tour[(j + 1) % tour.size]
    saved: float = (cost[a, b] + cost[c, d]) - (cost[a, c] + cost[b, d])
    return saved


@njit(cache=True)
def length(cost: Matrix, tour: Indices) -> float:
    """The cost of the tour."""
    total: float = cost[tour[-1], tour[0]]
    for position in range(tour.size - 1):
        total += cost[tour[position], tour[position + 1]]
    return total


@njit(cache=True)
def find_move(cost: Matrix, tour: Indices, kappa: float, least: float, best: bool) -> tuple[int, int]:
    """The first (or best) reversal that gains at least kappa and more than `least`; (0, 0) if none does."""
    n = tour.size
    chosen = (0, 0)
    most = least
    for i in range(1, n - 1):
        a, b, d = tour[i - 1], tour[i], tour[i + 1]
        here = cost[a, b]
        for j in range(i + 1, n - 1 if i == 1 else n):
            c, d = d, tour[j + 1 - n]  # counted from the end: the first point follows the last
            g = (here + cost[c, d]) - (cost[a, c] + cost[b, d])  # inlined `gain`
            if g > most and g >= kappa:
                if not best:
                    return (i, j)
                most = g
                chosen = (i, j)
    return chosen


@njit(cache=True, nogil=True)
def climb(cost: Matrix, start: Indices, kappa: float, best: bool, limit: int) -> tuple[Indices, Indices]:
    """2-opt until no reversal gains enough, or after `limit` moves (no limit if negative).

    Returns all tours, the start first, and the (i, j) of each move.
    """
    least = rounding(cost)
    path = np.empty((8, start.size), np.int64)
    moves = np.empty((8, 2), np.int64)
    copy(start, path[0])
    k = 0
    while k != limit:
        i, j = find_move(cost, path[k], kappa, least, best)
        if i == 0:
            break
        if k + 1 == path.shape[0]:
            path, moves = enlarged(path), enlarged(moves)
        moves[k, 0], moves[k, 1] = i, j
        copy(path[k], path[k + 1])
        reverse(path[k + 1], i, j)
        k += 1
    return path[: k + 1], moves[:k]


@njit(cache=True, nogil=True)
def two_opt(cost: Matrix, tour: Indices) -> None:
    """2-opt in place with the first improving reversal, until there is none."""
    least = rounding(cost)
    while True:
        i, j = find_move(cost, tour, 0.0, least, False)
        if i == 0:
            return
        reverse(tour, i, j)


@njit(cache=True, nogil=True)
def solve(cost: Matrix) -> Indices:
    """Cheapest insertion, then 2-opt: the solver of the paper."""
    tour = insertion(cost)
    two_opt(cost, tour)
    return tour


def solve_large(cost: Matrix) -> Indices:
    """Greedy edges, then 2-opt in passes: better tours than by `solve` where points are many, and sooner."""
    edges = np.column_stack(np.triu_indices(len(cost), 1))
    tour = greedy(edges[np.argsort(cost[edges[:, 0], edges[:, 1]], kind="stable")], len(cost))
    tour = np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))
    two_opt_in_passes(cost, tour)
    return tour


@njit(cache=True, nogil=True)
def greedy(edges: Indices, n: int) -> Indices:
    """A tour of the first of these edges that close no circle."""
    links, opposite = np.full((n, 2), -1), np.arange(n)  # neighbours, and the other end of each piece
    for k in range(len(edges)):
        a, b = edges[k]
        if links[a, 1] < 0 and links[b, 1] < 0 and opposite[a] != b:
            links[a, 0 if links[a, 0] < 0 else 1] = b
            links[b, 0 if links[b, 0] < 0 else 1] = a
            one, two = opposite[a], opposite[b]
            opposite[one], opposite[two] = two, one
    tour = np.empty(n, np.int64)
    before, p = -1, int(np.argmin(links[:, 1]))  # an end of the one piece
    for k in range(n):
        tour[k] = p
        before, p = p, links[p, 1] if links[p, 0] == before else links[p, 0]
    return tour


@njit(cache=True, nogil=True)
def two_opt_in_passes(cost: Matrix, tour: Indices) -> None:
    """2-opt in place: each pass makes every gaining reversal it meets, until one meets none."""
    least = rounding(cost)
    n = tour.size
    active = True
    while active:
        active = False
        for i in range(1, n - 1):
            for j in range(i + 1, n - 1 if i == 1 else n):
                if gain(cost, tour, i, j) > least:
                    reverse(tour, i, j)
                    active = True


@njit(cache=True)
def gains(cost: Matrix, tour: Indices) -> Vector:
    """The gain of each reversal, in scan order."""
    n = tour.size
    out = np.empty(max(0, n * (n - 3) // 2))
    k = 0
    for i in range(1, n - 1):
        for j in range(i + 1, n - 1 if i == 1 else n):
            out[k] = gain(cost, tour, i, j)
            k += 1
    return out


@njit(cache=True)
def features_along(edges: Matrix, path: Indices) -> Matrix:
    """Minus the summed edge features of each tour, one row each."""
    n = path.shape[1]
    out = np.zeros((path.shape[0], edges.shape[1]))
    if n > 1:
        ends = np.empty(2, np.int64)
        for k in range(path.shape[0]):
            subtract_edges(out[k], edges, path[k], 0, n - 1, n)
            ends[0], ends[1] = path[k, n - 1], path[k, 0]
            subtract_edges(out[k], edges, ends, 0, 1, n)
    return out


@njit(cache=True)
def move_features(edges: Matrix, tour: Indices) -> Matrix:
    """The change in features of each reversal, in scan order, one row each."""
    n = tour.size
    out = np.empty((max(0, n * (n - 3) // 2), edges.shape[1]))
    k = 0
    for i in range(1, n - 1):
        for j in range(i + 1, n - 1 if i == 1 else n):
            exchange_edges(out[k], edges, tour[i - 1], tour[i], tour[j], tour[(j + 1) % n], n)
            k += 1
    return out

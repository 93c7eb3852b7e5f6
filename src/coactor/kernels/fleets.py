"""Several open paths with fixed ends: cheapest insertion over all of them, 2-opt inside each.

A solution is one array with all paths: path v is order[starts[v] : starts[v + 1]].
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy, enlarged, reverse
from coactor.kernels.edges import exchange_edges, subtract_edges
from coactor.kernels.tolerances import rounding
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True, nogil=True)
def insertion(cost: Matrix, terminals: Indices) -> tuple[Indices, Indices]:
    """Cheapest insertion of every free point over all positions of all paths.

    Returns (order, starts). Each point keeps its cheapest position as in `tours.insertion`.
    """
    n, vehicles = cost.shape[0], terminals.shape[0]
    follows = np.full(n, -1, np.int64)
    waiting = np.empty(n, np.int64)
    used = np.zeros(n, np.bool_)
    for v in range(vehicles):
        used[terminals[v, 0]] = used[terminals[v, 1]] = True
        follows[terminals[v, 0]] = terminals[v, 1]
    left = 0
    for p in range(n):
        if not used[p]:
            waiting[left] = p
            left += 1
    place = np.zeros(n, np.int64)
    extra = np.full(n, np.inf)
    for k in range(left):
        search_all_positions(cost, terminals, follows, waiting[k], place, extra)
    while left > 0:
        chosen = 0
        for k in range(1, left):
            if extra[waiting[k]] < extra[waiting[chosen]]:
                chosen = k
        p = waiting[chosen]
        left -= 1
        for k in range(chosen, left):
            waiting[k] = waiting[k + 1]
        before = place[p]
        after = follows[before]
        follows[before] = p
        follows[p] = after
        for k in range(left):
            q = waiting[k]
            if place[q] == before:
                search_all_positions(cost, terminals, follows, q, place, extra)
            else:
                more = cost[before, q] + cost[q, p] - cost[before, p]
                if more < extra[q]:
                    extra[q] = more
                    place[q] = before
                more = cost[p, q] + cost[q, after] - cost[p, after]
                if more < extra[q]:
                    extra[q] = more
                    place[q] = p
    order = np.empty(n, np.int64)
    starts = np.empty(vehicles + 1, np.int64)
    position = 0
    for v in range(vehicles):
        starts[v] = position
        p = terminals[v, 0]
        while p != -1:
            order[position] = p
            position += 1
            p = follows[p]
    starts[vehicles] = position
    return order, starts


@njit(cache=True)
def search_all_positions(
    cost: Matrix, terminals: Indices, follows: Indices, q: int, place: Indices, extra: Vector
) -> None:
    """Find the cheapest position for point q on any path."""
    extra[q] = np.inf
    for v in range(terminals.shape[0]):
        u = terminals[v, 0]
        while follows[u] != -1:
            after = follows[u]
            more = cost[u, q] + cost[q, after] - cost[u, after]
            if more < extra[q]:
                extra[q] = more
                place[q] = u
            u = after


@njit(cache=True)
def count_moves(starts: Indices) -> int:
    """The number of reversals inside all paths."""
    total = 0
    for v in range(starts.size - 1):
        inner = starts[v + 1] - starts[v] - 2
        total += max(0, inner * (inner - 1) // 2)
    return total


@njit(cache=True)
def gain(cost: Matrix, order: Indices, i: int, j: int) -> float:
    """The gain of reversing order[i..j]."""
    a, b, c, d = order[i - 1], order[i], order[j], order[j + 1]
    saved: float = (cost[a, b] + cost[c, d]) - (cost[a, c] + cost[b, d])
    return saved


@njit(cache=True)
def length(cost: Matrix, order: Indices, starts: Indices) -> float:
    """The cost of all paths."""
    total = 0.0
    for v in range(starts.size - 1):
        for position in range(starts[v], starts[v + 1] - 1):
            total += cost[order[position], order[position + 1]]
    return total


@njit(cache=True)
def find_move(
    cost: Matrix, order: Indices, starts: Indices, kappa: float, least: float, best: bool
) -> tuple[int, int, int]:
    """The first (or best) (path, i, j) that gains enough; path is -1 if there is none."""
    chosen = (-1, 0, 0)
    most = least
    for v in range(starts.size - 1):
        for i in range(starts[v] + 1, starts[v + 1] - 2):
            a, b, d = order[i - 1], order[i], order[i + 1]
            here = cost[a, b]
            for j in range(i + 1, starts[v + 1] - 1):
                c, d = d, order[j + 1]
                g = (here + cost[c, d]) - (cost[a, c] + cost[b, d])  # inlined `gain`
                if g > most and g >= kappa:
                    if not best:
                        return (v, i, j)
                    most = g
                    chosen = (v, i, j)
    return chosen


@njit(cache=True, nogil=True)
def climb(
    cost: Matrix, order: Indices, starts: Indices, kappa: float, best: bool, limit: int
) -> tuple[Indices, Indices]:
    """2-opt inside the paths until no reversal gains enough, or after `limit` moves (no limit if negative).

    Returns all orders, the given one first, and (path, i, j) of each move, with i and j relative to the start
    of the path.
    """
    least = rounding(cost)
    path = np.empty((8, order.size), np.int64)
    moves = np.empty((8, 3), np.int64)
    copy(order, path[0])
    k = 0
    while k != limit:
        v, i, j = find_move(cost, path[k], starts, kappa, least, best)
        if v < 0:
            break
        if k + 1 == path.shape[0]:
            path, moves = enlarged(path), enlarged(moves)
        moves[k, 0], moves[k, 1], moves[k, 2] = v, i - starts[v], j - starts[v]
        copy(path[k], path[k + 1])
        reverse(path[k + 1], i, j)
        k += 1
    return path[: k + 1], moves[:k]


@njit(cache=True, nogil=True)
def solve(cost: Matrix, terminals: Indices) -> tuple[Indices, Indices]:
    """Cheapest insertion, then 2-opt inside the paths: the solver of the paper."""
    order, starts = insertion(cost, terminals)
    least = rounding(cost)
    while True:
        v, i, j = find_move(cost, order, starts, 0.0, least, False)
        if v < 0:
            return order, starts
        reverse(order, i, j)


@njit(cache=True)
def gains(cost: Matrix, order: Indices, starts: Indices) -> Vector:
    """The gain of each reversal, in scan order."""
    out = np.empty(count_moves(starts))
    k = 0
    for v in range(starts.size - 1):
        for i in range(starts[v] + 1, starts[v + 1] - 2):
            for j in range(i + 1, starts[v + 1] - 1):
                out[k] = gain(cost, order, i, j)
                k += 1
    return out


@njit(cache=True)
def features_along(edges: Matrix, path: Indices, starts: Indices) -> Matrix:
    """Minus the summed edge features of each solution, one row each."""
    n = path.shape[1]
    out = np.zeros((path.shape[0], edges.shape[1]))
    for k in range(path.shape[0]):
        for v in range(starts.size - 1):
            subtract_edges(out[k], edges, path[k], starts[v], starts[v + 1] - 1, n)
    return out


@njit(cache=True)
def move_features(edges: Matrix, order: Indices, starts: Indices) -> Matrix:
    """The change in features of each reversal, in scan order, one row each."""
    n = order.size
    out = np.empty((count_moves(starts), edges.shape[1]))
    k = 0
    for v in range(starts.size - 1):
        for i in range(starts[v] + 1, starts[v + 1] - 2):
            for j in range(i + 1, starts[v + 1] - 1):
                exchange_edges(out[k], edges, order[i - 1], order[i], order[j], order[j + 1], n)
                k += 1
    return out


@njit(cache=True)
def wrong_ends(order: Indices, starts: Indices, terminals: Indices) -> int:
    """The first path that does not lead from its start to its end; -1 if all do."""
    for v in range(terminals.shape[0]):
        a, b = starts[v], starts[v + 1]
        if b - a < 2 or order[a] != terminals[v, 0] or order[b - 1] != terminals[v, 1]:
            return v
    return -1

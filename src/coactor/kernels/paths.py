"""Paths through points: cheapest insertion over all of them, 2-opt inside each.

A solution is one array with all paths, ends included: path v is order[starts[v] : starts[v + 1]]. A tour is a
path that ends where it begins. A move is three numbers (v, i, j): reverse positions i..j of path v.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy, enlarged, reverse
from coactor.kernels.tolerances import rounding
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True)
def edge_number(a: int, b: int, n: int) -> int:
    """The row of edge {a, b} among the n (n - 1) / 2 pairs i < j in row order."""
    if a > b:
        a, b = b, a
    return a * n - a * (a + 1) // 2 + b - a - 1


@njit(cache=True)
def cost_matrix(costs: Vector, n: int) -> Matrix:
    """The symmetric n x n matrix of edge costs, with a zero diagonal."""
    matrix = np.zeros((n, n))
    row = 0
    for i in range(n):
        for j in range(i + 1, n):
            matrix[i, j] = costs[row]
            matrix[j, i] = costs[row]
            row += 1
    return matrix


@njit(cache=True, nogil=True)
def insertion(cost: Matrix, ends: Indices) -> tuple[Indices, Indices]:
    """Cheapest insertion of every free point over all positions of all paths; O(n^2) in practice.

    Returns (order, starts). Each waiting point keeps its cheapest position (the point it would follow). An
    insertion opens two new positions, and only the points whose position it closed search all positions
    again. Costs are symmetric and read along rows, which is faster once the matrix exceeds the cache.
    """
    n, vehicles = cost.shape[0], ends.shape[0]
    follows = np.full(n, -1, np.int64)
    waiting = np.empty(n, np.int64)
    used = np.zeros(n, np.bool_)
    closed = 0
    for v in range(vehicles):
        used[ends[v, 0]] = used[ends[v, 1]] = True
        follows[ends[v, 0]] = ends[v, 1]
        closed += ends[v, 0] == ends[v, 1]
    left = 0
    for p in range(n):
        if not used[p]:
            waiting[left] = p
            left += 1
    place = np.zeros(n, np.int64)
    extra = np.full(n, np.inf)
    for k in range(left):
        search_all_positions(cost, ends, follows, waiting[k], place, extra)
    while left > 0:
        chosen = 0
        for k in range(1, left):
            if extra[waiting[k]] < extra[waiting[chosen]]:
                chosen = k
        p = waiting[chosen]
        left -= 1
        for k in range(chosen, left):  # keep the order, so that ties go to the lowest point
            waiting[k] = waiting[k + 1]
        before = place[p]
        after = follows[before]
        follows[before] = p
        follows[p] = after
        for k in range(left):
            q = waiting[k]
            if place[q] == before:
                search_all_positions(cost, ends, follows, q, place, extra)
            else:
                more = cost[q, before] + cost[q, p] - cost[before, p]
                if more < extra[q]:
                    extra[q] = more
                    place[q] = before
                more = cost[q, p] + cost[q, after] - cost[p, after]
                if more < extra[q]:
                    extra[q] = more
                    place[q] = p
    order = np.empty(n + closed, np.int64)
    starts = np.zeros(vehicles + 1, np.int64)
    for v in range(vehicles):
        position = starts[v]
        order[position] = ends[v, 0]
        while position == starts[v] or order[position] != ends[v, 1]:
            order[position + 1] = follows[order[position]]
            position += 1
        starts[v + 1] = position + 1
    return order, starts


@njit(cache=True)
def search_all_positions(
    cost: Matrix, ends: Indices, follows: Indices, q: int, place: Indices, extra: Vector
) -> None:
    """Find the cheapest position for point q on any path."""
    extra[q] = np.inf
    for v in range(ends.shape[0]):
        u = ends[v, 0]
        while True:
            after = follows[u]
            more = cost[q, u] + cost[q, after] - cost[u, after]
            if more < extra[q]:
                extra[q] = more
                place[q] = u
            u = after
            if u == ends[v, 1]:
                break


@njit(cache=True)
def list_moves(order: Indices, starts: Indices) -> Indices:
    """Every reversal that changes a path, one row each; reversing all of a tour gives the same tour."""
    inner = np.diff(starts) - 2
    rows = np.empty((int((inner * (inner - 1) // 2).sum()), 3), np.int64)
    count = 0
    for v in range(starts.size - 1):
        last = starts[v + 1] - starts[v] - 1
        closed = order[starts[v]] == order[starts[v] + last]
        for i in range(1, last - 1):
            for j in range(i + 1, last - 1 if closed and i == 1 else last):
                rows[count, 0], rows[count, 1], rows[count, 2] = v, i, j
                count += 1
    return rows[:count]


@njit(cache=True)
def gain(cost: Matrix, order: Indices, i: int, j: int) -> float:
    """The gain of reversing order[i..j]."""
    a, b, c, d = order[i - 1], order[i], order[j], order[j + 1]
    saved: float = (cost[a, b] + cost[c, d]) - (cost[a, c] + cost[b, d])
    return saved


@njit(cache=True)
def length(cost: Matrix, order: Indices, starts: Indices) -> float:
    """The cost of all paths; of a tour the last edge is added first (another order rounds otherwise)."""
    total = 0.0
    for v in range(starts.size - 1):
        first, last = starts[v], starts[v + 1] - 1
        if order[first] == order[last]:
            last -= 1
            total += cost[order[last], order[first]]
        for position in range(first, last):
            total += cost[order[position], order[position + 1]]
    return total


@njit(cache=True)
def find_move(
    cost: Matrix, order: Indices, starts: Indices, kappa: float, least: float, best: bool
) -> tuple[int, int, int]:
    """The first (or best) (path, i, j) that gains enough, i and j in `order`; path is -1 if there is none.

    Gains are those of `gain`, with what is the same for all j read once. All of a tour gains nothing.
    """
    chosen = (-1, 0, 0)
    most = least
    for v in range(starts.size - 1):
        for i in range(starts[v] + 1, starts[v + 1] - 2):
            a, b, d = order[i - 1], order[i], order[i + 1]
            here = cost[a, b]
            for j in range(i + 1, starts[v + 1] - 1):
                c, d = d, order[j + 1]
                g = (here + cost[c, d]) - (cost[a, c] + cost[b, d])
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

    Returns all orders, the given one first, and the moves.
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
def two_opt(cost: Matrix, order: Indices, starts: Indices) -> None:
    """2-opt in place with the first improving reversal, until there is none."""
    least = rounding(cost)
    while True:
        v, i, j = find_move(cost, order, starts, 0.0, least, False)
        if v < 0:
            return
        reverse(order, i, j)


@njit(cache=True, nogil=True)
def solve(cost: Matrix, ends: Indices) -> tuple[Indices, Indices]:
    """Cheapest insertion, then 2-opt inside the paths: the solver of the paper."""
    order, starts = insertion(cost, ends)
    two_opt(cost, order, starts)
    return order, starts


def solve_large(cost: Matrix) -> Indices:
    """Greedy edges, then 2-opt in passes: better tours than by `solve` where points are many, and sooner."""
    edges = np.column_stack(np.triu_indices(len(cost), 1))
    tour = greedy(edges[np.argsort(cost[edges[:, 0], edges[:, 1]], kind="stable")], len(cost))
    tour = np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))
    order = np.append(tour, 0)
    two_opt_in_passes(cost, order)
    return order


@njit(cache=True, nogil=True)
def greedy(edges: Indices, n: int) -> Indices:
    """The points in the order of a tour of the first of these edges that close no circle."""
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
def two_opt_in_passes(cost: Matrix, order: Indices) -> None:
    """2-opt of one path in place: passes that make every gaining reversal they meet, until one meets none."""
    least = rounding(cost)
    active = True
    while active:
        active = False
        for i in range(1, order.size - 2):
            for j in range(i + 1, order.size - 1):
                if gain(cost, order, i, j) > least:
                    reverse(order, i, j)
                    active = True


@njit(cache=True)
def gains(cost: Matrix, order: Indices, starts: Indices) -> Vector:
    """The gain of each move, in scan order."""
    moves = list_moves(order, starts)
    out = np.empty(len(moves))
    for k in range(len(moves)):
        first = starts[moves[k, 0]]
        out[k] = gain(cost, order, first + moves[k, 1], first + moves[k, 2])
    return out


@njit(cache=True)
def features_along(edges: Matrix, n: int, path: Indices, starts: Indices) -> Matrix:
    """Minus the summed edge features of each solution, one row each; `n` is the number of points."""
    out = np.zeros((path.shape[0], edges.shape[1]))
    for k in range(path.shape[0]):
        for v in range(starts.size - 1):
            for position in range(starts[v], starts[v + 1] - 1):
                a, b = path[k, position], path[k, position + 1]
                if a != b:  # a tour of a single point has no edges
                    row = edge_number(a, b, n)
                    for f in range(edges.shape[1]):
                        out[k, f] -= edges[row, f]
    return out


@njit(cache=True)
def move_features(edges: Matrix, n: int, order: Indices, starts: Indices) -> Matrix:
    """The change in features of each move, in scan order, one row each."""
    moves = list_moves(order, starts)
    out = np.empty((len(moves), edges.shape[1]))
    for k in range(len(moves)):
        first = starts[moves[k, 0]]
        i, j = first + moves[k, 1], first + moves[k, 2]
        a, b, c, d = order[i - 1], order[i], order[j], order[j + 1]
        ab, cd = edge_number(a, b, n), edge_number(c, d, n)
        ac, bd = edge_number(a, c, n), edge_number(b, d, n)
        for f in range(edges.shape[1]):
            out[k, f] = edges[ab, f] + edges[cd, f] - edges[ac, f] - edges[bd, f]
    return out


@njit(cache=True)
def count_reversals(order: Indices) -> int:
    """An upper bound on the reversals that sort a permutation of 0..n whose ends stay in place.

    Greedy: each step makes the first reversal that restores the most adjacent pairs of the sorted order.
    Where none restores a pair, it puts the first misplaced element into its place. A reversal restores at
    most two pairs, so half the missing pairs, rounded up, is a lower bound; the count is exact where it meets
    that bound.
    """
    order, count = order.copy(), 0
    while True:
        most, first, last = 0, 0, 0
        sorted_ = True
        for i in range(order.size - 1):
            if abs(order[i + 1] - order[i]) == 1:
                continue
            sorted_ = False
            for j in range(i + 1, order.size - 1):
                if abs(order[j + 1] - order[j]) != 1:
                    near = abs(order[j] - order[i]) == 1
                    restored = int(near) + int(abs(order[j + 1] - order[i + 1]) == 1)
                    if restored > most:
                        most, first, last = restored, i + 1, j
        if sorted_:
            return count
        if most == 0:
            while order[first] == first:
                first += 1
            last = first
            while order[last] != first:
                last += 1
        reverse(order, first, last)
        count += 1

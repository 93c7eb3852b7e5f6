"""Local search over all moves of a plan.

All moves of one operator between two routes are a block. Its gains depend on these two routes alone, so a
climb searches it again only after one of the two has changed.

The four `search` functions return the gain (0 if there is none), i and j of the first (or best) move of a
block that gains at least kappa and more than `least`. If `every` has room, they write all gains to it from
`count` on instead, and return the new count last.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit

from coactor.kernels.arrays import enlarged
from coactor.kernels.plans import (
    MOVE,
    REVERSE,
    SWAP,
    Rules,
    added_overload,
    apply,
    distinct,
    is_block,
    loads_before,
    update_loads,
)
from coactor.kernels.tolerances import GAIN, LOAD, rounding
from coactor.protocol import Indices, Matrix, Vector

LONG = 64  # stops of a route from which reversals are summed by prefix sums, with another rounding error
Best: TypeAlias = tuple[float, int, int, int]


class Scan(NamedTuple):
    """What the searches read: the plan with the load up to each position, and which move they look for."""

    rules: Rules
    routes: Indices
    sizes: Indices
    loads: Matrix
    kappa: float
    least: float
    best: bool
    every: Vector


@njit(cache=True)
def search_reverse(scan: Scan, r: int, s: int, count: int) -> Best:
    """Reversals of the stops i..j of route r."""
    costs, a, size = scan.rules.costs, scan.routes[r], scan.sizes[r]
    kappa, most, best, every, collect = scan.kappa, scan.least, scan.best, scan.every, len(scan.every) > 0
    ahead, back = prefix_sums(costs, a, size) if size >= LONG else (every[:0], every[:0])
    at_i, at_j = 0, 0
    for i in range(1, size):
        for j in range(i + 1, size + 1):
            if size >= LONG:
                gain = ahead[j + 1] - ahead[i - 1]
                gain -= costs[a[i - 1], a[j]] + (back[j] - back[i]) + costs[a[i], a[j + 1]]
            else:  # arc by arc
                gain = costs[a[i - 1], a[i]] - costs[a[i - 1], a[j]]
                for k in range(1, j - i + 1):
                    gain += costs[a[i - 1 + k], a[i + k]] - costs[a[j + 1 - k], a[j - k]]
                gain += costs[a[j], a[j + 1]] - costs[a[i], a[j + 1]]
            if collect:
                every[count] = gain
                count += 1
            elif gain > most and gain >= kappa:
                most, at_i, at_j = gain, i, j
                if not best:
                    return most, at_i, at_j, count
    return (most if at_i else 0.0), at_i, at_j, count


@njit(cache=True)
def prefix_sums(costs: Matrix, a: Indices, size: int) -> tuple[Vector, Vector]:
    """The cost of a route up to each position, driven forwards and backwards."""
    ahead, back = np.zeros(size + 2), np.zeros(size + 2)
    for k in range(1, size + 2):
        ahead[k] = ahead[k - 1] + costs[a[k - 1], a[k]]
        back[k] = back[k - 1] + costs[a[k], a[k - 1]]
    return ahead, back


@njit(cache=True)
def search_move(scan: Scan, r: int, s: int, count: int) -> Best:
    """Stop i of route r after position j of route s."""
    rules, sizes, a, b = scan.rules, scan.sizes, scan.routes[r], scan.routes[s]
    costs, demand, hard, price = rules.costs, rules.demand, not rules.soft, rules.price
    most_a, most_b = rules.capacity[r], rules.capacity[s]
    load_a, load_b, extra = scan.loads[r, sizes[r]], scan.loads[s, sizes[s]], 0.0
    kappa, most, best, every, collect = scan.kappa, scan.least, scan.best, scan.every, len(scan.every) > 0
    at_i, at_j = 0, 0
    for i in range(1, sizes[r] + 1):
        p, u, n = a[i - 1], a[i], a[i + 1]
        if r != s:
            extra = added_overload(load_a, load_b, most_a, most_b, demand[u])
            if hard and extra > LOAD:
                continue
        saved, here = costs[p, u] - costs[p, n], costs[u, n]
        for j in range(sizes[s] + 1):
            if r == s and i - 2 <= j <= i + 1:  # past its neighbour, or nowhere
                continue
            x, y = b[j], b[j + 1]
            gain = saved + (here - costs[x, u]) + (costs[x, y] - costs[u, y]) - price * extra
            if collect:
                every[count] = gain
                count += 1
            elif gain > most and gain >= kappa:
                most, at_i, at_j = gain, i, j
                if not best:
                    return most, at_i, at_j, count
    return (most if at_i else 0.0), at_i, at_j, count


@njit(cache=True)
def search_swap(scan: Scan, r: int, s: int, count: int) -> Best:
    """Stop i of route r for stop j of route s."""
    rules, sizes, a, b = scan.rules, scan.sizes, scan.routes[r], scan.routes[s]
    costs, demand, hard, price = rules.costs, rules.demand, not rules.soft, rules.price
    most_a, most_b = rules.capacity[r], rules.capacity[s]
    load_a, load_b, extra = scan.loads[r, sizes[r]], scan.loads[s, sizes[s]], 0.0
    kappa, most, best, every, collect = scan.kappa, scan.least, scan.best, scan.every, len(scan.every) > 0
    at_i, at_j = 0, 0
    for i in range(1, sizes[r] + 1):
        p, u, n = a[i - 1], a[i], a[i + 1]
        first, second = costs[p, u], costs[u, n]
        for j in range(1 if r != s else i + 3, sizes[s] + 1):
            v = b[j]
            if r != s:
                extra = added_overload(load_a, load_b, most_a, most_b, demand[u] - demand[v])
                if hard and extra > LOAD:
                    continue
            x, y = b[j - 1], b[j + 1]
            gain = (first - costs[p, v]) + (second - costs[v, n])
            gain = gain + (costs[x, v] - costs[x, u]) + (costs[v, y] - costs[u, y]) - price * extra
            if collect:
                every[count] = gain
                count += 1
            elif gain > most and gain >= kappa:
                most, at_i, at_j = gain, i, j
                if not best:
                    return most, at_i, at_j, count
    return (most if at_i else 0.0), at_i, at_j, count


@njit(cache=True)
def search_tails(scan: Scan, r: int, s: int, count: int) -> Best:
    """What follows position i of route r for what follows position j of route s."""
    rules, a, b = scan.rules, scan.routes[r], scan.routes[s]
    costs, hard, price = rules.costs, not rules.soft, rules.price
    most_a, most_b = rules.capacity[r], rules.capacity[s]
    size_a, size_b, before_a, before_b = scan.sizes[r], scan.sizes[s], scan.loads[r], scan.loads[s]
    load_a, load_b = before_a[size_a], before_b[size_b]
    kappa, most, best, every, collect = scan.kappa, scan.least, scan.best, scan.every, len(scan.every) > 0
    at_i, at_j = -1, 0
    for i in range(size_a + 1):
        u, n, tail = a[i], a[i + 1], load_a - before_a[i]
        here = costs[u, n]
        for j in range(size_b + 1):
            if (i == 0 and j == 0) or (i == size_a and j == size_b):
                continue
            extra = added_overload(load_a, load_b, most_a, most_b, tail - (load_b - before_b[j]))
            if hard and extra > LOAD:
                continue
            x, y = b[j], b[j + 1]
            gain = (here - costs[u, y]) + (costs[x, y] - costs[x, n]) - price * extra
            if collect:
                every[count] = gain
                count += 1
            elif gain > most and gain >= kappa:
                most, at_i, at_j = gain, i, j
                if not best:
                    return most, at_i, at_j, count
    return (most if at_i >= 0 else 0.0), at_i, at_j, count


@njit(cache=True)
def search(scan: Scan, op: int, r: int, s: int, count: int) -> Best:
    """The search of one block by its operator."""
    if op == REVERSE:
        return search_reverse(scan, r, s, count)
    if op == MOVE:
        return search_move(scan, r, s, count)
    if op == SWAP:
        return search_swap(scan, r, s, count)
    return search_tails(scan, r, s, count)


def gains(rules: Rules, routes: Indices, sizes: Indices) -> Vector:
    """What each of the moves of `plans.list_moves` saves, in scan order."""
    stops, m = int(sizes.sum()), len(sizes)
    every = np.empty(max(1, 2 * stops * (stops + m) + (stops + m) ** 2))
    return every[: explore(rules, routes, sizes, 0.0, False, 0, every)[1]]


def climb(rules: Rules, routes: Indices, sizes: Indices, kappa: float, best: bool, limit: int) -> Indices:
    """Make the first (or best) move that gains enough, in place, until there is none; returns the moves."""
    return explore(rules, routes, sizes, kappa, best, limit, np.empty(0))[0]


@njit(cache=True, nogil=True)
def explore(
    rules: Rules, routes: Indices, sizes: Indices, kappa: float, best: bool, limit: int, every: Vector
) -> tuple[Indices, int]:
    """`climb`, or `gains` if `every` has room: one function, because both compile the four searches."""
    m = len(sizes)
    least = max(rounding(rules.costs), GAIN * abs(rules.price))
    loads = loads_before(routes, sizes, rules.demand)
    scan = Scan(rules, routes, sizes, loads, kappa, least, best, every)
    use = distinct(sizes, rules.capacity)
    changed = np.ones(m, np.bool_)
    gain = np.zeros((4, m, m))
    place = np.zeros((4, m, m, 2), np.int32)
    moves = np.empty((16, 5), np.int64)
    count = written = 0
    while True:
        for op in range(4):
            for r in range(m):
                for s in range(m):
                    if (changed[r] or changed[s]) and is_block(op, r, s):
                        g, i, j = 0.0, 0, 0
                        if use[r] and use[s]:
                            g, i, j, written = search(scan, op, r, s, written)
                        gain[op, r, s], place[op, r, s, 0], place[op, r, s, 1] = g, i, j
        most, op, r, s = 0.0, 0, 0, 0
        for o in range(4):
            for a in range(m):
                for b in range(m):
                    if gain[o, a, b] > most and (best or most == 0.0):
                        most, op, r, s = gain[o, a, b], o, a, b
        if most == 0.0 or count == limit:
            return moves[:count], written
        if count == len(moves):
            moves = enlarged(moves)
        moves[count, 0], moves[count, 1], moves[count, 2] = op, r, place[op, r, s, 0]
        moves[count, 3], moves[count, 4] = s, place[op, r, s, 1]
        apply(routes, sizes, moves[count])
        count += 1
        before = use
        use = distinct(sizes, rules.capacity)
        for k in range(m):
            changed[k] = k in (r, s) or use[k] != before[k]
            if changed[k]:
                update_loads(loads[k], routes[k], sizes[k], rules.demand)

"""Routes from one depot: the four moves of a planner, their features, gains and overloads.

Routes are a padded matrix: row r is 0, its stops, 0 (the depot is point 0), and `sizes[r]` its number of
stops. A move is five numbers (op, r, i, s, j); positions count from 1, and 0 is the depot in front:

    REVERSE  reverse the stops i..j of route r                                       (s = r)
    MOVE     take stop i out of route r and insert it after position j of route s
    SWAP     exchange stop i of route r and stop j of route s
    TAILS    exchange what follows position i of route r and position j of route s

The scan order is by operator, then r, s, i, j. All moves of one operator between two routes are a block:
its gains depend on these two routes alone, so a climb keeps them until one of the two changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.kernels.arrays import enlarged, reverse
from coactor.kernels.tolerances import LOAD
from coactor.protocol import Indices, Matrix, Vector

REVERSE, MOVE, SWAP, TAILS = range(4)


class Rules(NamedTuple):
    """What a plan costs and which moves are allowed.

    Attributes
    ----------
    costs
        Of each arc, shape (n + 1, n + 1).
    price
        Of a unit of overload.
    demand, capacity
        Of each point and of each vehicle.
    soft
        Whether moves may add overload.
    """

    costs: Matrix
    price: float
    demand: Vector
    capacity: Vector
    soft: bool


@njit(cache=True)
def apply(routes: Indices, sizes: Indices, move: Indices) -> None:
    """Make a move in place."""
    op, r, i, s, j = move[0], move[1], move[2], move[3], move[4]
    a, b = routes[r], routes[s]
    if op == REVERSE:
        reverse(a, i, j)
    elif op == MOVE:
        stop = a[i]
        for k in range(i, sizes[r] + 1):
            a[k] = a[k + 1]
        sizes[r] -= 1
        place = j if r == s and j > i else j + 1
        for k in range(sizes[s] + 1, place - 1, -1):
            b[k + 1] = b[k]
        b[place] = stop
        sizes[s] += 1
    elif op == SWAP:
        a[i], b[j] = b[j], a[i]
    else:
        one, two = sizes[r] - i, sizes[s] - j
        for k in range(1, max(one, two) + 2):  # with the depot at the end: what follows it is undefined
            a[i + k], b[j + k] = b[j + k] if k <= two else 0, a[i + k] if k <= one else 0
        sizes[r], sizes[s] = i + two, j + one


@njit(cache=True)
def loads_before(routes: Indices, sizes: Indices, demand: Vector) -> Matrix:
    """The load up to and at each position of each route."""
    total = np.zeros(routes.shape)
    for r in range(len(routes)):
        update_loads(total[r], routes[r], sizes[r], demand)
    return total


@njit(cache=True)
def update_loads(total: Vector, route: Indices, size: int, demand: Vector) -> None:
    """The load up to and at each position of one route."""
    for k in range(1, size + 1):
        total[k] = total[k - 1] + demand[route[k]]


@njit(cache=True)
def overload(routes: Indices, sizes: Indices, demand: Vector, capacity: Vector) -> float:
    """The load beyond the capacities, summed over the routes."""
    total = 0.0
    for r in range(len(routes)):
        load = 0.0
        for k in range(1, sizes[r] + 1):
            load += demand[routes[r, k]]
        total += max(0.0, load - capacity[r])
    return total


@njit(cache=True)
def added_overload(a: float, b: float, most_a: float, most_b: float, shift: float) -> float:
    """The change in overload when `shift` goes from load a to load b, with these capacities."""
    before = max(0.0, a - most_a) + max(0.0, b - most_b)
    after = max(0.0, a - shift - most_a) + max(0.0, b + shift - most_b)
    return float(after - before)


@njit(cache=True)
def extra_load(
    rules: Rules, routes: Indices, sizes: Indices, loads: Matrix, op: int, r: int, i: int, s: int, j: int
) -> float:
    """The change in overload that a move makes."""
    if r == s:
        return 0.0
    a, b = loads[r, sizes[r]], loads[s, sizes[s]]
    if op == MOVE:
        shift = rules.demand[routes[r, i]]
    elif op == SWAP:
        shift = rules.demand[routes[r, i]] - rules.demand[routes[s, j]]
    else:
        shift = (a - loads[r, i]) - (b - loads[s, j])
    return float(added_overload(a, b, rules.capacity[r], rules.capacity[s], shift))


@njit(cache=True)
def distinct(sizes: Indices, capacity: Vector) -> NDArray[np.bool_]:
    """Which routes to consider: of several empty ones with the same capacity only the first."""
    use = np.ones(len(sizes), np.bool_)
    for r in range(len(sizes)):
        if sizes[r] == 0:
            for s in range(r):
                if sizes[s] == 0 and capacity[r] == capacity[s]:
                    use[r] = False
                    break
    return use


@njit(cache=True)
def is_block(op: int, r: int, s: int) -> bool:
    """Whether an operator has moves between two routes in this order."""
    return bool((s == r or op != REVERSE) and (s >= r or op < SWAP) and (s != r or op != TAILS))


@njit(cache=True)
def is_distinct(op: int, r: int, i: int, s: int, j: int, sizes: Indices) -> bool:
    """Whether a move gives a plan that no other one gives.

    Exchanging neighbours and moving a stop past its neighbour are reversals.
    """
    if op == REVERSE:
        return bool(j > i)
    if op == MOVE:
        return bool(r != s or j < i - 2 or j > i + 1)
    if op == SWAP:
        return bool(r != s or j >= i + 3)
    return bool((i > 0 or j > 0) and (i < sizes[r] or j < sizes[s]))


@njit(cache=True)
def changed(routes: Indices, move: Indices, gone: Indices, come: Indices) -> int:
    """Write the arcs that a move removes and adds; returns how many there are of each."""
    op, r, i, s, j = move[0], move[1], move[2], move[3], move[4]
    a, b = routes[r], routes[s]
    if op == REVERSE:
        n = int(j - i) + 2
        for k in range(n):
            gone[k, 0], gone[k, 1] = a[i - 1 + k], a[i + k]
        come[0, 0], come[0, 1] = a[i - 1], a[j]
        for k in range(1, n - 1):
            come[k, 0], come[k, 1] = a[j + 1 - k], a[j - k]
        come[n - 1, 0], come[n - 1, 1] = a[i], a[j + 1]
        return n
    if op == MOVE:
        gone[0, 0], gone[0, 1] = a[i - 1], a[i]
        gone[1, 0], gone[1, 1] = a[i], a[i + 1]
        gone[2, 0], gone[2, 1] = b[j], b[j + 1]
        come[0, 0], come[0, 1] = a[i - 1], a[i + 1]
        come[1, 0], come[1, 1] = b[j], a[i]
        come[2, 0], come[2, 1] = a[i], b[j + 1]
        return 3
    if op == SWAP:
        gone[0, 0], gone[0, 1] = a[i - 1], a[i]
        gone[1, 0], gone[1, 1] = a[i], a[i + 1]
        gone[2, 0], gone[2, 1] = b[j - 1], b[j]
        gone[3, 0], gone[3, 1] = b[j], b[j + 1]
        come[0, 0], come[0, 1] = a[i - 1], b[j]
        come[1, 0], come[1, 1] = b[j], a[i + 1]
        come[2, 0], come[2, 1] = b[j - 1], a[i]
        come[3, 0], come[3, 1] = a[i], b[j + 1]
        return 4
    gone[0, 0], gone[0, 1] = a[i], a[i + 1]
    gone[1, 0], gone[1, 1] = b[j], b[j + 1]
    come[0, 0], come[0, 1] = a[i], b[j + 1]
    come[1, 0], come[1, 1] = b[j], a[i + 1]
    return 2


@njit(cache=True)
def list_moves(rules: Rules, routes: Indices, sizes: Indices) -> Indices:
    """Every allowed move that gives a different plan, in scan order, one row each."""
    loads = loads_before(routes, sizes, rules.demand)
    use = distinct(sizes, rules.capacity)
    rows = np.empty((64, 5), np.int64)
    count = 0
    for op in range(4):
        for r in range(len(sizes)):
            for s in range(len(sizes)):
                if not (use[r] and use[s] and is_block(op, r, s)):
                    continue
                for i in range(0 if op == TAILS else 1, sizes[r] + 1):
                    for j in range(0 if op in (MOVE, TAILS) else 1, sizes[s] + 1):
                        if not is_distinct(op, r, i, s, j, sizes):
                            continue
                        if not rules.soft and extra_load(rules, routes, sizes, loads, op, r, i, s, j) > LOAD:
                            continue
                        if count == len(rows):
                            rows = enlarged(rows)
                        rows[count, 0], rows[count, 1], rows[count, 2] = op, r, i
                        rows[count, 3], rows[count, 4] = s, j
                        count += 1
    return rows[:count]


@njit(cache=True)
def move_features(
    arcs: NDArray[np.float64], rules: Rules, routes: Indices, sizes: Indices, moves: Indices
) -> Matrix:
    """The change in phi of each move, then the change in overload, negated, in a last column."""
    gone = np.empty((routes.shape[1] + 2, 2), np.int64)
    come = np.empty((routes.shape[1] + 2, 2), np.int64)
    loads = loads_before(routes, sizes, rules.demand)
    d = arcs.shape[2]
    out = np.zeros((len(moves), d + 1))
    for k in range(len(moves)):
        for t in range(changed(routes, moves[k], gone, come)):
            for f in range(d):
                out[k, f] += arcs[gone[t, 0], gone[t, 1], f] - arcs[come[t, 0], come[t, 1], f]
        op, r, i, s, j = moves[k, 0], moves[k, 1], moves[k, 2], moves[k, 3], moves[k, 4]
        out[k, d] = -extra_load(rules, routes, sizes, loads, op, r, i, s, j)
    return out

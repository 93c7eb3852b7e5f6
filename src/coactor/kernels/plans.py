"""Routes from one depot: the four edits of a planner, insertion, local search.

Routes are a padded matrix: row r is 0, its stops, 0 (the depot is point 0), and `sizes[r]` its number of
stops. An edit is five numbers (op, r, i, s, j); positions count from 1, 0 is the depot in front:

    REVERSE  turn round the stops i..j of route r                           (s = r)
    MOVE     take stop i out of route r and put it after place j of route s
    SWAP     exchange stop i of route r and stop j of route s
    TAILS    exchange what follows place i of route r and place j of route s

What an edit changes is said once, in `changed`, as arcs that go and arcs that come; costs, features and
gains are sums over them.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.protocol import Indices, Matrix, Vector

REVERSE, MOVE, SWAP, TAILS = range(4)


@njit(cache=True)
def changed(routes: Indices, sizes: Indices, edit: Indices, gone: Indices, come: Indices) -> int:
    """Write the arcs an edit removes and adds; returns how many there are of each."""
    op, r, i, s, j = edit[0], edit[1], edit[2], edit[3], edit[4]
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
def apply(routes: Indices, sizes: Indices, edit: Indices) -> None:
    """Make an edit in place."""
    op, r, i, s, j = edit[0], edit[1], edit[2], edit[3], edit[4]
    a, b = routes[r], routes[s]
    if op == REVERSE:
        a[i : j + 1] = a[i : j + 1][::-1].copy()
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
        tail_a, tail_b = a[i + 1 : sizes[r] + 1].copy(), b[j + 1 : sizes[s] + 1].copy()
        a[i + 1 :] = 0
        b[j + 1 :] = 0
        a[i + 1 : i + 1 + len(tail_b)] = tail_b
        b[j + 1 : j + 1 + len(tail_a)] = tail_a
        sizes[r], sizes[s] = i + len(tail_b), j + len(tail_a)


@njit(cache=True)
def loads_before(routes: Indices, sizes: Indices, demand: Vector) -> Matrix:
    """The load picked up before and at each place of each route."""
    total = np.zeros(routes.shape)
    for r in range(len(routes)):
        for k in range(1, sizes[r] + 1):
            total[r, k] = total[r, k - 1] + demand[routes[r, k]]
    return total


@njit(cache=True)
def overload(routes: Indices, sizes: Indices, demand: Vector, capacity: Vector) -> float:
    """By how much the routes exceed their capacities, summed."""
    total = 0.0
    for r in range(len(routes)):
        load = 0.0
        for k in range(1, sizes[r] + 1):
            load += demand[routes[r, k]]
        total += max(0.0, load - capacity[r])
    return total


@njit(cache=True)
def extra_load(
    routes: Indices, sizes: Indices, before: Matrix, demand: Vector, capacity: Vector, edit: Indices
) -> float:
    """The change in overload an edit makes."""
    op, r, i, s, j = edit[0], edit[1], edit[2], edit[3], edit[4]
    if r == s:
        return 0.0
    a, b = before[r, sizes[r]], before[s, sizes[s]]
    if op == MOVE:
        shift = demand[routes[r, i]]
    elif op == SWAP:
        shift = demand[routes[r, i]] - demand[routes[s, j]]
    else:
        shift = (a - before[r, i]) - (b - before[s, j])
    was = max(0.0, a - capacity[r]) + max(0.0, b - capacity[s])
    now = max(0.0, a - shift - capacity[r]) + max(0.0, b + shift - capacity[s])
    return float(now - was)


@njit(cache=True)
def edits(routes: Indices, sizes: Indices, demand: Vector, capacity: Vector, soft: bool) -> Indices:
    """Every different edit in scan order; unless `soft`, only those that do not overload a vehicle more.

    Left out are edits that another one already makes: neighbours exchanged or moved past each other (a
    reversal), and the second of several empty routes of the same capacity.
    """
    m = len(sizes)
    n = int(sizes.sum())
    room = n * n + (n + m) * (n + m) + n * (n + m) + n * n
    found = np.empty((room, 5), np.int64)
    before = loads_before(routes, sizes, demand)
    use = np.ones(m, np.bool_)
    for r in range(m):
        for s in range(r):
            if sizes[r] == 0 and sizes[s] == 0 and capacity[r] == capacity[s]:
                use[r] = False
    count = 0
    for op in range(4):
        for r in range(m):
            if not use[r]:
                continue
            for s in range(m):
                if (
                    not use[s]
                    or (op == REVERSE and s != r)
                    or (op >= SWAP and s < r)
                    or (op == TAILS and s == r)
                ):
                    continue
                for i in range(0 if op == TAILS else 1, sizes[r] + 1):
                    for j in range(0 if op in (MOVE, TAILS) else 1, sizes[s] + 1):
                        if op == REVERSE and j <= i:
                            continue
                        if op == MOVE and r == s and (i - 2 <= j <= i + 1):
                            continue
                        if op == SWAP and r == s and j < i + 3:
                            continue
                        if op == TAILS and (i == 0 and j == 0 or i == sizes[r] and j == sizes[s]):  # noqa: RUF021
                            continue
                        found[count, 0], found[count, 1], found[count, 2] = op, r, i
                        found[count, 3], found[count, 4] = s, j
                        if soft or extra_load(routes, sizes, before, demand, capacity, found[count]) <= 1e-9:
                            count += 1
    return found[:count]


@njit(cache=True)
def gains(
    costs: Matrix,
    price: float,
    routes: Indices,
    sizes: Indices,
    demand: Vector,
    capacity: Vector,
    rows: Indices,
) -> Vector:
    """By how much each edit lowers the cost; overload costs `price` each."""
    gone = np.empty((routes.shape[1] + 2, 2), np.int64)
    come = np.empty((routes.shape[1] + 2, 2), np.int64)
    before = loads_before(routes, sizes, demand)
    out = np.empty(len(rows))
    for k in range(len(rows)):
        gain = 0.0
        for t in range(changed(routes, sizes, rows[k], gone, come)):
            gain += costs[gone[t, 0], gone[t, 1]] - costs[come[t, 0], come[t, 1]]
        if price != 0.0:
            gain -= price * extra_load(routes, sizes, before, demand, capacity, rows[k])
        out[k] = gain
    return out


@njit(cache=True)
def edit_features(
    arcs: NDArray[np.float64],
    routes: Indices,
    sizes: Indices,
    demand: Vector,
    capacity: Vector,
    rows: Indices,
) -> Matrix:
    """The change in phi of each edit, then the change in overload, negated, in a last column."""
    gone = np.empty((routes.shape[1] + 2, 2), np.int64)
    come = np.empty((routes.shape[1] + 2, 2), np.int64)
    before = loads_before(routes, sizes, demand)
    d = arcs.shape[2]
    out = np.zeros((len(rows), d + 1))
    for k in range(len(rows)):
        for t in range(changed(routes, sizes, rows[k], gone, come)):
            for f in range(d):
                out[k, f] += arcs[gone[t, 0], gone[t, 1], f] - arcs[come[t, 0], come[t, 1], f]
        out[k, d] = -extra_load(routes, sizes, before, demand, capacity, rows[k])
    return out

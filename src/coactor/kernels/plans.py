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
NOISE = 1e-12  # a gain below this share of the largest cost is rounding: taking it could go round for ever


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
    least = NOISE * max(np.abs(costs).max(), abs(price))
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


@njit(cache=True)
def _place(routes: Indices, sizes: Indices, stop: int) -> tuple[int, int]:
    for r in range(len(routes)):
        for k in range(1, sizes[r] + 1):
            if routes[r, k] == stop:
                return r, k
    return -1, -1


@njit(cache=True)
def _join(routes: Indices, sizes: Indices, wanted: Matrix, a: int, b: int, edit: Indices) -> None:
    """An edit after which b follows a (0: the depot), and which breaks no other wanted arc before b."""
    r, i = _place(routes, sizes, b)
    s, j = -1, 0
    if a > 0:
        s, j = _place(routes, sizes, a)
    else:  # some route begins with a stop that should not be first: b takes its place
        for k in range(len(routes)):
            if wanted[0, routes[k, 1]] == 0.0 and (s < 0 or k != r):
                s = k
    if s == r:
        edit[0], edit[1], edit[2], edit[3], edit[4] = MOVE, r, i, s, j
    else:
        edit[0], edit[1], edit[2], edit[3], edit[4] = TAILS, s, j, r, i - 1


@njit(cache=True)
def towards(routes: Indices, sizes: Indices, goal: Indices, goal_sizes: Indices) -> Indices:
    """Edits that turn the routes (in place) into the goal, whichever vehicle drives which route.

    Greedy: the edit that makes the most arcs of the goal, as long as that sets a new record; where none
    does, the first missing arc of the goal is joined. Joining arcs in order ends after one edit a stop at
    most, so the whole ends too. Few edits, but not always the fewest: an upper bound.
    """
    n = int(sizes.sum())
    wanted = np.zeros((n + 1, n + 1))
    missing = 0
    for r in range(len(goal)):
        for k in range(goal_sizes[r] + 1 if goal_sizes[r] else 0):
            wanted[goal[r, k], goal[r, k + 1]] = -1.0
            missing += 1
    for r in range(len(routes)):
        for k in range(sizes[r] + 1 if sizes[r] else 0):
            missing += int(wanted[routes[r, k], routes[r, k + 1]])
    record = missing + 1
    demand, capacity = np.zeros(n + 1), np.zeros(len(routes))
    made = np.empty((n * (n + 2) + 16, 5), np.int64)
    count = 0
    edit = np.empty(5, np.int64)
    while missing > 0:
        rows = edits(routes, sizes, demand, capacity, True)
        gain = gains(wanted, 0.0, routes, sizes, demand, capacity, rows)
        best = int(np.argmax(gain)) if len(rows) else -1
        if best >= 0 and gain[best] > 0.5 and missing - gain[best] < record:
            made[count] = rows[best]
            missing -= round(gain[best])
            record = missing
        else:
            joined = False
            for r in range(len(goal)):
                for k in range(goal_sizes[r]):
                    a, b = goal[r, k], goal[r, k + 1]
                    s, i = _place(routes, sizes, b)
                    if routes[s, i - 1] != a:
                        _join(routes, sizes, wanted, a, b, edit)
                        joined = True
                        break
                if joined:
                    break
            if not joined:  # every stop follows the right one: what is missing are ends, and they follow
                break
            made[count] = edit
            missing -= round(_gain(wanted, routes, sizes, edit))
        apply(routes, sizes, made[count])
        count += 1
    return made[:count]


@njit(cache=True)
def _gain(wanted: Matrix, routes: Indices, sizes: Indices, edit: Indices) -> float:
    """Arcs of the goal that an edit makes, counted afresh: `changed` does not know moves past a neighbour."""
    after, lengths = routes.copy(), sizes.copy()
    apply(after, lengths, edit)
    total = 0.0
    for r in range(len(routes)):
        for k in range(sizes[r] + 1 if sizes[r] else 0):
            total += wanted[routes[r, k], routes[r, k + 1]]
        for k in range(lengths[r] + 1 if lengths[r] else 0):
            total -= wanted[after[r, k], after[r, k + 1]]
    return total

"""Routes from one depot: the four moves of a planner, what they change, and a climb by them.

Routes are a padded matrix: row r is 0, its stops, 0 (the depot is point 0), and `sizes[r]` its number of
stops. A move is five numbers (op, r, i, s, j); positions count from 1, and 0 is the depot in front:

    REVERSE  reverse the stops i..j of route r                                       (s = r)
    MOVE     take stop i out of route r and insert it after position j of route s
    SWAP     exchange stop i of route r and stop j of route s
    TAILS    exchange what follows position i of route r and position j of route s

The scan order is by operator, then r, s, i, j. All moves of one operator between two routes are a block:
its gains depend on these two routes alone, so a climb keeps them until one of the two changes. `gain` is the
one place where a move is evaluated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.kernels.arrays import enlarged, reverse
from coactor.kernels.tolerances import GAIN, LOAD, rounding
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


class Sums(NamedTuple):
    """Sums along each route, up to and at each position.

    Attributes
    ----------
    loads
        The load.
    ahead, back
        The cost of the arcs, driven forwards and backwards.
    """

    loads: Matrix
    ahead: Matrix
    back: Matrix


@njit(cache=True)
def sums_of(rules: Rules, routes: Indices, sizes: Indices) -> Sums:
    """The sums along all routes."""
    sums = Sums(np.zeros(routes.shape), np.zeros(routes.shape), np.zeros(routes.shape))
    for r in range(len(routes)):
        update(sums, rules, routes, sizes, r)
    return sums


@njit(cache=True)
def update(sums: Sums, rules: Rules, routes: Indices, sizes: Indices, r: int) -> None:
    """Sum along route r again."""
    route = routes[r]
    for k in range(1, sizes[r] + 2):
        sums.loads[r, k] = sums.loads[r, k - 1] + rules.demand[route[k]]
        sums.ahead[r, k] = sums.ahead[r, k - 1] + rules.costs[route[k - 1], route[k]]
        sums.back[r, k] = sums.back[r, k - 1] + rules.costs[route[k], route[k - 1]]


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


class Block(NamedTuple):
    """The moves of one operator between two routes, r and s.

    Attributes
    ----------
    op, same
        The operator, and whether r and s are one route.
    costs, price, demand, soft
        As in `Rules`.
    a, b
        The routes.
    loads_a, loads_b, size_a, size_b, most_a, most_b
        Their loads up to each position, their sizes and their capacities.
    ahead, back
        The sums of costs along route r.
    """

    op: int
    same: bool
    costs: Matrix
    price: float
    demand: Vector
    soft: bool
    a: Indices
    b: Indices
    loads_a: Vector
    loads_b: Vector
    size_a: int
    size_b: int
    most_a: float
    most_b: float
    ahead: Vector
    back: Vector


@njit(cache=True)
def block_of(rules: Rules, routes: Indices, sizes: Indices, sums: Sums, op: int, r: int, s: int) -> Block:
    """The moves of one operator between routes r and s."""
    return Block(
        op,
        r == s,
        rules.costs,
        rules.price,
        rules.demand,
        rules.soft,
        routes[r],
        routes[s],
        sums.loads[r],
        sums.loads[s],
        sizes[r],
        sizes[s],
        rules.capacity[r],
        rules.capacity[s],
        sums.ahead[r],
        sums.back[r],
    )


# `inline`: calls with so many arrays would take longer than what is computed.


@njit(cache=True, inline="always")
def is_distinct(block: Block, i: int, j: int) -> bool:
    """Whether a move gives a plan that no other one gives.

    Exchanging neighbours and moving a stop past its neighbour are reversals.
    """
    if block.op == REVERSE:
        distinct = j > i
    elif block.op == MOVE:
        distinct = not block.same or j < i - 2 or j > i + 1
    elif block.op == SWAP:
        distinct = not block.same or j >= i + 3
    else:
        distinct = (i > 0 or j > 0) and (i < block.size_a or j < block.size_b)
    return distinct


@njit(cache=True, inline="always")
def extra_load(block: Block, i: int, j: int) -> float:
    """The change in overload that a move makes."""
    a, b = block.loads_a[block.size_a], block.loads_b[block.size_b]
    if block.same:
        shift = 0.0
    elif block.op == MOVE:
        shift = block.demand[block.a[i]]
    elif block.op == SWAP:
        shift = block.demand[block.a[i]] - block.demand[block.b[j]]
    else:
        shift = (a - block.loads_a[i]) - (b - block.loads_b[j])
    before = max(0.0, a - block.most_a) + max(0.0, b - block.most_b)
    after = max(0.0, a - shift - block.most_a) + max(0.0, b + shift - block.most_b)
    return float(after - before)


@njit(cache=True, inline="always")
def gain(block: Block, i: int, j: int) -> float:
    """What a move saves; minus infinity if a hard capacity forbids it."""
    costs, a, b = block.costs, block.a, block.b
    u, n, x, y = a[i], a[i + 1], b[j], b[j + 1]
    extra = extra_load(block, i, j)
    if extra > LOAD and not block.soft:
        saved = -np.inf
    elif block.op == REVERSE:
        inner = block.back[j] - block.back[i]
        saved = block.ahead[j + 1] - block.ahead[i - 1] - (costs[a[i - 1], x] + inner + costs[u, y])
    elif block.op == MOVE:
        p = a[i - 1]
        saved = costs[p, u] - costs[p, n] + (costs[u, n] - costs[x, u]) + (costs[x, y] - costs[u, y])
    elif block.op == SWAP:
        p, o = a[i - 1], b[j - 1]
        saved = (costs[p, u] - costs[p, x]) + (costs[u, n] - costs[x, n])
        saved = saved + (costs[o, x] - costs[o, u]) + (costs[x, y] - costs[u, y])
    else:
        saved = (costs[u, n] - costs[u, y]) + (costs[x, y] - costs[x, n])
    return float(saved - block.price * extra)


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


def list_moves(rules: Rules, routes: Indices, sizes: Indices) -> Indices:
    """Every allowed move that gives a different plan, in scan order, one row each."""
    rows = np.empty((most_moves(sizes), 5), np.int64)
    return rows[: len(scan(rules, routes, sizes, rows))]


def gains(rules: Rules, routes: Indices, sizes: Indices) -> Vector:
    """What each of these moves saves."""
    return scan(rules, routes, sizes, np.empty((0, 5), np.int64))


def move_features(arcs: NDArray[np.float64], rules: Rules, routes: Indices, sizes: Indices) -> Matrix:
    """The change in phi of each move, then the change in overload, negated, in a last column."""
    tables = [*np.ascontiguousarray(arcs.transpose(2, 0, 1)), np.zeros(arcs.shape[:2])]
    prices = [*(0.0 for _ in tables[1:]), 1.0]
    each = (rules._replace(costs=table, price=price) for table, price in zip(tables, prices, strict=True))
    return np.column_stack([gains(own, routes, sizes) for own in each])


@njit(cache=True)
def most_moves(sizes: Indices) -> int:
    """As many moves as there can be."""
    stops, ends = sizes.sum(), sizes.sum() + len(sizes)
    return int(2 * stops * ends + ends**2)


@njit(cache=True)
def scan(rules: Rules, routes: Indices, sizes: Indices, rows: Indices) -> Vector:
    """What each move saves; the moves themselves are written to the rows if there are any."""
    sums, use = sums_of(rules, routes, sizes), distinct(sizes, rules.capacity)
    out = np.empty(most_moves(sizes))
    count = 0
    for op in range(4):
        for r in range(len(sizes)):
            for s in range(len(sizes)):
                if not (use[r] and use[s] and is_block(op, r, s)):
                    continue
                block = block_of(rules, routes, sizes, sums, op, r, s)
                for i in range(0 if op == TAILS else 1, sizes[r] + 1):
                    for j in range(0 if op in (MOVE, TAILS) else 1, sizes[s] + 1):
                        if is_distinct(block, i, j):
                            out[count] = gain(block, i, j)
                            if out[count] > -np.inf:
                                if len(rows):
                                    rows[count, 0], rows[count, 1], rows[count, 2] = op, r, i
                                    rows[count, 3], rows[count, 4] = s, j
                                count += 1
    return out[:count]


@njit(cache=True)
def search(block: Block, kappa: float, least: float, best: bool) -> tuple[float, int, int]:
    """The gain, i and j of the first (or best) move of a block that gains enough; the gain is 0 if none."""
    most, at_i, at_j, gaining = least, 0, 0, False
    for i in range(0 if block.op == TAILS else 1, block.size_a + 1):
        for j in range(0 if block.op in (MOVE, TAILS) else 1, block.size_b + 1):
            if is_distinct(block, i, j):
                saved = gain(block, i, j)
                if saved > most and saved >= kappa:
                    most, at_i, at_j, gaining = saved, i, j, True
                    if not best:
                        return most, at_i, at_j
    return (most if gaining else 0.0), at_i, at_j


@njit(cache=True, nogil=True)
def climb(rules: Rules, routes: Indices, sizes: Indices, kappa: float, best: bool, limit: int) -> Indices:
    """Make the first (or best) move that gains enough, in place, until there is none; returns the moves.

    A block is searched again only after one of its two routes has changed.
    """
    m = len(sizes)
    least = max(rounding(rules.costs), GAIN * abs(rules.price))
    sums, use = sums_of(rules, routes, sizes), distinct(sizes, rules.capacity)
    renew = np.ones(m, np.bool_)
    gains, places = np.zeros((4, m, m)), np.zeros((4, m, m, 2), np.int32)
    moves = np.empty((16, 5), np.int64)
    count = 0
    while True:
        most, op, r, s = 0.0, 0, 0, 0
        for o in range(4):
            for a in range(m):
                for b in range(m):
                    if (renew[a] or renew[b]) and is_block(o, a, b):
                        g, i, j = 0.0, 0, 0
                        if use[a] and use[b]:
                            g, i, j = search(
                                block_of(rules, routes, sizes, sums, o, a, b), kappa, least, best
                            )
                        gains[o, a, b], places[o, a, b, 0], places[o, a, b, 1] = g, i, j
                    if gains[o, a, b] > most and (best or most == 0.0):
                        most, op, r, s = gains[o, a, b], o, a, b
        if most == 0.0 or count == limit:
            return moves[:count]
        if count == len(moves):
            moves = enlarged(moves)
        moves[count, 0], moves[count, 1], moves[count, 2] = op, r, places[op, r, s, 0]
        moves[count, 3], moves[count, 4] = s, places[op, r, s, 1]
        apply(routes, sizes, moves[count])
        count += 1
        before, use = use, distinct(sizes, rules.capacity)
        for k in range(m):
            renew[k] = k in (r, s) or use[k] != before[k]
            if renew[k]:
                update(sums, rules, routes, sizes, k)

"""Routes of vehicles: their evaluation, the four moves of a planner, and a climb by them.

Routes are a padded matrix: row r is the vehicle's start, then its stops, and `sizes[r]` their number. A move
is five numbers (op, r, i, s, j); positions count from 1, and 0 is the start:

    REVERSE  reverse the stops i..j of route r                                       (s = r)
    MOVE     take stop i out of route r and insert it after position j of route s
    SWAP     exchange stop i of route r and stop j of route s
    TAILS    exchange what follows position i of route r and position j of route s

The scan order is by operator, then r, s, i, j. All moves of one operator between two routes are a block: a
climb keeps its best move until one of the two routes changes.

`value` is the one evaluation of a route: what begins like route r, goes through a given stretch, and ends
like route s, from sums along both, in constant time. Times are sums as well, those of Vidal, Crainic,
Gendreau and Prins (A hybrid genetic algorithm with adaptive diversity management for a large class of
vehicle routing problems with time windows, Computers & Operations Research 2013): of a stretch, its
duration, the minutes late (a late vehicle goes on as if it had been on time), the earliest and the latest
start that need no more of either, and the waiting. If stops have several windows or belong in pairs, `walk`
evaluates the route stop by stop instead.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coactor.kernels.arrays import compiled, inlined, reverse
from coactor.kernels.tolerances import GAIN, LOAD
from coactor.protocol import Indices, Matrix, Vector

REVERSE, MOVE, SWAP, TAILS = range(4)
# Sums of a stretch: cost of the arcs, then times. A row of `points` begins with those of the stop alone.
COST, DURATION, LATE, EARLY, LATEST, WAIT = range(6)
NEED, FIXED, PARTNER, DEMAND = range(6, 10)  # more of a stop: bits, 1 + vehicle, the other of a pair, loads
AFTER, NEEDS, NEEDS_AFTER, FIXTURES, LOADS = 6, 12, 13, 14, 15  # more sums: from here to the end, ...
VALUE = AFTER  # at position 0: the route's cost, what is broken, duration, overload, missing skills
KIND, START, END, BEGIN, UNTIL, LONGEST, CHARGE, SKILLS, ALIKE, IDLE, CAPACITY = range(11)  # of a vehicle
# What a route measures, beside its arcs; `price` and `hard` have one entry each.
LATENESS, WAITING, OVERTIME, OVERLOAD, VEHICLES, SHIFT, MISSING, PAIRS = range(8)
NO_GAINS = np.empty(0)


class Rules(NamedTuple):
    """What a plan costs and which moves are allowed.

    Attributes
    ----------
    ways
        The cost and, if there are times, the minutes of each arc for each kind of vehicle: shape (kinds,
        points, points, 1 or 2).
    points, fleet
        Of each point and vehicle: columns as above. Loads and capacities have one column for each unit; after
        the loads of a point come further windows, after the capacities what a unit of overload counts.
    terms
        Of each measure: what a unit costs, and how much it counts as broken.
    pool
        The number of the row of stops left out; -1 if there is none.
    units
        The number of units of loads.
    needy, fixed
        Whether there are needs; stops that must stay on their vehicles.
    timed, walked
        Whether there are times; several windows or pairs. None if not: then their code is not compiled.
    """

    ways: NDArray[np.float64]
    points: Matrix
    fleet: Matrix
    terms: Matrix
    pool: int
    units: int
    needy: bool
    fixed: bool
    timed: Literal[True] | None
    walked: Literal[True] | None


class State(NamedTuple):
    """A plan and the sums along its routes.

    Attributes
    ----------
    routes, sizes
        The plan.
    sums
        Up to and from each position: shape (kinds, vehicles, width of the routes, columns).
    places
        The route and the position of each stop; route -1 if it is on none.
    stretch, room
        Room for the sums of stretches; for two routes, their sizes, a move, and a block of moves.
    """

    routes: Indices
    sizes: Indices
    sums: NDArray[np.float64]
    places: Indices
    stretch: Matrix
    room: Indices


def state_of(rules: Rules, routes: Indices, sizes: Indices) -> State:
    """The sums along all routes."""
    m, width = routes.shape
    state = State(
        routes,
        sizes,
        np.zeros((len(rules.ways), m, width, LOADS + rules.units)),
        np.full((2, len(rules.points)), -1),
        np.zeros((width + 1, 6)),
        np.zeros((5, max(width, 6)), np.int64),
    )
    update(rules, state, -1)
    return state


@inlined
def join(
    duration: float, late: float, early: float, latest: float, wait: float, gap: float, row: Vector, at: int
) -> tuple[float, float, float, float, float]:
    """The times of a stretch, then `gap` minutes, then the stretch whose sums are in a row."""
    ahead = duration - late + gap
    waits = max(0.0, row[at + EARLY] - ahead - latest)
    warp = max(0.0, early + ahead - row[at + LATEST])
    return (
        duration + row[at + DURATION] + gap + waits,
        late + row[at + LATE] + warp,
        max(row[at + EARLY] - ahead, early) - waits,
        min(row[at + LATEST] - ahead, latest) + warp,
        wait + row[at + WAIT] + waits,
    )


@compiled
def link(
    rules: Rules,
    kind: int,
    a: int,
    left: Vector,
    at: int,
    b: int,
    right: Vector,
    to: int,
    timed: bool,
    out: Vector,
    o: int,
) -> None:
    """Write the sums of two stretches in a row: `left` ends at point a, `right` begins at b."""
    out[o] = left[at] + rules.ways[kind, a, b, 0] + right[to]
    if rules.timed is not None and timed:
        gap = rules.ways[kind, a, b, 1]
        out[o + 1], out[o + 2], out[o + 3], out[o + 4], out[o + 5] = join(
            left[at + 1], left[at + 2], left[at + 3], left[at + 4], left[at + 5], gap, right, to
        )


@inlined
def settle(
    rules: Rules,
    r: int,
    cost: float,
    duration: float,
    late: float,
    early: float,
    wait: float,
    overload: float,
    missing: float,
    pairs: float,
) -> tuple[float, float, float]:
    """What a route costs, how much of the rules it breaks, and how long it takes."""
    vehicle, prices, hard = rules.fleet[r], rules.terms[0], rules.terms[1]
    cost += prices[OVERLOAD] * overload + prices[VEHICLES] * vehicle[CHARGE]
    broken = hard[OVERLOAD] * overload + hard[MISSING] * missing + hard[PAIRS] * pairs
    shift = 0.0
    if rules.timed is not None:
        over = max(0.0, early + duration - late - vehicle[UNTIL])
        shift = duration - late - over
        over += max(0.0, shift - vehicle[LONGEST])
        cost += prices[LATENESS] * late + prices[WAITING] * wait + prices[OVERTIME] * over
        broken += hard[LATENESS] * late + hard[OVERTIME] * over
    return cost, broken, shift


@inlined
def value(
    rules: Rules, st: State, r: int, i: int, first: int, last: int, mid: Vector, load: int, s: int, j: int
) -> tuple[float, float, float]:
    """The value of vehicle r if it drives its route up to position i, a stretch, and route s from position j.

    The stretch goes from the stop `first` to `last` (none if negative) and has the sums `mid`. `load` is the
    only stop in it; negative if the route keeps its stops and only changes their order.
    """
    vehicle, size = rules.fleet[r], st.sizes[s]
    kind = int(vehicle[KIND])
    ways = rules.ways[kind]
    timed = r != rules.pool
    a, head = st.routes[r, i], st.sums[kind, r, i]
    cost = head[COST]
    duration, late, early, latest, wait = head[DURATION], head[LATE], head[EARLY], head[LATEST], head[WAIT]
    if first >= 0:
        cost += ways[a, first, 0] + mid[COST]
        if rules.timed is not None and timed:
            duration, late, early, latest, wait = join(
                duration, late, early, latest, wait, ways[a, first, 1], mid, 0
            )
        a = last
    elif i == 0 and j > size:
        return vehicle[IDLE], 0.0, 0.0
    if j <= size:
        b, tail = st.routes[s, j], st.sums[kind, s, j]
        cost += ways[a, b, 0] + tail[AFTER]
        if rules.timed is not None and timed:
            duration, late, early, latest, wait = join(
                duration, late, early, latest, wait, ways[a, b, 1], tail, AFTER
            )
        a = st.routes[s, size]
    end = int(vehicle[END])
    cost += ways[a, end, 0]
    if rules.timed is not None and timed:
        duration += ways[a, end, 1]
    overload, missing = st.sums[0, r, 0, VALUE + 3], st.sums[0, r, 0, VALUE + 4]
    if load >= 0 or first < 0:
        overload, missing = 0.0, 0.0
        own, other, every = st.sums[0, r, i], st.sums[0, s, j - 1], st.sums[0, s, size]
        for u in range(rules.units):
            total = own[LOADS + u] + every[LOADS + u] - other[LOADS + u]
            if load >= 0:
                total += rules.points[load, DEMAND + u]
            over = total - vehicle[CAPACITY + u]
            if over > 0.0:
                overload += over * vehicle[CAPACITY + rules.units + u]
        if rules.needy:
            need = int(own[NEEDS])
            if load >= 0:
                need |= int(rules.points[load, NEED])
            if j <= size:
                need |= int(st.sums[0, s, j, NEEDS_AFTER])
            missing = bits(need & ~int(vehicle[SKILLS]))
    return settle(rules, r, cost, duration, late, early, wait, overload, missing, 0.0)


@compiled
def bits(number: int) -> float:
    """How many bits are set."""
    count = 0.0
    while number > 0:
        number &= number - 1
        count += 1.0
    return count


@compiled
def walk(rules: Rules, route: Indices, r: int, row: Indices, size: int) -> tuple[float, float, float]:
    """The value of a route, stop by stop: a stop is served in the first of its windows that can be kept.

    The load of a pair is on board between its stops. `route` says which stops are on no route (-1).
    """
    vehicle, points, units = rules.fleet[r], rules.points, rules.units
    kind, end = int(vehicle[KIND]), int(vehicle[END])
    if size == 0:
        return vehicle[IDLE], 0.0, 0.0
    timed = r != rules.pool
    cost, need, pairs, overload = 0.0, 0, 0.0, 0.0
    duration, late, early, latest, wait = 0.0, 0.0, vehicle[BEGIN], np.inf, 0.0
    clock, more = vehicle[BEGIN], DEMAND + units
    for k in range(1, size + 1):
        a, b = row[k - 1], row[k]
        point = points[b]
        cost += rules.ways[kind, a, b, 0]
        need |= int(point[NEED])
        if rules.timed is not None and timed:
            gap = rules.ways[kind, a, b, 1]
            clock += gap
            at = 0  # where the window is, as in the sums of a stop
            while at + more < len(point) and clock > point[EARLY + at + 1] and point[more + at] < np.inf:
                at = more - EARLY if at == 0 else at + 2
            opens, closes = point[EARLY + at], point[EARLY + at + 1]
            clock = min(max(clock, opens), closes) + point[DURATION]
            ahead = duration - late + gap
            waits, warp = max(0.0, opens - ahead - latest), max(0.0, early + ahead - closes)
            duration, late = duration + point[DURATION] + gap + waits, late + warp
            early, latest = max(opens - ahead, early) - waits, min(closes - ahead, latest) + warp
            wait += waits
        if point[PARTNER] < 0:
            pickup = int(-point[PARTNER])
            before = route[pickup] < 0
            for h in range(1, size + 1 if r == rules.pool else k):
                before = before or row[h] == pickup
            pairs += 0.0 if before else 1.0
    cost += rules.ways[kind, row[size], end, 0]
    if rules.timed is not None and timed:
        duration += rules.ways[kind, row[size], end, 1]
    for u in range(units):
        load = 0.0
        for k in range(1, size + 1):
            if points[row[k], PARTNER] == 0:
                load += points[row[k], DEMAND + u]
        board, most = 0.0, 0.0
        for k in range(1, size + 1):
            demand, partner = points[row[k], DEMAND + u], points[row[k], PARTNER]
            board += demand if partner > 0 else -demand
            most = max(most, board)
        over = load + most - vehicle[CAPACITY + u]
        if over > 0.0:
            overload += over * vehicle[CAPACITY + units + u]
    missing = bits(need & ~int(vehicle[SKILLS]))
    return settle(rules, r, cost, duration, late, early, wait, overload, missing, pairs)


@inlined
def update_route(rules: Rules, st: State, r: int) -> None:
    """Sum along route r again."""
    route, size, points, vehicle = st.routes[r], st.sizes[r], rules.points, rules.fleet[r]
    own, units = int(vehicle[KIND]), rules.units
    timed = r != rules.pool
    st.sums[own, r, 0, EARLY], st.sums[own, r, 0, LATEST] = vehicle[BEGIN], np.inf
    for k in range(1, size + 1):
        b = route[k]
        point, here, before = points[b], st.sums[0, r, k], st.sums[0, r, k - 1]
        st.places[0, b], st.places[1, b] = r, k
        link(rules, own, route[k - 1], st.sums[own, r, k - 1], 0, b, point, 0, timed, st.sums[own, r, k], 0)
        for u in range(units):
            here[LOADS + u] = before[LOADS + u] + point[DEMAND + u]
        here[NEEDS] = int(before[NEEDS]) | int(point[NEED])
        here[FIXTURES] = before[FIXTURES] + (1.0 if point[FIXED] > 0 else 0.0)
    for kind in range(len(rules.ways)):
        for k in range(size, 0, -1):
            b = route[k]
            point, here = points[b], st.sums[kind, r, k]
            if k == size:
                for c in range(6):
                    here[AFTER + c] = point[c]
                here[NEEDS_AFTER] = point[NEED]
            else:
                after = st.sums[kind, r, k + 1]
                link(rules, kind, b, point, 0, route[k + 1], after, AFTER, timed, here, AFTER)
                here[NEEDS_AFTER] = int(point[NEED]) | int(after[NEEDS_AFTER])
    overload, now = 0.0, st.sums[0, r, 0]
    for u in range(units):
        over = st.sums[0, r, size, LOADS + u] - vehicle[CAPACITY + u]
        if over > 0.0:
            overload += over * vehicle[CAPACITY + units + u]
    now[VALUE + 3] = overload
    now[VALUE + 4] = bits(int(st.sums[0, r, size, NEEDS]) & ~int(vehicle[SKILLS]))
    if rules.walked is not None:
        now[VALUE], now[VALUE + 1], now[VALUE + 2] = walk(rules, st.places[0], r, route, size)
    else:
        none = -1 if size >= 0 else 0  # not a literal, for which `value` would be compiled once more
        now[VALUE], now[VALUE + 1], now[VALUE + 2] = value(
            rules, st, r, size, none, none, points[0], none, r, size + 1
        )


@compiled
def update(rules: Rules, st: State, r: int) -> None:
    """Sum along route r again; along all routes if it is negative."""
    for route in range(len(st.sizes) if r < 0 else 0):
        for k in range(1, st.sizes[route] + 1):
            st.places[0, st.routes[route, k]] = route
    for one in range(max(r, 0), len(st.sizes) if r < 0 else r + 1):
        update_route(rules, st, one)


@compiled
def apply(routes: Indices, sizes: Indices, move: Indices) -> None:
    """Make a move in place."""
    op, r, i, s, j = move[0], move[1], move[2], move[3], move[4]
    a, b = routes[r], routes[s]
    if op == REVERSE:
        reverse(a, i, j)
    elif op == MOVE:
        stop = a[i]
        for k in range(i, sizes[r]):
            a[k] = a[k + 1]
        sizes[r] -= 1
        place = j if r == s and j > i else j + 1
        for k in range(sizes[s], place - 1, -1):
            b[k + 1] = b[k]
        b[place] = stop
        sizes[s] += 1
    elif op == SWAP:
        a[i], b[j] = b[j], a[i]
    else:
        one, two = sizes[r] - i, sizes[s] - j
        for k in range(1, max(one, two) + 1):  # what follows the last stop is undefined
            a[i + k], b[j + k] = b[j + k], a[i + k]
        sizes[r], sizes[s] = i + two, j + one


@inlined
def allowed(rules: Rules, st: State, op: int, r: int, i: int, s: int, j: int) -> bool:
    """Whether a move gives a plan that no other one gives, and every fixed stop stays on its vehicle.

    Exchanging neighbours and moving a stop past its neighbour are reversals.
    """
    if op == REVERSE:
        return j > i
    if op == MOVE:
        distinct = r != s or j < i - 2 or j > i + 1
        if s == rules.pool:
            distinct = j == 0 and r != s
    elif op == SWAP:
        distinct = r != s or j >= i + 3
    else:
        whole = i == 0 and j == 0 and rules.fleet[r, ALIKE] == rules.fleet[s, ALIKE]
        distinct = not whole and (i < st.sizes[r] or j < st.sizes[s])
    if distinct and rules.fixed and r != s:
        if op == TAILS:
            a, b = st.sums[0, r], st.sums[0, s]
            distinct = a[i, FIXTURES] == a[st.sizes[r], FIXTURES]
            distinct = distinct and b[j, FIXTURES] == b[st.sizes[s], FIXTURES]
        else:
            distinct = rules.points[st.routes[r, i], FIXED] == 0
            distinct = distinct and (op == MOVE or rules.points[st.routes[s, j], FIXED] == 0)
    return bool(distinct)


@inlined
def stretches(rules: Rules, st: State, op: int, r: int, i: int) -> None:
    """Sum the stretches beside position i: up to each k > i, from each k < i; of REVERSE, k back to i."""
    kind, route, size, points = int(rules.fleet[r, KIND]), st.routes[r], st.sizes[r], rules.points
    timed, out = True, st.stretch
    for side in range(1 if op == REVERSE else -1, 2, 2):
        first = i if op == REVERSE else i + side
        k = first
        while 1 <= k <= size:
            b = route[k]
            if k == first:
                for c in range(6):
                    out[k, c] = points[b, c]
            elif side < 0 or op == REVERSE:  # the new stop comes first
                link(rules, kind, b, points[b], 0, route[k - side], out[k - side], 0, timed, out[k], 0)
            else:
                link(rules, kind, route[k - 1], out[k - 1], 0, b, points[b], 0, timed, out[k], 0)
            k += side


@inlined
def gain(rules: Rules, st: State, op: int, r: int, i: int, s: int, j: int) -> tuple[float, float]:
    """What a move saves, and the longer duration of its routes; minus infinity if it breaks more rules.

    The stretches of route r beside position i are summed.
    """
    points, stretch, first, second = rules.points, st.stretch, st.routes[r], st.routes[s]
    # What vehicle r drives: route r up to `low`, `mid` from u to v, then route `tail` from `high`.
    low, u, v, load, tail, high, mid = i, -1, -1, -1, s, j + 1, points[0]
    out, kind = stretch[len(stretch) - 1], int(rules.fleet[r, KIND])
    if op in (SWAP, REVERSE):
        u, v = second[j], second[j]
        low, mid = i - 1, points[u]
    if r != s and op != TAILS:
        low, tail, high, load = i - 1, r, i + 1, u
    elif op == REVERSE:
        v, mid = first[i], stretch[j]
    elif op == SWAP:
        v, mid = first[i], out
        link(rules, kind, u, points[u], 0, first[i + 1], stretch[j - 1], 0, True, out, 0)
        link(rules, kind, first[j - 1], out, 0, v, points[v], 0, True, out, 0)
    elif op == MOVE and j > i:
        low, u, v, mid = i - 1, first[i + 1], first[i], out
        link(rules, kind, first[j], stretch[j], 0, v, points[v], 0, True, out, 0)
    elif op == MOVE:
        low, high, u, v, mid = j, i + 1, first[i], first[i - 1], out
        link(rules, kind, u, points[u], 0, first[j + 1], stretch[j + 1], 0, True, out, 0)
    cost, broken, long = value(rules, st, r, low, u, v, mid, load, tail, high)
    saved, was = st.sums[0, r, 0, VALUE] - cost, st.sums[0, r, 0, VALUE + 1]
    if r != s:
        low, u, tail, high = j, -1, s, j + 1
        if op == TAILS:
            tail, high = r, i + 1
        else:
            u = first[i]
            low -= 1 if op == SWAP else 0
        cost, more, longer = value(rules, st, s, low, u, u, points[max(u, 0)], u, tail, high)
        saved += st.sums[0, s, 0, VALUE] - cost
        was += st.sums[0, s, 0, VALUE + 1]
        broken += more
        long = max(long, longer)
    return (-np.inf if broken - was > LOAD else saved), long


@inlined
def walked_gain(rules: Rules, st: State, op: int, r: int, i: int, s: int, j: int) -> tuple[float, float]:
    """The same as `gain`, stop by stop."""
    room, sizes, move = st.room, st.room[2], st.room[3]
    for t in range(2):
        source = s if t else r
        sizes[t] = st.sizes[source]
        for k in range(st.sizes[source] + 1):
            room[t, k] = st.routes[source, k]
    move[0], move[1], move[2], move[3], move[4] = op, 0, i, 0 if r == s else 1, j
    apply(room, sizes, move)
    saved, worse, longest = 0.0, 0.0, 0.0
    for t in range(1 if r == s else 2):
        one = s if t else r
        cost, broken, long = walk(rules, st.places[0], one, room[t], sizes[t])
        saved += st.sums[0, one, 0, VALUE] - cost
        worse += broken - st.sums[0, one, 0, VALUE + 1]
        longest = max(longest, long)
    return (-np.inf if worse > LOAD else saved), longest


@inlined
def distinct(rules: Rules, st: State, r: int) -> bool:
    """Whether to consider a route: of several idle vehicles that are alike only the first."""
    if st.sizes[r] == 0 and r != rules.pool:
        for s in range(r):
            if st.sizes[s] == 0 and rules.fleet[s, ALIKE] == rules.fleet[r, ALIKE]:
                return False
    return True


@compiled
def explore(
    rules: Rules,
    st: State,
    block: Indices,
    kappa: float,
    least: float,
    best: bool,
    gains: Vector,
    rows: Indices,
) -> float:
    """The gain of the first (or best) move of a block (op, r, s) that gains enough; 0 if none does.

    Its positions are written to the block. If there are gains, they and the rows are filled with all moves
    instead; the sixth number of the block counts them.
    """
    op, r, s = block[0], block[1], block[2]
    if rules.pool in (r, s) and (r == s or op == TAILS):
        return 0.0
    if not distinct(rules, st, r) or not distinct(rules, st, s):
        return 0.0
    price, before, others = rules.terms[0, SHIFT], 0.0, 0.0
    if price != 0.0:
        for t in range(len(st.sizes)):
            before = max(before, st.sums[0, t, 0, VALUE + 2])
            if t not in (r, s):
                others = max(others, st.sums[0, t, 0, VALUE + 2])
    most, gaining = least, False
    for i in range(0 if op == TAILS else 1, st.sizes[r] + 1):
        if r == s and rules.walked is None:
            stretches(rules, st, op, r, i)
        for j in range(0 if op in (MOVE, TAILS) else 1, st.sizes[s] + 1):
            if not allowed(rules, st, op, r, i, s, j):
                continue
            if rules.walked is not None:
                saved, long = walked_gain(rules, st, op, r, i, s, j)
            else:
                saved, long = gain(rules, st, op, r, i, s, j)
            saved += price * (before - max(others, long))
            if len(gains) > 0:
                if saved > -np.inf:
                    k = block[5]
                    gains[k] = saved
                    if len(rows) > 0:
                        rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4] = op, r, i, s, j
                    block[5] += 1
            elif saved > most and saved >= kappa:
                most, gaining = saved, True
                block[3], block[4] = i, j
                if not best:
                    return float(most)
    return float(most if gaining else 0.0)


@compiled
def ascend(
    rules: Rules, st: State, kept: NDArray[np.float64], kappa: float, best: bool, gains: Vector, rows: Indices
) -> int:
    """Make moves that gain enough, in place, until there is none or the rows are full; their number.

    `kept` has the gain and the two positions of each block; the gain is negative until the block is searched,
    and again when one of its two routes has changed. If there are gains, they and the rows are filled with
    all moves instead.
    """
    m, block = len(st.sizes), st.room[4]
    least, block[5] = 0.0, 0
    for r in range(m):
        least += abs(st.sums[0, r, 0, VALUE])
    for price in rules.terms[0]:
        least += abs(price)
    least *= GAIN
    for count in range(max(1, len(rows))):
        most, op, r, s = 0.0, 0, 0, 0
        for o in range(4):
            for a in range(m):
                for b in range(a if o in (REVERSE, SWAP) else a + 1 if o == TAILS else 0, m):
                    now = kept[o, a, b]
                    if now[0] < 0.0:
                        block[0], block[1], block[2] = o, a, b
                        now[0] = explore(rules, st, block, kappa, least, best, gains, rows)
                        now[1], now[2] = block[3], block[4]
                    if now[0] > most:
                        most, op, r, s = now[0], o, a, b
                    if o == REVERSE or (most > 0.0 and not best):
                        break
                if most > 0.0 and not best:
                    break
            if most > 0.0 and not best:
                break
        if len(gains) > 0:
            return int(block[5])
        if most == 0.0:
            return count
        move, both = rows[count], st.sizes[r] * st.sizes[s] > 0
        move[0], move[1], move[2], move[3], move[4] = op, r, int(kept[op, r, s, 1]), s, int(kept[op, r, s, 2])
        apply(st.routes, st.sizes, move)
        update(rules, st, r)
        if s != r:
            update(rules, st, s)
        # Blocks of an idle vehicle depend on which others are idle, and the longest shift on all routes.
        every = rules.terms[0, SHIFT] != 0.0 or not both or st.sizes[r] * st.sizes[s] == 0
        for a in range(m):
            for b in range(m):
                idle = every and st.sizes[a] * st.sizes[b] == 0
                if a in (r, s) or b in (r, s) or idle or rules.terms[0, SHIFT] != 0.0:
                    for o in range(4):
                        kept[o, a, b, 0] = -1.0
    return len(rows)


@compiled
def totals(rules: Rules, route: Indices, routes: Indices, sizes: Indices) -> tuple[float, float]:
    """What a plan costs and how much of the rules it breaks; `route` has -1 for each point."""
    cost, broken, long = 0.0, 0.0, 0.0
    for r in range(len(sizes)):
        for k in range(1, sizes[r] + 1):
            route[routes[r, k]] = r
    for r in range(len(sizes)):
        more, worse, took = walk(rules, route, r, routes[r], sizes[r])
        cost, broken, long = cost + more, broken + worse, max(long, took)
    return cost + rules.terms[0, SHIFT] * long, broken

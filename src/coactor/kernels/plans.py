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
NEEDS, FIXTURES, LOADS = 6, 7, 8  # more sums: of the needs; up to a position only, of fixed stops and loads
# Of a route: cost, broken rules, duration, overload, missing skills, whether it has changed since.
TOTAL, BROKEN, LENGTH, EXCESS, LACKS, STALE = range(6)
KIND, START, END, BEGIN, UNTIL, LONGEST, CHARGE, SKILLS, ALIKE, IDLE, CAPACITY = range(11)  # of a vehicle
# What a route measures, beside its arcs; `price` and `hard` have one entry each.
LATENESS, WAITING, OVERTIME, OVERLOAD, VEHICLES, SHIFT, MISSING, PAIRS = range(8)
NO_GAINS = np.empty(0)
ALL, WHOLE = np.int64(-1), np.int64(0)  # for a literal numba compiles a version of its own


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
        The number of units of loads. What overloads the row of stops left out counts as missing.
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
    heads, tails
        The sums up to each position, shape (vehicles, width of the routes, columns), and from each position
        to the last stop, for each kind of vehicle and number of stops after it.
    values
        What each route comes to.
    places
        The route and the position of each stop; route -1 if it is on none.
    stretch, room
        Room for the sums of stretches; for two routes, their sizes, a move, and a block of moves.
    """

    routes: Indices
    sizes: Indices
    heads: NDArray[np.float64]
    tails: NDArray[np.float64]
    values: Matrix
    places: Indices
    stretch: Matrix
    room: Indices


def state_of(rules: Rules, routes: Indices, sizes: Indices) -> State:
    """The sums along all routes."""
    m, width = routes.shape
    state = State(
        routes,
        sizes,
        np.zeros((m, width, LOADS + rules.units)),
        np.zeros((len(rules.ways), m, width, NEEDS + 1)),
        np.ones((m, STALE + 1)),
        np.full((2, len(rules.points)), -1),
        np.zeros((width + 1, 6)),
        np.zeros((5, max(width, 6)), np.int64),
    )
    refresh(rules, state)
    return state


@inlined
def join(
    duration: float, late: float, early: float, latest: float, wait: float, gap: float, row: Vector
) -> tuple[float, float, float, float, float]:
    """The times of a stretch, then `gap` minutes, then the stretch whose sums are in a row."""
    ahead = duration - late + gap
    waits = max(0.0, row[EARLY] - ahead - latest)
    warp = max(0.0, early + ahead - row[LATEST])
    return (
        duration + row[DURATION] + gap + waits,
        late + row[LATE] + warp,
        max(row[EARLY] - ahead, early) - waits,
        min(row[LATEST] - ahead, latest) + warp,
        wait + row[WAIT] + waits,
    )


@compiled
def link(rules: Rules, kind: int, a: int, left: Vector, b: int, right: Vector, out: Vector) -> None:
    """Write the sums of two stretches in a row: `left` ends at point a, `right` begins at b."""
    out[COST] = left[COST] + rules.ways[kind, a, b, 0] + right[COST]
    if rules.timed is not None:
        gap = rules.ways[kind, a, b, 1]
        out[1], out[2], out[3], out[4], out[5] = join(left[1], left[2], left[3], left[4], left[5], gap, right)


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
    if r == rules.pool:
        overload, missing = 0.0, overload
    cost += prices[OVERLOAD] * overload + prices[VEHICLES] * vehicle[CHARGE]
    broken = hard[OVERLOAD] * overload + hard[MISSING] * missing + hard[PAIRS] * pairs
    shift = 0.0
    if rules.timed is not None and r != rules.pool:
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
    a, head = st.routes[r, i], st.heads[r, i]
    cost = head[COST]
    duration, late, early, latest, wait = head[DURATION], head[LATE], head[EARLY], head[LATEST], head[WAIT]
    if first >= 0:
        cost += ways[a, first, 0] + mid[COST]
        if rules.timed is not None:
            gap = ways[a, first, 1]
            duration, late, early, latest, wait = join(duration, late, early, latest, wait, gap, mid)
        a = last
    elif i == 0 and j > size:
        return vehicle[IDLE], 0.0, 0.0
    if j <= size:
        b, tail = st.routes[s, j], st.tails[kind, s, size - j]
        cost += ways[a, b, 0] + tail[COST]
        if rules.timed is not None:
            gap = ways[a, b, 1]
            duration, late, early, latest, wait = join(duration, late, early, latest, wait, gap, tail)
        a = st.routes[s, size]
    end = int(vehicle[END])
    cost += ways[a, end, 0]
    if rules.timed is not None:
        duration += ways[a, end, 1]
    overload, missing = st.values[r, EXCESS], st.values[r, LACKS]
    if load >= 0 or first < 0:
        overload, missing = 0.0, 0.0
        own, other, every = head, st.heads[s, j - 1], st.heads[s, size]
        for u in range(rules.units):
            total = own[LOADS + u] + every[LOADS + u] - other[LOADS + u]
            if load >= 0:
                total += rules.points[load, DEMAND + u]
            overload += beyond(vehicle, rules.units, u, total)
        if rules.needy:
            need = int(own[NEEDS])
            if load >= 0:
                need |= int(rules.points[load, NEED])
            if j <= size:
                need |= int(st.tails[0, s, size - j, NEEDS])
            missing = bits(need & ~int(vehicle[SKILLS]))
    return settle(rules, r, cost, duration, late, early, wait, overload, missing, 0.0)


@inlined
def beyond(vehicle: Vector, units: int, u: int, load: float) -> float:
    """What a load of unit u counts as overload."""
    return float(max(0.0, load - vehicle[CAPACITY + u]) * vehicle[CAPACITY + units + u])


@inlined
def more_broken(rules: Rules, st: State, v: int, r: int) -> tuple[float, float]:
    """The overload and the missing skills that one more stop adds to a route, wherever it is put."""
    vehicle, head, point = rules.fleet[r], st.heads[r, st.sizes[r]], rules.points[v]
    overload, missing = -st.values[r, EXCESS], 0.0
    for u in range(rules.units):
        overload += beyond(vehicle, rules.units, u, head[LOADS + u] + point[DEMAND + u])
    if rules.needy:
        need = int(head[NEEDS]) | int(point[NEED])
        missing = bits(need & ~int(vehicle[SKILLS])) - st.values[r, LACKS]
    return overload, missing


@inlined
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
    cost, need, pairs, overload = 0.0, 0, 0.0, 0.0
    duration, late, early, latest, wait = 0.0, 0.0, vehicle[BEGIN], np.inf, 0.0
    clock, more = vehicle[BEGIN], DEMAND + units
    for k in range(1, size + 1):
        a, b = row[k - 1], row[k]
        point = points[b]
        cost += rules.ways[kind, a, b, 0]
        need |= int(point[NEED])
        if rules.timed is not None:
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
    if rules.timed is not None:
        duration += rules.ways[kind, row[size], end, 1]
    for u in range(units):
        load = 0.0
        for k in range(1, size + 1):
            if points[row[k], PARTNER] == 0 or r == rules.pool:
                load += points[row[k], DEMAND + u]
        board, most = 0.0, 0.0
        for k in range(1, size + 1):
            demand, partner = points[row[k], DEMAND + u], points[row[k], PARTNER]
            board += demand if partner > 0 and r != rules.pool else -demand
            most = max(most, board)
        overload += beyond(vehicle, units, u, load + most)
    missing = bits(need & ~int(vehicle[SKILLS]))
    return settle(rules, r, cost, duration, late, early, wait, overload, missing, pairs)


@inlined
def update(
    rules: Rules, walked: Literal[True] | None, st: State, r: int | np.int64, inserted: int | np.int64
) -> None:
    """Sum along route r again, or along all that are stale if it is negative.

    Of a route that got a stop at position `inserted`, the sums before and after it stay; 0 if all changed.
    `walked` is that of the rules: what depends on an argument that is None is not compiled.
    A call passes all tables, which takes longer than the sums: the search has a copy of this in each place.
    """
    points, units = rules.points, rules.units
    for one in range(len(st.sizes) if r < 0 else 0):
        for k in range(1, st.sizes[one] + 1 if st.values[one, STALE] > 0.0 else 0):
            st.places[0, st.routes[one, k]] = one
    for one in range(max(r, 0), len(st.sizes) if r < 0 else r + 1):
        if r < 0 and st.values[one, STALE] == 0.0:
            continue
        route, size, heads, now, vehicle = (
            st.routes[one],
            st.sizes[one],
            st.heads[one],
            st.values[one],
            rules.fleet[one],
        )
        kind, end, now[STALE] = int(vehicle[KIND]), int(vehicle[END]), 0.0
        heads[0, EARLY], heads[0, LATEST] = vehicle[BEGIN], np.inf
        for k in range(max(1, inserted), size + 1):
            point, here, before = points[route[k]], heads[k], heads[k - 1]
            st.places[0, route[k]], st.places[1, route[k]] = one, k
            link(rules, kind, route[k - 1], before, route[k], point, here)
            for u in range(units):
                here[LOADS + u] = before[LOADS + u] + point[DEMAND + u]
            if rules.needy:
                here[NEEDS] = int(before[NEEDS]) | int(point[NEED])
            if rules.fixed:
                here[FIXTURES] = before[FIXTURES] + (1.0 if point[FIXED] > 0 else 0.0)
        for other in range(len(st.tails)):
            for k in range(inserted if inserted > 0 else size, 0, -1):
                point, here = points[route[k]], st.tails[other, one, size - k]
                if k == size:
                    for c in range(6):
                        here[c] = point[c]
                    here[NEEDS] = point[NEED]
                else:
                    after = st.tails[other, one, size - k - 1]
                    link(rules, other, route[k], point, route[k + 1], after, here)
                    if rules.needy:
                        here[NEEDS] = int(point[NEED]) | int(after[NEEDS])
        last, overload = heads[size], 0.0
        for u in range(units):
            overload += beyond(vehicle, units, u, last[LOADS + u])
        now[EXCESS], now[LACKS] = overload, bits(int(last[NEEDS]) & ~int(vehicle[SKILLS]))
        if walked is not None:
            now[TOTAL], now[BROKEN], now[LENGTH] = walk(rules, st.places[0], one, route, size)
        elif size == 0:
            now[TOTAL], now[BROKEN], now[LENGTH] = vehicle[IDLE], 0.0, 0.0
        else:
            cost, duration = last[COST] + rules.ways[kind, route[size], end, 0], last[DURATION]
            if rules.timed is not None:
                duration += rules.ways[kind, route[size], end, 1]
            late, early, wait, missing = last[LATE], last[EARLY], last[WAIT], now[LACKS]
            now[TOTAL], now[BROKEN], now[LENGTH] = settle(
                rules, one, cost, duration, late, early, wait, overload, missing, 0.0
            )


@compiled
def refresh(rules: Rules, st: State) -> None:
    """Sum again along all routes that are stale."""
    update(rules, rules.walked, st, ALL, WHOLE)


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
            a, b = st.heads[r], st.heads[s]
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
    out = st.stretch
    for side in range(1 if op == REVERSE else -1, 2, 2):
        first = i if op == REVERSE else i + side
        k = first
        while 1 <= k <= size:
            b = route[k]
            if k == first:
                for c in range(6):
                    out[k, c] = points[b, c]
            elif side < 0 or op == REVERSE:  # the new stop comes first
                link(rules, kind, b, points[b], route[k - side], out[k - side], out[k])
            else:
                link(rules, kind, route[k - 1], out[k - 1], b, points[b], out[k])
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
        link(rules, kind, u, points[u], first[i + 1], stretch[j - 1], out)
        link(rules, kind, first[j - 1], out, v, points[v], out)
    elif op == MOVE and j > i:
        low, u, v, mid = i - 1, first[i + 1], first[i], out
        link(rules, kind, first[j], stretch[j], v, points[v], out)
    elif op == MOVE:
        low, high, u, v, mid = j, i + 1, first[i], first[i - 1], out
        link(rules, kind, u, points[u], first[j + 1], stretch[j + 1], out)
    saved, worse, long = 0.0, 0.0, 0.0
    for t in range(1 if r == s else 2):
        one = s if t else r
        if t and op == TAILS:
            low, tail, high = j, r, i + 1
        elif t:
            low, tail, high = j - 1 if op == SWAP else j, s, j + 1
            u, v, load, mid = first[i], first[i], first[i], points[first[i]]
        cost, broken, took = value(rules, st, one, low, u, v, mid, load, tail, high)
        saved += st.values[one, TOTAL] - cost
        worse += broken - st.values[one, BROKEN]
        if worse > LOAD + st.values[s, BROKEN]:
            break
        long = max(long, took)
    return (-np.inf if worse > LOAD else saved), long


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
        saved += st.values[one, TOTAL] - cost
        worse += broken - st.values[one, BROKEN]
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


@inlined
def explore(
    rules: Rules,
    walked: Literal[True] | None,
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
            before = max(before, st.values[t, LENGTH])
            if t not in (r, s):
                others = max(others, st.values[t, LENGTH])
    most, gaining = least, False
    for i in range(0 if op == TAILS else 1, st.sizes[r] + 1):
        if r == s:
            stretches(rules, st, op, r, i)
        elif op == MOVE and walked is None and s != rules.pool:
            more = rules.terms[1, OVERLOAD] * more_broken(rules, st, st.routes[r, i], s)[0]
            if more > LOAD + st.values[r, BROKEN] + st.values[s, BROKEN]:  # wherever it is put
                continue
        for j in range(0 if op in (MOVE, TAILS) else 1, st.sizes[s] + 1):
            if not allowed(rules, st, op, r, i, s, j):
                continue
            if walked is not None:
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
        least += abs(st.values[r, TOTAL])
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
                        now[0] = explore(rules, rules.walked, st, block, kappa, least, best, gains, rows)
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
        st.values[r, STALE] = st.values[s, STALE] = 1.0
        refresh(rules, st)
        # Blocks of an idle vehicle depend on which others are idle, and the longest shift on all routes.
        every = rules.terms[0, SHIFT] != 0.0 or not both or st.sizes[r] * st.sizes[s] == 0
        for a in range(m):
            for b in range(m):
                idle = every and st.sizes[a] * st.sizes[b] == 0
                if a in (r, s) or b in (r, s) or idle or rules.terms[0, SHIFT] != 0.0:
                    for o in range(4):
                        kept[o, a, b, 0] = -1.0
    return len(rows)


def totals(rules: Rules, routes: Indices, sizes: Indices) -> tuple[float, float]:
    """What a plan costs and how much of the rules it breaks."""
    values = state_of(rules, routes, sizes).values
    longest = rules.terms[0, SHIFT] * values[:, LENGTH].max(initial=0.0)
    return float(values[:, TOTAL].sum() + longest), float(values[:, BROKEN].sum())

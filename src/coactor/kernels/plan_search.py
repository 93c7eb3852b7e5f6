"""A large search for plans: slack induction by string removals.

An iteration removes strings, stretches of routes near a stop, and inserts their stops again one by one where
they cost least; simulated annealing decides whether the result stays (Christiaens and Vanden Berghe, Slack
Induction by String Removals for Vehicle Routing Problems, Transportation Science 2020). Positions are tried
beside the nearest stops first, and all of them if none keeps the rules: what is broken has a price here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coactor.kernels.arrays import compiled, inlined
from coactor.kernels.plans import (
    ALIKE,
    BROKEN,
    CHARGE,
    END,
    FIXED,
    IDLE,
    KIND,
    LENGTH,
    OVERLOAD,
    PARTNER,
    SHIFT,
    STALE,
    TOTAL,
    VEHICLES,
    Rules,
    State,
    more_broken,
    refresh,
    settle,
    update,
    value,
    walk,
)
from coactor.kernels.tolerances import LOAD
from coactor.protocol import Indices, Matrix

REMOVED, STRING = 10, 10  # stops removed in an iteration on average, and the longest string
SPLIT = 0.5  # the share of strings of which one stop in the middle stays
MENDING = 0.5  # the share of iterations that begin at a route that breaks a rule, if there is one
FAR = 0.5  # the share of those that go on with strings anywhere
BLINK = 100  # one of so many positions is not looked at
MODULUS, FACTOR = 2147483647, 48271  # a generator that numba and plain Python compute alike


class Saved(NamedTuple):
    """The routes that an iteration changed, as they were; of each, if it did, its cost and what it broke."""

    routes: Indices
    sizes: Indices
    marks: Matrix


@inlined
def draw(seed: Indices) -> float:
    """A random number on (0, 1)."""
    seed[0] = seed[0] * FACTOR % MODULUS
    return float(seed[0] / MODULUS)


@inlined
def cost_at(
    rules: Rules, walked: Literal[True] | None, st: State, v: int, r: int, k: int, big: float, longest: float
) -> tuple[float, float]:
    """What it costs to put a stop after position k of route r, and how much more of the rules it breaks."""
    fixed, now = rules.points[v, FIXED], st.values[r]
    if rules.fixed and fixed > 0 and fixed != r + 1:
        return np.inf, np.inf
    if walked is not None:
        for h in range(st.sizes[r] + 1):
            st.room[0, h if h <= k else h + 1] = st.routes[r, h]
        st.room[0, k + 1] = v
        cost, broken, long = walk(rules, st.places[0], r, st.room[0], st.sizes[r] + 1)
    elif rules.timed is None:
        overload, missing = more_broken(rules, st, v, r)
        vehicle, u = rules.fleet[r], st.routes[r, k]
        w, ways = int(vehicle[END]), rules.ways[int(vehicle[KIND])]
        if k < st.sizes[r]:
            w = st.routes[r, k + 1]
        arcs = ways[u, v, 0] + ways[v, w, 0]
        cost, broken, _ = settle(rules, r, arcs, 0.0, 0.0, 0.0, 0.0, overload, missing, 0.0)
        if st.sizes[r] == 0:
            cost -= vehicle[IDLE]
        else:
            cost -= ways[u, w, 0] + rules.terms[0, VEHICLES] * vehicle[CHARGE]
        return cost + big * broken, broken
    else:
        cost, broken, long = value(rules, st, r, k, v, v, rules.points[v], v, r, k + 1)
    broken -= now[BROKEN]
    cost += rules.terms[0, SHIFT] * max(0.0, long - longest) - now[TOTAL]
    return cost + big * broken, broken


@inlined
def longest_of(rules: Rules, st: State) -> float:
    """The longest duration of a route; 0 if it costs nothing."""
    most = 0.0
    for r in range(len(st.sizes) if rules.terms[0, SHIFT] != 0.0 else 0):
        most = max(most, st.values[r, LENGTH])
    return most


@inlined
def insert(
    rules: Rules, st: State, saved: Saved, near: Indices, v: int, seed: Indices, big: float
) -> tuple[float, float]:
    """Put a stop where it costs least: beside stops near it or on an idle vehicle, or else anywhere.

    Returns what it costs and how much more of the rules it breaks.
    """
    least, broken, route, place = np.inf, np.inf, rules.pool, 0
    m, count = len(st.sizes), near.shape[1]
    longest = longest_of(rules, st)
    for t in range(count + 2 * m):
        if t == count + m and broken <= LOAD:
            break
        if t < count:
            r, high = st.places[0, near[v, t]], st.places[1, near[v, t]]
            low = high - 1
            if r < 0:
                continue
        elif t < count + m:
            r, low, high = t - count, 0, 0
            if r != rules.pool:
                if st.sizes[r] > 0:
                    continue
                if r > 0 and st.sizes[r - 1] == 0 and rules.fleet[r, ALIKE] == rules.fleet[r - 1, ALIKE]:
                    continue
        else:
            r, low = t - count - m, 0
            high = st.sizes[r]
        if r == rules.pool:
            low, high = 0, 0
        elif rules.timed is not None and rules.walked is None:
            overload, _ = more_broken(rules, st, v, r)
            if big * rules.terms[1, OVERLOAD] * overload >= least:
                continue
        for k in range(low, high + 1):
            seed[1] -= 1
            if seed[1] < 0:
                seed[1] = int(2 * BLINK * draw(seed))
                if t < count:
                    continue
            if rules.timed is None and st.sizes[r] > 0:  # the arcs alone may cost too much
                ways, u, w = rules.ways[int(rules.fleet[r, KIND])], st.routes[r, k], int(rules.fleet[r, END])
                if k < st.sizes[r]:
                    w = st.routes[r, k + 1]
                if ways[u, v, 0] + ways[v, w, 0] - ways[u, w, 0] >= least:
                    continue
            cost, worse = cost_at(rules, rules.walked, st, v, r, k, big, longest)
            if cost < least:
                least, broken, route, place = cost, worse, r, k
    touch(st, route, saved)
    for k in range(st.sizes[route], place, -1):
        st.routes[route, k + 1] = st.routes[route, k]
    st.routes[route, place + 1] = v
    st.sizes[route] += 1
    update(rules, rules.walked, st, route, place + 1)
    return least - big * broken, broken


@inlined
def touch(st: State, r: int, saved: Saved) -> None:
    """Keep a copy of a route, once in an iteration."""
    if saved.marks[r, 0] == 0.0:
        saved.marks[r, 0], saved.marks[r, 1], saved.marks[r, 2] = (
            1.0,
            st.values[r, TOTAL],
            st.values[r, BROKEN],
        )
        saved.sizes[r] = st.sizes[r]
        for k in range(1, st.sizes[r] + 1):
            saved.routes[r, k] = st.routes[r, k]


@inlined
def remove(st: State, r: int, first: int, last: int, absent: Indices) -> None:
    """Take positions first..last of a route out; absent[0] counts those that are out."""
    route, size, st.values[r, STALE] = st.routes[r], first - 1, 1.0
    for k in range(first, st.sizes[r] + 1):
        if k <= last:
            absent[0] += 1
            absent[absent[0]] = route[k]
            st.places[0, route[k]] = -1
        else:
            size += 1
            route[size] = route[k]
    st.sizes[r] = size


@inlined
def ruin(rules: Rules, st: State, saved: Saved, near: Indices, seed: Indices, absent: Indices) -> bool:
    """Remove strings near a stop drawn at random, each from another route.

    Returns whether it began at a route that breaks a rule.
    """
    n, used = len(near) - 1, 0
    for r in range(len(st.sizes)):
        used += 1 if st.sizes[r] > 0 else 0
    limit = max(1.0, min(float(STRING), n / max(1, used)))
    strings = int(1.0 + draw(seed) * max(1.0, 4.0 * REMOVED / (1.0 + limit) - 1.0))
    center, mending = 1 + int(draw(seed) * n), False
    if draw(seed) < MENDING:
        offset = int(draw(seed) * len(st.sizes))
        for t in range(len(st.sizes)):
            r = (t + offset) % len(st.sizes)
            if st.values[r, BROKEN] > LOAD and st.sizes[r] > 0:
                center = st.routes[r, 1 + int(draw(seed) * st.sizes[r])]
                mending = True
                break
    far = mending and draw(seed) < FAR  # there may be room on any route, if most of it is removed
    limit = float(n) if far else limit
    for t in range(-1, near.shape[1]):
        v = center if t < 0 else 1 + int(draw(seed) * n) if far else near[center, t]
        r = st.places[0, v]
        if r < 0 or saved.marks[r, 0] > 0.0:
            continue
        size, k = st.sizes[r], st.places[1, v]
        length = int(1.0 + draw(seed) * min(float(size), limit))
        split = 1 < length < size and draw(seed) < SPLIT
        length += 1 if split else 0
        first = max(1, k - length + 1)
        first += int(draw(seed) * (min(k, size - length + 1) - first + 1))
        last = first + length - 1
        touch(st, r, saved)
        if split:
            stays = first + 1 + int(draw(seed) * (length - 2))
            remove(st, r, stays + 1, last, absent)
            last = stays - 1
        remove(st, r, first, last, absent)
        strings -= 1
        if strings == 0:
            break
    if rules.walked is not None:  # both stops of a pair
        for k in range(1, absent[0] + 1):
            other = abs(int(rules.points[absent[k], PARTNER]))
            if other > 0 and st.places[0, other] >= 0:
                r = st.places[0, other]
                touch(st, r, saved)
                for h in range(1, st.sizes[r] + 1):
                    if st.routes[r, h] == other:
                        remove(st, r, h, h, absent)
                        break
    return mending


@inlined
def changed(
    rules: Rules, st: State, saved: Saved, now: float, long: float, broken: float
) -> tuple[float, float]:
    """What the plan costs and breaks; it was `now` and `broken` before, with a longest shift of `long`."""
    now += rules.terms[0, SHIFT] * (longest_of(rules, st) - long)
    for r in range(len(st.sizes)):
        if saved.marks[r, 0] > 0.0:
            now += st.values[r, TOTAL] - saved.marks[r, 1]
            broken += st.values[r, BROKEN] - saved.marks[r, 2]
    return now, broken


@compiled
def search(
    rules: Rules,
    st: State,
    saved: Saved,
    near: Indices,
    keys: Matrix,
    absent: Indices,
    seed: Indices,
    annealing: NDArray[np.float64],
    best: tuple[Indices, Indices],
    iterations: int,
) -> None:
    """Improve a plan by so many iterations; the first inserts what is absent, if there is anything.

    `annealing` has the first and the last temperature, the price of what is broken, and what the plan in
    `best` breaks and costs. A row of `keys` is an order of insertion.
    """
    hot, cold, big = annealing[0], annealing[1], annealing[2]
    m, now = len(st.sizes), rules.terms[0, SHIFT] * longest_of(rules, st)
    broken, fall = 0.0, 0.0
    for r in range(m):
        now += st.values[r, TOTAL]
        broken += st.values[r, BROKEN]
        saved.marks[r, 0] = 0.0
    for step in range(iterations):
        long, first, order = longest_of(rules, st), absent[0] > 0, int(draw(seed) * len(keys))
        if first:
            order = 1  # the largest loads first: they fit in fewer places
        elif ruin(rules, st, saved, near, seed, absent) and draw(seed) < MENDING:
            order = 1
        refresh(rules, st)
        cost, worse = changed(rules, st, saved, now, long, broken)
        most = -hot * (cold / hot) ** (step / iterations) * np.log(draw(seed))
        key = keys[order]
        for k in range(1, absent[0] + 1):
            keys[0, absent[k]] = draw(seed)
        for k in range(2, absent[0] + 1):
            v, h = absent[k], k
            while h > 1 and key[absent[h - 1]] > key[v]:
                absent[h] = absent[h - 1]
                h -= 1
            absent[h] = v
        for k in range(1, 2 * absent[0] + 1):  # of a pair, the pickup first
            v = absent[(k + 1) // 2]
            if k % 2 and rules.walked is not None and rules.points[v, PARTNER] < 0:
                v = int(-rules.points[v, PARTNER])
            if st.places[0, v] < 0:
                more, breaks = insert(rules, st, saved, near, v, seed, big)
                cost, worse, fall = cost + more, worse + breaks, min(fall, more)
                # As if no other stop saved more than any did; but the delivery of a pair may break less.
                rest = fall * (absent[0] - (k + 1) // 2)
                if rules.walked is None and not first and cost + rest - now + big * (worse - broken) >= most:
                    break
        else:  # all are in; what the longest shift costs may have fallen
            cost, worse = changed(rules, st, saved, now, long, broken)
        absent[0] = 0
        stays = first or cost - now + big * (worse - broken) < most
        for r in range(m):
            if saved.marks[r, 0] > 0.0:
                saved.marks[r, 0] = 0.0
                if not stays:
                    st.sizes[r] = saved.sizes[r]
                    for k in range(1, st.sizes[r] + 1):
                        st.routes[r, k] = saved.routes[r, k]
                    st.values[r, STALE] = 1.0
        refresh(rules, st)
        if stays:
            now, broken = cost, worse
            level = broken < annealing[3] + LOAD and now + 1e-9 * abs(now) < annealing[4]
            if broken < annealing[3] - LOAD or level:
                annealing[3], annealing[4] = broken, now
                for r in range(m):
                    best[1][r] = st.sizes[r]
                    for k in range(1, st.sizes[r] + 1):
                        best[0][r, k] = st.routes[r, k]

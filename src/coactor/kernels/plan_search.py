"""Construction of plans: cheapest insertion for small days, ruin and recreate for large ones.

Ruin and recreate takes strings of stops near each other out of several routes, inserts these stops again one
by one at the cheapest position beside a neighbour, and accepts the result by simulated annealing (Christiaens
and Vanden Berghe, Slack Induction by String Removals for Vehicle Routing Problems, Transportation Science
2020). Random numbers are an argument.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy
from coactor.kernels.plans import Rules, overload
from coactor.kernels.tolerances import LOAD
from coactor.protocol import Indices, Vector

REMOVED = 10.0  # stops that a ruin removes on average
STRING = 10.0  # the longest string
SPLIT = 0.5  # the probability that a string leaves stops in its middle, and that it leaves one more
BLINK = 0.01  # the probability that an insertion overlooks a position


@njit(cache=True, nogil=True)
def insertion(rules: Rules) -> tuple[Indices, Indices]:
    """Cheapest insertion: all waiting stops x all positions, with overload at its price.

    With hard capacities a stop that fits nowhere waits for the end, and goes where it overloads least.
    """
    costs, demand, capacity = rules.costs, rules.demand, rules.capacity
    n, m = len(demand) - 1, len(capacity)
    routes = np.zeros((m, n + 2), np.int64)
    sizes = np.zeros(m, np.int64)
    loads = np.zeros(m)
    waiting = np.ones(n + 1, np.bool_)
    waiting[0] = False
    last_resort = 0.0 if rules.soft else 1e3 * max(1.0, np.abs(costs).max()) * (n + 1)  # beyond any plan
    for _ in range(n):
        best, chosen, route, place = np.inf, -1, -1, -1
        for p in range(1, n + 1):
            if not waiting[p]:
                continue
            for r in range(m):
                over = max(0.0, loads[r] + demand[p] - capacity[r]) - max(0.0, loads[r] - capacity[r])
                more = rules.price * over + last_resort * over
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


class Stream(NamedTuple):
    """Uniform random numbers, read in a cycle."""

    draws: Vector
    cursor: Indices


class Plan(NamedTuple):
    """A plan that stops can be taken out of, and the backup of what changed since the last `forget`.

    Attributes
    ----------
    routes, sizes, loads
        The routes as a padded matrix, and the number of stops and the load of each.
    route_of, place_of
        Of each stop; the route is -1 if it is on none.
    old_routes, old_sizes, old_loads
        The changed routes before their first change.
    is_old, changed, changes
        Whether a route has changed, the routes that have, and their number (an array of one).
    """

    routes: Indices
    sizes: Indices
    loads: Vector
    route_of: Indices
    place_of: Indices
    old_routes: Indices
    old_sizes: Indices
    old_loads: Vector
    is_old: Indices
    changed: Indices
    changes: Indices


def new_plan(n: int, m: int) -> Plan:
    """A plan without stops."""
    matrix, vector = np.zeros((m, n + 2), np.int64), np.zeros(m, np.int64)
    return Plan(
        matrix,
        vector,
        np.zeros(m),
        np.full(n + 1, -1),
        np.zeros(n + 1, np.int64),
        matrix.copy(),
        vector.copy(),
        np.zeros(m),
        vector.copy(),
        vector.copy(),
        np.zeros(1, np.int64),
    )


@njit(cache=True)
def draw(stream: Stream) -> float:
    """The next random number."""
    stream.cursor[0] = (stream.cursor[0] + 1) % len(stream.draws)
    return float(stream.draws[stream.cursor[0]])


@njit(cache=True)
def keep(plan: Plan, r: int) -> None:
    """Back a route up before its first change."""
    if plan.is_old[r]:
        return
    plan.is_old[r] = 1
    plan.changed[plan.changes[0]] = r
    plan.changes[0] += 1
    plan.old_sizes[r], plan.old_loads[r] = plan.sizes[r], plan.loads[r]
    for k in range(plan.sizes[r] + 2):
        plan.old_routes[r, k] = plan.routes[r, k]


@njit(cache=True)
def forget(plan: Plan, undo: bool) -> None:
    """Drop the backup; or go back to it."""
    for c in range(plan.changes[0]):
        r = plan.changed[c]
        plan.is_old[r] = 0
        if undo:
            plan.sizes[r], plan.loads[r] = plan.old_sizes[r], plan.old_loads[r]
            for k in range(plan.sizes[r] + 2):
                plan.routes[r, k] = plan.old_routes[r, k]
                if 0 < k <= plan.sizes[r]:
                    plan.route_of[plan.routes[r, k]], plan.place_of[plan.routes[r, k]] = r, k
    plan.changes[0] = 0


@njit(cache=True)
def remove(rules: Rules, plan: Plan, v: int) -> None:
    """Take a stop out of its route."""
    r = plan.route_of[v]
    keep(plan, r)
    for k in range(plan.place_of[v], plan.sizes[r] + 1):
        plan.routes[r, k] = plan.routes[r, k + 1]
        plan.place_of[plan.routes[r, k]] = k
    plan.sizes[r] -= 1
    plan.loads[r] -= rules.demand[v]
    plan.route_of[v] = -1


@njit(cache=True)
def insert(rules: Rules, plan: Plan, v: int, r: int, place: int) -> None:
    """Put a stop after a position of a route."""
    keep(plan, r)
    for k in range(plan.sizes[r] + 1, place, -1):
        plan.routes[r, k + 1] = plan.routes[r, k]
        plan.place_of[plan.routes[r, k + 1]] = k + 1
    plan.routes[r, place + 1] = v
    plan.sizes[r] += 1
    plan.loads[r] += rules.demand[v]
    plan.route_of[v], plan.place_of[v] = r, place + 1


@njit(cache=True)
def route_cost(rules: Rules, route: Indices, size: int, load: float, capacity: float) -> float:
    """The cost of the arcs of a route, and of its overload."""
    total = rules.price * max(0.0, load - capacity)
    for k in range(size + 1):
        total += rules.costs[route[k], route[k + 1]]
    return total


@njit(cache=True)
def insertion_cost(rules: Rules, plan: Plan, v: int, r: int, place: int) -> float:
    """What it costs to put a stop after a position of a route; infinite if a hard capacity forbids it."""
    most, load = rules.capacity[r], plan.loads[r]
    over = max(0.0, load + rules.demand[v] - most) - max(0.0, load - most)
    if not rules.soft and over > LOAD:
        return np.inf
    a, b = plan.routes[r, place], plan.routes[r, place + 1]
    return float(rules.costs[a, v] + rules.costs[v, b] - rules.costs[a, b] + rules.price * over)


@njit(cache=True)
def cheapest_position(rules: Rules, plan: Plan, near: Indices, v: int, stream: Stream) -> tuple[int, int]:
    """The cheapest position for a stop beside one of its neighbours or on an empty route.

    If there is none, the cheapest of all; the route is -1 if a hard capacity forbids all of them.
    """
    least, route, place = np.inf, -1, 0
    for k in range(near.shape[1]):
        u = near[v, k]
        if plan.route_of[u] >= 0:
            for side in range(2):
                cost = insertion_cost(rules, plan, v, plan.route_of[u], plan.place_of[u] - side)
                if cost < least and draw(stream) > BLINK:
                    least, route, place = cost, plan.route_of[u], plan.place_of[u] - side
    for r in range(len(plan.sizes)):
        if plan.sizes[r] == 0:
            cost = insertion_cost(rules, plan, v, r, 0)
            if cost < least:
                least, route, place = cost, r, 0
            if rules.demand[v] <= rules.capacity[r]:
                break  # a larger empty vehicle is no better
    if route < 0:
        for r in range(len(plan.sizes)):
            for k in range(plan.sizes[r] + 1):
                cost = insertion_cost(rules, plan, v, r, k)
                if cost < least:
                    least, route, place = cost, r, k
    return route, place


@njit(cache=True)
def ruin(rules: Rules, plan: Plan, near: Indices, removed: Indices, stream: Stream) -> int:
    """Take strings of stops out of several routes near a random stop; returns the number of stops."""
    n = len(plan.route_of) - 1
    used = 0
    for r in range(len(plan.sizes)):
        used += plan.sizes[r] > 0
    longest = min(STRING, n / max(1, used))
    strings = int(draw(stream) * (4.0 * REMOVED / (1.0 + longest) - 1.0)) + 1
    centre = 1 + int(draw(stream) * n)
    count = 0
    for k in range(-1, near.shape[1]):
        v = centre if k < 0 else near[centre, k]
        r = plan.route_of[v]
        if r < 0 or plan.is_old[r]:
            continue
        size = plan.sizes[r]
        length = min(size, int(draw(stream) * min(longest, float(size))) + 1)
        left = 0  # stops in the middle of the string that stay
        if 1 < length < size and draw(stream) < SPLIT:
            left = 1
            while length + left < size and draw(stream) < SPLIT:
                left += 1
        low, high = (
            max(1, plan.place_of[v] - length - left + 1),
            min(plan.place_of[v], size - length - left + 1),
        )
        first = low + int(draw(stream) * (high - low + 1))
        middle = first + 1 + int(draw(stream) * (length - 1))
        begin = count
        for place in range(first, first + length + left):
            if not middle <= place < middle + left:
                removed[count] = plan.routes[r, place]
                count += 1
        for c in range(begin, count):
            remove(rules, plan, removed[c])
        strings -= 1
        if strings == 0:
            break
    return count


@njit(cache=True)
def shuffle(rules: Rules, removed: Indices, count: int, stream: Stream) -> None:
    """Order the removed stops at random, by demand, or by distance from the depot."""
    keys = np.empty(count)
    how = draw(stream)
    for c in range(count):
        v = removed[c]
        if how < 0.4:
            keys[c] = draw(stream)
        elif how < 0.75:
            keys[c] = -rules.demand[v]
        else:
            keys[c] = rules.costs[0, v] + rules.costs[v, 0]
            if how < 0.9:
                keys[c] = -keys[c]
    for c in range(1, count):
        key, v, k = keys[c], removed[c], c - 1
        while k >= 0 and keys[k] > key:
            keys[k + 1], removed[k + 1] = keys[k], removed[k]
            k -= 1
        keys[k + 1], removed[k + 1] = key, v


@njit(cache=True, nogil=True)
def recreate(rules: Rules, plan: Plan, near: Indices, removed: Indices, count: int, stream: Stream) -> bool:
    """Insert the removed stops one by one; False if a hard capacity leaves no position for one."""
    for c in range(count):
        route, place = cheapest_position(rules, plan, near, removed[c], stream)
        if route < 0:
            return False
        insert(rules, plan, removed[c], route, place)
    return True


@njit(cache=True, nogil=True)
def anneal(
    rules: Rules,
    plan: Plan,
    near: Indices,
    stream: Stream,
    iterations: int,
    hot: float,
    cold: float,
    until_feasible: bool,
) -> None:
    """Ruin and recreate with simulated annealing from temperature `hot` to `cold`.

    Leaves the best plan; or, if `until_feasible`, stops at the first that overloads no vehicle.
    """
    n, m = len(plan.route_of) - 1, len(plan.sizes)
    removed = np.empty(n, np.int64)
    cost, after = np.empty(m), np.empty(m)
    for r in range(m):
        cost[r] = route_cost(rules, plan.routes[r], plan.sizes[r], plan.loads[r], rules.capacity[r])
    now = best = cost.sum()
    routes, sizes = plan.routes.copy(), plan.sizes.copy()
    for step in range(iterations):
        if until_feasible and overload(plan.routes, plan.sizes, rules.demand, rules.capacity) <= LOAD:
            return
        count = ruin(rules, plan, near, removed, stream)
        shuffle(rules, removed, count, stream)
        complete = recreate(rules, plan, near, removed, count, stream)
        change = 0.0
        for c in range(plan.changes[0]):
            r = plan.changed[c]
            after[r] = route_cost(rules, plan.routes[r], plan.sizes[r], plan.loads[r], rules.capacity[r])
            change += after[r] - cost[r]
        heat = hot * (cold / hot) ** (step / iterations)
        accepted = complete and change < -heat * np.log(max(draw(stream), 1e-300))
        if accepted:
            now += change
            for c in range(plan.changes[0]):
                cost[plan.changed[c]] = after[plan.changed[c]]
            if now < best - 1e-9 * abs(best):
                best = now
                for r in range(m):
                    sizes[r] = plan.sizes[r]
                    copy(plan.routes[r, : sizes[r] + 2], routes[r])
        forget(plan, not accepted)
    for r in range(m):
        plan.sizes[r], plan.loads[r] = sizes[r], 0.0
        copy(routes[r], plan.routes[r])
        for k in range(1, sizes[r] + 1):
            v = routes[r, k]
            plan.route_of[v], plan.place_of[v] = r, k
            plan.loads[r] += rules.demand[v]

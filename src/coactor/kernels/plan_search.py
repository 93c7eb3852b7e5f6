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


class Stream(NamedTuple):
    """Uniform random numbers, read in a cycle."""

    draws: Vector
    cursor: Indices


@njit(cache=True)
def draw(stream: Stream) -> float:
    """The next random number."""
    stream.cursor[0] = (stream.cursor[0] + 1) % len(stream.draws)
    return float(stream.draws[stream.cursor[0]])


class Plan(NamedTuple):
    """A plan that stops can be taken out of and put into.

    Attributes
    ----------
    routes, sizes, loads
        The routes as a padded matrix, and the number of stops and the load of each.
    route_of, place_of
        Of each stop; the route is -1 if it is on none.
    """

    routes: Indices
    sizes: Indices
    loads: Vector
    route_of: Indices
    place_of: Indices


def new_plan(n: int, m: int) -> Plan:
    """A plan without stops."""
    routes, places = np.zeros((m, n + 2), np.int64), np.zeros(n + 1, np.int64)
    return Plan(routes, np.zeros(m, np.int64), np.zeros(m), np.full(n + 1, -1), places)


@njit(cache=True)
def copy_plan(source: Plan, target: Plan) -> None:
    """Make the target equal to the source."""
    routes, others, sizes = source.routes, target.routes, source.sizes
    for r in range(len(routes)):
        for k in range(sizes[r] + 2):
            others[r, k] = routes[r, k]
    copy(sizes, target.sizes)
    copy(source.loads, target.loads)
    copy(source.route_of, target.route_of)
    copy(source.place_of, target.place_of)


@njit(cache=True)
def remove(rules: Rules, plan: Plan, v: int) -> None:
    """Take a stop out of its route."""
    r = plan.route_of[v]
    for k in range(plan.place_of[v], plan.sizes[r] + 1):
        plan.routes[r, k] = plan.routes[r, k + 1]
        plan.place_of[plan.routes[r, k]] = k
    plan.sizes[r] -= 1
    plan.loads[r] -= rules.demand[v]
    plan.route_of[v] = -1


@njit(cache=True)
def insert(rules: Rules, plan: Plan, v: int, r: int, place: int) -> None:
    """Put a stop after a position of a route."""
    for k in range(plan.sizes[r] + 1, place, -1):
        plan.routes[r, k + 1] = plan.routes[r, k]
        plan.place_of[plan.routes[r, k + 1]] = k + 1
    plan.routes[r, place + 1] = v
    plan.sizes[r] += 1
    plan.loads[r] += rules.demand[v]
    plan.route_of[v], plan.place_of[v] = r, place + 1


@njit(cache=True)
def plan_cost(rules: Rules, plan: Plan) -> float:
    """The cost of the arcs and of the overload."""
    costs, routes, sizes = rules.costs, plan.routes, plan.sizes
    total = rules.price * overload(routes, sizes, rules.demand, rules.capacity)
    for r in range(len(routes)):
        for k in range(sizes[r] + 1):
            total += costs[routes[r, k], routes[r, k + 1]]
    return float(total)


@njit(cache=True)
def insertion_cost(rules: Rules, plan: Plan, v: int, r: int, place: int) -> float:
    """What it costs to put a stop after a position of a route; infinite if a hard capacity forbids it."""
    most, load = rules.capacity[r], plan.loads[r]
    over = max(0.0, load + rules.demand[v] - most) - max(0.0, load - most)
    if not rules.soft and over > LOAD:
        return np.inf
    a, b = plan.routes[r, place], plan.routes[r, place + 1]
    return float(rules.costs[a, v] + rules.costs[v, b] - rules.costs[a, b] + rules.price * over)


@njit(cache=True, nogil=True)
def insertion(rules: Rules, plan: Plan) -> None:
    """Cheapest insertion into an empty plan: all waiting stops x all positions, overload at its price."""
    costs, price, demand, capacity = rules.costs, rules.price, rules.demand, rules.capacity
    routes, sizes, loads, route_of = plan.routes, plan.sizes, plan.loads, plan.route_of
    n, m = len(route_of) - 1, len(sizes)
    for _ in range(n):
        least, chosen, route, place = np.inf, -1, -1, -1
        for v in range(1, n + 1):
            if route_of[v] >= 0:
                continue
            for r in range(m):
                if r > 0 and sizes[r] + sizes[r - 1] == 0 and capacity[r] == capacity[r - 1]:
                    continue  # empty vehicles are alike
                over = max(0.0, loads[r] + demand[v] - capacity[r]) - max(0.0, loads[r] - capacity[r])
                more = price * over
                for k in range(sizes[r] + 1):
                    a, b = routes[r, k], routes[r, k + 1]
                    cost = more + costs[a, v] + costs[v, b] - costs[a, b]
                    if cost < least:
                        least, chosen, route, place = cost, v, r, k
        insert(rules, plan, chosen, route, place)


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
    whole = plan.sizes > 0  # routes that nothing has been taken from
    longest = min(STRING, n / max(1, whole.sum()))
    strings = int(draw(stream) * (4.0 * REMOVED / (1.0 + longest) - 1.0)) + 1
    centre = 1 + int(draw(stream) * n)
    count = 0
    for k in range(-1, near.shape[1]):
        v = centre if k < 0 else near[centre, k]
        r = plan.route_of[v]
        if r < 0 or not whole[r]:
            continue
        whole[r] = False
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
    before: Plan,
    best: Plan,
    near: Indices,
    stream: Stream,
    iterations: int,
    hot: float,
    cold: float,
    until_feasible: bool,
) -> None:
    """Ruin and recreate with simulated annealing from temperature `hot` to `cold`.

    Leaves the best plan; or, if `until_feasible`, stops at the first that overloads no vehicle. `before` and
    `best` are room for copies of the plan, and equal to it.
    """
    removed = np.empty(len(plan.route_of) - 1, np.int64)
    now = least = plan_cost(rules, plan)
    for step in range(iterations):
        if until_feasible and overload(plan.routes, plan.sizes, rules.demand, rules.capacity) <= LOAD:
            return
        count = ruin(rules, plan, near, removed, stream)
        shuffle(rules, removed, count, stream)
        complete = recreate(rules, plan, near, removed, count, stream)
        cost = plan_cost(rules, plan)
        heat = hot * (cold / hot) ** (step / iterations)
        if complete and cost - now < -heat * np.log(max(draw(stream), 1e-300)):
            now = cost
            copy_plan(plan, before)
            if now < least - 1e-9 * abs(least):
                least = now
                copy_plan(plan, best)
        else:
            copy_plan(before, plan)
    copy_plan(best, plan)

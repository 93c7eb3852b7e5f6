"""The solver of the plans domain: a large search, then all moves until none gains."""

from __future__ import annotations

import time

import numpy as np

from coactor.kernels import plan_search
from coactor.kernels import plans as kernel
from coactor.kernels.plan_search import Saved
from coactor.kernels.plans import NO_GAINS, Rules, State
from coactor.kernels.tolerances import LOAD
from coactor.protocol import Indices, Matrix, Vector

ITERATIONS = 23  # of the large search, per stop
CHUNK = 200  # iterations between two looks at the clock and at what is broken
BROKEN, DEARER = 10.0, 1.5  # of all that the best plan breaks, in mean arc costs; the factor per chunk
NEAR = 20, 40  # the stops beside which a stop may be inserted: without times, with times
HOT, COLD = 0.5, 0.005  # the first and the last temperature of the annealing, in mean arc costs of the plan
MINUTES = 0.2, 1.0  # of waiting and of lateness between neighbours, in minutes of driving
BANNED = 1e12  # the cost of an arc that must not be driven
STEPS = 2.0**30  # of a cost, in the search
ROOM = 64  # moves of a climb between two enlargements of its list


def solve(rules: Rules, stops: int, seconds: float | None = None, seed: int = 1) -> tuple[Indices, Indices]:
    """A plan that no move improves: ITERATIONS of the search for each stop, or seconds, then a climb.

    Small days without times need fewer.
    """
    m = len(rules.fleet)
    routes, sizes = np.zeros((m, stops + 2), np.int64), np.zeros(m, np.int64)
    routes[:, 0] = rules.fleet[:, kernel.START]
    enough = ITERATIONS if rules.timed else min(ITERATIONS, stops // 4)
    return improve(rules, stops, routes, sizes, enough * stops, seconds, seed)


def improve(
    rules: Rules,
    stops: int,
    routes: Indices,
    sizes: Indices,
    iterations: int,
    seconds: float | None = None,
    seed: int = 1,
) -> tuple[Indices, Indices]:
    """Improve a plan by iterations, or for some seconds, then by a climb; stops on no route are inserted.

    A rule counts more than all costs. But as long as the best plan breaks some, it counts little at first and
    more and more, so that the search may pass through plans that break others.
    """
    exact, rules = rules, rounded(rules)
    state = kernel.state_of(rules, routes.copy(), sizes.copy())
    if not rules.timed:  # the search reads no sums from positions on
        state = state._replace(tails=state.tails[:0])
    saved = Saved(np.zeros_like(routes), np.zeros_like(sizes), np.zeros((len(sizes), 3)))
    best = routes.copy(), sizes.copy()
    near, keys = neighbours(rules, stops), orders(rules, stops)
    missing = np.flatnonzero(state.places[0, 1 : stops + 1] < 0) + 1
    absent = np.zeros(stops + 1, np.int64)
    absent[0] = len(missing)
    absent[1 : len(missing) + 1] = missing
    draws = np.array([seed, plan_search.BLINK])
    most = 1e3 * (stops + 1)
    annealing = np.array([1.0, 1.0, most, np.inf, np.inf])

    def run(count: int) -> None:
        plan_search.search(rules, state, saved, near, keys, absent, draws, annealing, best, count)

    run(1)
    began, done, share = time.perf_counter(), 0, 0.0
    used = state.sizes[: len(sizes) - (rules.pool >= 0)] > 0
    scale = arc_costs(rules, state) / (stops + int(used.sum())) or 1.0
    while share < 1.0 and (seconds is not None or done < iterations):
        annealing[0] = scale * HOT * (COLD / HOT) ** share
        count = CHUNK if seconds is not None else min(CHUNK, iterations - done)
        done += count
        share = done / iterations if seconds is None else min(1.0, (time.perf_counter() - began) / seconds)
        annealing[1] = scale * HOT * (COLD / HOT) ** share
        run(count)
        if annealing[3] > LOAD:
            price = BROKEN * scale / annealing[3] if annealing[2] == most else DEARER * annealing[2]
            annealing[2] = min(most, price)
        elif annealing[2] < most:
            annealing[2] = most
            for now, least in zip((state.routes, state.sizes), best, strict=True):
                now[:] = least
            state.values[:, kernel.STALE] = 1.0
            kernel.refresh(rules, state)
    climb(exact, kernel.state_of(exact, *best), 0.0, False, -1)
    return best


def rounded(rules: Rules) -> Rules:
    """The rules with costs of at most 1, in steps so that sums of them are exact.

    Then plans that cost the same do so to the last digit, whatever the scale of the weights.
    """
    costs = rules.ways[..., 0]
    usual = costs[costs < BANNED]
    largest = max(float(np.abs(usual).max(initial=0.0)), float(np.abs(rules.terms[0]).max())) or 1.0
    ways, terms, fleet = rules.ways.copy(), rules.terms.copy(), rules.fleet.copy()
    ways[..., 0] = np.where(costs < BANNED, np.rint(costs / largest * STEPS) / STEPS, BANNED)
    terms[0] = np.rint(terms[0] / largest * STEPS) / STEPS
    fleet[:, kernel.IDLE] = np.rint(fleet[:, kernel.IDLE] / largest * STEPS) / STEPS
    return rules._replace(ways=ways, terms=terms, fleet=fleet)


def arc_costs(rules: Rules, state: State) -> float:
    """The sum of the absolute costs of the arcs of a plan, without those to and from its depots."""
    kinds, total = rules.fleet[:, kernel.KIND].astype(np.int64), 0.0
    for r, size in enumerate(state.sizes.tolist()):
        route = state.routes[r, : size + 1]
        total += float(np.abs(rules.ways[kinds[r], route[:-1], route[1:], 0]).sum())
        if size:
            total += float(abs(rules.ways[kinds[r], route[-1], int(rules.fleet[r, kernel.END]), 0]))
    return total


def neighbours(rules: Rules, stops: int) -> Indices:
    """For each stop those nearest to it, by the cost of the arcs and what they make of the times."""
    some = slice(1, stops + 1)
    costs = rules.ways[0, some, some, 0]
    gap = costs.copy()
    if rules.timed and not rules.walked:
        drive, (service, _, opens, closes) = rules.ways[0, some, some, 1], rules.points[some, 1:5].T
        first, last = (
            np.where(np.isfinite(opens), opens, -1e9) + service,
            np.where(np.isfinite(closes), closes, 1e9) + service,
        )
        wait = np.maximum(0.0, opens - drive - last[:, None])
        late = np.maximum(0.0, first[:, None] + drive - closes)
        rate = float(np.append(costs[costs < BANNED], 0.0).mean()) / max(float(drive.mean()), 1e-9)
        gap += rate * (
            MINUTES[0] * np.where(np.isfinite(wait), wait, 0.0)
            + MINUTES[1] * np.where(np.isfinite(late), late, 0.0)
        )
    gap = np.minimum(gap, gap.T)
    np.fill_diagonal(gap, np.inf)
    count = min(NEAR[rules.timed is not None], stops - 1)
    near = np.zeros((stops + 1, count), np.int64)
    nearest = np.sort(np.argpartition(gap, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(np.take_along_axis(gap, nearest, axis=1), axis=1, kind="stable")
    near[1:] = np.take_along_axis(nearest, order, axis=1) + 1
    return near


def orders(rules: Rules, stops: int) -> Matrix:
    """Orders of insertion: at random, by load (twice as often), from far; by times."""
    points = rules.points[: stops + 1]
    load = points[:, kernel.DEMAND : kernel.DEMAND + rules.units].sum(axis=1)
    depot = rules.ways[0, int(rules.fleet[0, kernel.START]), : stops + 1, 0]
    rows = [np.zeros(stops + 1), -load, -load, -depot]
    if rules.timed:
        opens, closes = points[:, kernel.EARLY], points[:, kernel.LATEST]
        rows += [closes - opens, opens, -closes]
    return np.array([np.nan_to_num(row, posinf=1e9, neginf=-1e9) for row in rows])


def climb(rules: Rules, state: State, kappa: float, best: bool, limit: int) -> Indices:
    """Make the first (or best) move that gains enough, in place, until there is none; returns the moves."""
    m = len(state.sizes)
    kept = np.full((4, m, m, 3), -1.0)
    rows: list[Indices] = []
    while True:
        made = sum(map(len, rows))
        room = np.zeros((ROOM if limit < 0 else min(ROOM, limit - made), 5), np.int64)
        if not len(room):
            return np.concatenate([room, *rows])
        count = kernel.ascend(rules, state, kept, kappa, best, NO_GAINS, room)
        rows.append(room[:count])
        if count < len(room):
            return np.concatenate(rows)


def list_moves(rules: Rules, state: State, with_rows: bool = True) -> tuple[Vector, Indices]:
    """What each move saves, and the moves in scan order."""
    stops, m = int(state.sizes.sum()), len(state.sizes)
    ends = stops + m
    most = 2 * stops * ends + ends**2
    gains, rows = np.empty(most), np.empty((most if with_rows else 0, 5), np.int64)
    count = kernel.ascend(rules, state, np.full((4, m, m, 3), -1.0), 0.0, True, gains, rows)
    return gains[:count], rows[:count]

"""Random days with everything a day can have, and what a plan measures, in plain Python."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from coactor.domains import Day, Shifts, Visits

SOFT = ("lateness", "waiting", "overtime", "overload", "unserved", "vehicles", "longest shift")


def random_day(
    rng: np.random.Generator, stops: int, vehicles: int, *, several: bool = False, optional: bool = False
) -> Day:
    """Two depots, two units, two kinds of vehicles, an open end; perhaps several windows and pairs."""
    points, n = stops + 2, stops
    pairs = [(1, 2), (4, 3)] if several and n >= 4 else []
    demand = np.vstack([np.zeros(2), rng.integers(0, 4, (n, 2))]).astype(float)
    for a, b in pairs:
        demand[b] = demand[a]
    opens = rng.integers(0, 200, n + 1).astype(float)
    windows: list[Any] = [[] for _ in range(n + 1)]
    for v in range(1, n + 1):
        if rng.random() < 0.8:
            windows[v] = [(opens[v], opens[v] + float(rng.integers(5, 100)))]
            if several and rng.random() < 0.5:
                windows[v].append((opens[v] + 150.0, opens[v] + 200.0))
    visits = Visits(
        service=np.append(0.0, rng.integers(0, 9, n)),
        windows=windows,
        needs=[(), *(["fridge"] if rng.random() < 0.2 else [] for _ in range(n))],
        prices=np.append(0.0, rng.integers(0, 3, n)) if optional else None,
        pairs=pairs,
    )
    depots = [0, n + 1]
    shifts = Shifts(
        starts=[depots[v % 2] for v in range(vehicles)],
        ends=[-1 if v == 2 else depots[v // 2 % 2] for v in range(vehicles)],
        hours=[None if v == 1 else (20.0, 150.0 + 50.0 * v) for v in range(vehicles)],
        longest=[None if v == 0 else 120.0 for v in range(vehicles)],
        fixed=rng.integers(1, 4, vehicles),
        skills=[["fridge", "lift"] if v % 2 else ["lift"] for v in range(vehicles)],
        kinds=[v % 2 for v in range(vehicles)],
    )
    arcs, minutes = rng.random((2, points, points, 2)), rng.integers(1, 30, (2, points, points)).astype(float)
    capacity = rng.integers(4, 9, (vehicles, 2)).astype(float)
    return Day.of(arcs, demand, capacity, minutes=minutes, visits=visits, shifts=shifts)


def random_plan(rng: np.random.Generator, stops: int, rows: int) -> tuple[np.ndarray, ...]:
    order = rng.permutation(stops) + 1
    return tuple(np.split(order, np.sort(rng.integers(0, stops + 1, rows - 1))))


def _run(steps: Any, clock: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Minutes late and of waiting, and the end, of a route, for each time at which it may start."""
    late, wait = np.zeros(len(clock)), np.zeros(len(clock))
    for gap, spent, (opens, closes) in steps:
        late += np.maximum(0.0, clock + gap - closes)
        wait += np.maximum(0.0, opens - clock - gap)
        clock = np.minimum(np.maximum(clock + gap, opens), closes) + spent
    return late, wait, clock


def measured(x: Day, y: Any) -> dict[str, float]:
    """What a plan measures: the features of SOFT, the missing skills and the pairs out of order."""
    total = dict.fromkeys((*SOFT, "missing", "pairs"), 0.0)
    shifts, visits = x.shifts, x.visits
    assert shifts is not None
    assert visits is not None
    assert x.minutes is not None
    loads, room = np.reshape(x.demand, (x.size + 1, -1)), np.reshape(x.capacity, (len(x.capacity), -1))
    pickup = {b: a for a, b in visits.pairs}
    for r, route in enumerate(y[: len(room)]):
        if not len(route):
            continue
        total["vehicles"] += shifts.fixed[r]
        drive = x.minutes[shifts.kinds[r]]
        begin, until = shifts.hours[r] or (-np.inf, np.inf)
        path = [shifts.starts[r], *map(int, route)]
        gaps = [drive[a, b] for a, b in pairwise(path)]
        service = [visits.service[v] for v in path[1:]]
        chosen, clock = [], begin
        for v, gap, spent in zip(path[1:], gaps, service, strict=True):
            given = sorted(visits.windows[v]) or [(-np.inf, np.inf)]
            chosen.append(next((w for w in given if clock + gap <= w[1]), given[-1]))
            clock = min(max(clock + gap, chosen[-1][0]), chosen[-1][1]) + spent

        steps = list(zip(gaps, service, chosen, strict=True))
        first = begin if np.isfinite(begin) else -1000.0
        starts = np.arange(first, first + 2000.0)
        lates, waits, ends = _run(steps, starts)
        best = np.lexsort((starts, ends - starts, lates.round(6)))[0]
        late, wait, start, end = (float(column[best]) for column in (lates, waits, starts, ends))
        end += drive[path[-1], shifts.ends[r]]
        over = max(0.0, end - until)
        took = end - start - over
        longest = shifts.longest[r]
        total["lateness"] += late
        total["waiting"] += wait
        total["overtime"] += over + (0.0 if longest is None else max(0.0, took - longest))
        total["longest shift"] = max(total["longest shift"], took)
        for u in range(loads.shape[1]):
            board = sum(loads[v, u] for v in path[1:] if v not in pickup and v not in pickup.values())
            most = extra = 0.0
            for v in path[1:]:
                extra += loads[v, u] if v in pickup.values() else -loads[v, u]
                most = max(most, extra)
            total["overload"] += max(0.0, board + most - room[r, u]) / room[:, u].mean()
        asked = {need for v in path[1:] for need in visits.needs[v]}
        total["missing"] += len(asked - set(shifts.skills[r]))
    place = {int(v): (r, k) for r, route in enumerate(y) for k, v in enumerate(route)}
    for a, b in visits.pairs:
        same = place[a][0] == place[b][0]
        total["pairs"] += not same or (place[a][1] > place[b][1] and place[a][0] < len(room))
    for v in y[len(room)] if x.tables.optional else ():
        total["unserved"] += visits.prices[v]
        total["missing"] += visits.prices[v] == 0
    return total

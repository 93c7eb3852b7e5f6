"""When stops are reached, and the broken rules of a plan in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from coactor.domains.plans.day import Day
from coactor.kernels import plans as kernel
from coactor.kernels.tolerances import LOAD
from coactor.protocol import Indices


class Timing(NamedTuple):
    """The times of a route, in minutes; a late vehicle goes on as if it had been on time.

    Attributes
    ----------
    start, end
        When the vehicle leaves and is back.
    arrivals, waits, late
        When it reaches each stop, and the minutes that it waits or is late there.
    """

    start: float
    end: float
    arrivals: tuple[float, ...]
    waits: tuple[float, ...]
    late: tuple[float, ...]


def timing(x: Day, r: int, route: Indices) -> Timing:
    """The times of route r; the vehicle leaves when the route is shortest, and the earliest then."""
    points, vehicle = x.tables.points, x.tables.fleet[r]
    table = x.tables.minutes[int(vehicle[kernel.KIND])]
    path = [int(vehicle[kernel.START]), *route.tolist()]
    gaps = [float(table[arc]) for arc in pairwise(path)]
    service = points[path[1:], kernel.DURATION].tolist()
    windows, clock = list[tuple[float, float]](), float(vehicle[kernel.BEGIN])
    early, latest, total = clock, math.inf, 0.0  # of the start; minutes from there on, without waiting
    for stop, gap, spent in zip(path[1:], gaps, service, strict=True):
        opens, closes = _window(x, stop, clock + gap)
        windows.append((opens, closes))
        clock = min(max(clock + gap, opens), closes) + spent
        total += gap
        waits, warp = max(0.0, opens - total - latest), max(0.0, early + total - closes)
        early, latest = max(opens - total, early) - waits, min(closes - total, latest) + warp
        total += spent + waits - warp
    start = next((one for one in (early, latest) if math.isfinite(one)), 0.0)
    clock, arrivals = start, list[float]()
    for gap, spent, (opens, closes) in zip(gaps, service, windows, strict=True):
        arrivals.append(clock + gap)
        clock = min(max(clock + gap, opens), closes) + spent
    waits_at = tuple(max(0.0, opens - at) for at, (opens, _) in zip(arrivals, windows, strict=True))
    late_at = tuple(max(0.0, at - closes) for at, (_, closes) in zip(arrivals, windows, strict=True))
    end = clock + float(table[path[-1], int(vehicle[kernel.END])])
    return Timing(start, end, tuple(arrivals), waits_at, late_at)


def show_route(x: Day, r: int, route: Indices) -> dict[str, Any]:
    """The loads of a route and, if there are times, when its vehicle is where: JSON-able data.

    For each stop: when it is reached, when the service begins and ends, and the minutes late.
    """
    count = x.tables.units - x.tables.optional
    units = slice(kernel.DEMAND, kernel.DEMAND + count)
    shown: dict[str, Any] = {
        "load": x.tables.points[route, units].sum(axis=0).tolist(),
        "capacity": x.tables.fleet[r, kernel.CAPACITY : kernel.CAPACITY + count].tolist(),
    }
    if not x.tables.timed:
        return shown
    times, until = timing(x, r, route), float(x.tables.fleet[r, kernel.UNTIL])
    begins = [at + wait - late for at, wait, late in zip(*times[2:], strict=True)]
    spent = x.tables.points[route, kernel.DURATION].tolist()
    stops = [
        [at, begin, begin + service, late]
        for at, begin, service, late in zip(times.arrivals, begins, spent, times.late, strict=True)
    ]
    shown |= {"start": times.start, "end": times.end, "stops": stops}
    return {**shown, "until": until if math.isfinite(until) else None}


def _window(x: Day, stop: int, clock: float) -> tuple[float, float]:
    """The first window of a stop that can be kept; the last if none can."""
    row, more = x.tables.points[stop], kernel.DEMAND + x.tables.units
    windows = [(row[kernel.EARLY], row[kernel.LATEST]), *row[more:].reshape(-1, 2)]
    given = [(float(a), float(b)) for k, (a, b) in enumerate(windows) if k == 0 or a < np.inf]
    return next((window for window in given if clock <= window[1]), given[-1])


def clock_text(minutes: float) -> str:
    """Minutes since midnight as a time of day."""
    hours, rest = divmod(round(minutes), 60)
    return f"{hours}:{rest:02d}"


def broken_rules(x: Day, y: Sequence[Indices], rules: Collection[str]) -> Iterator[str]:
    """The rules that a plan breaks, in words: those named, skills, pairs, and what must be served."""
    t, names = x.tables, x.stops
    for r, route in enumerate(y[: len(x.capacity)]):
        who, vehicle = x.vehicle(r), t.fleet[r]
        who = f"Vehicle {who}" if who.isdigit() else who
        if "overload" in rules and not t.walked:
            loads = t.points[route, kernel.DEMAND : kernel.DEMAND + t.units].sum(axis=0)
            for load, most in zip(loads, vehicle[kernel.CAPACITY :], strict=False):
                if load - most > LOAD:
                    yield f"{who} would carry {load:g} of {most:g}, {load - most:g} too much."
        elif "overload" in rules and _peak(x, r, route) > LOAD:
            yield f"{who} would carry more than it holds."
        for stop in route.tolist():
            lacks = int(t.points[stop, kernel.NEED]) & ~int(vehicle[kernel.SKILLS])
            for k, skill in enumerate(t.skills):
                if lacks >> k & 1:
                    yield f"{names[stop]} needs {skill}, which {who} does not have."
        if t.timed and len(route):
            yield from _late(x, r, route, who, rules)
    place = {stop: (r, k) for r, route in enumerate(y) for k, stop in enumerate(route.tolist())}
    for first, second in () if x.visits is None else x.visits.pairs:
        (a, i), (b, j) = place[first], place[second]
        if a != b or (i > j and a < len(x.capacity)):
            yield f"{names[first]} must come before {names[second]}, on the same route."
    for route in y[len(x.capacity) :]:
        for stop in route.tolist():
            if "unserved" in rules or (t.prices is not None and t.prices[stop] == 0):
                yield f"{names[stop]} must be served."


def _late(x: Day, r: int, route: Indices, who: str, rules: Collection[str]) -> Iterator[str]:
    """The broken rules of time of a route."""
    times, vehicle = timing(x, r, route), x.tables.fleet[r]
    if "lateness" in rules:
        for stop, at, late in zip(route.tolist(), times.arrivals, times.late, strict=True):
            if late > LOAD:
                yield f"{x.stops[stop]} would be reached at {clock_text(at)}, {late:.0f} min late."
    if "overtime" in rules:
        over = max(0.0, times.end - vehicle[kernel.UNTIL])
        if over > LOAD:
            yield f"{who} would be back at {clock_text(times.end)}, {over:.0f} min after its shift."
        took = times.end - times.start - over
        if took - vehicle[kernel.LONGEST] > LOAD:
            most = vehicle[kernel.LONGEST]
            yield f"{who} would be under way for {took:.0f} min, {took - most:.0f} more than allowed."


def _peak(x: Day, r: int, route: Indices) -> float:
    """By how much the largest load of a route with pairs exceeds the capacity, over all units."""
    t, vehicle = x.tables, x.tables.fleet[r]
    loads = t.points[route, kernel.DEMAND : kernel.DEMAND + t.units]
    side = np.sign(t.points[route, kernel.PARTNER])[:, None]
    start = (loads * (side == 0)).sum(axis=0)
    peak = start + np.maximum(0.0, np.cumsum(np.where(side > 0, loads, -loads), axis=0)).max(
        axis=0, initial=0
    )
    return float(np.maximum(0.0, peak - vehicle[kernel.CAPACITY : kernel.CAPACITY + t.units]).sum())

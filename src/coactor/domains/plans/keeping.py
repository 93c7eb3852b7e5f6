"""Plans around parts that a person keeps: arcs, and stops on their vehicles.

Stops that kept arcs join are one stop for the search, so that no move splits them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from coactor.domains.plans import solver
from coactor.domains.plans.day import Day
from coactor.kernels import plans as kernel
from coactor.kernels.plans import Rules
from coactor.protocol import Indices, Part

ITERATIONS = 5  # of the large search, per stop


class Blocks:
    """The stops in blocks that stay together.

    Attributes
    ----------
    members
        The stops of each block, in order; singles too.
    first, last
        Blocks that are the first or the last of their routes, and from or to which depot.
    vehicle
        The vehicle of each block; -1 if it may be any.
    idle
        The depots between which a vehicle stays idle.
    """

    def __init__(self, x: Day, keep: Iterable[Part]) -> None:
        number = {name: k for k, name in enumerate(x.stops)}
        vehicles = {str(r + 1): r for r in range(len(x.capacity))} | {
            name: r for r, name in enumerate(x.vehicles or ())
        }
        after, before, fixed = dict[int, int](), dict[int, int](), dict[int, int]()
        self.idle: list[tuple[int, int]] = []
        stops = range(1, x.size + 1)
        for part in sorted(map(tuple, keep), key=str):
            if len(part) == 3 and part[1] in number and part[2] in vehicles:
                if fixed.setdefault(number[part[1]], vehicles[part[2]]) != vehicles[part[2]]:
                    raise ValueError(f"{part[1]} cannot be on two vehicles; keep one of them.")
                continue
            if len(part) != 2 or part[0] not in number or part[1] not in number:
                raise ValueError(
                    f"{part!r} is not a part of this day; expected an arc, or a stop and its vehicle."
                )
            a, b = number[part[0]], number[part[1]]
            if a not in stops and b not in stops:
                self.idle.append((a, b))
            for one, other, arcs, text in ((a, b, after, "after"), (b, a, before, "before")):
                if one in stops and arcs.setdefault(one, other) != other:
                    raise ValueError(
                        f"{x.stops[arcs[one]]} and {x.stops[other]} cannot both come right {text} "
                        f"{x.stops[one]}; keep one of them."
                    )
        self.members: list[list[int]] = []
        self.first, self.last = dict[int, int](), dict[int, int]()
        for v in stops:
            if before.get(v, 0) in stops:
                continue
            block = [v]
            while after.get(block[-1], 0) in stops:
                block.append(after[block[-1]])
            if v in before:
                self.first[len(self.members) + 1] = before[v]
            if block[-1] in after:
                self.last[len(self.members) + 1] = after[block[-1]]
            self.members.append(block)
        inside = {v for block in self.members for v in block}
        if circle := [v for v in stops if v not in inside]:
            names = ", ".join(x.stops[v] for v in circle[:4])
            raise ValueError(f"{names} cannot be kept together: they would follow each other in a circle.")
        self.vehicle = np.full(len(self.members), -1)
        for k, block in enumerate(self.members):
            wanted = {fixed[v] for v in block if v in fixed}
            if len(wanted) > 1:
                names = " and ".join(x.stops[v] for v in block if v in fixed)
                raise ValueError(f"{names} are kept together and cannot be on different vehicles.")
            self.vehicle[k] = min(wanted, default=-1)


def replan(x: Day, rules: Rules, y: Sequence[Indices], keep: Iterable[Part]) -> list[Indices]:
    """The plan changed where that gains, with all parts to keep. Raises ValueError if some exclude others."""
    blocks = Blocks(x, keep)
    idle = idle_vehicles(rules, y, blocks)
    if idle:  # the search does without them
        used = np.delete(np.arange(len(rules.fleet)), idle)
        blocks.vehicle = np.where(blocks.vehicle < 0, -1, np.searchsorted(used, blocks.vehicle))
        rules = rules._replace(fleet=rules.fleet[used], pool=len(used) - 1 if rules.pool >= 0 else -1)
        y = [y[r] for r in used.tolist()]
    whole = [np.array(block) for block in blocks.members]
    small = contracted(x, rules, blocks)
    count, m = len(whole), len(rules.fleet)
    routes, sizes = np.zeros((m, count + 2), np.int64), np.zeros(m, np.int64)
    routes[:, 0] = small.fleet[:, kernel.START]
    where = {block[0]: k + 1 for k, block in enumerate(blocks.members)}
    for r, route in enumerate(y):
        path, k = route.tolist(), 0
        while k < len(path):
            number = where.get(path[k], 0)
            block = blocks.members[number - 1]
            fits = number > 0 and path[k : k + len(block)] == block
            fits = fits and blocks.vehicle[number - 1] in (-1, r)
            fits = fits and (number not in blocks.first or k == 0)
            fits = fits and (number not in blocks.last or k + len(block) == len(path))
            if fits:
                sizes[r] += 1
                routes[r, sizes[r]] = number
            k += len(block) if fits else 1
    best, least = None, np.inf
    for iterations in (0, ITERATIONS * count):
        found = solver.improve(small, count, routes, sizes, iterations)
        cost, broken = kernel.totals(small, *found)
        total = cost + 1e6 * max(1.0, abs(cost)) * broken
        if total < least - 1e-9 * abs(total):
            best, least = found, total
    if best is None:
        best = routes, sizes
    none = np.empty(0, np.int64)
    plan = [
        np.concatenate([none, *(whole[b - 1] for b in row[1 : size + 1].tolist())]).astype(np.int64)
        for row, size in zip(*best, strict=True)
    ]
    for r in idle:
        plan.insert(r, none)
    return plan


def idle_vehicles(rules: Rules, y: Sequence[Indices], blocks: Blocks) -> list[int]:
    """A vehicle for each two depots between which one stays idle: of those that may, one with few stops."""
    ends = rules.fleet[: len(rules.fleet) - (rules.pool >= 0), [kernel.START, kernel.END]].astype(int)
    taken, idle = {*blocks.vehicle.tolist()}, list[int]()
    for pair in blocks.idle:
        may = [r for r, own in enumerate(ends.tolist()) if tuple(own) == pair and r not in taken]
        if may and len(idle) + 1 < len(ends):
            idle.append(min(may, key=lambda r: len(y[r])))
    return sorted(idle)


def contracted(x: Day, rules: Rules, blocks: Blocks) -> Rules:
    """The rules of a day whose stops are blocks."""
    n, count = x.size, len(blocks.members)
    heads = np.array([0, *(block[0] for block in blocks.members), *range(n + 1, len(rules.points))])
    tails = np.array([0, *(block[-1] for block in blocks.members), *range(n + 1, len(rules.points))])
    ways: NDArray[np.float64] = rules.ways[:, tails[:, None], heads].copy()
    points = rules.points[heads].copy()
    out = np.zeros(6)
    for k, block in enumerate(blocks.members, 1):
        for a, b in pairwise(block):
            ways[:, :, k] += rules.ways[:, a, b][:, None] * ([1.0, 0.0] if rules.timed else [1.0])
            row = points[k]
            out[:] = row[:6]
            kernel.link(rules, 0, a, out, b, rules.points[b], row)
            row[kernel.DURATION], row[kernel.COST] = row[kernel.DURATION] - row[kernel.LATE], 0.0
            row[kernel.LATE] = row[kernel.WAIT] = 0.0
            row[kernel.NEED] = int(row[kernel.NEED]) | int(rules.points[b, kernel.NEED])
            row[kernel.DEMAND : kernel.DEMAND + rules.units] += rules.points[
                b, kernel.DEMAND : kernel.DEMAND + rules.units
            ]
        points[k, kernel.FIXED] = blocks.vehicle[k - 1] + 1
    place = {0: 0} | {depot: depot - n + count for depot in range(n + 1, len(rules.points))}
    for k, block in enumerate(blocks.members, 1):
        if rules.pool >= 0 and (len(block) > 1 or k in blocks.first or k in blocks.last):
            ways[-1, :, k, 0] = solver.BANNED  # what is kept is not left out
    for k, depot in blocks.first.items():
        ways[:, np.arange(len(points)) != place[depot], k, 0] = solver.BANNED
    for k, depot in blocks.last.items():
        ways[:, k, np.arange(len(points)) != place[depot], 0] = solver.BANNED
    return rules._replace(
        ways=ways, points=points, fleet=_moved(rules, n, count), fixed=bool((blocks.vehicle >= 0).any())
    )


def _moved(rules: Rules, n: int, count: int) -> NDArray[np.float64]:
    """The vehicles, with depots behind the blocks."""
    fleet = rules.fleet.copy()
    ends = fleet[:, [kernel.START, kernel.END]]
    fleet[:, [kernel.START, kernel.END]] = np.where(ends > n, ends - n + count, ends)
    return fleet

"""The fewest operators from a proposal to somebody's final solution, when nobody recorded the edits.

=============  =====================================================================================
rankings       exact: exchanges of neighbours = inversions between the two orders
tours, paths   an upper bound: reversals found greedily, each restoring as many of the final
               solution's edges as one reversal can; exact where it meets the lower bound
               (half the missing edges, rounded up)
other domains  exact where a short search finds it, else an upper bound by walking towards the
               final solution; where the domain's moves do not lead there at all, the number of
               places that differ, and `reachable` is false
=============  =====================================================================================

A domain that knows better has a method ``edits_between(x, y, z) -> int``; it is asked first.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, runtime_checkable

import numpy as np

from coactor.domains import Fleet, Ranking, Tour
from coactor.protocol import Domain, Indices, Problem, Solution
from coactor.studies.codec import Codec
from coactor.studies.log.facts import canonical

SEARCHED = 4000  # solutions looked at before the short search gives up
STEPS = 500


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many operators, whether that is certainly the fewest, and whether operators lead there at all."""

    effort: float
    exact: bool
    reachable: bool = True


@runtime_checkable
class CountsEdits(Protocol):
    """Knows how many of its own moves lead from one solution to another."""

    def edits_between(self, x: Problem, y: Solution, z: Solution, /) -> int: ...


def estimate(domain: Domain, x: Problem, y: Solution, z: Solution) -> Estimate:
    """The effort of turning y into z."""
    if isinstance(domain, CountsEdits):
        return Estimate(float(domain.edits_between(x, y, z)), exact=False)
    if isinstance(domain, Ranking):
        return Estimate(float(inversions(np.asarray(y), np.asarray(z))), exact=True)
    if isinstance(domain, Tour):
        return closed(np.asarray(y), np.asarray(z))
    if isinstance(domain, Fleet):
        return fleet(y, z)
    return general(domain, x, y, z)


def inversions(y: Indices, z: Indices) -> int:
    """Pairs that stand in one order in y and in the other in z."""
    place = np.empty(len(z), np.int64)
    place[z] = np.arange(len(z))
    order = place[y]
    return int(sum(int((order[i + 1 :] < order[i]).sum()) for i in range(len(order) - 1)))


def closed(y: Indices, z: Indices) -> Estimate:
    """Reversals between two closed tours, wherever they begin and whichever way round they go.

    The first point stands at both ends of the sequence that is sorted, and both ends stay where they are.
    """
    there = np.roll(z, -int(np.flatnonzero(z == y[0])[0]))
    back = np.concatenate([there[:1], there[:0:-1]])
    return min((reversals(_sequence(y, goal)) for goal in (there, back)), key=lambda found: found.effort)


def _sequence(y: Indices, goal: Indices) -> Indices:
    """y with each point named by its place in the goal, and the first point again at the end."""
    place = np.empty(len(goal), np.int64)
    place[goal] = np.arange(len(goal))
    return np.append(place[y], len(goal))


def fleet(y: tuple[Indices, ...], z: tuple[Indices, ...]) -> Estimate:
    """Reversals inside each path, and one move for each point that changed to another path.

    The fleet's own operator never takes a point to another path: then `reachable` is false.
    """
    moved, total, exact = 0, 0.0, True
    for before, after in zip(y, z, strict=True):
        stay = np.intersect1d(before, after)
        moved += len(after) - len(stay)
        here, goal = before[np.isin(before, stay)], after[np.isin(after, stay)]
        rank = {int(p): k for k, p in enumerate(goal)}
        part = reversals(np.array([rank[int(p)] for p in here], np.int64))
        total, exact = total + part.effort, exact and part.exact
    return Estimate(total + moved, exact=exact and not moved, reachable=not moved)


def reversals(order: Indices) -> Estimate:
    """Reversals that sort 0..n, both ends fixed: greedily, by the neighbours a reversal restores."""
    order = np.array(order, np.int64)
    least = -(-_breaks(order) // 2)
    count = 0
    while _breaks(order):
        i, j = _best_reversal(order)
        order[i : j + 1] = order[i : j + 1][::-1]
        count += 1
    return Estimate(float(count), exact=count == least)


def _breaks(order: Indices) -> int:
    return int((np.abs(np.diff(order)) != 1).sum())


def _best_reversal(order: Indices) -> tuple[int, int]:
    """The stretch whose reversal mends most; where none mends anything, put the first wrong point right."""
    cut = np.flatnonzero(np.abs(np.diff(order)) != 1)  # breaks between k and k + 1
    left, right = np.meshgrid(cut, cut, indexing="ij")
    near = np.abs(order[left] - order[right]) == 1
    far = np.abs(order[left + 1] - order[right + 1]) == 1
    score = np.where(left < right, near.astype(int) + far, -1)
    best = int(score.argmax())
    a, b = int(left.flat[best]), int(right.flat[best])
    if score.flat[best] > 0:
        return a + 1, b
    first = int(np.flatnonzero(order != np.arange(len(order)))[0])
    return first, int(np.flatnonzero(order == first)[0])


def general(domain: Domain, x: Problem, y: Solution, z: Solution) -> Estimate:
    """Search a little, then walk, by the domain's own moves."""
    codec = Codec(domain)
    goal = canonical(codec.plain_solution(z))
    if canonical(codec.plain_solution(y)) == goal:
        return Estimate(0.0, exact=True)
    depth = _search(domain, x, y, codec, goal)
    if depth:
        return Estimate(float(depth), exact=True)
    target = _flat(codec.plain_solution(z))
    current, gap = y, _gap(_flat(codec.plain_solution(y)), target)
    for step in range(1, STEPS):
        nearer = [
            (_gap(_flat(codec.plain_solution(n)), target), k, n)
            for k, n in enumerate(domain.apply(x, current, m) for m in domain.moves(x, current))
        ]
        best = min(nearer, default=None, key=lambda row: row[:2])
        if best is None or best[0] >= gap:
            break
        gap, _, current = best
        if canonical(codec.plain_solution(current)) == goal:
            return Estimate(float(step), exact=False)
    return Estimate(float(max(1, _gap(_flat(codec.plain_solution(y)), target))), exact=False, reachable=False)


def _search(domain: Domain, x: Problem, y: Solution, codec: Codec, goal: bytes) -> int:
    """Breadth first, as far as SEARCHED solutions reach; 0 when the goal is farther."""
    seen, layer, depth = {canonical(codec.plain_solution(y))}, [y], 0
    while layer and len(seen) < SEARCHED:
        depth += 1
        following: list[Solution] = []
        for here in layer:
            for move in islice(domain.moves(x, here), SEARCHED):
                there = domain.apply(x, here, move)
                name = canonical(codec.plain_solution(there))
                if name == goal:
                    return depth
                if name not in seen:
                    seen.add(name)
                    following.append(there)
            if len(seen) >= SEARCHED:
                return 0
        layer = following
    return 0


def _flat(data: Any) -> list[Any]:
    if isinstance(data, list):
        return [item for part in data for item in _flat(part)]
    if isinstance(data, dict):
        return [item for name in sorted(data) for item in _flat(data[name])]
    return [data]


def _gap(a: list[Any], b: list[Any]) -> int:
    return abs(len(a) - len(b)) + sum(bool(p != q) for p, q in zip(a, b, strict=False))

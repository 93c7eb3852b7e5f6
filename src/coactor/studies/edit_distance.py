"""The fewest operators from a proposal to somebody's final solution, when nobody recorded the edits.

A domain that counts them itself (``edits_between(x, y, z) -> int``) is asked first. For all others the
number is exact where a short search finds it, else an upper bound by walking towards the final solution;
where the domain's moves do not lead there at all, it is the number of places that differ, and `reachable`
is false.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from coactor.protocol import Domain, Problem, Solution
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
    return general(domain, x, y, z)


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

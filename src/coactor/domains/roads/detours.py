"""Alternatives for a stretch of a route: a few that differ clearly, or the best one through given links.

Two shortest-path trees per leg, one from its start and one to its end, contain the best path through every
link of the network (via-node alternatives).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from coactor.domains.roads.domain import Roads
from coactor.domains.roads.trips import Route, Trip
from coactor.kernels import roads as kernel
from coactor.protocol import Indices, Move, Vector

AVOIDED = 0.4  # the share of the stretch that an alternative must leave out
ENOUGH = 0.6  # or the share of what the best alternative leaves out, where that is less
ALIKE = 0.6  # two alternatives that share more of their new links than this look the same
POOL = 4000  # links whose detours are surveyed, the cheapest first
COMPARED = 1000  # of them, per leg, that are compared with each other
MOST_WAYS = 5  # alternatives that are returned


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """An alternative: the move that leads to it, the route, the change in phi, and the gain."""

    move: Move
    route: Route
    change: Vector
    gain: float


class _Candidate(NamedTuple):
    """A detour: its gain, the link and leg of its via-point, and a function that draws its links."""

    gain: float
    link: int
    leg: int
    draw: Callable[[], Indices]


def other_ways(domain: Roads, x: Trip, y: Route, first: int, last: int, w: Vector) -> list[Way]:
    """The best alternatives, by the weights, that avoid much of a stretch and differ clearly from each other.

    Parameters
    ----------
    domain, x, y
        The roads, the trip, and the current route.
    first, last
        The stretch: positions in ``y.links``, both included.
    w
        The weights that score the alternatives.
    """
    if not 0 <= first <= last < len(y.links):
        raise ValueError(
            f"There is no stretch from {first} to {last}; the route has links 0 to {len(y.links) - 1}."
        )
    ways, new_links, drawn = list[Way](), list[set[int]](), set[bytes]()
    old = set(y.links.tolist())
    for candidate in sorted(_candidates(domain, x, y, first, last, w), key=lambda c: -c.gain):
        links = candidate.draw()
        if links.tobytes() in drawn:
            continue
        drawn.add(links.tobytes())
        fresh = set(links.tolist()) - old
        if not fresh or any(_alike(fresh, other) for other in new_links):
            continue
        new_links.append(fresh)
        ways.append(_way_to(domain, x, y, *_readable_move(domain, x, y, candidate, links, fresh), w))
        if len(ways) == MOST_WAYS:
            break
    return sorted(ways, key=lambda way: -way.gain)


def way_through(domain: Roads, x: Trip, y: Route, links: Iterable[int], w: Vector) -> Way | None:
    """The best way through one of the links, on whichever leg; None if the route passes all of them."""
    wanted = np.setdiff1d(np.fromiter(links, np.int64), y.links)
    if wanted.size and (wanted.min() < 0 or wanted.max() >= domain.network.size):
        raise ValueError(f"There are links 0 to {domain.network.size - 1}; got {wanted.tolist()[:5]}.")
    if not wanted.size:
        return None
    best, least = (-1, -1), np.inf
    for number, leg in enumerate(domain.legs(x, y)):
        now = leg.from_origin[domain.network.head[leg.turns[-1]]] if len(leg.turns) else 0.0
        extra = leg.from_origin[wanted] + leg.to_target[wanted] - now
        if extra.min() < least:
            least, best = float(extra.min()), (int(wanted[extra.argmin()]), number)
    if not np.isfinite(least):
        raise ValueError("The trip cannot pass there; choose another street.")
    return way_of(domain, x, y, _via(*best), w)


def way_of(domain: Roads, x: Trip, y: Route, move: Move, w: Vector) -> Way:
    """The alternative that one move leads to."""
    return _way_to(domain, x, y, move, domain.apply(x, y, move), w)


def _way_to(domain: Roads, x: Trip, y: Route, move: Move, z: Route, w: Vector) -> Way:
    change = domain.features(x, z) - domain.features(x, y)
    return Way(move, z, change, float(w @ change))


def _via(link: int, leg: int) -> Move:
    return {"op": "via", "args": [link, leg]}


def _candidates(domain: Roads, x: Trip, y: Route, first: int, last: int, w: Vector) -> Iterator[_Candidate]:
    """Detours that leave out enough of the stretch and pass no junction twice."""
    network, router, rows = domain.network, domain.router, domain.turn_rows(x)
    passed = [network.ends[x.origin, 0], *network.ends[y.links, 1]]
    repeated = np.bincount(passed, minlength=network.ends.max() + 1) > 1  # by the route itself
    place = 0
    for number, leg in enumerate(domain.legs(x, y)):
        inner = np.arange(place + 1, place + len(leg.turns))  # the ends of a leg stay
        rest = np.delete(y.links, np.arange(place, place + len(leg.turns) + 1))
        place += len(leg.turns)
        stretch = y.links[inner[(inner >= first) & (inner <= last)]]
        if not stretch.size:
            continue
        blocked = np.zeros(len(repeated), dtype=np.int8)
        blocked[[network.ends[x.origin, 0], *network.ends[rest, 1]]] = 1
        blocked[repeated] = -1
        through = leg.from_origin + leg.to_target
        through[y.links] = np.inf
        links = np.argsort(through, kind="stable")[:POOL]
        links = links[np.isfinite(through[links])]
        into, out = router.gates(leg, links)
        marked = np.zeros(network.size, dtype=bool)
        marked[stretch] = True
        trees = router.trees(leg)
        used, twice = kernel.survey(trees, into, out, network.ends, marked, blocked)
        avoided = np.where(twice, 0, stretch.size - used)  # links of the stretch that a detour leaves out
        # On a long straight road one via-point may avoid less: then the best of the detours set the measure.
        enough = max(1.0, min(AVOIDED * stretch.size, ENOUGH * avoided.max(initial=0)))
        good = np.flatnonzero(avoided >= enough)
        costs = router.detour_features(rows, leg, links[good]) @ w
        now = float(rows[leg.turns].sum(axis=0) @ w)
        for k in np.argsort(costs, kind="stable")[:COMPARED].tolist():
            gates = int(into[good[k]]), int(out[good[k]])
            draw = partial(kernel.way, trees, *gates)
            yield _Candidate(now - float(costs[k]), int(links[good[k]]), number, draw)


def _readable_move(
    domain: Roads, x: Trip, y: Route, candidate: _Candidate, links: Indices, fresh: set[int]
) -> tuple[Move, Route]:
    """The move with its via-point in the middle of the new links, where that draws the same route."""
    new = [k for k in links.tolist() if k in fresh]
    given, middle = _via(candidate.link, candidate.leg), _via(new[len(new) // 2], candidate.leg)
    one, two = (domain.apply(x, y, move) for move in (given, middle))
    return (middle, two) if np.array_equal(one.links, two.links) else (given, one)


def _alike(one: set[int], two: set[int]) -> bool:
    return len(one & two) > ALIKE * min(len(one), len(two))

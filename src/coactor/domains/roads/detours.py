"""Ways round: a route's neighbourhood seen through weights, and the few other ways worth showing.

Two shortest-path trees a leg, one from its start and one to its end, know the best way through every link of
the network at once. (The literature calls such ways via-node alternatives.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coactor.kernels import roads as kernel
from coactor.protocol import Indices, Move, Vector
from coactor.search import ROUNDING, PlainLandscape

if TYPE_CHECKING:
    from coactor.domains.roads.domain import Roads, Route, Trip

AVOIDED = 0.4  # the share of a stretch that another way for it must leave out
ENOUGH = 0.6  # or the share of what the best of them leaves out, where that is less
ALIKE = 0.6  # two ways that share more of their new links than this are one to the eye
POOL = 4000  # links whose detours are surveyed, the cheapest first
LOOKED_AT = 1000  # of them, on each leg, that are compared with each other


@dataclass(frozen=True, slots=True)
class RoadView(PlainLandscape):
    """The routes of one trip through one set of weights: all detours at once, two trees a leg."""

    domain: Roads

    def gains(self, y: Route) -> Vector:
        """What each move adds to the utility, in scan order."""
        gains: Vector = self.domain.move_features(self.x, y) @ self.w
        return gains

    def _step(self, y: Route, kappa: float, best: bool) -> tuple[Move, Route] | None:
        """Among equally cheap detours the router may draw another than was foreseen: look again."""
        here = self.domain.features(self.x, y)
        least = ROUNDING * float(np.abs(self.w) @ np.abs(here))
        gains = self.gains(y)
        hopeful = np.flatnonzero((gains >= kappa) & (gains > least))
        if not hopeful.size:
            return None
        moves = list(self.domain.moves(self.x, y))
        for k in hopeful[np.argsort(-gains[hopeful], kind="stable")] if best else hopeful:
            z = self.domain.apply(self.x, y, moves[k])
            gain = float(self.w @ (self.domain.features(self.x, z) - here))
            if gain >= kappa and gain > least:
                return moves[k], z
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Another way: the edit that leads there, the route, what it changes in phi, and its gain."""

    move: Move
    route: Route
    change: Vector
    gain: float


def other_ways(
    domain: Roads, x: Trip, y: Route, first: int, last: int, w: Vector, most: int = 5
) -> list[Way]:
    """The best ways, by the weights, that avoid much of a stretch and are plainly different from each other.

    Parameters
    ----------
    domain, x, y
        The roads, the trip, and the route as it is.
    first, last
        The stretch: positions in ``y.links``, both included.
    w
        What is known of the taste.
    most
        How many at most.
    """
    if not 0 <= first <= last < len(y.links):
        raise ValueError(
            f"there is no stretch from {first} to {last}; the route has links 0 to {len(y.links) - 1}."
        )
    found, taken, seen = list[Way](), list[set[int]](), set[bytes]()
    old = set(y.links.tolist())
    for _, link, leg, drawn in sorted(_candidates(domain, x, y, first, last, w), key=lambda c: -c[0]):
        links = drawn()
        if links.tobytes() in seen:
            continue
        seen.add(links.tobytes())
        fresh = set(links.tolist()) - old
        if not fresh or any(_alike(fresh, other) for other in taken):
            continue
        taken.append(fresh)
        found.append(way_of(domain, x, y, _via(_middle(domain, x, y, link, leg, links, fresh), leg), w))
        if len(found) == most:
            break
    return sorted(found, key=lambda way: -way.gain)


def way_through(domain: Roads, x: Trip, y: Route, links: Iterable[int], w: Vector) -> Way | None:
    """The best way through one of the links, on whichever leg; None when the route passes them all."""
    wanted = np.setdiff1d(np.fromiter(links, np.int64), y.links)
    if wanted.size and (wanted.min() < 0 or wanted.max() >= domain.network.size):
        raise ValueError(f"there are links 0 to {domain.network.size - 1}; found {wanted.tolist()[:5]}.")
    if not wanted.size:
        return None
    best, least = (-1, -1), np.inf
    for leg, (turns, far, _, near, _) in enumerate(domain.trees(x, y)):
        now = far[domain.network.head[turns[-1]]] if len(turns) else 0.0
        extra = far[wanted] + near[wanted] - now
        if extra.min() < least:
            least, best = float(extra.min()), (int(wanted[extra.argmin()]), leg)
    if not np.isfinite(least):
        raise ValueError("one cannot drive there on this trip; choose another street.")
    return way_of(domain, x, y, _via(*best), w)


def way_of(domain: Roads, x: Trip, y: Route, move: Move, w: Vector) -> Way:
    """What one edit leads to."""
    z = domain.apply(x, y, move)
    change = domain.features(x, z) - domain.features(x, y)
    return Way(move, z, change, float(w @ change))


def _via(link: int, leg: int) -> Move:
    return {"op": "via", "args": [link, leg]}


def _candidates(
    domain: Roads, x: Trip, y: Route, first: int, last: int, w: Vector
) -> list[tuple[float, int, int, Callable[[], Indices]]]:
    """Ways that leave enough of the stretch out and come by nowhere twice.

    For each its gain, via-point and leg, and what draws its links: few of them are ever drawn.
    """
    network, found = domain.network, list[tuple[float, int, int, Callable[[], Indices]]]()
    tail = network.tail
    points, place = [x.origin, *y.vias, x.destination], 0
    rows, passed = domain.rows(x), [network.ends[x.origin, 0], *network.ends[y.links, 1]]
    again = np.bincount(passed, minlength=network.ends.max() + 1) > 1  # where the route itself comes by twice
    for leg, (turns, far, ahead, near, back) in enumerate(domain.trees(x, y)):
        inner = np.arange(place + 1, place + len(turns))  # its ends stay where they are
        rest = np.delete(y.links, np.arange(place, place + len(turns) + 1))
        place += len(turns)
        stretch = y.links[inner[(inner >= first) & (inner <= last)]]
        if not stretch.size:
            continue
        marked = np.zeros(network.size, dtype=bool)
        marked[stretch] = True
        taken = np.zeros(len(again), dtype=np.int8)
        taken[[network.ends[x.origin, 0], *network.ends[rest, 1]]] = 1
        taken[again] = -1
        through = far + near
        through[y.links] = np.inf
        links = np.argsort(through, kind="stable")[:POOL]
        links = links[np.isfinite(through[links])]
        a, b = points[leg], points[leg + 1]
        into, out = domain.gates(a, b, ahead, back, links)
        used, twice = kernel.survey(
            tail, network.head, ahead, back, into, out, a, b, links, network.ends, marked, taken
        )
        avoided = np.where(twice, 0, stretch.size - used)
        # Of a long straight road one via-point may avoid less: then what avoids about as much as any will do.
        good = np.flatnonzero(
            avoided >= max(1.0, min(AVOIDED * stretch.size, ENOUGH * avoided.max(initial=0)))
        )
        links, into, out = links[good], into[good], out[good]
        costs = kernel.detours(rows, tail, network.head, ahead, back, into, out, a, b, links) @ w
        now = float(rows[turns].sum(axis=0) @ w)
        for k in np.argsort(costs, kind="stable")[:LOOKED_AT].tolist():
            gates = int(into[k]), int(out[k])
            drawn = partial(kernel.way, tail, network.head, ahead, back, *gates, a, b)
            found.append((now - float(costs[k]), int(links[k]), leg, drawn))
    return found


def _middle(domain: Roads, x: Trip, y: Route, link: int, leg: int, links: Indices, fresh: set[int]) -> int:
    """The via-point in the middle of what is new, where it leads the same way: it reads best on a map."""
    new = [k for k in links.tolist() if k in fresh]
    middle = new[len(new) // 2]
    one, two = (domain.apply(x, y, _via(via, leg)).links for via in (link, middle))
    return middle if np.array_equal(one, two) else link


def _alike(one: set[int], two: set[int]) -> bool:
    return len(one & two) > ALIKE * min(len(one), len(two))

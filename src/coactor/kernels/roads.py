"""Shortest paths from link to link: the nodes of the search are links, its arcs are turns.

So turns, u-turns and habits have costs like any other arc. The caller ensures that no cost is negative.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.kernels import tolerances
from coactor.kernels.arrays import reverse
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True, nogil=True)
def tree(
    start: Indices, turns: Indices, ends: Indices, cost: Vector, source: int, target: int
) -> tuple[Vector, Indices]:
    """Dijkstra from link `source`: the cost of reaching each link, and the turn that reaches it (-1 if none).

    `turns[start[a]:start[a + 1]]` are the turns out of link a and `ends` the link each turn leads to; with
    the turns into each link instead, the tree runs backwards. Stops at `target`; -1 visits all links.
    """
    n = len(start) - 1
    distance = np.full(n, np.inf)
    reached = np.full(n, -1, np.int64)
    settled = np.zeros(n, np.bool_)
    distance[source] = 0.0
    waiting = [(0.0, source)]
    while waiting:
        key, a = heappop(waiting)
        if settled[a]:
            continue
        settled[a] = True
        if a == target:
            break
        for k in range(start[a], start[a + 1]):
            turn = turns[k]
            b = ends[turn]
            through = key + cost[turn]
            if through < distance[b]:
                distance[b] = through
                reached[b] = turn
                heappush(waiting, (through, b))
    return distance, reached


@njit(cache=True, nogil=True)
def trace(reached: Indices, near: Indices, source: int, target: int) -> Indices:
    """The turns from source to target, in order; `near` is the link at the tree's side of each turn."""
    length = 0
    link = target
    while link != source:
        link = near[reached[link]]
        length += 1
    path = np.empty(length, np.int64)
    link = target
    for k in range(length - 1, -1, -1):
        path[k] = reached[link]
        link = near[reached[link]]
    return path


@njit(cache=True, nogil=True)
def find_turns(start: Indices, head: Indices, links: Indices) -> Indices:
    """The turn between each link and the next; -1 where the network has none. Turn k leads to head[k]."""
    turns = np.full(max(0, len(links) - 1), -1, np.int64)
    for i in range(len(turns)):
        for k in range(start[links[i]], start[links[i] + 1]):
            if head[k] == links[i + 1]:
                turns[i] = k
                break
    return turns


@njit(cache=True, nogil=True)
def furthest(distance: Vector, cost: Vector, head: Indices, turns: Indices, first: int) -> int:
    """The length of the longest prefix of turns[first:] that is a shortest path, given the distances."""
    total = 0.0
    for i in range(first, len(turns)):
        total += cost[turns[i]]
        if total > distance[head[turns[i]]] * (1.0 + tolerances.PATH) + 1e-300:
            return i - first
    return len(turns) - first


@njit(cache=True, nogil=True)
def via_points(
    start: Indices, turns: Indices, head: Indices, cost: Vector, origin: int, driven: Indices
) -> Indices:
    """The positions of the fewest via-points with which a router draws a driven path.

    Every part of a shortest path is a shortest path, so extending each leg as far as possible gives the
    fewest via-points. A leg of a single turn is always possible: from one link to the next.
    """
    places = np.empty(len(driven), np.int64)
    count = 0
    done = 0
    while done < len(driven):
        link = origin if done == 0 else head[driven[done - 1]]
        distance, _ = tree(start, turns, head, cost, link, -1)
        done += max(1, furthest(distance, cost, head, driven, done))
        places[count] = done
        count += 1
    return places[: max(0, count - 1)]


@njit(cache=True, nogil=True)
def direct(
    start: Indices, turns: Indices, ends: Indices, reached: Indices, source: int, links: Indices
) -> Indices:
    """The turn between source and each link if there is one, else the turn by which the tree reaches it."""
    chosen = reached[links]
    for k in range(start[source], start[source + 1]):
        for i in range(len(links)):
            if links[i] == ends[turns[k]]:
                chosen[i] = turns[k]
    return chosen


class Trees(NamedTuple):
    """The two shortest-path trees of a leg, which contain the cheapest path through every link.

    Attributes
    ----------
    tail, head
        The links that each turn leads from and to.
    ahead, back
        The turn into each link on the way from the origin, and the turn out of it on the way to the target.
    origin, target
        The links that the leg begins and ends with.
    """

    tail: Indices
    head: Indices
    ahead: Indices
    back: Indices
    origin: int
    target: int


@njit(cache=True, nogil=True)
def turns_through(trees: Trees, into: int, out: int, turns: Indices) -> tuple[int, int]:
    """Write the turns of the cheapest path through a link: from the link back to the origin, then onwards.

    `into` and `out` are the turns before and after the link; `turns` has room for two turns per link of the
    network. Returns the number of turns up to the link, and of all.
    """
    tail, head, ahead, back = trees.tail, trees.head, trees.ahead, trees.back
    first, turn = 1, into
    turns[0] = turn
    while tail[turn] != trees.origin:
        turn = ahead[tail[turn]]
        turns[first] = turn
        first += 1
    count, turn = first + 1, out
    turns[first] = turn
    while head[turn] != trees.target:
        turn = back[head[turn]]
        turns[count] = turn
        count += 1
    return first, count


@njit(cache=True, nogil=True)
def detours(trees: Trees, into: Indices, out: Indices, rows: Matrix) -> Matrix:
    """The summed features of the cheapest path through each link, given the turns before and after it."""
    total = np.zeros((len(into), rows.shape[1]))
    turns = np.empty(2 * len(trees.ahead), np.int64)
    for i in range(len(into)):
        _, count = turns_through(trees, into[i], out[i], turns)
        for k in range(count):
            total[i] += rows[turns[k]]
    return total


@njit(cache=True, nogil=True)
def survey(
    trees: Trees,
    into: Indices,
    out: Indices,
    ends: Indices,
    marked: NDArray[np.bool_],
    blocked: NDArray[np.int8],
) -> tuple[Indices, NDArray[np.bool_]]:
    """For the cheapest path through each link: its marked links, and whether it passes a junction twice.

    `into` and `out` are those of `detours`; `ends` are the junctions each link begins and ends at. `blocked`
    is 1 for junctions that the rest of the route passes, and -1 for those that may be passed twice.
    """
    used = np.zeros(len(into), np.int64)
    twice = np.zeros(len(into), np.bool_)
    passed = np.full(ends.max() + 1, -1)
    turns = np.empty(2 * len(trees.ahead), np.int64)
    for i in range(len(into)):
        passed[ends[trees.origin, 0]] = i
        passed[ends[trees.origin, 1]] = i
        _, count = turns_through(trees, into[i], out[i], turns)
        for k in range(count):
            link = trees.head[turns[k]]
            used[i] += marked[link]
            junction = ends[link, 1]
            twice[i] |= blocked[junction] > 0 or (blocked[junction] == 0 and passed[junction] == i)
            passed[junction] = i
    return used, twice


@njit(cache=True, nogil=True)
def way(trees: Trees, into: int, out: int) -> Indices:
    """The links of the cheapest path through a link, without the origin, with the target."""
    turns = np.empty(2 * len(trees.ahead), np.int64)
    first, count = turns_through(trees, into, out, turns)
    reverse(turns, 0, first - 1)
    return trees.head[turns[:count]]

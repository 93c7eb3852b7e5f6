"""Which links of a road network meet, turn and hang together, from the junctions at their ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import Indices, Matrix, Vector

WIDEST = 15.0  # degrees that a network of roads spans at most
EQUATOR = 8.0  # degrees of latitude at which a degree of longitude is still as long, to a hundredth
TURNING = np.pi / 4  # a change of direction beyond this is a turn to the left or to the right


def successors(begin: Indices, end: Indices, *, u_turns: bool = True) -> Indices:
    """Every pair (link, next link) that meet at a junction, shape (m, 2), ordered by link.

    Parameters
    ----------
    begin, end
        The junctions each link begins and ends at.
    u_turns
        Whether one may turn back into the street one comes from. Without, only where there is no other exit.
    """
    order = np.argsort(begin, kind="stable")
    first = np.searchsorted(begin[order], end, "left")
    last = np.searchsorted(begin[order], end, "right")
    count = last - first
    tail = np.repeat(np.arange(len(begin)), count)
    offset = np.arange(len(tail)) - np.repeat(np.cumsum(count) - count, count)
    pairs = np.column_stack([tail, order[np.repeat(first, count) + offset]])
    if u_turns:
        return pairs
    back = is_u_turn(begin, end, pairs)
    has_exit = np.zeros(len(begin), dtype=bool)
    has_exit[pairs[~back, 0]] = True
    return pairs[~back | ~has_exit[tail]]


def on_plane(places: Matrix) -> Matrix:
    """Coordinates with true angles: of degrees the longitude is scaled by the cosine of the latitude.

    Coordinates are degrees if they can be, span at most 15, and lie away from 0, as small plain coordinates
    do not.
    """
    latitude = (places[:, 1].min() + places[:, 1].max()) / 2
    small = np.ptp(places, axis=0).max() <= WIDEST and (np.abs(places) <= (180.0, 90.0)).all()
    if not small or abs(latitude) < EQUATOR:
        return places
    return places * (np.cos(np.deg2rad(latitude)), 1.0)


def turn_sides(
    places: Matrix, begin: Indices, end: Indices, turns: Indices
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the turns, pairs of links, go to the left, and which go to the right."""
    places = on_plane(places)
    vectors = places[end] - places[begin]
    bearing = np.arctan2(vectors[:, 1], vectors[:, 0])
    angle: Vector = (bearing[turns[:, 1]] - bearing[turns[:, 0]] + np.pi) % (2 * np.pi) - np.pi
    return angle > TURNING, angle < -TURNING


def components(begin: Indices, end: Indices) -> Indices:
    """The connected component of each link: the lowest junction number in it."""
    group = np.arange(max(begin.max(), end.max()) + 1)
    while True:  # each junction takes the lowest number in reach; pointer jumping keeps the rounds few
        before = group.copy()
        low = np.minimum(group[begin], group[end])
        np.minimum.at(group, begin, low)
        np.minimum.at(group, end, low)
        group = group[group]
        if (group == before).all():
            component: Indices = group[begin]
            return component


def is_u_turn(begin: Indices, end: Indices, turns: Indices) -> NDArray[np.bool_]:
    """Which of the turns, pairs of links, lead back to where their first link begins."""
    a, b = turns[:, 0], turns[:, 1]
    back: NDArray[np.bool_] = (begin[b] == end[a]) & (end[b] == begin[a])
    return back

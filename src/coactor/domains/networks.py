"""Road networks: directed links, the turns between them, what they are like, and who drove there before."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor.domains import arrays
from coactor.protocol import Indices, Matrix, Vector

TURNING = np.pi / 4  # a change of direction beyond this is a turn to the left or to the right


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A directed road network, searched from link to link.

    Attributes
    ----------
    ids
        The name of each link, as the data calls it.
    start, head
        ``head[start[a]:start[a + 1]]`` are the links that may follow link a; a place in `head` is a turn.
    link_features
        One row per link, never negative.
    turn_features
        One row per turn, never negative.
    names
        What the columns are called: those of links, then those of turns.
    unit
        The length that counts as 1 in the features, so that lengths and turns are of one size.
    coordinates
        The middle of each link, shape (n, 2), for a map; optional.
    """

    ids: tuple[str, ...]
    start: Indices
    head: Indices
    link_features: Matrix
    turn_features: Matrix
    names: tuple[str, ...]
    unit: float = 1.0
    coordinates: Matrix | None = None

    @property
    def size(self) -> int:
        """The number of links."""
        return len(self.ids)

    @property
    def tail(self) -> Indices:
        """The link each turn comes from."""
        return np.repeat(np.arange(self.size), np.diff(self.start))

    @staticmethod
    def of(
        begin: Any,
        end: Any,
        length: Any,
        kind: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        turns: Any = None,
        places: Any = None,
    ) -> Network:
        """A checked network with the features a driver would name.

        They are: length on each kind of road, turns to the left and to the right (when it is known where the
        junctions lie), and u-turns.

        Parameters
        ----------
        begin, end
            The junction each link begins and ends at, numbered from 0.
        length
            How long each link is.
        kind
            The kind of road of each link; one kind for all by default.
        ids
            What the data calls the links; their numbers by default.
        turns
            The allowed pairs (link, next link), shape (m, 2); by default all that meet.
        places
            Where the junctions lie, shape (junctions, 2), x before y.
        """
        begin, end = (
            arrays.integers(begin, "the begin of the links"),
            arrays.integers(end, "the end of the links"),
        )
        n = arrays.positive(len(begin), 1, "the number of links")
        length = arrays.finite(np.asarray(length, dtype=np.float64), "lengths")
        kind = ["road"] * n if kind is None else list(kind)
        names = tuple(map(str, range(n))) if ids is None else tuple(ids)
        if not len(end) == len(length) == len(kind) == len(names) == n:
            raise ValueError(f"begin, end, length, kind and ids must be of one length; begin has {n} links.")
        if (length <= 0).any():
            bad = int(np.flatnonzero(length <= 0)[0])
            raise ValueError(f"link {names[bad]} is {length[bad]:g} long; every length must be above 0.")
        pairs = (
            _successors(begin, end)
            if turns is None
            else arrays.matrix(turns, "turns", None, 2).astype(np.int64)
        )
        start, tail, head = _rows(begin, end, pairs, names)
        _check_connected(begin, end, names)

        kinds = sorted(set(kind))
        unit = float(length.mean())
        link_features = np.zeros((n, len(kinds)))
        link_features[np.arange(n), [kinds.index(k) for k in kind]] = length / unit
        back = (begin[head] == end[tail]) & (end[head] == begin[tail])
        columns, labels, middle = [back], ["u-turns"], None
        if places is not None:
            spots = arrays.matrix(places, "places", None, 2)
            middle = (spots[begin] + spots[end]) / 2
            angle = _angles(spots, begin, end, tail, head)
            columns += [(angle > TURNING) & ~back, (angle < -TURNING) & ~back]
            labels += ["left turns", "right turns"]
        turn_features = np.column_stack(columns).astype(np.float64)
        return Network(
            names,
            start,
            head,
            link_features,
            turn_features,
            (*(f"{k} road" for k in kinds), *labels),
            unit,
            middle,
        )


class Habits:
    """How earlier trips went on after each link, as a cost of every turn: -log of its share.

    Unknown links share evenly among their exits, so nothing is ever impossible and nothing is negative.

    Examples
    --------
    >>> network = Network.of([0, 1, 1], [1, 2, 0], [1.0, 1.0, 1.0])  # after link 0: 1, or back by 2
    >>> habits = Habits(network)
    >>> habits.record([0, 1])
    >>> habits.costs().round(2).tolist()
    [0.41, 1.1, 0.0]
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.counts = np.zeros(len(network.head))
        self._tail = network.tail
        self._exits = np.diff(network.start)[self._tail]
        self._place = {
            pair: k for k, pair in enumerate(zip(self._tail.tolist(), network.head.tolist(), strict=True))
        }

    def record(self, links: Sequence[int] | Indices) -> None:
        """Remember one trip."""
        path = [int(a) for a in links]
        for pair in itertools.pairwise(path):
            self.counts[self._place[pair]] += 1.0

    def costs(self) -> Vector:
        """What each turn costs a creature of habit."""
        passed = np.bincount(self._tail, self.counts, minlength=self.network.size)[self._tail]
        return np.log((passed + self._exits) / (self.counts + 1.0))


def _successors(begin: Indices, end: Indices) -> Indices:
    """Every pair of links of which the second begins where the first ends."""
    order = np.argsort(begin, kind="stable")
    first = np.searchsorted(begin[order], end, "left")
    last = np.searchsorted(begin[order], end, "right")
    count = last - first
    tail = np.repeat(np.arange(len(begin)), count)
    offset = np.arange(len(tail)) - np.repeat(np.cumsum(count) - count, count)
    return np.column_stack([tail, order[np.repeat(first, count) + offset]])


def _rows(
    begin: Indices, end: Indices, pairs: Indices, names: Sequence[str]
) -> tuple[Indices, Indices, Indices]:
    """The turns sorted by the link they come from: row starts, from, to."""
    n = len(begin)
    wrong = (pairs < 0) | (pairs >= n)
    if wrong.any():
        raise ValueError(f"a turn names link {pairs[wrong][0]}; there are links 0 to {n - 1}.")
    apart = end[pairs[:, 0]] != begin[pairs[:, 1]]
    if apart.any():
        a, b = pairs[apart][0]
        raise ValueError(f"the turn from link {names[a]} to link {names[b]} joins links that do not meet.")
    pairs = np.unique(pairs, axis=0)
    start = np.searchsorted(pairs[:, 0], np.arange(n + 1)).astype(np.int64)
    return start, pairs[:, 0].copy(), pairs[:, 1].copy()


def pieces(begin: Indices, end: Indices) -> Indices:
    """The piece of the network each link lies in: the number of a junction that the whole piece shares."""
    group = np.arange(max(begin.max(), end.max()) + 1)
    while True:  # each junction takes the smallest number in reach; pointer jumping keeps the rounds few
        before = group.copy()
        low = np.minimum(group[begin], group[end])
        np.minimum.at(group, begin, low)
        np.minimum.at(group, end, low)
        group = group[group]
        if (group == before).all():
            found: Indices = group[begin]
            return found


def _check_connected(begin: Indices, end: Indices, names: Sequence[str]) -> None:
    """Refuse a network of several pieces: some trips would have no answer at all."""
    piece = pieces(begin, end)
    apart = np.flatnonzero(piece != piece[0])
    if len(apart):
        raise ValueError(
            f"the network falls into {len(np.unique(piece))} pieces: no road joins link {names[0]} and link "
            f"{names[apart[0]]}; add the links between them, or load the largest piece alone."
        )


def _angles(spots: Matrix, begin: Indices, end: Indices, tail: Indices, head: Indices) -> Vector:
    """The change of direction at each turn, positive to the left."""
    vectors = spots[end] - spots[begin]
    bearing = np.arctan2(vectors[:, 1], vectors[:, 0])
    change: Vector = (bearing[head] - bearing[tail] + np.pi) % (2 * np.pi) - np.pi
    return change

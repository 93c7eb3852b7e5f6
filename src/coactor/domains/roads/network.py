"""Road networks: directed links, the turns between them, and what they are like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import validation
from coactor.protocol import Indices, Matrix, Vector

TURNING = np.pi / 4  # a change of direction beyond this is a turn to the left or to the right


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A directed road network, searched from link to link.

    Attributes
    ----------
    ids
        The name of each link, as the data calls it.
    ends
        The junctions each link begins and ends at, shape (n, 2).
    start, head
        ``head[start[a]:start[a + 1]]`` are the links that may follow link a; a place in `head` is a turn.
    link_features
        One row per link, never negative.
    turn_features
        One row per turn, never negative.
    names
        What the columns are called: those of links, then those of turns.
    labels
        The same for people, with units: "main road (×84.2 m)" is counted in steps of 84.2 m.
    unit
        The length that counts as 1 in the features, so that lengths and turns are of one size.
    lengths
        How many of the first columns add up to the length of a link.
    places
        Where the junctions lie, shape (junctions, 2), x before y, for a map; optional.
    kinds, streets
        The kind of road and the name of the street of each link; optional.
    """

    ids: tuple[str, ...]
    ends: Indices
    start: Indices
    head: Indices
    link_features: Matrix
    turn_features: Matrix
    names: tuple[str, ...]
    labels: tuple[str, ...]
    unit: float = 1.0
    lengths: int = 1
    places: Matrix | None = None
    kinds: tuple[str, ...] | None = None
    streets: tuple[str, ...] | None = None

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
        length: Any = None,
        kind: Sequence[str] | None = None,
        *,
        ids: Sequence[str] | None = None,
        turns: Any = None,
        places: Any = None,
        streets: Sequence[str] | None = None,
        columns: Mapping[str, Any] | None = None,
        turn_columns: Mapping[str, Any] | None = None,
        measure: str = "m",
    ) -> Network:
        """A checked network with the features a driver would name.

        They are: length on each kind of road, turns to the left and to the right (when it is known where the
        junctions lie), and u-turns; or those that are given.

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
        streets
            The name of each link's street; empty where it has none.
        columns
            What each link is like, by name, the length (or the time) first; in place of its length by kind.
        turn_columns
            What each of the given turns is like, by name; in place of left, right and u-turns.
        measure
            What lengths are measured in.

        Examples
        --------
        >>> square = Network.of([0, 1, 2, 3], [1, 2, 3, 0], [30.0, 50.0, 30.0, 50.0], ["main", "side"] * 2)
        >>> square.labels
        ('main road (×40 m)', 'side road (×40 m)', 'u-turns')
        """
        begin, end = (
            validation.integers(begin, "the begin of the links"),
            validation.integers(end, "the end of the links"),
        )
        n = validation.positive(len(begin), 1, "the number of links")
        if length is None and not columns:
            raise ValueError("the network says neither how long its links are nor what they are like.")
        length = np.ones(n) if length is None else validation.vector(length, "lengths")
        names = tuple(map(str, range(n))) if ids is None else tuple(ids)
        if not len(end) == len(length) == len(names if kind is None else kind) == len(names) == n:
            raise ValueError(f"begin, end, length, kind and ids must be of one length; begin has {n} links.")
        if begin.min() < 0 or end.min() < 0:
            raise ValueError("a junction has a number below 0; junctions are numbered from 0.")
        if (length <= 0).any():
            bad = int(np.flatnonzero(length <= 0)[0])
            raise ValueError(f"link {names[bad]} is {length[bad]:g} long; every length must be above 0.")
        if turn_columns is not None and turns is None:
            raise ValueError("the turns have features, but nobody said which turns there are; give `turns`.")
        pairs = _successors(begin, end) if turns is None else _pairs(turns)
        start, tail, head, order = _rows(begin, end, pairs, names)
        _check_connected(begin, end, names)
        spots = None if places is None else validation.matrix(places, "places", None, 2)
        last = max(begin.max(), end.max())
        if spots is not None and last >= len(spots):
            raise ValueError(f"a link uses junction {last}; {len(spots)} junctions have a place.")

        unit, lengths = 1.0, 1
        if columns:
            link_names, link_features = _table(columns, n, "links")
            labels = link_names
        else:
            unit = float(length.mean())
            link_names, link_features = _by_kind(length / unit, kind)
            lengths = len(link_names)
            labels = tuple(f"{name} (×{unit:.4g} {measure})" for name in link_names)
        if turn_columns is not None:
            turn_names, turn_features = _table(turn_columns, len(pairs), "turns")
            turn_features = turn_features[order]
        else:
            turn_names, turn_features = _manoeuvres(begin, end, tail, head, spots)
        return Network(
            names,
            np.column_stack([begin, end]),
            start,
            head,
            link_features,
            turn_features,
            (*link_names, *turn_names),
            (*labels, *turn_names),
            unit,
            lengths,
            spots,
            None if kind is None else tuple(kind),
            validation.titles(streets, n, "links"),
        )


def _successors(begin: Indices, end: Indices) -> Indices:
    """Every pair of links of which the second begins where the first ends."""
    order = np.argsort(begin, kind="stable")
    first = np.searchsorted(begin[order], end, "left")
    last = np.searchsorted(begin[order], end, "right")
    count = last - first
    tail = np.repeat(np.arange(len(begin)), count)
    offset = np.arange(len(tail)) - np.repeat(np.cumsum(count) - count, count)
    return np.column_stack([tail, order[np.repeat(first, count) + offset]])


def _pairs(turns: Any) -> Indices:
    pairs = validation.matrix(turns, "turns", None, 2)
    if (pairs != np.floor(pairs)).any():
        raise ValueError("a turn names a link that is no whole number; give pairs of link numbers.")
    return pairs.astype(np.int64)


def _rows(
    begin: Indices, end: Indices, pairs: Indices, names: Sequence[str]
) -> tuple[Indices, Indices, Indices, Indices]:
    """The turns sorted by the link they come from: row starts, from, to, and the place each was given at."""
    n = len(begin)
    wrong = (pairs < 0) | (pairs >= n)
    if wrong.any():
        raise ValueError(f"a turn names link {pairs[wrong][0]}; there are links 0 to {n - 1}.")
    apart = end[pairs[:, 0]] != begin[pairs[:, 1]]
    if apart.any():
        a, b = pairs[apart][0]
        raise ValueError(f"the turn from link {names[a]} to link {names[b]} joins links that do not meet.")
    pairs, order = np.unique(pairs, axis=0, return_index=True)
    start = np.searchsorted(pairs[:, 0], np.arange(n + 1)).astype(np.int64)
    return start, pairs[:, 0].copy(), pairs[:, 1].copy(), order


def _table(columns: Mapping[str, Any], n: int, what: str) -> tuple[tuple[str, ...], Matrix]:
    """Named columns side by side."""
    table = np.zeros((n, len(columns)))
    for k, (name, given) in enumerate(columns.items()):
        values = validation.vector(given, f"the values of {name!r}")
        if len(values) != n:
            raise ValueError(f"feature {name!r} has {len(values)} values; there are {n} {what}.")
        if (values < 0).any():
            raise ValueError(f"feature {name!r} is {values.min():g} somewhere; costs must not be negative.")
        table[:, k] = values
    return tuple(columns), table


def _by_kind(length: Vector, kind: Sequence[str] | None) -> tuple[tuple[str, ...], Matrix]:
    """The length on each kind of road."""
    if kind is None:
        return ("length",), length[:, None].copy()
    kinds = sorted(set(kind))
    number = {name: k for k, name in enumerate(kinds)}
    table = np.zeros((len(length), len(kinds)))
    table[np.arange(len(length)), [number[k] for k in kind]] = length
    return tuple(f"{k} road" for k in kinds), table


def _manoeuvres(
    begin: Indices, end: Indices, tail: Indices, head: Indices, places: Matrix | None
) -> tuple[tuple[str, ...], Matrix]:
    """U-turns, and left and right where it is known where the junctions lie."""
    back = (begin[head] == end[tail]) & (end[head] == begin[tail])
    if places is None:
        return ("u-turns",), back[:, None].astype(np.float64)
    angle = _angles(places, begin, end, tail, head)
    table = [back, (angle > TURNING) & ~back, (angle < -TURNING) & ~back]
    return ("u-turns", "left turns", "right turns"), np.column_stack(table).astype(np.float64)


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

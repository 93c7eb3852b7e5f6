"""Road networks: directed links, the turns between them, and their features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coactor import validation
from coactor.domains.roads.topology import components, is_u_turn, successors, turn_sides
from coactor.protocol import Indices, Matrix, Vector


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Network:
    """A directed road network, searched from link to link.

    Attributes
    ----------
    ids
        The name of each link in the data.
    ends
        The junctions each link begins and ends at, shape (n, 2).
    start, head
        ``head[start[a]:start[a + 1]]`` are the links that may follow link a; an index into `head` is a turn.
    link_features
        One row per link, never negative.
    turn_features
        One row per turn, never negative.
    names
        Of the feature columns: those of links, then those of turns.
    labels
        The same for people, with units: "main road (×84.2 m)" is counted in steps of 84.2 m.
    unit
        The length that counts as 1 in the features, so that lengths and turns are of one size.
    lengths
        How many of the first columns add up to the length of a link.
    places
        Coordinates of the junctions, shape (junctions, 2), x before y, for a map; optional.
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

    def __repr__(self) -> str:
        return f"Network({self.size} links, {len(self.head)} turns, {len(self.names)} features)"

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
        """A validated network.

        By default its features are the length on each kind of road, left and right turns (if the junctions
        have coordinates), and u-turns.

        Parameters
        ----------
        begin, end
            The junction each link begins and ends at, numbered from 0.
        length
            How long each link is.
        kind
            The kind of road of each link; by default all are of one kind.
        ids
            The names of the links in the data; by default their numbers.
        turns
            The allowed pairs (link, next link), shape (m, 2); by default all links that meet.
        places
            Coordinates of the junctions, shape (junctions, 2), x before y.
        streets
            The name of each link's street; empty where it has none.
        columns
            Features of the links by name, the length (or the time) first; in place of the length by kind.
        turn_columns
            Features of the given turns by name; in place of left, right and u-turns.
        measure
            The unit of length.

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
            raise ValueError("A network needs the length of its links, or columns with their features.")
        length = np.ones(n) if length is None else validation.vector(length, "lengths")
        names = tuple(map(str, range(n))) if ids is None else tuple(ids)
        if not len(end) == len(length) == len(names if kind is None else kind) == len(names) == n:
            raise ValueError(f"begin, end, length, kind and ids must be equally long; begin has {n} links.")
        if begin.min() < 0 or end.min() < 0:
            raise ValueError("A junction has a number below 0; junctions are numbered from 0.")
        if (length <= 0).any():
            bad = int(np.flatnonzero(length <= 0)[0])
            raise ValueError(f"Link {names[bad]} has length {length[bad]:g}; every length must be above 0.")
        if turn_columns is not None and turns is None:
            raise ValueError("turn_columns needs turns: give the pairs of links that the columns describe.")
        pairs = successors(begin, end) if turns is None else _pairs(turns)
        start, tail, head, order = _rows(begin, end, pairs, names)
        _check_connected(begin, end, names)
        coordinates = None if places is None else validation.matrix(places, "places", None, 2)
        last = max(begin.max(), end.max())
        if coordinates is not None and last >= len(coordinates):
            raise ValueError(f"A link uses junction {last}; {len(coordinates)} junctions have coordinates.")

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
            turn_names, turn_features = _manoeuvres(begin, end, np.column_stack([tail, head]), coordinates)
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
            coordinates,
            None if kind is None else tuple(kind),
            validation.titles(streets, n, "links"),
        )


def _pairs(turns: Any) -> Indices:
    pairs = validation.matrix(turns, "turns", None, 2)
    if (pairs != np.floor(pairs)).any():
        raise ValueError("A turn names a link by a number that is not whole; give pairs of link numbers.")
    return pairs.astype(np.int64)


def _rows(
    begin: Indices, end: Indices, pairs: Indices, names: Sequence[str]
) -> tuple[Indices, Indices, Indices, Indices]:
    """The turns sorted by the link they come from: row starts, from, to, and the given position of each."""
    n = len(begin)
    wrong = (pairs < 0) | (pairs >= n)
    if wrong.any():
        raise ValueError(f"A turn names link {pairs[wrong][0]}; there are links 0 to {n - 1}.")
    apart = end[pairs[:, 0]] != begin[pairs[:, 1]]
    if apart.any():
        a, b = pairs[apart][0]
        raise ValueError(f"The turn from link {names[a]} to link {names[b]} joins links that do not meet.")
    pairs, order = np.unique(pairs, axis=0, return_index=True)
    start = np.searchsorted(pairs[:, 0], np.arange(n + 1)).astype(np.int64)
    return start, pairs[:, 0].copy(), pairs[:, 1].copy(), order


def _table(columns: Mapping[str, Any], n: int, what: str) -> tuple[tuple[str, ...], Matrix]:
    """Named columns side by side."""
    table = np.zeros((n, len(columns)))
    for k, (name, column) in enumerate(columns.items()):
        values = validation.vector(column, f"the values of {name!r}")
        if len(values) != n:
            raise ValueError(f"Feature {name!r} has {len(values)} values; there are {n} {what}.")
        if (values < 0).any():
            raise ValueError(f"Feature {name!r} has a value of {values.min():g}; costs must not be negative.")
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
    begin: Indices, end: Indices, turns: Indices, places: Matrix | None
) -> tuple[tuple[str, ...], Matrix]:
    """U-turns; and left and right turns where the junctions have coordinates."""
    back = is_u_turn(begin, end, turns)
    if places is None:
        return ("u-turns",), back[:, None].astype(np.float64)
    left, right = turn_sides(places, begin, end, turns)
    table = np.column_stack([back, left & ~back, right & ~back])
    return ("u-turns", "left turns", "right turns"), table.astype(np.float64)


def _check_connected(begin: Indices, end: Indices, names: Sequence[str]) -> None:
    """Raise ValueError if the network is not connected: some trips would have no solution."""
    component = components(begin, end)
    apart = np.flatnonzero(component != component[0])
    if len(apart):
        raise ValueError(
            f"The network has {len(np.unique(component))} connected components: no road joins link "
            f"{names[0]} and link {names[apart[0]]}. Add the links between them, or load the largest one."
        )

"""Road networks: directed links, the turns between them, and their features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coactor import display, validation
from coactor.domains.roads.topology import components, is_u_turn, successors, turn_sides
from coactor.protocol import Indices, Matrix, Vector


@dataclass(frozen=True, eq=False)
class Network:
    """A directed road network, searched from link to link. An index into `turns` is a turn.

    Attributes
    ----------
    ids
        The name of each link in the data.
    ends
        The junctions each link begins and ends at, shape (n, 2).
    turns
        The allowed pairs (link, next link), shape (m, 2), ordered by link.
    length
        Of each link in metres; None if columns are given.
    kinds, streets
        The kind of road and the name of the street of each link; optional.
    places
        Coordinates of the junctions, shape (junctions, 2), x before y, for a map; optional.
    columns, turn_columns
        Given features of the links and of the turns, by name; optional.
    """

    ids: tuple[str, ...]
    ends: Indices
    turns: Indices
    length: Vector | None = None
    kinds: tuple[str, ...] | None = None
    streets: tuple[str, ...] | None = None
    places: Matrix | None = None
    columns: Mapping[str, Vector] | None = None
    turn_columns: Mapping[str, Vector] | None = None

    __repr__ = display.brief("size", "turns", "names")

    @property
    def size(self) -> int:
        """The number of links."""
        return len(self.ids)

    @cached_property
    def tail(self) -> Indices:
        """The link each turn comes from."""
        return self.turns[:, 0].copy()

    @cached_property
    def head(self) -> Indices:
        """The link each turn leads to; ``head[start[a]:start[a + 1]]`` may follow link a."""
        return self.turns[:, 1].copy()

    @cached_property
    def start(self) -> Indices:
        """The first turn out of each link, and the number of turns."""
        return np.searchsorted(self.tail, np.arange(self.size + 1)).astype(np.int64)

    # -- features ----------------------------------------------------------------------------------------

    @cached_property
    def link_columns(self) -> Mapping[str, Vector]:
        """The features of the links by name, never negative: by default the length on each kind of road."""
        if self.columns:
            return self.columns
        assert self.length is not None
        length = self.length / self.unit
        if self.kinds is None:
            return {"length": length}
        kinds = np.array(self.kinds)
        return {f"{kind} road": np.where(kinds == kind, length, 0.0) for kind in sorted(set(self.kinds))}

    @cached_property
    def manoeuvres(self) -> Mapping[str, Vector]:
        """The features of the turns by name, never negative.

        By default u-turns; and left and right turns if the junctions have coordinates.
        """
        if self.turn_columns is not None:
            return self.turn_columns
        begin, end = self.ends.T
        back = is_u_turn(begin, end, self.turns)
        columns = {"u-turns": back}
        if self.places is not None:
            left, right = turn_sides(self.places, begin, end, self.turns)
            columns |= {"left turns": left & ~back, "right turns": right & ~back}
        return {name: column.astype(np.float64) for name, column in columns.items()}

    @cached_property
    def link_features(self) -> Matrix:
        """One row per link."""
        return np.column_stack(list(self.link_columns.values()))

    @cached_property
    def turn_features(self) -> Matrix:
        """One row per turn."""
        return np.column_stack(list(self.manoeuvres.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the features: those of links, then those of turns."""
        return (*self.link_columns, *self.manoeuvres)

    @property
    def unit(self) -> float:
        """The length that counts as 1 in the features, so that lengths and turns are of one size."""
        return 1.0 if self.length is None else float(self.length.mean())

    @property
    def lengths(self) -> int:
        """How many of the first features add up to the length of a link."""
        return 1 if self.columns else len(self.link_columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names for people: "main road (×84.2 m)" is counted in steps of 84.2 m."""
        unit = "" if self.length is None else f" (×{self.unit:.4g} m)"
        return (*(f"{name}{unit}" for name in self.link_columns), *self.manoeuvres)

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
    ) -> Network:
        """A validated network.

        By default its features are the length on each kind of road, left and right turns (if the junctions
        have coordinates), and u-turns.

        Parameters
        ----------
        begin, end
            The junction each link begins and ends at, numbered from 0.
        length
            How long each link is, in metres.
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
            Features of the links by name, the length (or the time) first; in place of `length`.
        turn_columns
            Features of the given turns by name; in place of left, right and u-turns.

        Examples
        --------
        >>> square = Network.of([0, 1, 2, 3], [1, 2, 3, 0], [30.0, 50.0, 30.0, 50.0], ["main", "side"] * 2)
        >>> square.labels
        ('main road (×40 m)', 'side road (×40 m)', 'u-turns')
        """
        begin = validation.integers(begin, "the begin of the links")
        end = validation.integers(end, "the end of the links")
        n = validation.positive(len(begin), 1, "the number of links")
        if length is None and not columns:
            raise ValueError("A network needs the length of its links, or columns with their features.")
        metres = None if columns else validation.vector(length, "lengths")
        names = tuple(map(str, range(n))) if ids is None else tuple(ids)
        if any(len(given) != n for given in (end, names, kind, metres) if given is not None):
            raise ValueError(f"begin, end, length, kind and ids must be equally long; begin has {n} links.")
        if begin.min() < 0 or end.min() < 0:
            raise ValueError("A junction has a number below 0; junctions are numbered from 0.")
        if metres is not None and (metres <= 0).any():
            bad = int(np.flatnonzero(metres <= 0)[0])
            raise ValueError(f"Link {names[bad]} has length {metres[bad]:g}; every length must be above 0.")
        if turn_columns is not None and turns is None:
            raise ValueError("turn_columns needs turns: give the pairs of links that the columns describe.")
        pairs = successors(begin, end) if turns is None else _pairs(turns)
        _check_turns(begin, end, pairs, names)
        _check_connected(begin, end, names)
        coordinates = None if places is None else validation.matrix(places, "places", None, 2)
        last = max(begin.max(), end.max())
        if coordinates is not None and last >= len(coordinates):
            raise ValueError(f"A link uses junction {last}; {len(coordinates)} junctions have coordinates.")
        given = None if turn_columns is None else _columns(turn_columns, len(pairs), "turns")
        pairs, order = np.unique(pairs, axis=0, return_index=True)
        return Network(
            names,
            np.column_stack([begin, end]),
            pairs,
            metres,
            None if kind is None else tuple(kind),
            validation.titles(streets, n, "links"),
            coordinates,
            _columns(columns, n, "links") if columns else None,
            None if given is None else {name: column[order] for name, column in given.items()},
        )


def _pairs(turns: Any) -> Indices:
    pairs = validation.matrix(turns, "turns", None, 2)
    if (pairs != np.floor(pairs)).any():
        raise ValueError("A turn names a link by a number that is not whole; give pairs of link numbers.")
    return pairs.astype(np.int64)


def _check_turns(begin: Indices, end: Indices, pairs: Indices, names: Sequence[str]) -> None:
    """Raise ValueError if a turn joins links that do not meet."""
    wrong = (pairs < 0) | (pairs >= len(begin))
    if wrong.any():
        raise ValueError(f"A turn names link {pairs[wrong][0]}; there are links 0 to {len(begin) - 1}.")
    apart = end[pairs[:, 0]] != begin[pairs[:, 1]]
    if apart.any():
        a, b = pairs[apart][0]
        raise ValueError(f"The turn from link {names[a]} to link {names[b]} joins links that do not meet.")


def _columns(given: Mapping[str, Any], n: int, what: str) -> dict[str, Vector]:
    """Validated features by name."""
    columns = {name: validation.vector(column, f"the values of {name!r}") for name, column in given.items()}
    for name, values in columns.items():
        if len(values) != n:
            raise ValueError(f"Feature {name!r} has {len(values)} values; there are {n} {what}.")
        if (values < 0).any():
            raise ValueError(f"Feature {name!r} has a value of {values.min():g}; costs must not be negative.")
    return columns


def _check_connected(begin: Indices, end: Indices, names: Sequence[str]) -> None:
    """Raise ValueError if the network is not connected: some trips would have no solution."""
    component = components(begin, end)
    apart = np.flatnonzero(component != component[0])
    if len(apart):
        counts = np.unique(component, return_counts=True)[1]
        raise ValueError(
            f"The network has {len(counts)} connected components ({counts.max()} of {len(names)} links in "
            f"the largest). No road joins link {names[0]} and link {names[apart[0]]}; add it, or load the "
            "largest one: read_network(..., largest=True)."
        )

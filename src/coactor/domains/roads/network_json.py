"""A road network as JSON-able data and back, validated before anything large is allocated.

    {"links": {"from": [0, 1], "to": [1, 0], "length": [80.0, 80.0], "street": ["Mill Lane", "Mill Lane"]},
     "nodes": {"x": [0.0, 80.0], "y": [0.0, 0.0]}}

``links`` also takes ``id`` and ``kind``; ``turns`` holds the allowed pairs, ``from`` and ``to``, as link
numbers. ``features`` of links or turns, a list of ``{"name": ..., "values": [...]}``, replace those that
`Network.of` would derive. `encode` writes all features, so that decoding gives the same network bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coactor import validation
from coactor.domains.roads.network import Network
from coactor.protocol import Indices, Matrix

LINKS = 100_000
TURNS = 1_000_000
FEATURES = 100
NUMBERS = 20_000_000  # turns times features, which the router holds in memory
TEXT = 200  # characters of a name

_KEYS = {
    "the network": {"links", "turns", "nodes", "unit", "lengths", "measure"},
    "links": {"id", "from", "to", "length", "kind", "street", "features"},
    "turns": {"from", "to", "features"},
    "nodes": {"x", "y"},
}


def encode(network: Network) -> dict[str, Any]:
    """The network as JSON-able data."""
    _check_size(network.size, len(network.head), len(network.names))
    split = network.link_features.shape[1]
    links: dict[str, Any] = {
        "id": list(network.ids),
        "from": network.ends[:, 0].tolist(),
        "to": network.ends[:, 1].tolist(),
        "features": _columns(network.names[:split], network.labels[:split], network.link_features),
    }
    if network.kinds is not None:
        links["kind"] = list(network.kinds)
    if network.streets is not None:
        links["street"] = list(network.streets)
    turns = {
        "from": network.tail.tolist(),
        "to": network.head.tolist(),
        "features": _columns(network.names[split:], network.labels[split:], network.turn_features),
    }
    data = {"links": links, "turns": turns, "unit": network.unit, "lengths": network.lengths}
    if network.places is not None:
        data["nodes"] = {"x": network.places[:, 0].tolist(), "y": network.places[:, 1].tolist()}
    return data


def decode(data: Any) -> Network:
    """A network from JSON-able data. Raises ValueError if the data is malformed or too large."""
    _object(data, "the network")
    links = _object(validation.entry(data, "links", "the network"), "links")
    begin, end = (
        validation.integers(validation.entry(links, key, "links"), f"{key!r} of the links")
        for key in ("from", "to")
    )
    n = len(begin)
    _check_size(n)
    if len(end) != n:
        raise ValueError(f"{n} links have a 'from' and {len(end)} a 'to'; each link needs both.")
    places = _places(data)
    _check_junctions(begin, end, 2 * n if places is None else len(places))
    pairs, turns = None, data.get("turns")
    if turns is not None:
        pairs = _pairs(_object(turns, "turns"))
    count = len(pairs) if pairs is not None else int(np.bincount(begin, minlength=end.max() + 1)[end].sum())
    columns, labels = _features(links, "links")
    turn_columns, turn_labels = _features(turns, "turns")
    kind = _texts(links, "kind", n)
    _check_size(n, count, len(columns or set(kind or ["road"])) + len(turn_columns or "lru"))
    ids, streets, measure = _texts(links, "id", n), _texts(links, "street", n), data.get("measure", "m")
    if ids is not None and len(set(ids)) < n:
        raise ValueError("Two links have the same id; ids must be unique.")
    if not isinstance(measure, str) or len(measure) > 8:
        raise ValueError(f"'measure' is {str(measure)[:60]!r}; expected a unit of length, such as 'm'.")
    network = Network.of(
        begin,
        end,
        links.get("length"),
        kind,
        ids=ids,
        turns=pairs,
        places=places,
        streets=streets,
        columns=columns,
        turn_columns=turn_columns,
        measure=measure,
    )
    return _with_labels(network, data, labels, turn_labels)


def _with_labels(network: Network, data: Any, labels: Sequence[str], turn_labels: Sequence[str]) -> Network:
    """Add what `encode` stores and `Network.of` cannot derive: labels, unit and number of length columns."""
    if not labels:
        return network
    unit, lengths = data.get("unit", 1.0), data.get("lengths", 1)
    if isinstance(unit, bool) or not isinstance(unit, int | float) or not unit > 0:
        raise ValueError(f"'unit' is {str(unit)[:60]!r}; expected the length that counts as 1.")
    if validation.positive(lengths, 1, "'lengths'") > len(labels):
        raise ValueError(f"'lengths' is {lengths}; links have {len(labels)} features.")
    every = (*labels, *(turn_labels or network.labels[len(labels) :]))
    return replace(network, unit=float(unit), lengths=lengths, labels=every)


def _columns(names: Sequence[str], labels: Sequence[str], table: Matrix) -> list[dict[str, Any]]:
    return [
        {"name": name, "label": label, "values": table[:, k].tolist()}
        for k, (name, label) in enumerate(zip(names, labels, strict=True))
    ]


def _object(data: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise ValueError(f"{what} is a {type(data).__name__}; expected an object.")
    unknown = sorted(map(str, set(data) - _KEYS[what]))
    if unknown:
        allowed = ", ".join(sorted(_KEYS[what]))
        raise ValueError(f"{what} has an unknown entry {unknown[0][:60]!r}; expected some of {allowed}.")
    return data


def _check_size(links: int, turns: int = 1, wide: int = 1) -> None:
    if not 1 <= links <= LINKS:
        raise ValueError(f"The network has {links} links; expected 1 to {LINKS}.")
    if not 1 <= turns <= TURNS or wide > FEATURES or turns * wide > NUMBERS:
        raise ValueError(
            f"The network has {turns} turns and {wide} features; expected 1 to {TURNS} turns, at most "
            f"{FEATURES} features and {NUMBERS} numbers in all."
        )


def _places(data: Mapping[str, Any]) -> Matrix | None:
    if data.get("nodes") is None:
        return None
    nodes = _object(data["nodes"], "nodes")
    x, y = (
        validation.vector(validation.entry(nodes, key, "nodes"), f"{key!r} of the nodes")
        for key in ("x", "y")
    )
    if len(x) != len(y) or len(x) > 2 * LINKS:
        raise ValueError(
            f"nodes has {len(x)} x and {len(y)} y; expected the same number of both, up to {2 * LINKS}."
        )
    return np.column_stack([x, y])


def _check_junctions(begin: Indices, end: Indices, most: int) -> None:
    for numbers in (begin, end):
        wrong = (numbers < 0) | (numbers >= most)
        if wrong.any():
            raise ValueError(
                f"A link begins or ends at junction {numbers[wrong][0]}; junctions are 0 to {most - 1}."
            )


def _pairs(turns: Mapping[str, Any]) -> Indices:
    tail, head = (
        validation.integers(validation.entry(turns, key, "turns"), f"{key!r} of the turns")
        for key in ("from", "to")
    )
    if len(tail) != len(head):
        raise ValueError(f"{len(tail)} turns have a 'from' and {len(head)} a 'to'; each turn needs both.")
    return np.column_stack([tail, head])


def _texts(links: Mapping[str, Any], key: str, n: int) -> tuple[str, ...] | None:
    return validation.titles(links.get(key), n, f"links ({key})")


def _features(part: Any, what: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Named columns, and their labels."""
    given = None if part is None else part.get("features")
    if given is None:
        return None, []
    if not isinstance(given, Sequence) or isinstance(given, str) or not 1 <= len(given) <= FEATURES:
        raise ValueError(f"The features of {what} must be a list of 1 to {FEATURES} objects.")
    columns, labels = dict[str, Any](), []
    for one in given:
        name = validation.entry(one, "name", f"a feature of {what}")
        label = one.get("label", name)
        if not isinstance(name, str) or not isinstance(label, str) or max(len(name), len(label)) > TEXT:
            raise ValueError(
                f"A feature of {what} has the name {str(name)[:60]!r}; expected text of at most {TEXT}."
            )
        if name in columns:
            raise ValueError(f"{what} has two features called {name[:60]!r}; names must be unique.")
        columns[name] = validation.entry(one, "values", f"feature {name[:60]!r}")
        labels.append(label)
    return columns, labels

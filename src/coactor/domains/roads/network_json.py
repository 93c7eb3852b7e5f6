"""A road network as JSON-able data and back, validated before anything large is allocated.

    {"links": {"from": [0, 1], "to": [1, 0], "length": [80.0, 80.0], "street": ["Mill Lane", "Mill Lane"]},
     "nodes": {"x": [0.0, 80.0], "y": [0.0, 0.0]}}

``links`` also takes ``id`` and ``kind``; ``turns`` holds the allowed pairs, ``from`` and ``to``, as link
numbers. ``features`` of links or turns, a list of ``{"name": ..., "values": [...]}``, replace those that
a network derives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coactor import validation
from coactor.domains.roads.network import Network
from coactor.protocol import Indices, Matrix, Vector

LINKS = 100_000
TURNS = 1_000_000
FEATURES = 100
NUMBERS = 20_000_000  # turns times features, which the router holds in memory

_KEYS = {
    "the network": {"links", "turns", "nodes"},
    "links": {"id", "from", "to", "length", "kind", "street", "features"},
    "turns": {"from", "to", "features"},
    "nodes": {"x", "y"},
}


def encode(network: Network) -> dict[str, Any]:
    """The network as JSON-able data."""
    _check_size(network.size, len(network.turns), len(network.names))
    links = {
        "id": list(network.ids),
        "from": network.ends[:, 0].tolist(),
        "to": network.ends[:, 1].tolist(),
        "length": None if network.length is None else network.length.tolist(),
        "kind": None if network.kinds is None else list(network.kinds),
        "street": None if network.streets is None else list(network.streets),
        "features": _list(network.columns),
    }
    turns = {
        "from": network.tail.tolist(),
        "to": network.head.tolist(),
        "features": _list(network.turn_columns),
    }
    places = network.places
    nodes = None if places is None else {"x": places[:, 0].tolist(), "y": places[:, 1].tolist()}
    return _without_none({"links": _without_none(links), "turns": _without_none(turns), "nodes": nodes})


def decode(data: Any) -> Network:
    """A network from JSON-able data. Raises ValueError if the data is malformed or too large."""
    _object(data, "the network")
    links = _object(validation.entry(data, "links", "the network"), "links")
    begin, end = _from_to(links, "links")
    n = len(begin)
    _check_size(n)
    places, turns = _places(data), data.get("turns")
    _check_junctions(begin, end, 2 * n if places is None else len(places))
    pairs = None if turns is None else np.column_stack(_from_to(_object(turns, "turns"), "turns"))
    count = len(pairs) if pairs is not None else int(np.bincount(begin, minlength=end.max() + 1)[end].sum())
    columns, turn_columns = _features(links, "links"), _features(turns, "turns")
    ids, kind, street = (
        validation.titles(links.get(key), n, f"links ({key})") for key in ("id", "kind", "street")
    )
    _check_size(n, count, len(columns or set(kind or ["road"])) + len(turn_columns or "lru"))
    if ids is not None and len(set(ids)) < n:
        raise ValueError("Two links have the same id; ids must be unique.")
    return Network.of(
        begin,
        end,
        links.get("length"),
        kind,
        ids=ids,
        turns=pairs,
        places=places,
        streets=street,
        columns=columns,
        turn_columns=turn_columns,
    )


def _without_none(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


def _list(columns: Mapping[str, Vector] | None) -> list[dict[str, Any]] | None:
    if columns is None:
        return None
    return [{"name": name, "values": values.tolist()} for name, values in columns.items()]


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


def _from_to(part: Mapping[str, Any], what: str) -> tuple[Indices, Indices]:
    one, two = (
        validation.integers(validation.entry(part, key, what), f"{key!r} of the {what}")
        for key in ("from", "to")
    )
    if len(one) != len(two):
        raise ValueError(f"{len(one)} {what} have a 'from' and {len(two)} a 'to'; each needs both.")
    return one, two


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


def _features(part: Any, what: str) -> dict[str, Any] | None:
    """Features by name."""
    given = None if part is None else part.get("features")
    if given is None:
        return None
    if not isinstance(given, Sequence) or isinstance(given, str) or not 1 <= len(given) <= FEATURES:
        raise ValueError(f"The features of {what} must be a list of 1 to {FEATURES} objects.")
    named = [validation.entry(one, "name", f"a feature of {what}") for one in given]
    names = validation.titles(named, len(given), f"features of {what}") or ()
    if len(set(names)) < len(names):
        raise ValueError(f"Two features of {what} have the same name; names must be unique.")
    return {
        name: validation.entry(one, "values", "a feature") for name, one in zip(names, given, strict=True)
    }

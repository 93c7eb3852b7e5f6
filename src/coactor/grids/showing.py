"""A solution as a grid to draw: plain data, for the page's grid editor and for any other program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from coactor.grids.instances import Instance
from coactor.protocol import Indices

PLACES = 5  # named in one sentence


class Broken(NamedTuple):
    """A rule that a solution breaks, where, and by how much."""

    rule: str
    place: str
    amount: float


def grid(x: Instance, y: Indices, margins: Sequence[str]) -> dict[str, Any]:
    """Names on the axes, cells, and the counts beside them, each with the positions it belongs to."""
    over, choose = x.schema.over, x.schema.choose
    shown = []
    for name, (rows, counts) in zip(margins, x.margins.values(y), strict=True):
        index = {axis: at.tolist() for axis, at in zip(rows.axes, rows.index, strict=True)}
        shown.append({"name": name, "at": index, "counts": counts.tolist()})
    return {
        "kind": "grid",
        "over": list(over),
        "choose": list(choose),
        "names": {axis: list(names) for axis, names in x.positions.items()},
        "swaps": [over[axis] for axis in x.schema.swaps],
        "along": over[x.schema.along],
        "longest": x.schema.longest if set(x.schema.swaps) - {x.schema.along} else 1,
        "cells": y.tolist(),
        "margins": shown,
    }


def sentence(broken: Sequence[Broken]) -> str:
    """Every rule broken, each with its first places."""
    places: dict[str, list[str]] = {}
    for rule, place, _ in broken:
        places.setdefault(rule, []).append(place)
    texts = [f"{r!r} ({'; '.join(p[:PLACES])}{' ...' if p[PLACES:] else ''})" for r, p in places.items()]
    return ("the rule " if len(texts) == 1 else "the rules ") + ", ".join(texts).replace(" ()", "")

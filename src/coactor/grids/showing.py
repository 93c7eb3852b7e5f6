"""A solution as a grid to draw: plain data, for the page's grid editor and for any other program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from coactor.grids.instances import Instance
from coactor.kernels.grids import KEPT
from coactor.protocol import Indices, Vector

PLACES = 5  # named in one sentence


class Broken(NamedTuple):
    """A rule that a solution breaks, where, and by how much."""

    rule: str
    place: str
    amount: float


def named(x: Instance, rules: Sequence[str], amounts: Vector) -> list[Broken]:
    """The places with an amount above 0, of all where a rule can be broken."""
    ends = np.cumsum([rows.constant.size for rows in x.places.rows], dtype=np.int64)
    out = []
    for k in np.flatnonzero(amounts > KEPT).tolist():
        rule = int(x.rule[k])
        rows = x.places.rows[rule]
        place = x.place(rows, k - int(ends[rule]) + rows.constant.size)
        out.append(Broken(rules[rule], place, float(amounts[k])))
    return out


def colours(given: Mapping[str, str]) -> dict[str, str]:
    """Colours with six digits. Raises ValueError if one has neither three nor six."""
    out = {}
    for name, colour in given.items():
        if not re.fullmatch("#([0-9a-fA-F]{3}){1,2}", str(colour)):
            raise ValueError(f"The colour of {name!r} is {colour!r}; expected '#rgb' or '#rrggbb'.")
        out[name] = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
    return out


def grid(x: Instance, y: Indices, margins: Mapping[str, bool]) -> dict[str, Any]:
    """Names on the axes, cells, and the counts beside them, each with the positions it belongs to.

    `margins` says by their names which counts are followed by what they are short of a need.
    """
    over, choose = x.schema.over, x.schema.choose
    values, shown = iter(x.margins.values(y)), []
    for name, needed in margins.items():
        rows, counts = next(values)
        index = {axis: at.tolist() for axis, at in zip(rows.axes, rows.index, strict=True)}
        shown.append({"name": name, "at": index, "counts": counts.tolist()})
        if needed:
            shown[-1]["need"] = (counts - next(values)[1]).tolist()
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


def marks(x: Instance, y: Indices, symbols: Mapping[str, str]) -> list[dict[str, Any]]:
    """The symbol of each kind of data, and the cells or the positions on one axis where they are not 0."""
    out: list[dict[str, Any]] = []
    for name, symbol in symbols.items():
        axes, data = x.schema.field(name).axes, x.data[name] != 0
        if len(axes) == 1 and len(x.shape) > 1:
            out.append({"name": name, "symbol": symbol, "axis": axes[0], "at": np.flatnonzero(data).tolist()})
            continue
        every = x.schema.over + x.schema.choose
        sizes = [len(x.positions[axis]) for axis in every]
        data = data.transpose([axes.index(axis) for axis in every if axis in axes])
        data = data.reshape([size if axis in axes else 1 for axis, size in zip(every, sizes, strict=True)])
        wide = np.broadcast_to(data, sizes).reshape(y.size, -1)
        cells = np.flatnonzero(wide[np.arange(y.size), y.ravel()])
        out.append({"name": name, "symbol": symbol, "axis": None, "at": cells.tolist()})
    return out


def sentence(broken: Sequence[Broken]) -> str:
    """Every rule broken, each with its first places."""
    places: dict[str, list[str]] = {}
    for rule, place, _ in broken:
        places.setdefault(rule, []).append(place)
    texts = [f"{r!r} ({'; '.join(p[:PLACES])}{' ...' if p[PLACES:] else ''})" for r, p in places.items()]
    return ("the rule " if len(texts) == 1 else "the rules ") + ", ".join(texts).replace(" ()", "")

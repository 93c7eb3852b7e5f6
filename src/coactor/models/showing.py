"""A solution as a grid to draw: plain data, for the page's grid editor and for any other program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coactor.kernels import grids
from coactor.models.instances import Instance
from coactor.protocol import Indices


def grid(x: Instance, y: Indices, margins: Sequence[str]) -> dict[str, Any]:
    """Names on the axes, cells, and the counts beside them, each with the positions it belongs to."""
    over, choose = x.schema.over, x.schema.choose
    counts, shown = grids.evaluate(x.margins, y.ravel())[1], []
    for name, rows in zip(margins, x.margin_rows, strict=True):
        index = {axis: at.tolist() for axis, at in zip(rows.axes, rows.index, strict=True)}
        own, counts = np.split(counts, [rows.constant.size])
        shown.append({"name": name, "at": index, "counts": own.reshape(rows.constant.shape).tolist()})
    return {
        "kind": "grid",
        "over": list(over),
        "choose": list(choose),
        "names": {axis: list(x.positions[axis]) for axis in over + choose},
        "cells": y.tolist(),
        "margins": shown,
    }

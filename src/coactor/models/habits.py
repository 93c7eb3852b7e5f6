"""Habits in grids: which choices are usual in which cells, as one more wish for each kind of habit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coactor.memory import place_and_choice
from coactor.models.instances import Instance
from coactor.protocol import Indices, Usage


def parts(x: Instance, y: Indices) -> list[tuple[str, ...]]:
    """The names of each cell with those of its choice."""
    over, choose = x.schema.over, x.schema.choose
    return [(*x.name(over, c), *x.name(choose, k)) for c, k in enumerate(y.ravel().tolist())]


def extend(x: Instance, wishes: int, usage: Usage) -> Instance:
    """A problem whose outputs after the wishes count how unusual the choices are."""
    width = x.phi.choices
    cells = np.arange(int(np.prod(x.shape)))
    known = {
        place_and_choice(part): c * width + k
        for k in range(width)
        for c, part in enumerate(parts(x, np.full_like(cells, k)))
    }
    pairs = zip(usage.given, usage.choice, strict=True)
    literal = np.array([known.get(pair, -1) for pair in pairs], np.int64)
    circuit = x.wishes.with_costs(wishes, literal[literal >= 0], usage.costs[literal >= 0])
    return replace(x, wishes=circuit, phi=circuit.program(weight=x.signs))

"""Which cells cause what is counted: each count is divided among the cells that it depends on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coactor.grids.circuits import Circuit
from coactor.kernels.grids import KEPT, SPREAD, evaluate
from coactor.protocol import Indices, Matrix, Vector


def by_cell(circuit: Circuit, y: Indices, group: Indices, count: int) -> Matrix:
    """Each cell's part of each group of outputs; the parts of a group add up to the sum of its outputs."""
    parts = np.zeros((y.size, count))
    for k, cells, amounts in divided(circuit, y):
        parts[cells, group[k]] += amounts
    return parts


def divided(circuit: Circuit, y: Indices) -> Iterator[tuple[int, Indices, Vector]]:
    """Each output that is not 0, the cells that cause it, and what each of them adds to it.

    An output goes to the cells whose other choices would bring it nearer to 0, in proportion; where no cell
    could, to all cells that it depends on.
    """
    c, n, width, now = circuit, circuit.kind.size, circuit.choices, y.ravel()
    sums, outputs = evaluate(c.program(), now)
    value = np.empty(n)
    value[np.argsort(c.level, kind="stable")] = sums
    order = np.argsort(c.target, kind="stable")
    start = np.searchsorted(c.target[order], np.arange(-c.outputs.size, n + 1))
    for k in np.flatnonzero(np.abs(outputs) > KEPT).tolist():
        literals, influence = _influence(c, value, order, start, k)
        cells, row = np.unique(literals // width, return_inverse=True)
        table = np.zeros((cells.size, width))
        np.add.at(table, (row, literals % width), influence)
        here = table[np.arange(cells.size), now[cells]]
        share = here - table.min(axis=1) if outputs[k] > 0 else table.max(axis=1) - here
        if not cells.size:
            cells, share = np.arange(now.size), np.ones(now.size)
        elif not share.any():
            share = np.ones(cells.size)
        yield k, cells[share > 0], outputs[k] * share[share > 0] / share.sum()


def _influence(
    c: Circuit, value: Vector, order: Indices, start: Indices, output: int
) -> tuple[Indices, Vector]:
    """The literals that an output depends on, and in which direction and how much."""
    literals, influence, open_nodes = [], [], [(-1 - output, 1.0)]
    while open_nodes:
        node, factor = open_nodes.pop()
        arcs = order[start[node + c.outputs.size] : start[node + c.outputs.size + 1]]
        source, coef = c.source[arcs], factor * c.coef[arcs]
        if node >= 0 and c.kind[node] == SPREAD:  # its largest members raise it, its smallest lower it
            members = value[source - c.literals]
            ends = np.where(members == members.max(), 1.0, 0.0) - (members == members.min())
            source, coef = source[ends != 0], (coef * ends)[ends != 0]
        own = source < c.literals
        literals.append(source[own])
        influence.append(coef[own])
        inner = zip((source[~own] - c.literals).tolist(), coef[~own].tolist(), strict=True)
        open_nodes.extend(inner)
    return np.concatenate(literals), np.concatenate(influence)

"""Circuits: what a model counts, as a graph from literals through nodes to outputs.

Expressions lower themselves to a circuit; kernels evaluate it, CP-SAT optimises it. Columns are what arcs
start from: 0 to literals - 1 are literals ("cell c has choice k"), literals + t is node t.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor.kernels.grids import LINEAR, SPREAD, Program
from coactor.protocol import Indices, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """Affine expressions of columns, one for each combination of positions on some axes.

    Attributes
    ----------
    axes
        Their names, in the order of the arrays' dimensions.
    index
        Which positions on each axis there are.
    constant
        The constant of each expression.
    column, coef
        Its other terms; the last dimension counts them.
    """

    axes: tuple[str, ...]
    index: tuple[Indices, ...]
    constant: NDArray[np.float64]
    column: NDArray[np.int64]
    coef: NDArray[np.float64]

    def take(self, axis: str, where: Indices) -> Affine:
        """Other positions on an axis, given by their place among the present ones."""
        d = self.axes.index(axis)
        index = (*self.index[:d], self.index[d][where], *self.index[d + 1 :])
        constant, column, coef = self.constant, self.column, self.coef
        return Affine(self.axes, index, constant.take(where, d), column.take(where, d), coef.take(where, d))

    def summed(self, axes: tuple[str, ...]) -> Affine:
        """Summed over every axis that is not named, in the order of the names."""
        keep = [self.axes.index(axis) for axis in axes]
        order = keep + [d for d in range(len(self.axes)) if d not in keep]
        shape = self.constant.transpose(order).shape
        terms = (*shape[: len(keep)], int(np.prod(shape[len(keep) :])) * self.column.shape[-1])
        constant = self.constant.transpose(order).sum(axis=tuple(range(len(keep), len(order))))
        column, coef = (a.transpose(*order, -1).reshape(terms) for a in (self.column, self.coef))
        return Affine(axes, tuple(self.index[d] for d in keep), constant, column, coef)


class Circuit:
    """Collects nodes and outputs.

    Attributes
    ----------
    literals, choices
        How many literals there are, and how many of them belong to one cell.
    kind, level, constant
        Of each node. A node is created after those it depends on.
    source, target, coef
        Arcs from a column to a node or, if the target is -1 - k, to output k. An arc from a member to its
        SPREAD has coefficient 0.
    outputs
        The constant of each output.
    """

    def __init__(self, literals: int, choices: int) -> None:
        self.literals, self.choices = literals, choices
        self.kind, self.level, self.source, self.target = (np.empty(0, np.int64) for _ in range(4))
        self.constant, self.coef, self.outputs = (np.empty(0) for _ in range(3))

    def nodes(self, rows: Affine, kind: int) -> Affine:
        """One node for each expression."""
        count, first = rows.constant.size, self.kind.size
        made = first + np.arange(count).reshape(rows.constant.shape)
        row, column = np.broadcast_arrays(made[..., None], rows.column)
        key, where = np.unique(row.ravel() * (self.literals + first) + column.ravel(), return_inverse=True)
        coef = np.bincount(where, rows.coef.ravel(), key.size)  # the same column may occur several times
        row, column = np.divmod(key[coef != 0.0], self.literals + first)
        level = np.zeros(first + count, np.int64)
        inner = column >= self.literals
        np.maximum.at(level, row[inner], self.level[column[inner] - self.literals] + 1)
        self._arcs(column, row, coef[coef != 0.0])
        self._append(kind, level[first:], rows.constant.ravel())
        one = np.ones((*made.shape, 1))
        return Affine(rows.axes, rows.index, np.zeros(made.shape), self.literals + made[..., None], one)

    def spread(self, rows: Affine, axis: str) -> Affine:
        """Largest minus smallest along an axis."""
        groups = self.nodes(rows, LINEAR).summed(tuple(a for a in rows.axes if a != axis))
        made = self.kind.size + np.arange(groups.constant.size).reshape(groups.constant.shape)
        level = (self.level[groups.column - self.literals] + 1).max(axis=-1)
        target = np.broadcast_to(made[..., None], groups.column.shape)
        self._arcs(groups.column.ravel(), target.ravel(), np.zeros(target.size))
        self._append(SPREAD, level.ravel(), np.zeros(made.size))
        one = np.ones((*made.shape, 1))
        return Affine(groups.axes, groups.index, groups.constant, self.literals + made[..., None], one)

    def output(self, rows: Affine, each: bool = False) -> None:
        """One more output, the sum of the expressions; or, with `each`, one for each of them."""
        if not each:
            rows = rows.summed(())
        index = self.outputs.size + np.arange(rows.constant.size).reshape(*rows.constant.shape, 1)
        keep = rows.coef != 0.0
        self._arcs(rows.column[keep], -1 - np.broadcast_to(index, keep.shape)[keep], rows.coef[keep])
        self.outputs = np.append(self.outputs, rows.constant)

    def with_costs(self, first: int, literals: Indices, costs: NDArray[np.float64]) -> Circuit:
        """A copy whose outputs from `first` on sum costs of literals, one column each; 1 for other literals.

        Every cell has one choice, so that a literal that is not given adds 1.
        """
        copy, count = Circuit(self.literals, self.choices), costs.shape[1]
        keep = self.target >= -first  # arcs to nodes and to the first outputs
        copy.kind, copy.level, copy.constant = self.kind, self.level, self.constant
        columns = np.repeat(literals, count), np.tile(-1 - first - np.arange(count), literals.size)
        copy.source = np.append(self.source[keep], columns[0])
        copy.target = np.append(self.target[keep], columns[1])
        copy.coef = np.append(self.coef[keep], costs.ravel() - 1.0)
        copy.outputs = np.append(self.outputs[:first], np.full(count, self.literals / self.choices))
        return copy

    def program(self, group: Any = None, weight: Any = 1.0, count: int = 1) -> Program:
        """The arrays for the kernels. Output k, times weight[k], is part of output group[k] of `count`."""
        size, n = self.outputs.size, self.kind.size
        into, count = (np.arange(size), size) if group is None else (np.broadcast_to(group, size), count)
        weights = np.broadcast_to(np.asarray(weight, np.float64), size)
        order = np.argsort(self.level, kind="stable")
        number = np.empty(n + size, np.int64)  # indexed by target: outputs are -1, -2, ...
        number[order], number[n:] = np.arange(n), n + into[::-1]
        scale = np.append(np.ones(n), weights[::-1])[self.target]
        inner = self.source >= self.literals
        column = self.source.copy()
        column[inner] = self.literals + number[column[inner] - self.literals]
        start, to, coef = _sorted(column, number[self.target], self.coef * scale, self.literals + n)
        member = np.append(self.kind == SPREAD, np.zeros(size, bool))[self.target]
        member_start, members, _ = _sorted(
            number[self.target[member]], column[member] - self.literals, self.coef[member], n
        )
        level = self.level[order]
        return Program(
            self.literals,
            self.choices,
            start,
            to,
            coef,
            self.kind[order],
            level,
            np.searchsorted(level, np.arange(int(level.max(initial=-1)) + 2)),
            self.constant[order],
            np.bincount(into, self.outputs * weights, count).astype(np.float64),
            member_start,
            members,
        )

    def _arcs(self, source: Indices, target: Indices, coef: Vector) -> None:
        self.source = np.append(self.source, source)
        self.target = np.append(self.target, target)
        self.coef = np.append(self.coef, coef)

    def _append(self, kind: int, level: Indices, constant: Vector) -> None:
        self.kind = np.append(self.kind, np.full(level.size, kind))
        self.level = np.append(self.level, level)
        self.constant = np.append(self.constant, constant)


def _sorted(column: Indices, to: Indices, coef: Vector, count: int) -> tuple[Indices, Indices, Vector]:
    order = np.argsort(column, kind="stable")
    return np.searchsorted(column[order], np.arange(count + 1)), to[order], coef[order]

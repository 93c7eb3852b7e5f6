"""Circuits: what a model counts, as a graph from literals through nodes to outputs.

Expressions lower themselves to a circuit; kernels evaluate it, CP-SAT optimises it. Columns are what arcs
start from: 0 to literals - 1 are literals ("cell c has choice k"), literals + t is node t.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coactor.kernels.grids import LINEAR, POSITIVE, SPREAD, Program
from coactor.protocol import Indices, Vector

Names: TypeAlias = Mapping[str, tuple[str, ...]]
"""The names on each axis."""


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
    """What one problem counts: collects nodes and outputs.

    Attributes
    ----------
    positions, data
        The names on each axis of the problem, and its arrays.
    lowered
        The expressions that are part of it already.
    literals, choices
        How many literals there are, and how many of them belong to one cell.
    kind, level, constant
        Of each node. A node is created after those it depends on.
    source, target, coef
        Arcs from a column to a node or, if the target is -1 - k, to output k.
    outputs
        The constant of each output.
    """

    def __init__(self, positions: Names, data: Mapping[str, Any], cells: int, choices: int) -> None:
        self.positions, self.data, self.lowered = positions, data, dict[Any, Affine]()
        self.literals, self.choices = cells * choices, choices
        self.kind, self.level, self.source, self.target = (np.empty(0, np.int64) for _ in range(4))
        self.constant, self.coef, self.outputs = (np.empty(0) for _ in range(3))

    def size(self, *axes: str) -> tuple[int, ...]:
        """How many positions there are on each axis."""
        return tuple(len(self.positions[axis]) for axis in axes)

    def positive(self, rows: Affine) -> Affine:
        """The positive part of each expression."""
        negative = (rows.coef < 0).any() or (rows.constant < 0).any()  # columns never are
        return self._nodes(rows, POSITIVE) if negative else rows

    def spread(self, rows: Affine, axis: str) -> Affine:
        """Largest minus smallest along an axis."""
        members = self._nodes(rows, LINEAR).summed(tuple(a for a in rows.axes if a != axis))
        return self._nodes(members, SPREAD)

    def _nodes(self, rows: Affine, kind: int) -> Affine:
        """One node for each expression."""
        count, first = rows.constant.size, self.kind.size
        number = first + np.arange(count).reshape(rows.constant.shape)
        row, column = np.broadcast_arrays(number[..., None], rows.column)
        key, where = np.unique(row.ravel() * (self.literals + first) + column.ravel(), return_inverse=True)
        sums = np.bincount(where, rows.coef.ravel(), key.size)  # the same column may occur several times
        row, column = np.divmod(key[sums != 0.0], self.literals + first)
        constant = rows.constant.ravel().copy()
        row, column, coef = self._complemented(row, column, sums[sums != 0.0], constant, first)
        level = np.zeros(first + count, np.int64)
        inner = column >= self.literals
        np.maximum.at(level, row[inner], self.level[column[inner] - self.literals] + 1)
        self._arcs(column, row, coef)
        self.kind = np.append(self.kind, np.full(count, kind))
        self.level = np.append(
            self.level, np.full(count, level[first:].max(initial=0))
        )  # members of one spread
        self.constant = np.append(self.constant, constant)
        one = np.ones((*number.shape, 1))
        return Affine(rows.axes, rows.index, np.zeros(number.shape), self.literals + number[..., None], one)

    def _complemented(
        self, row: Indices, column: Indices, coef: Vector, constant: Vector, first: int
    ) -> tuple[Indices, Indices, Vector]:
        """The same arcs, with "works" (most choices of a cell) as 1 - "is off": fewer of them."""
        width = self.choices
        cell = np.where(column < self.literals, column // width, self.literals + column)
        start = np.flatnonzero(np.r_[True, (np.diff(row) != 0) | (np.diff(cell) != 0)][: row.size])
        size = np.diff(np.append(start, row.size))
        same = np.bincount(np.repeat(np.arange(start.size), size), coef != coef[np.repeat(start, size)]) == 0
        turned = same & (2 * size > width) & (column[start] < self.literals)
        at, keep = start[turned], ~np.repeat(turned, size)
        missing = np.ones((at.size, width), bool)
        missing[np.repeat(np.arange(at.size), size[turned]), column[~keep] % width] = False
        which, choice = np.nonzero(missing)
        np.add.at(constant, row[at] - first, coef[at])
        own = at[which]
        return (
            np.append(row[keep], row[own]),
            np.append(column[keep], cell[own] * width + choice),
            np.append(coef[keep], -coef[own]),
        )

    def output(self, rows: Affine) -> None:
        """One more output for each of the expressions."""
        index = self.outputs.size + np.arange(rows.constant.size).reshape(*rows.constant.shape, 1)
        keep = rows.coef != 0.0
        self._arcs(rows.column[keep], -1 - np.broadcast_to(index, keep.shape)[keep], rows.coef[keep])
        self.outputs = np.append(self.outputs, rows.constant)

    def sensitivity(self) -> Vector:
        """By how much each output changes at most if one literal does."""
        most = np.append(np.ones(self.literals), np.zeros(self.kind.size + self.outputs.size))
        into = np.where(self.target < 0, self.kind.size - 1 - self.target, self.target)
        level = np.append(self.level, np.full(self.outputs.size, self.level.max(initial=-1) + 1))
        for rank in range(int(level.max(initial=-1)) + 1):
            arcs = level[into] == rank
            change = np.abs(self.coef[arcs]) * most[self.source[arcs]]
            np.maximum.at(most, self.literals + into[arcs], change)
        return most[self.literals + self.kind.size :]

    def first(self, count: int) -> Circuit:
        """A copy with the first outputs only."""
        other, keep = copy(self), self.target >= -count
        other.source, other.target, other.coef = self.source[keep], self.target[keep], self.coef[keep]
        other.outputs = self.outputs[:count]
        return other

    def program(
        self, weight: Vector | float = 1.0, into: Indices | None = None, count: int | None = None
    ) -> Program:
        """The arrays for the kernels: outputs times their weights, or `count` sums, each output into one."""
        size, n = self.outputs.size, self.kind.size
        weights = np.broadcast_to(np.asarray(weight, np.float64), size)
        into = np.arange(size) if into is None else into
        count = size if count is None else count
        order = np.argsort(self.level, kind="stable")
        number = np.empty(n + size, np.int64)  # indexed by target: outputs are -1, -2, ...
        number[order], number[n:] = np.arange(n), n + into[::-1]
        member = np.append(self.kind == SPREAD, np.zeros(size, bool))[self.target]
        scale = np.append(np.where(self.kind == SPREAD, 0.0, 1.0), weights[::-1])[self.target]
        inner = self.source >= self.literals
        column = self.source.copy()
        column[inner] = self.literals + number[column[inner] - self.literals]
        start, to, coef = _sorted(column, number[self.target], self.coef * scale, self.literals + n)
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


def _sorted(column: Indices, to: Indices, coef: Vector, count: int) -> tuple[Indices, Indices, Vector]:
    order = np.argsort(column, kind="stable")
    return np.searchsorted(column[order], np.arange(count + 1)), to[order], coef[order]

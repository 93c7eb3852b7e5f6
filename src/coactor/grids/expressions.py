"""The closed set of forms in which rules and wishes are written.

An expression is a number for each combination of positions on its axes: "days worked" has one for each nurse.
It starts from `GridModel.chosen` (1 where a cell has a choice) and is built by

    e.per("nurse")             sums over every other axis
    e.at(day=["Sat", "Sun"])   only these positions
    e.times("leave")           times data, which may bring an axis of their own
    e.window("day", 7)         sums over so many consecutive positions, named by the last
    e.lookup(nurse="mentor")   the value at the position that the data name
    e - "contract", e + f      differences from data, sums of expressions over the same axes
    e.above(5), e.below("need")  excess over a level, shortfall below it, or 0
    e.any()                    1 where a count is at least 1
    e.spread("nurse")          largest minus smallest
    pattern(a, b, along="day") 1 where b follows a

and from `GridModel.changed("plan")` (1 where a cell differs from a plan). Steps can follow
each other in any order: working weekends are `work.window("day", 2).at(day="Sun").any().per("nurse")`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.grids.circuits import Affine, Circuit
from coactor.grids.instances import Schema, pick

Wanted: TypeAlias = str | Sequence[str]
Selection: TypeAlias = Callable[[Circuit], NDArray[np.bool_]]
LARGEST = 20_000_000  # terms of an expression


class Expression:
    """A number for each combination of positions on some axes; see the module for what builds it.

    Attributes
    ----------
    schema
        Of the model it belongs to.
    axes
        Over which it has a number each.
    selection
        For `GridModel.has`: which choices it counts, so that patterns can look into the past.
    """

    def __init__(
        self,
        schema: Schema,
        axes: Sequence[str],
        lower: Callable[[Circuit], Affine],
        selection: Selection | None = None,
    ) -> None:
        self.schema, self.axes, self._lower, self.selection = schema, tuple(axes), lower, selection

    def rows(self, to: Circuit) -> Affine:
        """The numbers in a circuit; it is lowered once."""
        if self not in to.lowered:
            to.lowered[self] = self._lower(to)
        return to.lowered[self]

    def per(self, *axes: str) -> Expression:
        """Sums over every axis that is not named."""
        self._own(*axes)
        return Expression(self.schema, axes, lambda to: self.rows(to).summed(axes))

    def at(self, **names: Wanted) -> Expression:
        """Only these positions; the others do not exist any more."""
        self._own(*names)
        for axis, wanted in names.items():
            for name in _listed(wanted):
                pick(name, self.schema.names[axis] or [name], f"Position on axis {axis!r}")

        def lower(to: Circuit) -> Affine:
            rows = self.rows(to)
            for axis, wanted in names.items():
                mask = where(to, axis, wanted)
                rows = rows.take(axis, np.flatnonzero(mask[rows.index[rows.axes.index(axis)]]))
            return rows

        return Expression(self.schema, self.axes, lower)

    def times(self, factor: str | float) -> Expression:
        """Times a number or data; an axis that only the data have becomes one of the result's."""
        field = self._numbers(factor)
        extra = tuple(axis for axis in field if axis not in self.axes)

        def lower(to: Circuit) -> Affine:
            rows = self.rows(to)
            data = _values(to, factor, field, rows) if isinstance(factor, str) else np.asarray(float(factor))
            wide = (*rows.constant.shape, *(1,) * len(extra))
            if rows.coef.size * float(np.prod(to.size(*extra))) > LARGEST:
                raise ValueError(f"Data {factor!r} make an expression of more than {LARGEST} terms.")
            constant = rows.constant.reshape(wide) * data
            coef = rows.coef.reshape(*wide, rows.coef.shape[-1]) * data[..., None]
            column = np.broadcast_to(rows.column.reshape(*wide, rows.coef.shape[-1]), coef.shape)
            index = (*rows.index, *(np.arange(n) for n in to.size(*extra)))
            return Affine((*rows.axes, *extra), index, constant, column, coef)

        return Expression(self.schema, (*self.axes, *extra), lower)

    def window(self, axis: str, length: int, past: str | None = None) -> Expression:
        """Sums over `length` consecutive positions, each named by its last; `past` is as in `pattern`."""
        self._own(axis)
        positions = self.schema.names[axis] if past is None else None
        if validation.positive(length, 1, "The length of a window") > len(positions or range(length)):
            raise ValueError(f"A window of {length} does not fit on axis {axis!r}; expected less.")
        return _sequence([self] * length, axis, past)

    def lookup(self, **by: str) -> Expression:
        """The value at the position on an axis that data name; its own value where they name none."""
        ((axis, name),) = by.items()
        field = self.schema.field(name)
        self._own(axis, *field.axes)
        if field.values != (axis,):
            raise ValueError(f"Data {name!r} must be declared as '... -> {axis}' to be looked up.")

        def lower(to: Circuit) -> Affine:
            rows = self.rows(to)
            d = rows.axes.index(axis)
            if len(rows.index[d]) != len(to.positions[axis]):
                raise ValueError(f"Look up {name!r} before positions on axis {axis!r} are left out.")
            place: list[Any] = list(np.indices(rows.constant.shape))
            data = np.broadcast_to(_values(to, name, field.axes, rows), rows.constant.shape)
            place[d] = np.where(data >= 0, data, place[d])
            at = tuple(place)
            return Affine(rows.axes, rows.index, rows.constant[at], rows.column[at], rows.coef[at])

        return Expression(self.schema, self.axes, lower)

    def above(self, level: str | float = 0.0) -> Expression:
        """By how much it exceeds a level, or 0."""
        excess = self if level == 0 else self - level
        return Expression(self.schema, self.axes, lambda to: to.positive(excess.rows(to)))

    def below(self, level: str | float = 0.0) -> Expression:
        """By how much it falls short of a level, or 0."""
        return (level - self).above()

    def any(self) -> Expression:
        """1 where a count is at least 1, else 0."""
        return 1 - self.below(1)

    def spread(self, axis: str) -> Expression:
        """Largest minus smallest along an axis."""
        self._own(axis)
        left = [a for a in self.axes if a != axis]
        return Expression(self.schema, left, lambda to: to.spread(self.rows(to), axis))

    def __add__(self, other: Expression | str | float) -> Expression:
        if isinstance(other, Expression):
            if set(other.axes) != set(self.axes):
                raise ValueError(f"Expressions over {self.axes} and {other.axes} cannot be added; use per().")
            return Expression(self.schema, self.axes, lambda to: _plus(self.rows(to), other.rows(to)))
        field = self._numbers(other)
        self._own(*field)

        def lower(to: Circuit) -> Affine:
            rows = self.rows(to)
            data = _values(to, other, field, rows) if isinstance(other, str) else other
            return Affine(rows.axes, rows.index, rows.constant + data, rows.column, rows.coef)

        return Expression(self.schema, self.axes, lower)

    def __sub__(self, other: Expression | str | float) -> Expression:
        return -(-self + other)

    def __rsub__(self, other: str | float) -> Expression:
        return -self + other

    def __neg__(self) -> Expression:
        return self.times(-1.0)

    def __invert__(self) -> Expression:
        """1 minus it: "not working"."""
        selection = self.selection
        return Expression(
            self.schema, self.axes, (1 - self).rows, None if selection is None else lambda to: ~selection(to)
        )

    __radd__ = __add__

    def _own(self, *axes: str) -> None:
        for axis in axes:
            pick(axis, self.axes, "Axis")

    def _numbers(self, name: str | float) -> tuple[str, ...]:
        """The axes of data that hold numbers; none for a number."""
        if not isinstance(name, str):
            validation.array(name, "Numbers")
            return ()
        field = self.schema.field(name)
        if field.values:
            raise ValueError(f"Data {name!r} hold positions, not numbers; use lookup, changed or past.")
        return field.axes


def pattern(*steps: Expression, along: str, past: str | None = None) -> Expression:
    """1 where each step holds at its position, one after the other along an axis; named by the last position.

    Parameters
    ----------
    steps
        Expressions that are 0 or 1, over the same axes.
    along
        The axis on which they follow each other.
    past
        Data that hold the choices before the first position, such as "nurse -> shift" (one position), or with
        one more axis, the most recent last. Steps must then come from `GridModel.has`.
    """
    return _sequence(steps, along, past).above(len(steps) - 1)


def _sequence(steps: Sequence[Expression], axis: str, past: str | None) -> Expression:
    """The sum of step j at position i - (steps - 1) + j, for each position i where all are known."""
    schema, axes = steps[0].schema, steps[0].axes
    steps[0]._own(axis)
    if any(step.axes != axes for step in steps):
        raise ValueError("The steps of a pattern must have the same axes in the same order.")
    others = tuple(a for a in schema.over if a != axis)
    if past is not None:
        field = schema.field(past)
        fits = field.axes[: len(others)] == others and len(field.axes) <= len(others) + 1
        if not fits or field.values != schema.choose or any(step.selection is None for step in steps):
            shown = f"{' '.join(others)} -> {' '.join(schema.choose)}"
            raise ValueError(f"Past {past!r} must be declared as {shown!r}, and steps must come from has().")

    def lower(to: Circuit) -> Affine:
        d, (n,) = axes.index(axis), to.size(axis)
        held = np.empty((1, 0), np.int64) if past is None else to.data[past].reshape(*to.size(*others), -1)
        known = held.shape[-1]
        last = np.arange(max(0, len(steps) - 1 - known), n)
        total: Affine | None = None
        for back, step in zip(range(len(steps) - 1, -1, -1), steps, strict=True):
            if len(step.rows(to).index[d]) != n:
                raise ValueError(f"Make patterns and windows before positions on {axis!r} are left out.")
            before = np.flatnonzero(last < back)
            rows = step.rows(to).take(axis, np.maximum(last - back, 0))
            if before.size and step.selection is not None:
                choice = held[..., known + last[before] - back]
                rows.coef[(slice(None),) * d + (before,)] = 0.0
                value = step.selection(to)[choice] & (choice >= 0)
                rows.constant[(slice(None),) * d + (before,)] = np.moveaxis(value, -1, d)
            rows = Affine(
                axes, (*rows.index[:d], last, *rows.index[d + 1 :]), rows.constant, rows.column, rows.coef
            )
            total = rows if total is None else _plus(total, rows)
        assert total is not None
        return total

    return Expression(schema, axes, lower)


def _plus(one: Affine, two: Affine) -> Affine:
    """Sums of expressions over the same positions."""
    two = two.summed(one.axes)
    if any(not np.array_equal(a, b) for a, b in zip(one.index, two.index, strict=True)):
        raise ValueError(f"Expressions over different positions on {', '.join(one.axes)} cannot be added.")
    column, coef = np.concatenate([one.column, two.column], -1), np.concatenate([one.coef, two.coef], -1)
    return Affine(one.axes, one.index, one.constant + two.constant, column, coef)


def where(to: Circuit, axis: str, names: Wanted) -> NDArray[np.bool_]:
    """Which positions on an axis are among the names."""
    wanted = {pick(name, to.positions[axis], f"Position on axis {axis!r}") for name in _listed(names)}
    return np.array([name in wanted for name in to.positions[axis]])


def _values(to: Circuit, name: str, axes: tuple[str, ...], rows: Affine) -> NDArray[Any]:
    """Data over some axes, at the positions of the expressions and laid out like them."""
    data = to.data[name]
    for d, axis in enumerate(axes):
        if axis in rows.axes:
            data = data.take(rows.index[rows.axes.index(axis)], d)
    every = (*rows.axes, *(axis for axis in axes if axis not in rows.axes))
    data = data.transpose([axes.index(axis) for axis in every if axis in axes])
    sizes = iter(data.shape)
    laid: NDArray[Any] = data.reshape([next(sizes) if axis in axes else 1 for axis in every])
    return laid


def _listed(names: Wanted) -> Sequence[str]:
    return [names] if isinstance(names, str) else names

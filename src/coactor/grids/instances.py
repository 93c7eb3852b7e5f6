"""What a model declares about its problems, and problems read from plain data."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.grids.circuits import Affine, Circuit, Names
from coactor.kernels.grids import Program, evaluate
from coactor.protocol import Indices, Vector

LARGEST = 1_000_000  # pairs of a cell and a choice in one problem
TIE = 1e-3  # of the price of a rule: enough to choose among solutions that break as little


@dataclass(frozen=True, slots=True)
class Field:
    """A named array of a problem: over which axes, and positions on which axes it holds (none: numbers)."""

    axes: tuple[str, ...]
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """Axes and data of every problem of a model.

    Attributes
    ----------
    over, choose
        The axes of the grid, and those of the choice in each cell.
    names
        The positions on each axis; None if they come with each problem.
    fields
        The named arrays.
    swaps, along, longest
        The axes of the grid along which cells may be exchanged; the axis of blocks, and their length.
    """

    over: tuple[str, ...]
    choose: tuple[str, ...]
    names: Mapping[str, tuple[str, ...] | None]
    fields: Mapping[str, Field]
    swaps: Sequence[int]
    along: int
    longest: int

    @staticmethod
    def of(over: Any, choose: Any, axes: Any, data: Mapping[str, str], swaps: Any, blocks: Any) -> Schema:
        """A schema from what the user writes: axes with names, data such as "nurse day -> shift"."""
        declared = [*over.items(), *choose.items(), *axes.items()]
        names = {axis: None if given is None else labels(list(given), axis) for axis, given in declared}
        if not over or not choose or len(names) < len(declared) or names.keys() & data.keys():
            raise ValueError("A model needs cells, choices, and a name of its own for each axis and array.")
        fields = {}
        for name, text in data.items():
            index, _, values = text.partition("->")
            fields[name] = Field(tuple(index.split()), tuple(values.split()))
            for axis in (*fields[name].axes, *fields[name].values):
                pick(axis, names, f"Axis of data {name!r}")
        rows = tuple(over)
        along, longest = (rows[-1], 3) if blocks is None else blocks
        exchanged = [rows.index(pick(axis, rows, "Axis")) for axis in (rows[:1] if swaps is None else swaps)]
        longest = validation.positive(longest, 1, "The length of a block")
        along = rows.index(pick(along, rows, "Axis"))
        return Schema(rows, tuple(choose), names, fields, exchanged, along, longest)

    def field(self, name: str) -> Field:
        return self.fields[pick(name, self.fields, "Data")]


class Places(NamedTuple):
    """Expressions whose numbers are told apart: those behind the rules, those behind the margins."""

    program: Program
    rows: Sequence[Affine]

    def values(self, y: Indices) -> list[tuple[Affine, NDArray[np.float64]]]:
        """Each expression with its numbers."""
        ends = np.cumsum([rows.constant.size for rows in self.rows], dtype=np.int64)
        each = np.split(evaluate(self.program, y.ravel())[1], ends)
        return [(rows, own.reshape(rows.constant.shape)) for rows, own in zip(self.rows, each, strict=False)]


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One problem: names on every axis, the data, and what is compiled from them.

    Attributes
    ----------
    schema
        Of its model.
    positions
        The names on each axis.
    data
        The arrays; positions are flat indices, -1 for none.
    shape
        Of the grid.
    wishes, rules
        Circuits with one output for each place of a wish or a rule.
    phi, broken
        Programs: the features but those of rules; by how much each rule is broken.
    why, places, margins
        Where each wish counts what; where and by how much each rule is broken; counts to be shown.
    signs
        Of the wishes: -1 where less is expected to be better, else 1.
    wish, rule
        Which wish or rule each place belongs to.
    unit
        By how much one literal can break the rule of each place.
    own
        How many wishes there are; features of rules come after them.
    edits, stride
        Every edit that may ever be possible, for the kernels.
    """

    schema: Schema
    positions: Names
    data: Mapping[str, NDArray[Any]]
    shape: tuple[int, ...]
    wishes: Circuit
    rules: Circuit
    phi: Program
    broken: Program
    why: Sequence[Affine]
    places: Places
    margins: Places
    signs: Vector
    wish: Indices
    rule: Indices
    unit: Vector
    own: int
    edits: Indices
    stride: int

    def __repr__(self) -> str:
        over, choices = (
            " x ".join(f"{len(self.positions[axis])} {axis}" for axis in axes)
            for axes in (self.schema.over, self.schema.choose)
        )
        return f"<Problem of {over}, choices {choices}>"

    def apart(self, w: Vector) -> tuple[Vector, Vector]:
        """Weights of the wishes, then of habits; and those of broken rules."""
        rules = self.broken.output_constant.size
        return np.delete(w, slice(self.own, self.own + rules)), w[self.own : self.own + rules]

    def value(self, w: Vector, liked: Indices | None = None, price: float = 0.0) -> Program:
        """The utility of everything but rules: its only output. Literals may be liked, at a price each."""
        circuit, weights = self.wishes, (self.apart(w)[0] * self.signs)[self.wish]
        if liked is not None:
            circuit, weights = copy(circuit), np.append(weights, price)
            circuit.output(Affine((), (), np.array(0.0), liked, np.ones(liked.size)))
        return circuit.program(weights, np.zeros(weights.size, np.int64), 1)

    def amounts(self, y: Indices) -> Vector:
        """By how much the rules are broken in each place."""
        amounts: Vector = evaluate(self.places.program, y.ravel())[1]
        return amounts

    def costs(self, w: Vector) -> Vector:
        """What one unit costs in each place where a rule can be broken.

        About 1 for each literal that would have to change: fewer are always better, and of as many those of
        the rules with the least weights, then of the last rules.
        """
        unit = np.zeros(self.broken.output_constant.size)
        np.maximum.at(unit, self.rule, self.unit)
        order = np.lexsort((-np.arange(unit.size), self.apart(w)[1] * unit))
        rank = np.empty(unit.size)
        rank[order] = np.arange(unit.size) / max(1, unit.size)
        return (1.0 + TIE * rank[self.rule]) / np.where(unit > 0.0, unit, 1.0)[self.rule]

    def priced(self, prices: Vector) -> Program:
        """What broken rules cost in all, at these prices for each place."""
        p = self.places.program
        n, into = p.kind.size, p.to >= p.kind.size
        coef = p.coef.copy()
        coef[into] *= prices[p.to[into] - n]
        constant = np.array([prices @ p.output_constant])
        return p._replace(to=np.minimum(p.to, n), coef=coef, output_constant=constant)

    def widths(self) -> list[int]:
        """How many choices there are on each axis of choices."""
        return [len(self.positions[axis]) for axis in self.schema.choose]

    def name(self, axes: Sequence[str], flat: int) -> tuple[str, ...]:
        """The names of a combination of positions."""
        at = np.unravel_index(flat, [len(self.positions[axis]) for axis in axes])
        return tuple(self.positions[axis][int(k)] for axis, k in zip(axes, at, strict=True))

    def place(self, rows: Affine, flat: int) -> str:
        """The names of one of some expressions."""
        at = np.unravel_index(flat, rows.constant.shape) if rows.axes else ()
        places = zip(rows.axes, rows.index, at, strict=True)
        return ", ".join(self.positions[axis][index[k]] for axis, index, k in places)


def read(schema: Schema, data: Any) -> tuple[dict[str, tuple[str, ...]], dict[str, NDArray[Any]]]:
    """Names on every axis and the arrays. Raises ValueError if the data do not match the schema."""
    wanted = {axis for axis, names in schema.names.items() if names is None} | set(schema.fields)
    if not isinstance(data, Mapping) or set(data) != wanted:
        keys = sorted(map(str, data)) if isinstance(data, Mapping) else str(data)
        raise ValueError(f"A problem must have exactly the entries {sorted(wanted)}; got {str(keys)[:300]}.")
    positions = {
        axis: labels(data[axis], axis) if names is None else names for axis, names in schema.names.items()
    }
    if np.prod([float(len(positions[axis])) for axis in schema.over + schema.choose]) > LARGEST:
        raise ValueError(f"The grid has more than {LARGEST} pairs of a cell and a choice.")
    arrays: dict[str, NDArray[Any]] = {}
    for name, field in schema.fields.items():
        shape = tuple(len(positions[axis]) for axis in field.axes)
        if field.values:
            arrays[name] = indices(data[name], shape, [positions[axis] for axis in field.values], name)
            continue
        try:
            array = np.asarray(data[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"Data {name!r} cannot be read as numbers.") from None
        if array.shape != shape:
            raise ValueError(f"Data {name!r} have shape {array.shape}; expected {field.axes}: {shape}.")
        arrays[name] = validation.finite(array, f"Data {name!r}")
    return positions, arrays


def write(x: Instance) -> dict[str, Any]:
    """The problem as JSON-able data that `read` reads."""
    out: dict[str, Any] = {a: list(x.positions[a]) for a, names in x.schema.names.items() if names is None}
    for name, field in x.schema.fields.items():
        array = x.data[name]
        if field.values:
            names = [x.name(field.values, k) for k in range(_size(x.positions[a] for a in field.values))]
            options = np.full(len(names) + 1, None, dtype=object)  # the last, at -1, for none
            options[:-1] = [list(option) if len(option) > 1 else option[0] for option in names]
            out[name] = options[array].tolist()
        else:
            whole = bool((np.mod(array, 1) == 0).all()) and float(np.abs(array).max(initial=0)) < 2**53
            out[name] = (array.astype(np.int64) if whole else array).tolist()
    return out


def indices(data: Any, shape: tuple[int, ...], names: Sequence[tuple[str, ...]], what: str) -> Indices:
    """Flat positions from nested lists of names, lists of names (one for each axis), numbers or None.

    Raises ValueError if the lists do not have this shape, or a name or number is not known.
    """
    leaves = [data.tolist() if isinstance(data, np.ndarray) else data]
    for size in shape:
        if any(not isinstance(part, list | tuple) or len(part) != size for part in leaves):
            raise ValueError(f"{what} must be nested lists of shape {shape}.")
        leaves = [leaf for part in leaves for leaf in part]
    sizes = [len(axis) for axis in names]
    flat = np.empty(len(leaves), np.int64)
    for k, leaf in enumerate(leaves):
        words = [leaf] if isinstance(leaf, str) else leaf
        if leaf is None or (type(leaf) is int and -1 <= leaf < _size(names)):
            flat[k] = -1 if leaf is None else leaf
        elif isinstance(words, list | tuple) and len(words) == len(names):
            places = [pick(word, axis, f"{what}: name") for word, axis in zip(words, names, strict=True)]
            at = [axis.index(word) for word, axis in zip(places, names, strict=True)]
            flat[k] = np.ravel_multi_index(at, sizes)
        else:
            raise ValueError(f"{what} holds {str(leaf)[:60]!r}; expected a name, or a list of {len(names)}.")
    return flat.reshape(shape)


def labels(data: Any, axis: str) -> tuple[str, ...]:
    """The names on an axis. Raises ValueError unless they are different, non-empty texts."""
    good = isinstance(data, list | tuple) and len(data) > 0
    good = good and all(isinstance(n, str) and 0 < len(n) <= 200 for n in data)
    if not good or len(set(data)) != len(data):
        raise ValueError(f"Axis {axis!r} needs a list of different names; got {str(data)[:60]!r}.")
    return tuple(data)


def pick(name: Any, known: Iterable[str], what: str) -> str:
    """The name itself. Raises ValueError, with the nearest known names, if it is not known."""
    options = list(known)
    if name not in options:
        near = difflib.get_close_matches(str(name), options, n=3, cutoff=0.5) or options[:10]
        raise ValueError(f"{what} {str(name)[:60]!r} is not known; expected {' or '.join(near) or 'none'}.")
    return str(name)


def _size(names: Iterable[tuple[str, ...]]) -> int:
    return int(np.prod([len(axis) for axis in names]))

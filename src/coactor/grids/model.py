"""A model: one definition of decisions, rules and wishes, and the domain that follows from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coactor import validation
from coactor.grids import advice, causes, cpsat, edits, showing
from coactor.grids.circuits import Affine, Circuit
from coactor.grids.expressions import Expression, Wanted, where
from coactor.grids.instances import Instance, Places, Schema, indices, read, write
from coactor.grids.searching import NEAREST, GridLandscape, Search
from coactor.grids.showing import Broken
from coactor.habits import HABIT, place_and_choice
from coactor.kernels import grids
from coactor.protocol import BROKEN, Indices, Matrix, Move, Usage, Vector, every_weight

REPLAN = 100_000  # steps of a re-plan, at most
SEARCHED = 0.7  # of a time limit, for simulated annealing, where OR-Tools goes on with its answer

Positions: TypeAlias = Sequence[str] | Mapping[str, str] | None
"""Names on an axis, or names with their colours, or None: they come with each problem."""


class Wish(NamedTuple):
    """A soft term: what it counts, in which unit, and whether more of it is expected to be better."""

    expression: Expression
    unit: str
    more: bool


class Margin(NamedTuple):
    """Counts beside the grid, and the same minus what is needed."""

    expression: Expression
    short: Expression | None


class GridModel:
    """Grids of choices under rules, with wishes whose weights are learned. A Domain like any other.

    A solution is an integer array over the axes of the grid. Its numbers are choices; with several axes of
    choices, flat indices. Edits are

    - ``{"op": "set", "args": [*cell, *choice]}``: give a cell another choice,
    - ``{"op": "swap", "args": [*cell, *cell]}``: exchange the choices of two cells,
    - ``{"op": "block", "args": [*cell, *cell, length]}``: exchange two stretches that start at these cells.

    Parameters
    ----------
    over, choose
        The axes of the grid, and of the choice in each cell; each with its names.
    axes
        Further axes that only data have, such as the teacher of a lesson.
    data
        The named arrays of each problem and their axes: ``{"need": "day shift", "last": "nurse -> shift"}``.
        An arrow says that the entries are positions on an axis; otherwise they are numbers.
    swaps
        The axes along which two cells may be exchanged; by default the first.
    blocks
        An axis, and how long a stretch along it may be; by default the last axis and 3.
    sample
        Makes the data of a random problem, for checks and simulations.
    steps
        How many edits the search tries for each cell; from a given solution a quarter. By default 1000, in
        grids of more than 100 cells fewer, but at least 200.
    effort
        The limit of OR-Tools' CP-SAT, which is asked, if installed, where the search finds no solution that
        keeps the rules; in its deterministic time: of the order of seconds, but the same answer everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> model = GridModel(
    ...     over={"job": None}, choose={"machine": ["A", "B"]}, data={"hours": "job machine"}
    ... )
    >>> load = model.chosen.times("hours").per("machine")
    >>> model.rule("At most 8 hours", load.above(8))
    >>> model.wish("Uneven load", load.spread("machine"), unit="hours")
    >>> model.wish("Hours", load, unit="hours")
    >>> x = model.problem({"job": ["cut", "weld", "paint"], "hours": [[3, 5], [4, 2], [3, 3]]})
    >>> model.parts(x, model.solve(x, np.array([1.0, 0.1])))
    [('cut', 'A'), ('weld', 'B'), ('paint', 'B')]
    """

    def __init__(
        self,
        over: Mapping[str, Positions],
        choose: Mapping[str, Positions],
        *,
        axes: Mapping[str, Positions] | None = None,
        data: Mapping[str, str] | None = None,
        swaps: Sequence[str] | None = None,
        blocks: tuple[str, int] | None = None,
        sample: Callable[[np.random.Generator], Mapping[str, Any]] | None = None,
        steps: int | None = None,
        effort: float = 0.2,
    ) -> None:
        self.schema = Schema.of(over, choose, axes or {}, data or {}, swaps, blocks)
        self.steps = None if steps is None else validation.positive(steps, 1, "steps")
        self.effort = validation.number(effort, "effort")
        self.colours = {
            axis: showing.colours(given) for axis, given in choose.items() if isinstance(given, Mapping)
        }
        self.rules: dict[str, Expression] = {}
        self.wishes: dict[str, Wish] = {}
        self.margins: dict[str, Margin] = {}
        self.marks: dict[str, str] = {}
        self._sample, self._compiled, self.habits = sample, False, False

    def __repr__(self) -> str:
        over, choose = " x ".join(self.schema.over), " x ".join(self.schema.choose)
        return f"<GridModel of {over}, choices {choose}: {len(self.rules)} rules, {len(self.wishes)} wishes>"

    # -- the definition -----------------------------------------------------------------------------------

    @property
    def chosen(self) -> Expression:
        """1 where a cell has a choice, over the axes of the grid and of the choices."""
        axes = self.schema.over + self.schema.choose

        def lower(to: Circuit) -> Affine:
            shape = to.size(*axes)
            column = np.arange(np.prod(shape, dtype=np.int64)).reshape(*shape, 1)
            return Affine(axes, tuple(map(np.arange, shape)), np.zeros(shape), column, np.ones(column.shape))

        return Expression(self.schema, axes, lower)

    def has(self, *names: str, **by: Wanted) -> Expression:
        """1 where a cell's choice is one of these: ``has("early", "late")`` or ``has(hour=["Mon 8"])``."""
        if bool(names) == bool(by) or (names and len(self.schema.choose) > 1):
            raise ValueError(f"Name the axis of the choices: has({self.schema.choose[0]}=[...]).")
        wanted = {self.schema.choose[0]: names} if names else by

        def selection(to: Circuit) -> NDArray[np.bool_]:
            each = [where(to, axis, wanted.get(axis, to.positions[axis])) for axis in self.schema.choose]
            return np.asarray(np.all(np.meshgrid(*each, indexing="ij"), axis=0)).ravel()

        cells = self.chosen.at(**wanted).per(*self.schema.over)
        return Expression(self.schema, self.schema.over, cells.rows, selection)

    def changed(self, plan: str) -> Expression:
        """1 where a cell differs from a given plan, 0 where the plan says nothing."""
        field, over = self.schema.field(plan), self.schema.over
        if field.axes != over or field.values != self.schema.choose:
            raise ValueError(f"Data {plan!r} must be declared as '{' '.join(over)} -> ...' to be a plan.")

        def lower(to: Circuit) -> Affine:
            given = to.data[plan]
            width = int(np.prod(to.size(*self.schema.choose)))
            planned = (given >= 0).astype(np.float64)
            column = np.arange(given.size).reshape(given.shape) * width + np.maximum(given, 0)
            index = tuple(map(np.arange, given.shape))
            return Affine(over, index, planned, column[..., None], -planned[..., None])

        return Expression(self.schema, over, lower)

    def rule(self, name: str, expression: Expression) -> None:
        """Add a hard rule: none of the expression's numbers may be above 0."""
        name = self._new(name, expression, self.rules)
        self.rules[name] = expression.above()

    def wish(self, name: str, expression: Expression, *, unit: str = "", more: bool = False) -> None:
        """Add a soft term, the sum of the expression's numbers: less (or `more`) is expected to be better.

        How much it counts is learned, and whether the expectation holds.
        """
        self.wishes[self._new(name, expression, self.wishes)] = Wish(expression, unit, more)

    def margin(self, name: str, expression: Expression, need: str | float | None = None) -> None:
        """Add counts to be shown beside the grid: hours of each nurse, coverage of each day.

        With `need`, a number or data, they are shown as "2 / 3", and marked where they are less.
        """
        short = None if need is None else expression - need
        self.margins[self._new(name, expression, self.margins)] = Margin(expression, short)

    def mark(self, data: str, symbol: str) -> None:
        """Show where data are not 0: in the cell, for its choice if they are over choices, or beside a name.

        Such as leave, wishes, dislikes, or who is senior; `symbol` is one or two characters.
        """
        field, over, choose = self.schema.field(data), set(self.schema.over), set(self.schema.choose)
        fits = set(field.axes) & over and set(field.axes) <= over | choose
        if field.values or not fits or not 0 < len(symbol) < 3:
            raise ValueError(
                f"Data {data!r} must be numbers over axes of the grid, and {symbol!r} one or two characters."
            )
        self.marks[data] = symbol

    def _new(self, name: str, expression: Expression, among: Mapping[str, Any]) -> str:
        own = isinstance(expression, Expression) and expression.schema is self.schema
        if self._compiled or name in among or not own:
            raise ValueError(
                f"{name!r} must have a new name and an expression of this model, and come before any problem."
            )
        return name

    # -- problems -----------------------------------------------------------------------------------------

    def problem(self, data: Mapping[str, Any]) -> Instance:
        """A problem from plain data. Raises ValueError if the data do not match what the model declares."""
        if not self.wishes:
            raise ValueError("The model has no wishes; add at least one with wish(...).")
        self._compiled = True
        positions, arrays = read(self.schema, data)
        shape = tuple(len(positions[axis]) for axis in self.schema.over)
        width = int(np.prod([len(positions[axis]) for axis in self.schema.choose]))

        def compiled(expressions: Iterable[Expression]) -> tuple[Circuit, list[Affine], Indices]:
            circuit = Circuit(positions, arrays, int(np.prod(shape)), width)
            rows = [expression.rows(circuit) for expression in expressions]
            for own in rows:
                circuit.output(own)
            return circuit, rows, np.repeat(np.arange(len(rows)), [own.constant.size for own in rows])

        wishes, why, wish = compiled(wish.expression for wish in self.wishes.values())
        rules, places, rule = compiled(self.rules.values())
        shown = (one for margin in self.margins.values() for one in margin if one is not None)
        margins, counts, _ = compiled(shown)
        signs = np.array([1.0 if wish.more else -1.0 for wish in self.wishes.values()] + [-1.0] * self.habits)
        return Instance(
            self.schema,
            positions,
            arrays,
            shape,
            wishes,
            rules,
            wishes.program(signs[wish], wish, signs.size),
            rules.program(1.0, rule, len(self.rules)),
            why,
            Places(rules.program(), places),
            Places(margins.program(), counts),
            signs,
            wish,
            rule,
            rules.sensitivity(),
            len(self.wishes),
            edits.all_edits(shape, width, self.schema),
            int(np.prod(shape[self.schema.along + 1 :], dtype=np.int64)),
        )

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Instance]:
        """n random problems."""
        if self._sample is None:
            raise ValueError("The model cannot make random problems; give it sample=... .")
        for _ in range(n):
            yield self.problem(self._sample(rng))

    def encode_problem(self, x: Instance) -> Any:
        return write(x)

    def decode_problem(self, data: Any) -> Instance:
        return self.problem(data)

    def encode_solution(self, y: Indices) -> Any:
        return y.tolist()

    def decode_solution(self, x: Instance, data: Any) -> Indices:
        y = indices(data, x.shape, [x.positions[axis] for axis in self.schema.choose], "The solution")
        self.check_solution(x, y)
        return y

    # -- a domain -----------------------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        return len(self.wishes) + len(self.rules) + self.habits

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The wishes with their units, the rules, then habits."""
        wishes = (f"{name} ({wish.unit})" if wish.unit else name for name, wish in self.wishes.items())
        return (*wishes, *(BROKEN + rule for rule in self.rules), *[HABIT] * self.habits)

    @property
    def feature_signs(self) -> list[int]:
        """1 for each wish of which more is expected to be better, -1 for the others."""
        wishes = [1 if wish.more else -1 for wish in self.wishes.values()]
        return wishes + [-1] * (len(self.rules) + self.habits)

    checks_moves = True

    def features(self, x: Instance, y: Indices) -> Vector:
        """phi(x, y): what each wish counts; with a minus where less is expected to be better.

        And by how much each rule is broken, with a minus.
        """
        wishes, broken = (grids.evaluate(program, y.ravel())[1] for program in (x.phi, x.broken))
        return np.concatenate([wishes[: x.own], 0.0 - broken, wishes[x.own :]])

    def features_along(self, x: Instance, path: Sequence[Indices]) -> Matrix:
        """phi of each solution."""
        return np.array([self.features(x, y) for y in path]).reshape(len(path), self.dim)

    def moves(self, x: Instance, y: Indices) -> list[Move]:
        """Every edit that changes something and keeps every rule: sets, swaps, blocks."""
        return edits.to_moves(x, edits.legal(x, y))

    def move_features(self, x: Instance, y: Indices) -> Matrix:
        """The change in phi by each edit."""
        return self.edit_features(x, y, edits.legal(x, y))

    def edit_features(self, x: Instance, y: Indices, options: Indices) -> Matrix:
        """The change in phi by each of some edits, allowed or not, as the kernels write them."""
        wishes, broken = (grids.effects(p, y.ravel(), options, x.stride) for p in (x.phi, x.broken))
        return np.concatenate([wishes[:, : x.own], 0.0 - broken, wishes[:, x.own :]], axis=1)

    def landscape(self, x: Instance, w: Vector) -> GridLandscape:
        """The problem seen through weights, for climbing."""
        return GridLandscape(validation.problem(x, Instance), self._weights(w))

    def solve(
        self, x: Instance, w: Vector, *, start: Indices | None = None, seconds: float | None = None
    ) -> Indices:
        """A solution that no edit improves (Assumption 1). It breaks as few rules as can be found.

        Parameters
        ----------
        x, w
            The problem and the weights.
        start
            A solution to begin with; the answer is at least as good.
        seconds
            The time for it, of which hard problems take all; by default a fixed number of steps, so that the
            answer is the same everywhere.
        """
        search, cells = Search(validation.problem(x, Instance), self._weights(w)), int(np.prod(x.shape))
        steps = self.steps * cells if self.steps else min(1000 * cells, max(100_000, 200 * cells))
        if seconds is not None:
            y = self._within(search, start, time.monotonic() + seconds)
        else:
            y = search.anneal(steps if start is None else -(-steps // 4), start)
            if search.worth(y)[0] < 0.0 and cpsat.installed():
                y = cpsat.Programs(search).solve(y, search.free, self.effort)[0]
        return search.view.polish(y)

    def _within(self, search: Search, start: Indices | None, until: float) -> Indices:
        exact, begun = cpsat.installed(), time.monotonic()
        y = search.anneal(None, None, begun + (SEARCHED if exact else 1.0) * (until - begun))
        y = y if start is None else max(start, y, key=search.worth)
        return cpsat.improve(search, y, until) if exact else y

    def _weights(self, w: Vector) -> Vector:
        """Weights of all features; those of broken rules may be left out."""
        return validation.finite(validation.weight_vector(every_weight(self, w), self.dim), "Weights")

    def replan(self, x: Instance, w: Vector, y: Indices, keep: Collection[tuple[str, ...]]) -> Indices:
        """The grid with everything that is kept, and around it what gains: rules first, then wishes.

        Parameters
        ----------
        x, w, y
            The problem, the weights and the grid to start from.
        keep
            Parts that must stay or become part of the grid, as `parts` names them.

        Raises
        ------
        ValueError
            If there is no such part, or two of them are choices of the same cell.
        """
        kept = edits.cells_of(x, keep)
        draft, free = y.ravel().copy(), np.setdiff1d(np.arange(y.size), list(kept))
        draft[list(kept)] = list(kept.values())
        draft = draft.reshape(x.shape)
        if not free.size:
            return draft
        search = Search(x, self._weights(w), free, draft)
        z = search.anneal(min(REPLAN, 1000 * y.size), draft)
        if search.worth(z)[0] < 0.0 and cpsat.installed():
            z = cpsat.Programs(search).solve(z, free, self.effort)[0]
        search.view.stay(draft, NEAREST * search.typical)
        return max(draft, search.view.polish(z), key=search.worth)

    def apply(self, x: Instance, y: Indices, move: Move) -> Indices:
        """The solution after an edit.

        Raises ValueError, with the rules' names, if it breaks one more than before; unless the move says why
        it is made nevertheless: ``{"op": ..., "args": ..., "anyway": "Ben is ill"}``.
        """
        z = self._edited(x, y, move)
        worse = [] if move.get("anyway") else self._worse(x, y, z)
        if worse:
            raise ValueError(f"{edits.describe(x, move)}: this breaks {showing.sentence(worse)}.")
        return z

    def _worse(self, x: Instance, y: Indices, z: Indices) -> list[Broken]:
        """The places where an edit breaks rules more than before, of rules of which it breaks more in all."""
        before, after = x.amounts(y), x.amounts(z)
        more = np.bincount(x.rule, after - before, len(self.rules)) > grids.KEPT
        return showing.named(x, list(self.rules), np.where(more[x.rule], after - before, 0.0))

    def edits_of(self, x: Instance, y: Indices, part: int) -> list[tuple[Move, Vector, str]]:
        """Sets and swaps of a cell, blocks that begin there; what each changes, and the rules it breaks."""
        if not 0 <= part < y.size:
            raise ValueError(f"There is no cell {part}; the grid has {y.size}.")
        options, legal = edits.of_cell(x, y, part)
        changes = self.edit_features(x, y, options)
        moves = edits.to_moves(x, options)
        return [
            (move, change, "" if good else showing.sentence(self._worse(x, y, self._edited(x, y, move))))
            for move, change, good in zip(moves, changes, legal.tolist(), strict=True)
        ]

    def _edited(self, x: Instance, y: Indices, move: Move) -> Indices:
        z = y.ravel().copy()
        grids.perform(z, edits.to_edit(x, move), x.stride)
        if np.array_equal(z, y.ravel()):
            raise ValueError(f"{edits.describe(x, move)}: this changes nothing.")
        return z.reshape(y.shape)

    def broken(self, x: Instance, y: Indices) -> list[Broken]:
        """Every rule that a solution breaks, and where."""
        return showing.named(x, list(self.rules), x.amounts(y))

    def advice(self, solutions: Iterable[tuple[Instance, Indices]], word: str = "cases") -> list[str]:
        """What final solutions say: which rules are broken often, which wishes might be rules.

        `word` is what they are, in the plural, such as "weeks".
        """
        pairs = list(solutions)
        broken = [[one.rule for one in self.broken(x, y)] for x, y in pairs]
        never: list[str] = []
        if pairs:
            x, y = pairs[-1]
            possible = self.edit_features(x, y, x.edits).min(axis=0) < 0.0
            counted = np.any([self.features(x, y) != 0.0 for x, y in pairs], axis=0)
            wishes = zip(self.wishes.items(), possible & ~counted, strict=False)
            never = [name for (name, wish), avoided in wishes if avoided and not wish.more]
        return [*advice.on_rules(self.rules, broken, word), *advice.on_wishes(never, len(pairs), word)]

    def by_cell(self, x: Instance, y: Indices) -> Matrix:
        """Each cell's part of each feature, one row for a cell; they add up to `features`.

        So `by_cell(x, y) @ w` is the score of each cell, and its sum the utility.
        """
        wishes = causes.by_cell(x.wishes, y, x.wish, x.signs.size) * x.signs
        rules = causes.by_cell(x.rules, y, x.rule, len(self.rules))
        return np.concatenate([wishes[:, : x.own], 0.0 - rules, wishes[:, x.own :]], axis=1)

    def check_solution(self, x: Instance, y: Any) -> None:
        """Raise ValueError unless y is a solution of x, which may break rules."""
        if not isinstance(y, np.ndarray) or y.shape != x.shape or y.dtype != np.int64:
            raise ValueError(f"A solution must be an array of whole numbers of shape {x.shape}.")
        if y.min() < 0 or y.max() >= x.phi.choices:
            raise ValueError(f"A solution must hold choices from 0 to {x.phi.choices - 1}.")

    def edits_between(self, x: Instance, y: Indices, z: Indices) -> int:
        """How many edits lead from y to z, estimated greedily."""
        return edits.edits_between(x, y, z)

    # -- words --------------------------------------------------------------------------------------------

    def describe_edit(self, x: Instance, y: Indices, move: Move) -> str:
        """What an edit does, in words."""
        return edits.describe(x, move)

    def parts(self, x: Instance, y: Indices) -> list[tuple[str, ...]]:
        """What a solution consists of: the names of each cell with those of its choice."""
        over, choose = x.schema.over, x.schema.choose
        return [(*x.name(over, c), *x.name(choose, k)) for c, k in enumerate(y.ravel().tolist())]

    lockable = parts

    def with_habits(self) -> GridModel:
        """The same model with one more feature, see `coactor.habits`."""
        model = copy(self)
        model.habits = True
        return model

    def extend(self, x: Instance, usage: Usage) -> Instance:
        """The problem with the costs of unusual choices; a choice that no past case has costs 1."""
        x = validation.problem(x, Instance)
        width, cells = x.phi.choices, np.zeros(x.shape, np.int64)
        known = {
            place_and_choice(part): c * width + k
            for k in range(width)
            for c, part in enumerate(self.parts(x, cells + k))
        }
        pairs = zip(usage.given, usage.choice, strict=True)
        literals = np.array([known.get(pair, -1) for pair in pairs], np.int64)
        possible, wishes = literals >= 0, x.wishes.first(int(np.count_nonzero(x.wish < x.own)))
        costs = usage.costs[possible] - 1.0
        wishes.output(Affine((), (), np.array(float(cells.size)), literals[possible], costs))
        wish = np.append(x.wish[: wishes.outputs.size - 1], x.own)
        return replace(x, wishes=wishes, wish=wish, phi=wishes.program(x.signs[wish], wish, x.signs.size))

    editor = "grid"  # of the page

    def show(self, x: Instance, y: Indices) -> list[dict[str, Any]]:
        """The solution as a grid to draw: names on the axes, colours of choices, cells, margins."""
        margins = {name: margin.short is not None for name, margin in self.margins.items()}
        shown = showing.grid(x, y, margins)
        broken = self.broken(x, y)
        drawn = [
            {"rule": one.rule, "place": one.place, "amount": one.amount, "cells": cells.tolist()}
            for one, (_, cells, _) in zip(broken, causes.divided(x.rules, y) if broken else (), strict=True)
        ]
        marks = showing.marks(x, y, self.marks)
        return [{**shown, "colours": self.colours, "marks": marks, "broken": drawn}]

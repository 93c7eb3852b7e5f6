"""A feature of habits for any domain that names the parts of a solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from coactor import search
from coactor.habits.recalling import HABIT, place_and_choice
from coactor.protocol import (
    BROKEN,
    Domain,
    HasParts,
    Invalid,
    Keeps,
    Matrix,
    Move,
    Part,
    Problem,
    Solution,
    TakesHabits,
    Usage,
    Vector,
    feature_names,
    feature_signs,
    has,
    takes,
    uses_habits,
)
from coactor.validation import vector

# What a domain does with a problem, whatever was recalled for it.
OF_PLAIN_PROBLEMS = (
    *("parts", "choices", "context", "moves", "apply", "check_solution"),
    *("show", "describe_edit", "edits_between", "edits_of", "lockable"),
)


def with_habits(domain: Domain) -> Domain:
    """The domain with a feature of habits. Raises Invalid if it does not name the parts of a solution."""
    if has(domain, TakesHabits):
        return domain if domain.habits else domain.with_habits()
    if not has(domain, HasParts):
        raise Invalid(
            f"{type(domain).__name__} cannot have habits; give it a method parts(x, y) that names the parts "
            "of a solution."
        )
    return HabitualDomain(domain)


def habit_features(domain: Domain) -> list[int]:
    """Which features of a domain are habits."""
    if not uses_habits(domain):
        return []
    return [k for k, name in enumerate(feature_names(domain)) if name == HABIT]


def start_weights(domain: Domain, start: Any = None) -> Vector | None:
    """The weights in use, one for each feature of the domain: a list, or numbers by the features' names.

    Features of habits and of broken rules may be left out, because experts have no weights for them. By
    default the domain's own `start`, an attribute of weights that are sensible before anything is learned,
    such as plain distance; None if it has none.
    """
    start = getattr(domain, "start", None) if start is None else start
    habits, names = habit_features(domain), feature_names(domain)
    needed = [k for k, name in enumerate(names) if k not in habits and not name.startswith(BROKEN)]
    if isinstance(start, Mapping):
        wrong = sorted({names[k] for k in needed} - set(start) | set(start) - set(names))
        if wrong:
            raise ValueError(
                f"The start must name every feature; {wrong[0]!r} is missing or not one of them."
            )
        start = [start.get(name, 0.0) for name in names]
    if start is None:
        return None
    weights = vector(start, "The weights of the start")
    if weights.size != len(needed):
        return weights
    every: Vector = np.zeros(domain.dim)
    every[needed] = weights
    return every


@dataclass(frozen=True, slots=True, eq=False)
class RecalledProblem:
    """A problem with what a memory recalled for it.

    Attributes
    ----------
    plain
        The problem of the domain.
    costs
        How unusual parts are, by place and choice.
    """

    plain: Problem
    costs: Mapping[tuple[str, str], float]

    def __repr__(self) -> str:
        return repr(self.plain)


class HabitualDomain:
    """A domain with one more feature: how unusual the parts of a solution are, summed over the parts.

    The solver is the domain's own, with the weights of its own features, and then a climb by the domain's
    moves under all weights. So Assumption 1 holds, and the solver is not exact, whatever the domain declares.

    Parameters
    ----------
    domain
        A domain that names the parts of a solution.
    """

    habits = True
    parts: Callable[..., Iterable[Part]]
    moves: Callable[..., Iterable[Move]]
    apply: Callable[..., Solution]

    def __init__(self, domain: HasParts) -> None:
        self.domain = domain
        for name in OF_PLAIN_PROBLEMS:
            if hasattr(domain, name):
                setattr(self, name, partial(_of_plain_problem, getattr(domain, name)))
        for name in ("sample", "editor", "checks_moves", "start"):
            if hasattr(domain, name):
                setattr(self, name, getattr(domain, name))
        if has(domain, Keeps):
            self.replan = self._replan
        if takes(domain.solve, "start"):
            self.solve = self._solve_from  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"{self.domain!r} with habits"

    @property
    def dim(self) -> int:
        return self.domain.dim + 1

    @property
    def feature_names(self) -> tuple[str, ...]:
        return (*feature_names(self.domain), HABIT)

    @property
    def feature_signs(self) -> tuple[int, ...]:
        return (*feature_signs(self.domain), -1)

    def _replan(self, x: Problem, w: Vector, y: Solution, keep: frozenset[Part]) -> Solution:
        """The domain's own re-plan, which does not know the feature of habits."""
        return self.domain.replan(plain(x), w[:-1], y, keep)  # type: ignore[attr-defined]

    def with_habits(self) -> HabitualDomain:
        """The domain itself."""
        return self

    def extend(self, x: Problem, usage: Usage) -> RecalledProblem:
        """The problem with the costs of its parts."""
        parts = zip(usage.given, usage.choice, strict=True)
        return RecalledProblem(plain(x), dict(zip(parts, usage.costs.tolist(), strict=True)))

    def features(self, x: Problem, y: Solution) -> Vector:
        """phi of the domain, then minus the summed costs of the parts."""
        return np.append(self.domain.features(plain(x), y), self._unusual(x, y))

    def _unusual(self, x: Problem, y: Solution) -> float:
        if not isinstance(x, RecalledProblem) or not x.costs:  # without a past case, no part is unusual
            return 0.0
        return -sum(x.costs.get(place_and_choice(part), 1.0) for part in self.domain.parts(x.plain, y))

    def solve(self, x: Problem, w: Vector) -> Solution:
        """The domain's own solution, improved by its moves under all weights."""
        return self._solve_from(x, w)

    def _solve_from(self, x: Problem, w: Vector, *, start: Solution | None = None) -> Solution:
        solver: Callable[..., Solution] = self.domain.solve
        own = np.asarray(w)[: self.domain.dim]
        first = solver(plain(x), own) if start is None else solver(plain(x), own, start=start)
        return search.PlainLandscape(self, x, np.asarray(w)).climb(first)[0][-1]

    def features_along(self, x: Problem, path: Sequence[Solution]) -> Matrix:
        """phi of each solution."""
        own = search.features_along(self.domain, plain(x), path)
        return np.column_stack([own, [self._unusual(x, y) for y in path]])

    def move_features(self, x: Problem, y: Solution) -> Matrix:
        """The change in phi of each move."""
        own = search.move_features(self.domain, plain(x), y)
        here = self._unusual(x, y)
        there = [self._unusual(x, self.apply(x, y, move)) - here for move in self.moves(x, y)]
        return np.column_stack([own, there])


def _of_plain_problem(method: Callable[..., Any], x: Problem, *more: Any) -> Any:
    return method(plain(x), *more)


def plain(x: Problem) -> Problem:
    """The problem without what was recalled for it."""
    return x.plain if isinstance(x, RecalledProblem) else x

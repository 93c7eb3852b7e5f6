"""Which of a solver's local optima to propose, so that the expert has little to correct.

A strategy is a function (problem, outlook, stream) -> solution; all its random numbers come from
`np.random.default_rng(stream)`. The outlook is what the learner predicts: the weights and, if it models one,
the threshold b with P(a move is made) = sigma(gain - b).

    paper          the solver's solution unchanged
    polish         improved by the domain's own moves until Assumption 1 holds
    effort-aware   several local optima, the one with least to correct: maximise utility - price * expected
                   moves, over those whose estimated utility is at least that of the solver's solution

The last condition is a floor: by the learner's estimate the proposal is never worse than the paper's, so less
effort is not bought with worse solutions.

The search has a budget. Counted in candidates, proposals do not depend on the machine. With a time limit the
solver is measured: it is called again only while there is time for it, else the incumbent is perturbed and
climbs with the domain's own moves; and before anything is learned there is one candidate only. What a time
limit leaves beside all candidates goes to a solver that takes `start` and `seconds`. Without a time limit, a
solver that replaces the domain's own is called once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coactor.protocol import (
    Domain,
    Landscape,
    Learner,
    Preferences,
    Problem,
    Solution,
    Solver,
    Vector,
    declares,
    takes,
)
from coactor.search import landscape
from coactor.solutions import solution_key
from coactor.validation import number


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a learner predicts, as far as a strategy needs it.

    Attributes
    ----------
    weights
        To solve with.
    threshold
        b, with sigma(gain - b) the probability that a move is made; None if the learner has no such model,
        infinite before it has learned anything: then no move is expected, and utility alone decides.
    """

    weights: Vector
    threshold: float | None = None

    @staticmethod
    def of(learner: Learner | Preferences) -> Outlook:
        """The current outlook of a learner, or of what it knows about one person."""
        return Outlook(learner.weights, getattr(learner, "threshold", None))


Strategy: TypeAlias = Callable[[Problem, Outlook, Sequence[int]], Solution]

NAMES = ("default", "paper", "polish", "effort-aware")


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How much search a strategy does.

    Attributes
    ----------
    candidates
        The number of local optima to compare, the first one included.
    seconds
        A time limit; None for no limit, so that proposals do not depend on the machine. The first solution
        is always computed, however long the solver takes.
    price
        The price of an expected move, in units of utility.
    shake
        The relative size of the perturbation of the weights.
    kick
        The number of moves under random weights that perturb the incumbent.
    patience
        Stop if so many candidates are all the first one: the solver probably has only one optimum.
    reserve
        Calls of the solver to leave time for: what the guard compares.
    """

    candidates: int = 24
    seconds: float | None = None
    price: float = 50.0
    shake: float = 0.3
    kick: int = 3
    patience: int = 4
    reserve: int = 0


def limits(budget: float | None, reserve: int = 0) -> SearchLimits:
    """The search for a budget in seconds; None or infinity for no time limit.

    Raises ValueError if the budget is negative or not a number.
    """
    if budget is None or budget == math.inf:
        return SearchLimits()
    return SearchLimits(seconds=number(budget, "budget in seconds"), reserve=reserve)


@dataclass(frozen=True, slots=True)
class _Search:
    """What the strategies share: the domain, the solver and how much to search."""

    domain: Domain
    solve: Solver
    how: SearchLimits
    own: bool  # whether the solver is the domain's
    start: Callable[..., Solution] | None  # the solver, if it can start from a solution


def strategy(
    name: str, domain: Domain, solver: Solver | None = None, how: SearchLimits | None = None
) -> Strategy:
    """A strategy by its name. Raises ValueError if there is no such strategy."""
    solve, how = solver or domain.solve, how or SearchLimits()
    start = solve if takes(solve, "start") else None
    search = _Search(domain, solve, how, solver is None, start)
    plain = solver is None and declares(domain, "exact")  # no other optimum to find

    def paper(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
        return _first(search, x, outlook.weights)[0]

    def polished(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
        return landscape(domain, x, outlook.weights).climb(paper(x, outlook, stream))[0][-1]

    def effort_aware(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
        return _effort_aware(search, x, outlook, stream)

    def default(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
        """The paper's learners model no threshold: they propose as in the paper."""
        choose = paper if plain or outlook.threshold is None else effort_aware
        return choose(x, outlook, stream)

    strategies = dict(zip(NAMES, (default, paper, polished, effort_aware), strict=True))
    if name not in strategies:
        raise ValueError(f"There is no strategy {name!r} for proposals; choose one of {', '.join(NAMES)}.")
    return strategies[name]


def _effort_aware(search: _Search, x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
    """The local optimum with the least expected correction, among those no worse than the first."""
    if outlook.threshold is None:
        raise ValueError(
            "Effort-aware proposals need a learner with a threshold, such as 'default'; use 'polish'."
        )
    view = landscape(search.domain, x, outlook.weights)
    floor, best, shown = -np.inf, -np.inf, None
    for utility, y in _optima(search, x, outlook, view, stream):
        if shown is None:
            floor = utility  # the solver's solution, polished, comes first
        if utility >= floor:
            score = utility - search.how.price * expected_moves(view.gains(y), outlook.threshold)
            if score > best:
                best, shown = score, y
    return shown


def expected_moves(gains: Vector, threshold: float) -> float:
    """The expected number of moves that the expert would make first: the sum of sigma(gain - b)."""
    return float((0.5 * (1.0 + np.tanh(0.5 * (gains - threshold)))).sum())


class _Watch:
    """The time that is left of a budget, and what a step took."""

    def __init__(self, seconds: float | None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self._last = time.monotonic()

    def lap(self) -> float:
        """The seconds since the last lap."""
        last, self._last = self._last, time.monotonic()
        return self._last - last

    def allows(self, seconds: float) -> bool:
        """Whether a step that takes so many seconds ends within the budget."""
        return self._until is None or time.monotonic() + seconds <= self._until


def _first(search: _Search, x: Problem, weights: Vector) -> tuple[Solution, float]:
    """The solver's solution, and the seconds of its first call.

    The guard's alternatives get as much time as the proposal, so each has its part of the budget.
    """
    how, watch = search.how, _Watch(None)
    y = search.solve(x, weights)
    solving = watch.lap()
    if how.seconds is not None and search.start is not None and takes(search.start, "seconds"):
        spare = how.seconds / (1 + how.reserve) - how.candidates * solving
        if spare > 0.0:
            y = search.start(x, weights, start=y, seconds=spare)
    return y, solving


def _optima(
    search: _Search, x: Problem, outlook: Outlook, view: Landscape, stream: Sequence[int]
) -> Iterator[tuple[float, Solution]]:
    """Distinct local optima with their utilities, that of the solver's solution first."""
    how, weights = search.how, outlook.weights
    watch = _Watch(how.seconds)
    first, solving = _first(search, x, weights)
    watch.lap()
    plain = view.climb(first)[0][-1]
    kicking = (how.kick + 1) * watch.lap()  # at first it is estimated: each move of a kick scans all moves
    best, most = plain, view.utility(plain)
    watch.lap()
    yield most, plain
    kicking += 2 * watch.lap()  # the caller counts the moves of each candidate, and again those of the best
    if how.seconds is not None and outlook.threshold == math.inf:  # nothing is learned yet
        return
    seen = {solution_key(plain)}
    rng = np.random.default_rng(stream)
    size = how.shake * float(np.sqrt((weights**2).mean()))
    again = size > 0 and (search.own or how.seconds is not None)
    for k in range(1, how.candidates):
        if k > how.patience and len(seen) == 1:
            return
        reserved = how.reserve * solving
        solves = k % 2 == 1 and again and watch.allows(solving + kicking + reserved)
        if not solves and not watch.allows(kicking + reserved):
            return
        watch.lap()
        if solves:  # perturb the weights and solve again
            shaken = weights + size * rng.standard_normal(weights.size)
            start = search.solve(x, shaken) if search.start is None else search.start(x, shaken, start=best)
            solving = watch.lap()
        else:  # perturb the incumbent: climb a few moves under random weights
            random_view = landscape(search.domain, x, rng.standard_normal(weights.size))
            start = random_view.climb(best, best=True, limit=how.kick)[0][-1]
        y = view.climb(start)[0][-1]
        watch.lap()
        key = solution_key(y)
        if key in seen:
            continue
        seen.add(key)
        utility = view.utility(y)
        if utility > most:
            best, most = y, utility
        yield utility, y

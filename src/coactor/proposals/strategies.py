"""Which of a solver's local optima to propose, so that the expert has little to correct.

A strategy is a function (problem, outlook, stream) -> solution; all its random numbers come from
`np.random.default_rng(stream)`. The outlook is what the learner predicts: the weights and, if it models one,
the threshold b with P(a move is made) = sigma(gain - b).

    paper          the solver's solution unchanged
    polish         improved by the domain's own moves until Assumption 1 holds
    deep           several local optima, the best by estimated utility
    effort-aware   several local optima, the one with least to correct: maximise utility - price * expected
                   moves, over those whose estimated utility is at least that of the solver's solution

The last condition is a guard: by the learner's estimate the proposal is never worse than the paper's, so less
effort is not bought with worse solutions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coactor.protocol import Domain, Landscape, Learner, Problem, Solution, Solver, Vector, is_exact
from coactor.protocol.abilities import predicts_moves
from coactor.search import landscape
from coactor.solutions import solution_key


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
    def of(learner: Learner) -> Outlook:
        """The current outlook of a learner."""
        return Outlook(learner.weights, learner.threshold if predicts_moves(learner) else None)


Strategy: TypeAlias = Callable[[Problem, Outlook, Sequence[int]], Solution]

NAMES = ("default", "paper", "polish", "deep", "effort-aware")


@dataclass(frozen=True, slots=True)
class Effort:
    """How much search a strategy does.

    Attributes
    ----------
    candidates
        The number of local optima to compare, the first one included.
    seconds
        A time limit; None for no limit, so that proposals do not depend on the machine.
    price
        The price of an expected move, in units of utility.
    shake
        The relative size of the perturbation of the weights.
    kick
        The number of moves under random weights that perturb the incumbent.
    patience
        Stop if so many candidates are all the first one: the solver probably has only one optimum.
    """

    candidates: int = 24
    seconds: float | None = None
    price: float = 10.0
    shake: float = 0.3
    kick: int = 3
    patience: int = 4


def strategy(
    name: str, domain: Domain, solver: Solver | None = None, effort: Effort | None = None
) -> Strategy:
    """A strategy by its name. Raises ValueError if there is no such strategy."""
    solve, how = solver or domain.solve, effort or Effort()
    if name == "paper":
        return lambda x, outlook, stream: solve(x, outlook.weights)
    if name == "polish":
        return lambda x, outlook, stream: landscape(domain, x, outlook.weights).climb(
            solve(x, outlook.weights)
        )[0][-1]
    if name == "deep":
        return lambda x, outlook, stream: _deep(domain, solve, x, outlook, stream, how)
    if name == "effort-aware":
        return lambda x, outlook, stream: _effort_aware(domain, solve, x, outlook, stream, how)
    if name == "default":
        aware = strategy("effort-aware", domain, solver, how)
        plain = solver is None and is_exact(domain)  # no other optimum to find
        # The paper's learners model no threshold: they propose as in the paper.
        return lambda x, outlook, stream: (
            solve(x, outlook.weights) if plain or outlook.threshold is None else aware(x, outlook, stream)
        )
    raise ValueError(f"There is no strategy {name!r} for proposals; choose one of {', '.join(NAMES)}.")


def _deep(
    domain: Domain, solve: Solver, x: Problem, outlook: Outlook, stream: Sequence[int], how: Effort
) -> Solution:
    """The best local optimum by estimated utility."""
    view = landscape(domain, x, outlook.weights)
    return max(_optima(domain, solve, x, outlook.weights, view, stream, how), key=lambda optimum: optimum[0])[
        1
    ]


def _effort_aware(
    domain: Domain, solve: Solver, x: Problem, outlook: Outlook, stream: Sequence[int], how: Effort
) -> Solution:
    """The local optimum with the least expected correction, among those no worse than the first."""
    if outlook.threshold is None:
        raise ValueError(
            "Effort-aware proposals need a learner with a threshold, such as 'default'; use 'deep'."
        )
    view = landscape(domain, x, outlook.weights)
    floor, best, shown = -np.inf, -np.inf, None
    for utility, y in _optima(domain, solve, x, outlook.weights, view, stream, how):
        if shown is None:
            floor = utility  # the solver's solution, polished, comes first
        if utility >= floor:
            score = utility - how.price * expected_moves(view.gains(y), outlook.threshold)
            if score > best:
                best, shown = score, y
    return shown


def expected_moves(gains: Vector, threshold: float) -> float:
    """The expected number of moves that the expert would make first: the sum of sigma(gain - b)."""
    return float((0.5 * (1.0 + np.tanh(0.5 * (gains - threshold)))).sum())


def _optima(
    domain: Domain,
    solve: Solver,
    x: Problem,
    weights: Vector,
    view: Landscape,
    stream: Sequence[int],
    how: Effort,
) -> Iterator[tuple[float, Solution]]:
    """Distinct local optima with their utilities, that of the solver's solution first."""
    until = None if how.seconds is None else time.monotonic() + how.seconds
    plain = view.climb(solve(x, weights))[0][-1]
    best, most = plain, view.utility(plain)
    yield most, plain
    seen = {solution_key(plain)}
    rng = np.random.default_rng(stream)
    size = how.shake * float(np.sqrt((weights**2).mean()))
    for k in range(1, how.candidates):
        if until is not None and time.monotonic() > until:
            return
        if k > how.patience and len(seen) == 1:
            return
        if k % 2 and size > 0:  # perturb the weights and solve again
            start = solve(x, weights + size * rng.standard_normal(weights.size))
        else:  # perturb the incumbent: climb a few moves under random weights
            random_view = landscape(domain, x, rng.standard_normal(weights.size))
            start = random_view.climb(best, best=True, limit=how.kick)[0][-1]
        y = view.climb(start)[0][-1]
        key = solution_key(y)
        if key in seen:
            continue
        seen.add(key)
        utility = view.utility(y)
        if utility > most:
            best, most = y, utility
        yield utility, y

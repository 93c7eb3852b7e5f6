"""Proposals that leave little to correct: which of a solver's many local optima to show.

A strategy is a function (problem, outlook, stream) -> solution; whatever it draws comes from
`np.random.default_rng(stream)`. The outlook is what the learner believes: weights, and,
where it has one, the threshold b with which P(a move is made) = sigma(gain - b).

    paper          the solver's answer as it is
    polish         improved by the domain's own moves until Assumption 1 holds
    deep           several local optima, the best by estimated utility
    effort-aware   several local optima, the one that leaves least: maximise utility - price * expected moves,
                   over those whose estimated utility is no lower than the plain answer's

The last condition is the guard: what is shown is never worse, by what the learner knows, than what the
paper's pipeline would have shown, so that less effort is not bought with worse solutions.
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
    """What a learner believes, as far as a proposal needs to know.

    Attributes
    ----------
    weights
        To solve with.
    threshold
        b, with sigma(gain - b) the probability that a move is made; None when the learner has no such model,
        infinite when it has seen nothing yet: then no move is expected, and utility alone decides.
    """

    weights: Vector
    threshold: float | None = None

    @staticmethod
    def of(learner: Learner) -> Outlook:
        """What this learner believes now."""
        return Outlook(learner.weights, learner.threshold if predicts_moves(learner) else None)


Strategy: TypeAlias = Callable[[Problem, Outlook, Sequence[int]], Solution]

NAMES = ("default", "paper", "polish", "deep", "effort-aware")


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to look.

    Attributes
    ----------
    candidates
        Local optima to compare, the plain answer included.
    seconds
        Stop looking after this time; None never does, so that answers do not depend on the machine.
    price
        What an expected move weighs against utility, in units of the expert's decisiveness.
    shake
        By how much weights are perturbed to find other optima, relative to their size.
    kick
        How many moves, chosen by random weights, are made before climbing again.
    patience
        Stop when the first so many candidates are all the plain answer: the solver has but one optimum.
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
    """A strategy by its name, over any solver and any domain with moves."""
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
        plain = solver is None and is_exact(domain)  # its own answer is the one optimum
        # The paper's learners know no threshold: they propose as in the paper.
        return lambda x, outlook, stream: (
            solve(x, outlook.weights) if plain or outlook.threshold is None else aware(x, outlook, stream)
        )
    raise ValueError(f"there is no strategy {name!r} for proposals; choose one of {', '.join(NAMES)}.")


def _deep(
    domain: Domain, solve: Solver, x: Problem, outlook: Outlook, stream: Sequence[int], how: Effort
) -> Solution:
    """The best local optimum by estimated utility."""
    view = landscape(domain, x, outlook.weights)
    return max(_optima(domain, solve, x, outlook.weights, view, stream, how), key=lambda found: found[0])[1]


def _effort_aware(
    domain: Domain, solve: Solver, x: Problem, outlook: Outlook, stream: Sequence[int], how: Effort
) -> Solution:
    """The local optimum that leaves the expert least to do, among those no worse than the plain answer."""
    if outlook.threshold is None:
        raise ValueError(
            "effort-aware proposals need a learner with a threshold, such as 'default'; use 'deep'."
        )
    view = landscape(domain, x, outlook.weights)
    floor, best, shown = -np.inf, -np.inf, None
    for utility, y in _optima(domain, solve, x, outlook.weights, view, stream, how):
        if shown is None:
            floor = utility  # the plain answer, polished, comes first
        if utility >= floor:
            score = utility - how.price * expected_moves(view.gains(y), outlook.threshold)
            if score > best:
                best, shown = score, y
    return shown


def expected_moves(gains: Vector, threshold: float) -> float:
    """How many moves the expert is expected to make at once: the sum of sigma(gain - b)."""
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
    """Local optima with their utilities, the plain answer first, each only once."""
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
        if k % 2 and size > 0:  # other weights lead the solver elsewhere
            start = solve(x, weights + size * rng.standard_normal(weights.size))
        else:  # a few moves that please somebody else lead out of the best optimum so far
            stranger = landscape(domain, x, rng.standard_normal(weights.size))
            start = stranger.climb(best, best=True, limit=how.kick)[0][-1]
        y = view.climb(start)[0][-1]
        key = solution_key(y)
        if key in seen:
            continue
        seen.add(key)
        utility = view.utility(y)
        if utility > most:
            best, most = y, utility
        yield utility, y

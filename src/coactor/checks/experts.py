"""The conformance suite of experts."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from coactor import search
from coactor.checks.errors import CheckError, expect
from coactor.experts import SimulatedExpert
from coactor.protocol import Domain, Expert, Problem, Solution
from coactor.solutions import same_solution

TOLERANCE = 1e-9


def check_expert(expert: Expert, domain: Domain, problems: Iterable[Problem]) -> None:
    """Check that an expert satisfies its protocol on some problems. Raises CheckError if it does not.

    For a `SimulatedExpert` without errors, also that each step gains at least kappa and that at the end no
    move does (Assumption 2).

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import SimulatedExpert, domains
    >>> domain = domains.Tour(points=6, features=3)
    >>> expert = SimulatedExpert(domain, weights=[1.0, 0.5, 0.2])
    >>> check_expert(expert, domain, domain.sample(np.random.default_rng(0), n=3))
    """
    number = -1
    for number, x in enumerate(problems):
        where = f"on problem {number}"
        y = domain.solve(x, np.zeros(domain.dim))
        before = copy.deepcopy(y)
        correction = expert(x, y)
        path, moves, costs = correction.path, correction.moves, correction.costs
        expect(same_solution(before, y), f"The expert changed the proposal itself {where}; work on a copy.")
        begins = len(path) and same_solution(path[0], y)
        expect(begins, f"The correction's path does not start with the proposal {where}.")
        steps = len(path) - 1
        fits = len(costs) == steps and len(moves) in (0, steps)
        expect(fits, f"The path has {steps} steps but {len(costs)} costs {where}; give one each.")
        for k, move in enumerate(moves):
            leads = same_solution(domain.apply(x, path[k], move), path[k + 1])
            expect(leads, f"Step {k} does not lead where its move {move!r} leads {where}.")
        if isinstance(expert, SimulatedExpert) and not expert.misjudgement:
            _check_gains(expert, domain, x, path, correction.cut, where)
    expect(number >= 0, "No problems were given; pass at least one.")


def _check_gains(
    expert: SimulatedExpert, domain: Domain, x: Problem, path: Iterable[Solution], cut: bool, where: str
) -> None:
    solutions = list(path)
    truth = [search.utility_features(domain, x, y, expert.weights.size) @ expert.weights for y in solutions]
    slack = TOLERANCE * max(1.0, float(np.abs(truth).max()))
    for k in range(len(solutions) - 1):
        gain = truth[k + 1] - truth[k]
        less = f"Step {k} gains {gain:.4g} {where}, less than kappa = {expert.kappa} (Assumption 2)."
        expect(gain >= expert.kappa - slack, less)
    gains = search.PlainLandscape(domain, x, expert.weights).gains(solutions[-1])
    if not cut and gains.size and gains.max() > max(expert.kappa, slack) + slack:
        raise CheckError(f"The expert stopped {where} although a move still gains {gains.max():.4g}.")

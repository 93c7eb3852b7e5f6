"""Start from the weights in use: a default learner that begins with them, in their own units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from coactor import learners, validation
from coactor.protocol import Domain, Learner, Problem, Vector
from coactor.search import move_features


def learner_from(
    domain: Domain, weights: Sequence[float] | Vector, problems: Iterable[Problem], trust: float = 1.0
) -> Learner:
    """The default learner, starting from weights in use.

    Its weights are proportional to the given ones until it learns. The learner measures features in units of
    how much moves change them; these units are measured here, on moves from solutions of a few problems.

    Parameters
    ----------
    domain
        What the weights are for; at most 250 features.
    weights
        One for each feature of phi. Where features are costs, a positive weight avoids them.
    problems
        A few typical ones, such as the last weeks'.
    trust
        How far to trust the weights: how many prior standard deviations they lie from 0. With 0.01 a single
        correction replaces them, with 10 many are needed.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor import domains
    >>> domain = domains.Tour(points=8, features=2)
    >>> problems = domain.sample(np.random.default_rng(0), n=2)
    >>> start = learner_from(domain, [1.0, 3.0], problems).weights
    >>> round(float(start[1] / start[0]), 6)
    3.0
    """
    given = validation.finite(validation.weight_vector(weights, domain.dim), "Weights")
    rows = [move_features(domain, x, domain.solve(x, given)) for x in problems]
    moves = np.concatenate([np.empty((0, domain.dim)), *rows])
    if not moves.any() or not given.any():
        raise ValueError("A start needs a weight that is not 0 and problems whose moves change features.")
    counts = np.count_nonzero(moves, axis=0)
    units = np.sqrt((moves**2).sum(axis=0) / np.maximum(counts, 1))
    units[counts == 0] = np.exp(np.log(units[counts > 0]).mean())
    learner = learners.make("choice", domain.dim, prior=given * units, prior_mean=trust)
    length = float(np.sqrt(((moves / units) ** 2).sum(axis=1).mean()))
    learner.restore({**learner.state(), "units": units.tolist(), "length": length})
    return learner

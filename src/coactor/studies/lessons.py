"""What was learned, in one sentence; and what makes weights of different units comparable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coactor import explanations
from coactor.protocol import Learner, Vector
from coactor.protocol.abilities import has_posterior


def at_first(learner: Learner) -> Vector:
    """The prior standard deviation of each weight, used as its unit; ones if there is no posterior."""
    if has_posterior(learner):
        return np.maximum(learner.prior_deviations(), 1e-300)
    return np.ones(len(learner.weights))


def lesson(names: Sequence[str], before: Learner, after: Learner, learned: bool, effort: float) -> str:
    """One sentence on what a tell has changed."""
    return explanations.lesson(
        names, before.weights, after.weights, at_first(after), learn=learned, accepted=effort == 0
    )

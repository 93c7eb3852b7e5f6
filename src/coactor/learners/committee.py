"""The default learner for many features: a quick and a slow posterior, and weights between them.

Beyond 250 features a round says little about each. Weights are then independent, and all features share
one unit. How far to trust a few hundred rounds about as many features cannot be read off the rounds
themselves: on some data a wide prior that learns at once needs least effort, on other data a narrow one that
follows what most rows have in common. Their errors differ, so the weights between the two do nearly as well
as the better one, whichever it is.

    quick    rows by their direction; a wide prior
    slow     rows as they are, so that large changes count more; a narrow prior

Both see every round (choice.py). The direction of the weights is the mean of both. Several people are one:
what each shows of so many features is too little to tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np

from coactor.learners.choice import ChoiceLearner, Form, row_lengths
from coactor.learners.serialization import inner_state, pack
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

QUICK = Form(prior_sd=1.0, threshold_sd=2.0, prior_mean=0.1, joint=False, lengths=False)
SLOW = Form(prior_sd=0.1, threshold_sd=2.0, prior_mean=0.1, joint=False, lengths=True)


class Committee:
    """A quick and a slow Bayesian choice learner.

    Parameters
    ----------
    dim
        d.
    start, trust
        The weights in use today and how far to trust them, as for a `ChoiceLearner`.

    Examples
    --------
    >>> Committee(300).weights[:3]
    array([0.1, 0.1, 0.1])
    """

    name = "committee"
    reads: Reads = "declined"

    def __init__(
        self, dim: int, start: Sequence[float] | Vector | None = None, trust: float | None = None
    ) -> None:
        self.quick = ChoiceLearner(dim, start, trust, form=QUICK)
        self.slow = ChoiceLearner(dim, start, trust, form=SLOW)

    @property
    def start(self) -> Vector | None:
        """The weights in use before; None if there are none."""
        return self.quick.start

    @property
    def weights(self) -> Vector:
        """The mean of both directions, with the length of the quick learner's."""
        quick, slow = self.quick.weights, self.slow.weights
        length, other = row_lengths(np.vstack([quick, slow])).tolist()
        if length == 0.0 or other == 0.0:
            return quick + slow
        between = quick / length + slow / other
        weights: Vector = between * (length / (float(np.linalg.norm(between)) or 1.0))
        return weights

    @property
    def threshold(self) -> float:
        """The quick learner's, because the weights are in its units."""
        return self.quick.threshold

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight: the quick learner's, which is larger."""
        return self.quick.deviations()

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight: the quick learner's."""
        return self.quick.prior_deviations()

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight: 0 nothing learned, 1 certain."""
        return self.quick.known()

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights: the quick learner's."""
        return self.quick.variances(rows, around_others)

    def update(self, feedback: Feedback) -> None:
        """Both learn. If one raises, neither has changed."""
        slow = deepcopy(self.slow)
        slow.update(feedback)
        self.quick.update(feedback)
        self.slow = slow

    def __repr__(self) -> str:
        return f"Committee(dim={self.quick.dim}) after {self.quick.rounds} rounds"

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        both = {"quick": self.quick.state(), "slow": self.slow.state()}
        return {"learner": self.name, "weights": pack(self.weights), **both}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from. Raises ValueError, changing nothing, if invalid."""
        quick, slow = deepcopy(self.quick), deepcopy(self.slow)
        quick.restore(inner_state(state, self.name, "quick"))
        slow.restore(inner_state(state, self.name, "slow"))
        self.quick, self.slow = quick, slow

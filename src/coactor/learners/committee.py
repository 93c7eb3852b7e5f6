"""The default learner for many features: a quick and a slow posterior, and weights between them.

How far to trust a few hundred rounds about as many features cannot be read off the rounds themselves: on some
data a wide prior that learns at once needs least effort, on other data a narrow one that follows what most
rows have in common. Their errors differ, so the weights between the two do nearly as well as the better one,
whichever it is.

    quick    rows by their direction; a wide prior, and a joint posterior of all weights
    slow     rows as they are, so that large changes count more; a narrow prior, and independent weights

Both see every round (choice.py). The direction of the weights is QUICK of one and 1 - QUICK of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from coactor.learners.choice import ChoiceLearner
from coactor.learners.serialization import inner_state, pack
from coactor.learners.units import row_lengths
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

QUICK = 0.8  # the share of the quick learner in the direction
SLOW_SD = 0.1  # the prior standard deviation of the slow learner


class Committee:
    """A quick and a slow Bayesian choice learner.

    Parameters
    ----------
    dim
        d.
    prior
        The direction of the prior mean, as for a `ChoiceLearner`.
    start
        The weights in use today, as for a `ChoiceLearner`.

    Examples
    --------
    >>> Committee(300).weights[:3]
    array([0.1, 0.1, 0.1])
    """

    name = "committee"
    reads: Reads = "declined"

    def __init__(
        self,
        dim: int,
        prior: Sequence[float] | Vector | None = None,
        start: Sequence[float] | Vector | None = None,
    ) -> None:
        self.dim = dim
        self.quick = ChoiceLearner(dim, prior, use_lengths=False, start=start)
        self.slow = ChoiceLearner(
            dim, prior, prior_sd=SLOW_SD, use_lengths=True, independent=True, start=start
        )

    @property
    def prior(self) -> Vector:
        """The direction of the prior mean."""
        return self.quick.prior

    @property
    def weights(self) -> Vector:
        """Between the two directions, with the length of the quick learner's."""
        quick, slow = self.quick.weights, self.slow.weights
        length, other = row_lengths(np.vstack([quick, slow])).tolist()
        if length == 0.0 or other == 0.0:
            return quick + slow
        between = QUICK * (quick / length) + (1.0 - QUICK) * (slow / other)
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

    def chances(self, differences: Matrix) -> Vector:
        """The probability that the expert makes each move: the mean of the two."""
        chances: Vector = 0.5 * (self.quick.chances(differences) + self.slow.chances(differences))
        return chances

    def update(self, feedback: Feedback) -> None:
        """Both learn. If one raises, neither has changed."""
        slow = copy(self.slow)  # an update replaces all it changes, so a shallow copy is enough
        slow.update(feedback)
        self.quick.update(feedback)
        self.slow = slow

    def __repr__(self) -> str:
        return f"Committee(dim={self.dim}) after {self.quick.rounds} rounds"

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "quick": self.quick.state(),
            "slow": self.slow.state(),
        }

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        quick, slow = (inner_state(state, self.name, key) for key in ("quick", "slow"))
        other = Committee(self.dim)
        other.quick.restore(quick)
        other.slow.restore(slow)
        self.quick, self.slow = other.quick, other.slow

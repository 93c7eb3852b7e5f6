"""The default learner for many features: two beliefs, one quick and one slow, and weights between them.

How far to trust a few hundred rounds about as many features cannot be read off the rounds themselves: on some
data a belief that takes weights to be large and learns at once needs least effort, on other data one that
takes them to be small and follows what most rows have in common. Their errors differ, so the
weights between the two do nearly as well as the better one, whichever it is.

    quick    rows by their direction; weights may be large, and are believed about jointly
    slow     rows as they are, so that large changes count more; weights are small, each by itself

Both see every round (choice.py). The direction of the weights is QUICK of one and 1 - QUICK of the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coactor.learners.choice import ChoiceLearner, row_lengths
from coactor.learners.serialization import inner_state, pack
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

QUICK = 0.8  # the quick one's part of the direction
CAUTION = 0.1  # the slow one's doubt


class Committee:
    """A quick and a slow Bayesian choice learner.

    Parameters
    ----------
    dim
        d.
    prior
        What the weights are likely to be like, as for a `ChoiceLearner`.

    Examples
    --------
    >>> Committee(300).weights[:3]
    array([0.1, 0.1, 0.1])
    """

    name = "committee"
    reads: Reads = "declined"

    def __init__(self, dim: int, prior: Sequence[float] | Vector | None = None) -> None:
        self.dim = dim
        self.quick = ChoiceLearner(dim, prior, lengths=False)
        self.slow = ChoiceLearner(dim, prior, doubt=CAUTION, lengths=True, independent=True)

    @property
    def prior(self) -> Vector:
        """The proportions believed in before anything was seen."""
        return self.quick.prior

    @property
    def weights(self) -> Vector:
        """Between the two directions, as long as the quick one's."""
        quick, slow = self.quick.weights, self.slow.weights
        length, other = row_lengths(np.vstack([quick, slow])).tolist()
        if length == 0.0 or other == 0.0:
            return quick + slow
        between = QUICK * (quick / length) + (1.0 - QUICK) * (slow / other)
        weights: Vector = between * (length / (float(np.linalg.norm(between)) or 1.0))
        return weights

    @property
    def threshold(self) -> float:
        """The quick one's, in whose units the weights are."""
        return self.quick.threshold

    def deviations(self) -> Vector:
        """The standard deviation of each weight: the quick one's, the larger."""
        return self.quick.deviations()

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight: the quick one's."""
        return self.quick.prior_deviations()

    def known(self) -> Vector:
        """How much of the doubt about each weight is gone: 0 nothing, 1 all of it."""
        return self.quick.known()

    def chances(self, differences: Matrix) -> Vector:
        """The probability that the expert makes each move: what the two say on average."""
        chances: Vector = 0.5 * (self.quick.chances(differences) + self.slow.chances(differences))
        return chances

    def update(self, feedback: Feedback) -> None:
        """Both learn."""
        self.quick.update(feedback)
        self.slow.update(feedback)

    def state(self) -> State:
        """Everything it knows, as JSON-able data."""
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

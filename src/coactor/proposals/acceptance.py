"""How likely the expert is to accept a proposal untouched, calibrated on what he did so far.

The choice model gives the expected number of moves E = sum of sigma(gain - b) over a proposal's moves. Moves
are not independent, so exp(-E) is not the chance that none is made. The link between the two is learned:

    P(accepted) = sigma(a - c log E)

with a Gaussian belief about (a, c), updated like the learner's own after every proposal told.
"""

from __future__ import annotations

import numpy as np

from coactor.learners.gaussians import Precision
from coactor.learners.serialization import pack, unpack
from coactor.protocol import State, Vector

LEAST = 1e-4  # expected moves below this are as good as none


class Acceptance:
    """Predicts acceptance from the expected number of moves.

    Examples
    --------
    >>> acceptance = Acceptance()
    >>> for _ in range(20):
    ...     acceptance.learn(0.01, accepted=True)
    ...     acceptance.learn(3.0, accepted=False)
    >>> acceptance.chance(0.01) > 0.9, acceptance.chance(3.0) < 0.1
    (True, True)
    """

    name = "acceptance"

    def __init__(self) -> None:
        self._belief = Precision(np.array([0.0, 1.0]), np.diag([4.0, 1.0]))

    def chance(self, expected_moves: float) -> float:
        """The probability that a proposal with so many expected moves is accepted untouched."""
        row = _row(expected_moves)
        blur = float(np.sqrt(1.0 + np.pi / 8.0 * self._belief.spread(row)[0]))
        return float(0.5 * (1.0 + np.tanh(0.5 * float(row[0] @ self._belief.mean) / blur)))

    def learn(self, expected_moves: float, accepted: bool) -> None:
        """Learn from what became of a proposal."""
        self._belief.learn(_row(expected_moves), np.array([1.0 if accepted else 0.0]))

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {"learner": self.name, **{key: pack(array) for key, array in self._belief.arrays().items()}}

    def restore(self, state: State) -> None:
        """Become the one that `state` was taken from."""
        found = {k: unpack(state, k, self.name, a.shape) for k, a in self._belief.arrays().items()}
        self._belief.mean, self._belief.matrix = found["mean"], found["matrix"]


def _row(expected_moves: float) -> Vector:
    return np.array([[1.0, -np.log(max(expected_moves, LEAST))]])

"""The probability that the expert accepts a proposal unchanged, calibrated on earlier proposals.

The choice model gives the expected number of moves E = sum of sigma(gain - b) over a proposal's moves. Moves
are not independent, so exp(-E) is not the chance that none is made. The link between the two is learned:

    P(accepted) = sigma(a - c log E)

with a Gaussian posterior of (a, c), updated after every told proposal as the learner's own is.
"""

from __future__ import annotations

import numpy as np

from coactor.learners.gaussians import Precision
from coactor.learners.serialization import pack, unpack
from coactor.protocol import State, Vector

LEAST = 1e-4  # smaller expected numbers of moves are raised to this


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
        self._posterior = Precision(np.array([0.0, 1.0]), np.diag([0.25, 1.0]))

    def chance(self, expected_moves: float) -> float:
        """The probability that a proposal with this expected number of moves is accepted unchanged."""
        row = _row(expected_moves)
        blur = float(np.sqrt(1.0 + np.pi / 8.0 * self._posterior.spread(row)[0]))
        return float(0.5 * (1.0 + np.tanh(0.5 * float(row[0] @ self._posterior.mean) / blur)))

    def learn(self, expected_moves: float, accepted: bool) -> None:
        """Learn whether a proposal was accepted."""
        self._posterior.learn(_row(expected_moves), np.array([1.0 if accepted else 0.0]))

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {"learner": self.name, **{key: pack(array) for key, array in self._posterior.arrays().items()}}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError if it is invalid."""
        posterior = self._posterior.copy()
        for key, array in posterior.arrays().items():
            setattr(posterior, key, unpack(state, key, self.name, array.shape))
        self._posterior = posterior


def _row(expected_moves: float) -> Vector:
    return np.array([[1.0, -np.log(max(expected_moves, LEAST))]])

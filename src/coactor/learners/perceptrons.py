"""The perceptrons: every correction moves the weights by a multiple of delta, however small the mistake."""

from __future__ import annotations

import numpy as np

from coactor.learners.coactive import CoactiveLearner
from coactor.learners.serialization import positive_number
from coactor.protocol import Vector


class PER(CoactiveLearner):
    """Perceptron: lambda = 1.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.protocol import Feedback
    >>> learner = PER(2)
    >>> learner.update(Feedback(np.array([[0.0, 0.0], [1.0, -2.0]]), cost=3))
    >>> learner.weights
    array([ 1., -2.])
    """

    name = "PER"

    def rate(self, cost: float, delta: Vector) -> float:
        return 1.0


class CSPER(CoactiveLearner):
    """Cost-sensitive perceptron: lambda = C.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.protocol import Feedback
    >>> learner = CSPER(2)
    >>> learner.update(Feedback(np.array([[0.0, 0.0], [1.0, -2.0]]), cost=3))
    >>> learner.weights
    array([ 3., -6.])
    """

    name = "CSPER"

    def rate(self, cost: float, delta: Vector) -> float:
        return cost


class CappedCSPER(CoactiveLearner):
    """Cost-sensitive perceptron that changes the weights by at most `cap`: lambda = min(C, cap / |delta|).

    The paper's conclusion asks for it: early, costly examples otherwise dominate the weights.

    Parameters
    ----------
    dim
        d.
    cap
        The largest |w' - w| of one update.
    """

    name = "capped-CSPER"

    def __init__(self, dim: int, cap: float = 5.0) -> None:
        super().__init__(dim)
        self.cap = positive_number(cap, "cap")

    def rate(self, cost: float, delta: Vector) -> float:
        return min(cost, self.cap / float(np.sqrt(delta @ delta)))

    def settings(self) -> dict[str, float]:
        return {"cap": self.cap}

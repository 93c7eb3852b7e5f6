"""Algorithm 1 of the paper, and its four learners.

    CoactiveUpdate(problem x, solution y, expert's solution y', cost C):
        if C > 0:
            delta := phi(x, y') - phi(x, y)
            w     := w + lambda * delta

The learners differ only in the learning rate lambda; variants.py has the paper's next steps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from coactor.learners.serialization import pack, setting, tells, unpack
from coactor.protocol import Feedback, Reads, State, Vector
from coactor.validation import above_zero, check_feedback, finite_weights, positive


class CoactiveLearner(ABC):
    """Algorithm 1 with the learning rate left open.

    Parameters
    ----------
    dim
        d, the length of a feature vector. The weights start at 0.
    """

    name: ClassVar[str]
    reads: Reads = "ends"

    def __init__(self, dim: int) -> None:
        self.weights: Vector = np.zeros(positive(dim, 1, "dim"))

    def update(self, feedback: Feedback) -> None:
        """Algorithm 1."""
        check_feedback(feedback, self.weights.size)
        if feedback.cost > 0:
            delta = feedback.delta
            if tells(delta, feedback.path[0]):
                step = self.rate(feedback.cost, delta) * delta
                self.weights = finite_weights(self.weights + step)

    @abstractmethod
    def rate(self, cost: float, delta: Vector) -> float:
        """lambda, given C and a delta that is not 0."""

    def start_with(self, weights: Vector) -> None:
        """Begin with other weights than 0."""
        self.weights = weights

    def settings(self) -> dict[str, float]:
        """The parameters that belong to the state."""
        return {}

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value}" for name, value in self.settings().items())
        return f"{type(self).__name__}(dim={self.weights.size}{settings})"

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {"learner": self.name, "weights": pack(self.weights), **self.settings()}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        weights = unpack(state, "weights", self.name, (self.weights.size,))
        settings = {key: setting(state, key, self.name) for key in self.settings()}
        for key, value in settings.items():
            setattr(self, key, value)
        self.weights = weights


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


class PA(CoactiveLearner):
    """Passive-aggressive: lambda = (M - w . delta) / |delta|^2, so that w' . delta = M.

    lambda is negative if w . delta > M. Assumption 3 excludes that; the candidate "final" does not.

    Parameters
    ----------
    dim
        d.
    margin
        M; it only scales the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.protocol import Feedback
    >>> learner = PA(2)
    >>> learner.update(Feedback(np.array([[0.0, 0.0], [3.0, 4.0]]), cost=2))
    >>> float(learner.weights @ [3.0, 4.0])
    1.0
    """

    name = "PA"

    def __init__(self, dim: int, margin: float = 1.0) -> None:
        super().__init__(dim)
        self.margin = above_zero(margin, "margin")

    def rate(self, cost: float, delta: Vector) -> float:
        return (self.margin - float(self.weights @ delta)) / float(delta @ delta)

    def settings(self) -> dict[str, float]:
        return {"margin": self.margin}


class CSPA(CoactiveLearner):
    """Cost-sensitive passive-aggressive: lambda = (C - w . delta) / |delta|^2, so that w' . delta = C."""

    name = "CSPA"

    def rate(self, cost: float, delta: Vector) -> float:
        return (cost - float(self.weights @ delta)) / float(delta @ delta)

"""Algorithm 1 of the paper, and what its four learners share.

    CoactiveUpdate(problem x, solution y, expert's solution y', cost C):
        if C > 0:
            delta := phi(x, y') - phi(x, y)
            w     := w + lambda * delta

The learners differ only in the learning rate lambda: see perceptrons.py and passive_aggressive.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from coactor.learners.serialization import check_feedback, pack, positive_dim, setting, tells, unpack
from coactor.protocol import Feedback, Reads, State, Vector


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
        self.weights: Vector = np.zeros(positive_dim(dim))

    def update(self, feedback: Feedback) -> None:
        """Algorithm 1."""
        check_feedback(feedback, self.weights.size)
        if feedback.cost > 0:
            delta = feedback.delta
            if tells(delta, feedback.path[0]):
                self.weights = self.weights + self.rate(feedback.cost, delta) * delta

    @abstractmethod
    def rate(self, cost: float, delta: Vector) -> float:
        """lambda, given C and a delta that is not 0."""

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

"""Around any learner of Algorithm 1: averaged weights, and updates in mini-batches."""

from __future__ import annotations

import numpy as np

from coactor.learners.coactive import CoactiveLearner
from coactor.learners.serialization import (
    check_feedback,
    count,
    inner_state,
    pack,
    positive_dim,
    tells,
    unpack,
)
from coactor.protocol import Feedback, Learner, Reads, State, Vector


class Averaged:
    """Solve with the mean of all weights so far: (w_1 + ... + w_t) / t.

    Parameters
    ----------
    learner
        The learner whose weights are averaged.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.name = f"averaged-{learner.name}"
        self.reads: Reads = learner.reads
        self.weights: Vector = np.array(learner.weights)
        self.rounds = 0

    def update(self, feedback: Feedback) -> None:
        """Update the learner, then the mean."""
        if feedback.cost == 0 and self.rounds == 0:
            check_feedback(feedback, self.weights.size)
            return  # nothing seen yet: an average of the start would only hold it back
        self.learner.update(feedback)
        self.rounds += 1
        self.weights = self.weights + (self.learner.weights - self.weights) / self.rounds

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "rounds": self.rounds,
            "inner": self.learner.state(),
        }

    def __repr__(self) -> str:
        return f"Averaged({self.learner!r})"

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        weights = unpack(state, "weights", self.name, self.weights.shape)
        rounds = count(state, "rounds", self.name)
        self.learner.restore(inner_state(state, self.name))
        self.rounds, self.weights = rounds, weights


class MiniBatch:
    """Collect the updates of `size` corrections, all computed at the same weights, and apply their mean.

    Parameters
    ----------
    learner
        A learner of Algorithm 1; its learning rate is used.
    size
        How many corrections make a batch.
    """

    reads: Reads = "ends"

    def __init__(self, learner: CoactiveLearner, size: int = 5) -> None:
        self.learner = learner
        self.name = f"batch-{learner.name}"
        self.size = positive_dim(size)
        self.waiting = 0
        self.sum: Vector = np.zeros(learner.weights.size)

    @property
    def weights(self) -> Vector:
        """The weights of the last full batch."""
        return self.learner.weights

    def update(self, feedback: Feedback) -> None:
        """Collect; apply when the batch is full. Corrections without effort do not count."""
        check_feedback(feedback, self.sum.size)
        delta = feedback.delta
        if feedback.cost == 0 or not tells(delta, feedback.path[0]):
            return
        self.sum = self.sum + self.learner.rate(feedback.cost, delta) * delta
        self.waiting += 1
        if self.waiting == self.size:
            self.learner.weights = self.learner.weights + self.sum / self.size
            self.waiting, self.sum = 0, np.zeros(self.sum.size)

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "size": self.size,
            "waiting": self.waiting,
            "sum": pack(self.sum),
            "inner": self.learner.state(),
        }

    def __repr__(self) -> str:
        return f"MiniBatch({self.learner!r}, size={self.size})"

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        total = unpack(state, "sum", self.name, self.sum.shape)
        size, waiting = count(state, "size", self.name, 1), count(state, "waiting", self.name)
        self.learner.restore(inner_state(state, self.name))
        self.size, self.waiting, self.sum = size, waiting, total

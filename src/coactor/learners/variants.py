"""The paper's next steps: limited aggressiveness, a bounded change, mini-batches; and averaged weights."""

from __future__ import annotations

import numpy as np

from coactor.learners.coactive import CSPER, PA, PER
from coactor.learners.serialization import count, pack, tells, unpack
from coactor.protocol import Feedback, State, Vector
from coactor.validation import above_zero, check_feedback, finite_weights, positive


class CappedCSPER(CSPER):
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
        self.cap = above_zero(cap, "cap")

    def rate(self, cost: float, delta: Vector) -> float:
        return min(cost, self.cap / float(np.sqrt(delta @ delta)))

    def settings(self) -> dict[str, float]:
        return {"cap": self.cap}


class PAI(PA):
    """PA-I: no step beyond the aggressiveness A: lambda = min(A, max(0, M - w . delta) / |delta|^2).

    Parameters
    ----------
    dim
        d.
    margin, aggressiveness
        M and A.
    """

    name = "PA-I"

    def __init__(self, dim: int, margin: float = 1.0, aggressiveness: float = 0.1) -> None:
        super().__init__(dim, margin)
        self.aggressiveness = above_zero(aggressiveness, "aggressiveness")

    def rate(self, cost: float, delta: Vector) -> float:
        return min(self.aggressiveness, max(0.0, super().rate(cost, delta)))

    def settings(self) -> dict[str, float]:
        return {"margin": self.margin, "aggressiveness": self.aggressiveness}


class PAII(PAI):
    """PA-II: softer steps: lambda = max(0, M - w . delta) / (|delta|^2 + 1 / (2 A)), as in PA-I."""

    name = "PA-II"

    def rate(self, cost: float, delta: Vector) -> float:
        loss = max(0.0, self.margin - float(self.weights @ delta))
        return loss / (float(delta @ delta) + 0.5 / self.aggressiveness)


class BatchPER(PER):
    """Perceptron that collects corrections, all computed at the same weights, and applies their mean.

    Parameters
    ----------
    dim
        d.
    size
        How many corrections make a batch.
    """

    name = "batch-PER"

    def __init__(self, dim: int, size: int = 5) -> None:
        super().__init__(dim)
        self.size = positive(size, 1, "size")
        self.waiting = 0
        self.sum: Vector = np.zeros(dim)

    def update(self, feedback: Feedback) -> None:
        """Collect; apply when the batch is full. Corrections without effort do not count."""
        check_feedback(feedback, self.weights.size)
        if feedback.cost == 0 or not tells(feedback.delta, feedback.path[0]):
            return
        total, waiting = finite_weights(self.sum + feedback.delta), self.waiting + 1
        if waiting == self.size:
            self.weights = finite_weights(self.weights + total / self.size)
            total, waiting = np.zeros(self.weights.size), 0
        self.sum, self.waiting = total, waiting

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {**super().state(), "size": self.size, "waiting": self.waiting, "sum": pack(self.sum)}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        total = unpack(state, "sum", self.name, self.sum.shape)
        size, waiting = count(state, "size", self.name, 1), count(state, "waiting", self.name)
        super().restore(state)
        self.size, self.waiting, self.sum = size, waiting, total


class AveragedPER(PER):
    """Perceptron that solves with the mean of all its weights so far: (w_1 + ... + w_t) / t."""

    name = "averaged-PER"

    def __init__(self, dim: int) -> None:
        super().__init__(dim)
        self.last: Vector = self.weights  # w_t
        self.rounds = 0

    def start_with(self, weights: Vector) -> None:
        """Begin with other weights than 0."""
        self.weights = self.last = weights

    def update(self, feedback: Feedback) -> None:
        """Update w_t, then the mean, which begins with the first correction."""
        check_feedback(feedback, self.weights.size)
        if feedback.cost == 0 and self.rounds == 0:
            return  # an average of the start would only hold it back
        learns = feedback.cost > 0 and tells(feedback.delta, feedback.path[0])
        last = finite_weights(self.last + feedback.delta) if learns else self.last
        self.weights = finite_weights(self.weights + (last - self.weights) / (self.rounds + 1))
        self.last, self.rounds = last, self.rounds + 1

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {**super().state(), "last": pack(self.last), "rounds": self.rounds}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        last, rounds = unpack(state, "last", self.name, self.last.shape), count(state, "rounds", self.name)
        super().restore(state)
        self.last, self.rounds = last, rounds

"""The passive-aggressive learners: the smallest change of w that gives w . delta a margin."""

from __future__ import annotations

from coactor.learners.coactive import CoactiveLearner
from coactor.learners.serialization import positive_number
from coactor.protocol import Vector


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
        self.margin = positive_number(margin, "margin")

    def rate(self, cost: float, delta: Vector) -> float:
        return (self.margin - float(self.weights @ delta)) / float(delta @ delta)

    def settings(self) -> dict[str, float]:
        return {"margin": self.margin}


class CSPA(CoactiveLearner):
    """Cost-sensitive passive-aggressive: lambda = (C - w . delta) / |delta|^2, so that w' . delta = C."""

    name = "CSPA"

    def rate(self, cost: float, delta: Vector) -> float:
        return (cost - float(self.weights @ delta)) / float(delta @ delta)


class PAI(CoactiveLearner):
    """PA-I: no step beyond the aggressiveness A: lambda = min(A, max(0, M - w . delta) / |delta|^2)."""

    name = "PA-I"

    def __init__(self, dim: int, margin: float = 1.0, aggressiveness: float = 0.1) -> None:
        super().__init__(dim)
        self.margin = positive_number(margin, "margin")
        self.aggressiveness = positive_number(aggressiveness, "aggressiveness")

    def rate(self, cost: float, delta: Vector) -> float:
        loss = max(0.0, self.margin - float(self.weights @ delta))
        return min(self.aggressiveness, loss / float(delta @ delta))

    def settings(self) -> dict[str, float]:
        return {"margin": self.margin, "aggressiveness": self.aggressiveness}


class PAII(CoactiveLearner):
    """PA-II: softer steps: lambda = max(0, M - w . delta) / (|delta|^2 + 1 / (2 A))."""

    name = "PA-II"

    def __init__(self, dim: int, margin: float = 1.0, aggressiveness: float = 0.1) -> None:
        super().__init__(dim)
        self.margin = positive_number(margin, "margin")
        self.aggressiveness = positive_number(aggressiveness, "aggressiveness")

    def rate(self, cost: float, delta: Vector) -> float:
        loss = max(0.0, self.margin - float(self.weights @ delta))
        return loss / (float(delta @ delta) + 0.5 / self.aggressiveness)

    def settings(self) -> dict[str, float]:
        return {"margin": self.margin, "aggressiveness": self.aggressiveness}

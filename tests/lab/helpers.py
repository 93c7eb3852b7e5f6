"""Small things the lab's tests share: a domain in a few lines, a learner of one's own, made-up results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Feedback, Move, Vector


class Bits:
    """Which of five bits to set; an edit flips one."""

    dim = 5

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Vector]:
        for _ in range(n):
            yield rng.standard_normal((5, self.dim))

    def features(self, x: Vector, y: Sequence[int]) -> Vector:
        total: Vector = np.asarray(y, dtype=np.float64) @ x
        return total

    def solve(self, x: Vector, w: Vector) -> list[int]:
        return [int(value > 0) for value in x @ w]

    def moves(self, x: Vector, y: Sequence[int]) -> Iterator[Move]:
        for i in range(5):
            yield {"op": "flip", "args": [i]}

    def apply(self, x: Vector, y: Sequence[int], move: Move) -> list[int]:
        (i,) = move["args"]
        return [bit ^ (k == i) for k, bit in enumerate(y)]


class NoProblems(Bits):
    """A domain that cannot make problems."""

    sample = None  # type: ignore[assignment]


class Slow:
    """A learner of one's own: half a step at a time."""

    name = "slow"
    reads = "ends"

    def __init__(self, dim: int) -> None:
        self.weights = np.zeros(dim)

    def update(self, feedback: Feedback) -> None:
        if feedback.cost > 0:
            self.weights = self.weights + 0.5 * feedback.delta

    def state(self) -> dict[str, Any]:
        return {"weights": self.weights.tolist()}

    def restore(self, state: dict[str, Any]) -> None:
        self.weights = np.array(state["weights"])


class Nothing:
    """Not a learner."""

    def __init__(self, dim: int) -> None:
        pass


def made_up(
    name: str, totals: dict[str, Sequence[float]], examples: int = 20, noise: float = 0.0
) -> PanelResult:
    """A panel result whose runs have these totals."""
    rng = np.random.default_rng(0)
    costs = {}
    for line, runs in totals.items():
        falling = np.linspace(2.0, 0.5, examples)
        falling = falling / falling.sum()
        costs[line] = np.array([total * falling for total in runs])
        costs[line] = costs[line] * (1 + noise * rng.random(costs[line].shape))
    return PanelResult(PANELS[name], 0, costs, {line: -cost for line, cost in costs.items()})

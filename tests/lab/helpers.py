"""A small domain, a learner and made-up results for the tests of the lab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from coactor.lab.engine.parallel import run_alone
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.results import PanelResult
from coactor.lab.paper.runs import Data, Unit, UnitResult, measure_unit
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
    """A domain that cannot generate problems."""

    sample = None  # type: ignore[assignment]


class HiddenBits(Bits):
    """The same with one feature that only the expert sees."""

    hidden = 1

    def all_features(self, x: Vector, y: Sequence[int]) -> Vector:
        return np.append(self.features(x, y), float(sum(y)))


class Slow:
    """A learner of the user: the perceptron with half of its step."""

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
    for learner, runs in totals.items():
        falling = np.linspace(2.0, 0.5, examples)
        falling = falling / falling.sum()
        costs[learner] = np.array([total * falling for total in runs])
        costs[learner] = costs[learner] * (1 + noise * rng.random(costs[learner].shape))
    return PanelResult(PANELS[name], costs, {learner: -cost for learner, cost in costs.items()})


def made_up_results() -> list[PanelResult]:
    """All eight panels."""
    base = {"PER": [120.0, 140.0, 130.0], "CSPER": [100.0, 90.0, 95.0], "my.<b>:Learner": [80.0, 85.0, 90.0]}
    out = []
    for name in PANELS:
        learners = dict(base)
        if PANELS[name].expert_line:
            learners["expert"] = [0.0, 0.0, 0.0] if name == "tsp-clean" else [40.0, 41.0, 42.0]
        out.append(made_up(name, learners, noise=0.3))
    return out


def run_unit(unit: Unit, data: Data | None = None) -> UnitResult:
    """Run one unit alone."""
    return run_alone(measure_unit, data, unit)

"""Local search on a grid: climbing by the model's own edits, and simulated annealing as a solver."""

from __future__ import annotations

import numpy as np

from coactor.kernels import grids, tolerances
from coactor.models import edits
from coactor.models.instances import Instance
from coactor.protocol import Indices, Move, Vector

HOT, COLD = 0.5, 0.03  # first and last temperature, in units of what a typical edit changes
PRICES = (3.0, 30.0, 300.0)  # of breaking a rule by 1, in the same units; the next if a rule stays broken


class GridLandscape:
    """One problem seen through one set of weights."""

    def __init__(self, x: Instance, w: Vector) -> None:
        self.x, self.w = x, w
        self.value = x.wishes.program(group=0, weight=w * x.signs)

    def utility(self, y: Indices) -> float:
        return float(grids.evaluate(self.value, y.ravel())[1][0])

    def gains(self, y: Indices) -> Vector:
        return self._options(y)[1]

    def climb(
        self, y: Indices, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Indices], list[Move]]:
        path, chosen = [y], list[Indices]()
        least = tolerances.GAIN * float(np.abs(self.w) @ np.abs(grids.evaluate(self.x.phi, y.ravel())[1]))
        while len(chosen) != limit:
            options, gains = self._options(path[-1])
            good = np.flatnonzero((gains >= kappa) & (gains > least))
            if not good.size:
                break
            chosen.append(options[good[gains[good].argmax()] if best else good[0]])
            z = path[-1].ravel().copy()
            grids.perform(z, chosen[-1], self.x.stride)
            path.append(z.reshape(self.x.shape))
        return path, edits.to_moves(self.x, np.array(chosen, np.int64).reshape(-1, 4))

    def _options(self, y: Indices) -> tuple[Indices, Vector]:
        options = edits.legal(self.x, y)
        return options, grids.effects(self.value, y.ravel(), options, self.x.stride)[:, 0]


def anneal(x: Instance, value: grids.Program, steps: int) -> tuple[Indices, float]:
    """Simulated annealing from the first choice everywhere: a solution, and by how much it breaks rules.

    It goes on from where it is, with a higher price, as long as a rule is broken.

    The stream of random numbers is fixed, so that the same problem and weights give the same solution.
    """
    rng = np.random.default_rng(0)
    kinds = x.edits[:, 0] + (x.edits[:, 3] > 1)  # sets, swaps, blocks: each kind as often as the others
    groups = [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]
    options = np.stack([rng.choice(group, steps) for group in groups])
    picks = options[rng.integers(len(groups), size=steps), np.arange(steps)]
    tried = x.edits[picks]
    anywhere = rng.integers(value.choices, size=int(np.prod(x.shape)))
    changes = np.abs(grids.effects(value, anywhere, tried[:500], x.stride))
    typical = float(changes[changes > 0].mean()) if changes.any() else 0.0
    rules = x.rules.program(group=0)
    heat = typical * np.geomspace(HOT, COLD, steps)
    y, broken = np.zeros(anywhere.size, np.int64), np.inf
    for price in PRICES:
        coins = rng.random(steps)
        y, broken = grids.anneal(value, rules, y, tried, x.stride, coins, heat, price * typical or 1.0)
        if broken <= grids.KEPT:
            break
    return y.reshape(x.shape), float(broken)

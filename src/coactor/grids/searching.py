"""Local search on a grid: climbing by the model's own edits, and simulated annealing as a solver."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from coactor.grids import edits
from coactor.grids.instances import Instance
from coactor.kernels import grids, tolerances
from coactor.protocol import Indices, Move, Vector

HOT, COLD = 0.5, 0.03  # first and last temperature, in units of what a typical edit changes
WARM = 0.2  # the first temperature from a given solution
PRICES = (3.0, 30.0, 300.0)  # of breaking a rule by 1, in the same units; the next if a rule stays broken


class GridLandscape:
    """One problem seen through one set of weights."""

    def __init__(self, x: Instance, w: Vector) -> None:
        self.x, self.w = x, w
        self.value = x.wishes.program(w * x.signs, total=True)

    def utility(self, y: Indices) -> float:
        return float(grids.evaluate(self.value, y.ravel())[1][0])

    def gains(self, y: Indices) -> Vector:
        return grids.effects(self.value, y.ravel(), edits.legal(self.x, y), self.x.stride)[:, 0]

    def climb(
        self, y: Indices, *, kappa: float = 0.0, best: bool = False, limit: int = -1
    ) -> tuple[list[Indices], list[Move]]:
        path, chosen = [y], list[int]()
        for k, z in islice(self._steps(y, kappa, best, onward=False), None if limit < 0 else limit):
            chosen.append(k)
            path.append(z.reshape(self.x.shape).copy())
        return path, edits.to_moves(self.x, self.x.edits[np.array(chosen, np.int64)])

    def polish(self, y: Indices) -> Indices:
        """A solution that no edit improves. Quicker than `climb`: it goes on from each edit it makes."""
        z = y.ravel()
        for _, z in self._steps(y, 0.0, best=False, onward=True):  # noqa: B007
            pass
        return z.reshape(self.x.shape)

    def _steps(self, y: Indices, kappa: float, best: bool, onward: bool) -> Iterator[tuple[int, Indices]]:
        x, z, k = self.x, y.ravel().copy(), 0
        least = tolerances.GAIN * float(np.abs(self.w) @ np.abs(grids.evaluate(x.phi, z)[1]))
        while True:
            first = k if onward else 0
            k = grids.improving(self.value, x.broken, z, x.edits, x.stride, kappa, least, best, first)
            if k < 0:
                return
            grids.perform(z, x.edits[k], x.stride)
            yield k, z


def anneal(
    x: Instance, value: grids.Program, steps: int, start: Indices | None = None
) -> tuple[Indices, float]:
    """Simulated annealing: a solution, and by how much it breaks rules.

    It begins at the first choice everywhere, or, less hot, at `start`; and goes on from where it is, with a
    higher price, as long as a rule is broken. The stream of random numbers is fixed, so that the same problem
    and weights give the same solution.
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
    heat = typical * np.geomspace(HOT if start is None else WARM, COLD, steps)
    y, broken = np.zeros_like(anywhere) if start is None else start.ravel(), np.inf
    for price in PRICES:
        coins = rng.random(steps)
        y, broken = grids.anneal(value, x.broken, y, tried, x.stride, coins, heat, price * typical or 1.0)
        if broken <= grids.KEPT:
            break
    return y.reshape(x.shape), float(broken)

"""Local search on a grid: climbing by the model's own edits, and simulated annealing as a solver."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from coactor.grids import edits
from coactor.grids.instances import TIE, Instance
from coactor.kernels import grids, tolerances
from coactor.protocol import Indices, Move, Vector

HOT, COLD = 0.5, 0.03  # first and last temperature, in units of what a typical edit changes
WARM = 0.2  # the first temperature from a given solution
PRICE, DEAREST = 3.0, 1000.0  # of breaking a rule by one unit, in the same units: first and at most
RAISE, LOWER = 1.3, 1.05  # the price where a rule is broken, and where it is kept again
NEAR, NEAREST = 0.1, 1e-6  # what a cell that differs from a draft costs: in the search, and in the end
RUN = 8  # cells in a row that one step of the search changes, at most
KINDS = np.array([grids.SET, grids.EXCHANGE, grids.SET, grids.EXCHANGE, grids.ROTATE])  # of one cell, of runs
TEMPERATURES, CHUNK = 32, 10_000  # of one search, at least; steps at one of them, at most


class GridLandscape:
    """One problem seen through one set of weights.

    With `strict`, to mend a rule gains more than any wish: so the solver sees it.
    """

    def __init__(self, x: Instance, w: Vector, strict: bool = False) -> None:
        self.x, self.w, self.edits = x, w, x.edits
        self.wishes, self.prices = x.apart(w)
        self.value = x.value(w)
        if strict:
            self.prices = np.full(self.prices.size, np.inf)

    def stay(self, draft: Indices, price: float) -> None:
        """Let each cell that differs from a draft cost something."""
        literals = np.arange(draft.size) * self.x.phi.choices + draft.ravel()
        self.value = self.x.value(self.w, literals, price)

    def utility(self, y: Indices) -> float:
        utility = grids.evaluate(self.value, y.ravel())[1][0]
        return float(utility - self.prices @ grids.evaluate(self.x.broken, y.ravel())[1])

    def gains(self, y: Indices) -> Vector:
        x, legal = self.x, edits.legal(self.x, y)
        harm = grids.effects(x.broken, y.ravel(), legal, x.stride)
        gains: Vector = grids.effects(self.value, y.ravel(), legal, x.stride)[:, 0] - harm @ self.prices
        return gains

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
        programs = self.value, x.broken, self.prices
        least = tolerances.GAIN * float(np.abs(self.wishes) @ np.abs(grids.evaluate(x.phi, z)[1]))
        while True:
            first = k if onward else 0
            k = grids.improving(*programs, z, self.edits, x.stride, kappa, least, best, first)
            if k < 0:
                return
            grids.perform(z, self.edits[k], x.stride)
            yield k, z


class Search:
    """Simulated annealing for one problem under one set of weights, and what its solutions are worth.

    Each place where a rule can be broken has a price of its own. It rises while the rule is broken there, so
    that the search leaves solutions where rules about runs of cells block each other.

    Parameters
    ----------
    x, w
        The problem and the weights.
    free
        The cells that may be changed; by default all of them.
    draft
        What to stay near: of equally good solutions the nearest. Where it breaks a rule, that was meant: of
        as many broken rules, those.
    """

    def __init__(
        self, x: Instance, w: Vector, free: Indices | None = None, draft: Indices | None = None
    ) -> None:
        self.x, self.view, self.rng = x, GridLandscape(x, w, strict=True), np.random.default_rng(0)
        self.costs = x.costs(w)
        self.cells, self.swaps = int(np.prod(x.shape)), np.array(x.schema.swaps, np.int64)
        self.sizes = np.array(x.shape)
        self.strides = self.cells // np.cumprod(self.sizes)
        self.free = np.arange(self.cells) if free is None else free
        anywhere = self.rng.integers(x.phi.choices, size=self.cells)
        tried = self._draw(1000)
        changes = np.abs(grids.effects(self.view.value, anywhere, tried[tried[:, 3] == 1], x.stride))
        self.typical = float(changes[changes > 0].mean()) if changes.any() else 1.0
        if self.free.size < self.cells:
            self.view.edits = x.edits[self._inside(x.edits)]
        if draft is not None:
            self.view.stay(draft, NEAR * self.typical)
            self.costs = np.where(x.amounts(draft) > grids.KEPT, self.costs, (1.0 + 2.0 * TIE) * self.costs)

    def worth(self, y: Indices) -> tuple[float, float]:
        """Minus what broken rules cost, and the utility: in this order, more is better."""
        return -round(float(self.x.amounts(y) @ self.costs), 9), grids.evaluate(self.view.value, y.ravel())[
            1
        ][0]

    def anneal(self, steps: int | None, start: Indices | None = None, until: float | None = None) -> Indices:
        """A solution, after so many steps, or by a time of `time.monotonic`: `start` or a better one.

        It begins at the first choice everywhere, or, less hot, at `start`. The stream of random numbers is
        fixed, so that the same steps give the same solution. If rules stay broken, it goes on from the
        nearest solution with one price for all.
        """
        y = np.zeros(self.x.shape, np.int64) if start is None else start
        begun, heat = time.monotonic(), HOT if start is None else WARM
        first = None if until is None else begun + 0.75 * (until - begun)
        y = self._cool(y, heat, steps, first, rising=True)
        broken = self.worth(y)[0] < 0.0
        if broken or steps is None:
            y = self._cool(y, WARM, steps, until, rising=not broken)
        return y

    def _cool(
        self, start: Indices, heat: float, steps: int | None, until: float | None, rising: bool
    ) -> Indices:
        x, typical, value, done, begun = self.x, self.typical, self.view.value, 0, time.monotonic()
        seconds = np.inf if until is None else max(until - begun, 1e-9)
        best, y, (broken, most) = start.ravel().copy(), start.ravel().copy(), self.worth(start)
        nearest, least = start, (broken, most)
        kept = 1e-6 * typical if rising else np.inf
        most = most if broken == 0.0 else -np.inf
        lowest, highest = PRICE * typical * self.costs, DEAREST * typical * self.costs
        prices = lowest if rising else highest
        chunk = CHUNK if steps is None else min(CHUNK, -(-steps // TEMPERATURES))
        while (f := max((time.monotonic() - begun) / seconds, done / (steps or np.inf))) < 1.0:
            tried = self._draw(chunk)
            programs, now = (value, x.priced(prices)), typical * heat * (COLD / heat) ** f
            coins = self.rng.random(len(tried))
            most = grids.anneal(*programs, y, best, most, tried, x.stride, coins, now, kept)
            done += chunk
            if rising:
                amounts = x.amounts(y)
                changed = np.where(amounts > grids.KEPT, prices * RAISE, prices / LOWER)
                prices = np.clip(changed, lowest, highest)
                if most == -np.inf and self.worth(y) > least:
                    nearest, least = y.reshape(x.shape).copy(), self.worth(y)
        best = best.reshape(x.shape)
        return max(best, nearest, key=self.worth)

    def _draw(self, count: int) -> Indices:
        """Random edits of free cells: of one or two, and of stretches of a row, which these cannot leave."""
        x, rng, schema = self.x, self.rng, self.x.schema
        a = self.free[rng.integers(self.free.size, size=count)]
        kind = rng.integers(KINDS.size if len(x.shape) > 1 else 2, size=count)
        op = KINDS[kind]
        length = rng.integers(1, RUN + 1, size=count)
        length = np.minimum(length, x.shape[schema.along] - a // x.stride % x.shape[schema.along])
        length[kind < 2] = 1
        turns, choices = 1 - 2 * rng.integers(2, size=count), rng.integers(x.phi.choices, size=count)
        b = np.where(op == grids.ROTATE, turns, choices)
        if not self.swaps.size:
            op[op == grids.EXCHANGE] = grids.SET
        else:
            axis = self.swaps[rng.integers(self.swaps.size, size=count)]
            size, stride = self.sizes[axis], self.strides[axis]
            at = a // stride % size
            other = (at + rng.integers(1, np.maximum(size, 2))) % size
            b = np.where(op == grids.EXCHANGE, a + (other - at) * stride, b)
            overlapping = (op == grids.EXCHANGE) & (axis == schema.along)  # perhaps: stretches of one row
            length[overlapping] = 1
        edits = np.stack([op, a, b, length], axis=1)
        return edits if self.free.size == self.cells else edits[self._inside(edits)]

    def _inside(self, edits: Indices) -> NDArray[np.bool_]:
        """Which edits change free cells only."""
        x, steps = self.x, np.arange(max(RUN, self.x.schema.longest))
        locked = np.ones(self.cells, bool)
        locked[self.free] = False
        op, a, b, length = edits.T[:, :, None]
        cells = np.minimum(steps, length - 1) * x.stride
        other = np.where(op == grids.EXCHANGE, b, a)
        inside: NDArray[np.bool_] = ~(locked[a + cells] | locked[other + cells]).any(axis=1)
        return inside

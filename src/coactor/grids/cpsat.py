"""CP-SAT (OR-Tools) on a problem's circuits: some cells are free, the others stay as they are.

CP-SAT takes whole numbers: coefficients with decimals are scaled, weights are scaled and rounded. So its
answers are compared, and polished, by the model's own arithmetic.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from coactor.grids.causes import divided
from coactor.grids.circuits import Circuit
from coactor.grids.searching import Search
from coactor.kernels.grids import LINEAR, POSITIVE, SPREAD
from coactor.protocol import Indices, Vector

LARGEST = 100_000  # the largest cost after scaling
MOST = 2**61  # of an objective
DECIMALS = 3  # of coefficients: beyond, they are rounded
FEW, KINDS = 100, (0.0, 0.5, 1.0)  # cells that are free in the first neighbourhood of each kind
WORKERS = 2
ROUND = 0.5  # the limit of one neighbourhood, in deterministic time: of the order of seconds


def installed() -> bool:
    """Whether OR-Tools can be imported."""
    try:
        from ortools.sat.python import cp_model  # noqa: F401
    except ImportError:
        return False
    return True


def improve(search: Search, y: Indices, until: float) -> Indices:
    """Large-neighbourhood search: a solution that is at least as good, when time is over or it is optimal.

    Two neighbourhoods are solved at once, and what both have changed is tried together. Each kind of
    neighbourhood grows while CP-SAT proves that it has found the best of it, and else shrinks.
    """
    rng, programs = np.random.default_rng(0), Programs(search)
    shares = dict.fromkeys(KINDS if y.ndim > 1 else KINDS[:1], min(1.0, FEW / y.size))
    with ThreadPoolExecutor(WORKERS) as pool:
        while (left := until - time.monotonic()) > 0.0:
            kinds = rng.choice(list(shares), WORKERS).tolist()
            free = [neighbourhood(search, y, kind, shares[kind], rng) for kind in kinds]
            answers = list(pool.map(lambda own, y=y, left=left: programs.solve(y, own, ROUND, left), free))
            both = y.copy()
            for z, _ in answers:
                both[z != y] = z[z != y]
            best = max(both, *(z for z, _ in answers), key=search.worth)
            y = best if search.worth(best) >= search.worth(y) else y
            for kind, own, (_, proven) in zip(kinds, free, answers, strict=True):
                if proven and own.size == search.free.size:
                    return y
                share = shares[kind] * 1.1 if proven else shares[kind] / 1.2
                shares[kind] = float(np.clip(share, 1.0 / y.size, 1.0))
    return y


def neighbourhood(search: Search, y: Indices, kind: float, share: float, rng: np.random.Generator) -> Indices:
    """A share of the cells, to be free: some rows (kind 0), a stretch of all rows (1), or between.

    If rules are broken, one of the cells that break them is among them.
    """
    x, cells = search.x, np.arange(y.size).reshape(y.shape)
    rows = np.moveaxis(cells, x.schema.along, -1).reshape(-1, x.shape[x.schema.along])
    rows = rows.T if y.ndim == 1 else rows
    row, column = rng.integers(rows.shape)
    broken = [own for _, own, _ in divided(x.rules, y)] if search.worth(y)[0] < 0.0 else []
    if broken:
        row, column = np.argwhere(rows == rng.choice(broken[rng.integers(len(broken))]))[0]
    size = max(1, round(share**kind * rows.shape[1])) if y.ndim > 1 else 1
    first = np.clip(column - rng.integers(size), 0, rows.shape[1] - size)
    count = max(1, round(share ** (1 - kind) * len(rows)))
    chosen = np.append(rng.permutation(np.delete(np.arange(len(rows)), row))[: count - 1], row)
    return np.intersect1d(rows[chosen, first : first + size], search.free)


class Programs:
    """A problem's circuits in whole numbers."""

    def __init__(self, search: Search) -> None:
        self.search, x = search, search.x
        self.wishes = Whole(x.wishes, -(search.view.wishes * x.signs)[x.wish])
        self.rules = Whole(x.rules, search.costs)

    def solve(
        self, y: Indices, free: Indices, effort: float, seconds: float = np.inf
    ) -> tuple[Indices, bool]:
        """A solution that differs in free cells only and is no worse; and whether none is better."""
        from ortools.sat.python import cp_model

        model, width, now = cp_model.CpModel(), self.wishes.program.choices, y.ravel().tolist()
        literals: list[Any] = [None] * self.wishes.program.literals
        cells = free.tolist()
        for cell in cells:
            literals[cell * width : (cell + 1) * width] = own = [model.new_bool_var("") for _ in range(width)]
            model.add_exactly_one(own)
            for choice, literal in enumerate(own):
                model.add_hint(literal, choice == now[cell])
        kept = self.search.worth(y)[0] == 0.0
        cost, span = self.wishes.lower(model, literals, y)
        broken, most = self.rules.lower(model, literals, y, kept)
        model.minimize(cost if kept else cost + min(span + 1, MOST // (most + 1)) * broken)
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.max_deterministic_time = effort
        solver.parameters.num_workers = 1 if seconds < np.inf else WORKERS
        solver.parameters.interleave_search = True  # in a fixed order: the same answer everywhere
        solver.parameters.random_seed = 0
        status, z = solver.solve(model), y.ravel().copy()
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            for cell in cells:
                own = literals[cell * width : (cell + 1) * width]
                z[cell] = next(k for k, literal in enumerate(own) if solver.boolean_value(literal))
        return z.reshape(y.shape), status == cp_model.OPTIMAL


class Whole:
    """A circuit in whole numbers, with a price for each output."""

    def __init__(self, circuit: Circuit, prices: Vector) -> None:
        p = self.program = circuit.program()
        n, columns = p.kind.size, p.literals + p.kind.size
        scale = np.ones(columns)
        source = np.repeat(np.arange(columns), np.diff(p.start))
        order = np.argsort(p.to, kind="stable")
        source, to, coef = source[order], p.to[order], p.coef[order]
        node = to < n
        for rank in range(p.level_start.size - 1):
            own = np.r_[coef[node][p.level[to[node]] == rank], p.constant[p.level == rank]]
            unit = next((10**k for k in range(DECIMALS) if not (own * 10**k % 1).any()), 10**DECIMALS)
            scale[p.literals + np.flatnonzero(p.level >= rank)] *= unit
        self.source, self.to = source[node], to[node]
        self.coef = np.rint(coef[node] * scale[p.literals + self.to] / scale[self.source]).astype(np.int64)
        self.constant = np.rint(p.constant * scale[p.literals :]).astype(np.int64)
        price = np.bincount(source[~node], coef[~node] * prices[to[~node] - n], columns) / scale
        largest = max(float(np.abs(price * scale).max(initial=0.0)), 1e-300)
        fine = LARGEST * min(float(scale.max()), 10.0**DECIMALS)
        self.price = np.rint(price * (fine / largest)).astype(np.int64)  # of each column
        self.counted = np.bincount(source[~node], minlength=columns) > 0
        self.members = np.split(p.member, p.member_start[1:-1]) if n else []
        up, down = price > 0.0, price < 0.0  # whether the cost may rise, or fall, where a column rises
        for rank in range(p.level_start.size - 2, -1, -1):
            for t in range(p.level_start[rank], p.level_start[rank + 1]):
                if p.kind[t] == SPREAD:
                    own = p.literals + self.members[t]
                    up[own] = down[own] = up[own] | down[own] | up[p.literals + t] | down[p.literals + t]
            arcs = p.level[self.to] == rank
            own, target, rising = self.source[arcs], p.literals + self.to[arcs], self.coef[arcs] > 0
            np.logical_or.at(up, own, np.where(rising, up[target], down[target]))
            np.logical_or.at(down, own, np.where(rising, down[target], up[target]))
        self.one_sided = ~down

    def lower(self, model: Any, literals: list[Any], y: Indices, kept: bool = False) -> tuple[Any, int]:
        """What the outputs cost, as an expression of the free literals, and how much that can vary.

        With `kept` they must all be 0.
        """
        from ortools.sat.python.cp_model import LinearExpr

        p, first, weighted_sum = self.program, self.program.literals, LinearExpr.weighted_sum
        value = np.zeros(self.price.size, np.int64)
        value[np.arange(y.size) * p.choices + y.ravel()] = 1
        free = np.append([literal is not None for literal in literals], np.zeros(p.kind.size, bool))
        total = self.constant.copy()
        for rank in range(p.level_start.size - 1):
            arcs = p.level[self.to] == rank
            np.add.at(total, self.to[arcs], self.coef[arcs] * value[self.source[arcs]])
            np.logical_or.at(free, first + self.to[arcs], free[self.source[arcs]])
            for t in range(p.level_start[rank], p.level_start[rank + 1]):
                if p.kind[t] == SPREAD:
                    own = first + self.members[t]
                    total[t], free[first + t] = np.ptp(value[own]), free[own].any()
            own = np.arange(p.level_start[rank], p.level_start[rank + 1])
            value[first + own] = np.where(p.kind[own] == POSITIVE, np.maximum(total[own], 0), total[own])
        arcs = free[self.source]
        source, to, coef = self.source[arcs], self.to[arcs], self.coef[arcs]
        np.subtract.at(total, to, coef * value[source])  # what the fixed columns contribute
        ends = np.searchsorted(to, np.arange(p.kind.size + 1)).tolist()
        sources, coefs, constant = source.tolist(), coef.tolist(), total.tolist()
        terms, kinds, one_sided = (
            [*literals, *value[first:].tolist()],
            p.kind.tolist(),
            self.one_sided.tolist(),
        )
        low, high = [0] * first + terms[first:], [1] * first + terms[first:]
        zero = (self.counted & kept).tolist()
        for t in np.flatnonzero(free[first:]).tolist():
            column, mine = first + t, slice(ends[t], ends[t + 1])
            if kinds[t] == SPREAD:
                members = [first + m for m in self.members[t].tolist()]
                bounds = min(low[m] for m in members), max(high[m] for m in members)
                least, most = model.new_int_var(*bounds, ""), model.new_int_var(*bounds, "")
                model.add_min_equality(least, [terms[m] for m in members])
                model.add_max_equality(most, [terms[m] for m in members])
                terms[column], low[column], high[column] = most - least, 0, bounds[1] - bounds[0]
                continue
            parts = list(zip(sources[mine], coefs[mine], strict=True))
            term = weighted_sum([terms[c] for c, _ in parts], coefs[mine]) + constant[t]
            least = constant[t] + sum(k * (low[c] if k > 0 else high[c]) for c, k in parts)
            most = constant[t] + sum(k * (high[c] if k > 0 else low[c]) for c, k in parts)
            if kinds[t] == LINEAR or least >= 0:
                terms[column], low[column], high[column] = term, least, most
            elif zero[column] or most <= 0:
                if most > 0:
                    model.add(term <= 0)
                terms[column], low[column], high[column] = 0, 0, 0
                continue
            else:
                low[column], high[column] = 0, most
                terms[column] = positive = model.new_int_var(0, most, "")
                if one_sided[column]:
                    model.add(positive >= term)
                else:
                    model.add_max_equality(positive, [term, 0])
            if zero[column]:
                model.add(terms[column] <= 0)
        priced = np.flatnonzero(free & (self.price != 0)).tolist()
        for column in np.flatnonzero(free[:first] & self.counted[:first] & kept).tolist():
            model.add(terms[column] == 0)
        prices = self.price[priced].tolist()
        span = sum(abs(k) * (high[c] - low[c]) for c, k in zip(priced, prices, strict=True))
        return weighted_sum([terms[c] for c in priced], prices), span

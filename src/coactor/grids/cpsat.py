"""The CP-SAT model of a problem: the same circuits, in OR-Tools' words.

CP-SAT takes whole numbers: coefficients with decimals are scaled, weights are scaled and rounded. So its
answer is polished by the model's own edits afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coactor.grids.circuits import Circuit
from coactor.grids.instances import Instance
from coactor.kernels.grids import LINEAR, SPREAD
from coactor.protocol import Indices, Vector

LARGEST = 100_000  # the largest cost after scaling
DECIMALS = 3  # of coefficients: beyond, they are rounded


def solve(x: Instance, w: Vector, effort: float) -> tuple[Indices | None, bool]:
    """A good solution, or None if CP-SAT finds none; and whether it proves that there is none.

    Without OR-Tools it finds none.

    Parameters
    ----------
    x, w
        The problem and the weights of its wishes.
    effort
        The limit in CP-SAT's deterministic time.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        return None, False
    model = cp_model.CpModel()
    literals = new_literals(model, x.rules)
    for value, _ in outputs(model, literals, x.rules):
        model.add(value <= 0)
    costs = -w * x.signs
    terms = outputs(model, literals, x.wishes)
    prices = np.array([cost / scale for cost, (_, scale) in zip(costs, terms, strict=True)])
    whole = np.rint(prices * (LARGEST / max(float(np.abs(prices).max()), 1e-300))).astype(np.int64).tolist()
    model.minimize(sum(price * value for price, (value, _) in zip(whole, terms, strict=True) if price))
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = effort
    solver.parameters.num_workers = 2
    solver.parameters.interleave_search = True  # in a fixed order: two workers, yet the same answer
    solver.parameters.random_seed = 0
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, status == cp_model.INFEASIBLE
    chosen = np.array([solver.boolean_value(literal) for literal in literals])
    best: Indices = chosen.reshape(-1, x.rules.choices).argmax(axis=1).reshape(x.shape)
    return best, False


def new_literals(model: Any, circuit: Circuit) -> list[Any]:
    """A Boolean variable for each literal; of a cell's, exactly one is true."""
    literals = [model.new_bool_var("") for _ in range(circuit.literals)]
    for cell in range(0, circuit.literals, circuit.choices):
        model.add_exactly_one(literals[cell : cell + circuit.choices])
    return literals


def outputs(model: Any, literals: list[Any], circuit: Circuit) -> list[tuple[Any, int]]:
    """Each output as an expression of whole numbers, scale * output, and its scale."""
    from ortools.sat.python.cp_model import LinearExpr

    c, n, weighted_sum = circuit, circuit.kind.size, LinearExpr.weighted_sum
    coefs = np.r_[c.coef, c.constant, c.outputs]
    unit = next((10**k for k in range(DECIMALS) if not (coefs * 10**k % 1).any()), 10**DECIMALS)
    level = np.r_[np.full(c.literals, -1), c.level]
    scale = [int(unit) ** (int(k) + 1) for k in level]  # of each column
    values: list[Any] = [*literals, *[0] * n]
    low, high = np.zeros(level.size), np.ones(level.size)
    order = np.argsort(c.target, kind="stable")
    start = np.searchsorted(c.target[order], np.arange(-c.outputs.size, n + 1))
    results = []

    def affine(arcs: Indices, constant: float, size: int) -> tuple[Any, float, float]:
        columns, own = c.source[arcs].tolist(), c.coef[arcs]
        whole = [round(k * (size // scale[column])) for k, column in zip(own.tolist(), columns, strict=True)]
        ends = np.sort([own * low[columns], own * high[columns]], axis=0).sum(axis=1) + constant
        total = weighted_sum([values[column] for column in columns], whole) + round(constant * size)
        return total, float(ends[0]), float(ends[1])

    for t in [*range(n), *range(-1, -1 - c.outputs.size, -1)]:
        arcs = order[start[t + c.outputs.size] : start[t + c.outputs.size + 1]]
        if t < 0:
            size = max([scale[k] for k in c.source[arcs].tolist()], default=1) * int(unit)
            results.append((affine(arcs, float(c.outputs[-1 - t]), size)[0], size))
            continue
        k = c.literals + t
        if c.kind[t] == SPREAD:
            members = c.source[arcs].tolist()
            scale[k] = max(scale[m] for m in members)
            parts = [values[m] * (scale[k] // scale[m]) for m in members]
            ends = round(low[members].min() * scale[k]), round(high[members].max() * scale[k])
            least, most = model.new_int_var(*ends, ""), model.new_int_var(*ends, "")
            model.add_min_equality(least, parts)
            model.add_max_equality(most, parts)
            values[k], low[k], high[k] = most - least, 0.0, (ends[1] - ends[0]) / scale[k]
            continue
        value, low[k], high[k] = affine(arcs, float(c.constant[t]), scale[k])
        if c.kind[t] == LINEAR or low[k] >= 0:
            values[k] = value
            continue
        low[k], high[k] = 0.0, max(0.0, high[k])
        values[k] = model.new_int_var(0, round(high[k] * scale[k]), "")
        model.add_max_equality(values[k], [value, 0])
    return results

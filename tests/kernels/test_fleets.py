"""Insertion over several paths against a naive implementation."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import edges, fleets, tolerances


@given(st.integers(1, 3), st.integers(0, 7), st.integers(0, 2**32 - 1))
def test_insertion_equals_the_naive_one_and_solve_is_two_opt_optimal(
    vehicles: int, free: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n = 2 * vehicles + free
    cost = edges.cost_matrix(rng.standard_normal(n * (n - 1) // 2), n)
    terminals = rng.permutation(n)[: 2 * vehicles].reshape(-1, 2)
    paths = terminals.tolist()
    waiting = [p for p in range(n) if p not in terminals]
    while waiting:
        options = [
            (cost[path[k - 1], q] + cost[q, path[k]] - cost[path[k - 1], path[k]], q, v, k)
            for q in waiting
            for v, path in enumerate(paths)
            for k in range(1, len(path))
        ]
        _, q, v, k = min(options)
        paths[v].insert(k, q)
        waiting.remove(q)
    order, starts = fleets.insertion(cost, terminals)
    assert [order[a:b].tolist() for a, b in itertools.pairwise(starts)] == paths
    solved, cuts = fleets.solve(cost, terminals)
    assert cuts.tolist() == starts.tolist()
    assert fleets.gains(cost, solved, cuts).max(initial=0.0) <= tolerances.rounding(cost)

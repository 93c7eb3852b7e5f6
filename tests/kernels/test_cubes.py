"""The two-step lookahead against a naive implementation."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import cubes


def test_number_edges_numbers_the_448_edges_of_the_papers_cube() -> None:
    edge_of = cubes.number_edges(7)
    used = edge_of[edge_of >= 0]
    assert sorted(used.tolist()) == list(range(448))
    assert all(
        (edge_of[corner, bit] == -1) == bool(corner >> bit & 1) for corner in range(128) for bit in range(7)
    )


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_solve_looks_two_steps_ahead_and_takes_the_first(dimension: int, seed: int) -> None:
    edge_of = cubes.number_edges(dimension)
    cost = np.random.default_rng(seed).standard_normal(int(edge_of.max()) + 1)

    def price(corner: int, bit: int) -> float:
        return float(cost[edge_of[corner, bit]])

    corner, taken = 0, []
    while len(taken) < dimension:
        free = [bit for bit in range(dimension) if not corner >> bit & 1]
        pairs = [(price(corner, a) + price(corner | 1 << a, b), a) for a in free for b in free if a != b]
        best = min(pairs)[1] if pairs else free[0]
        taken.append(best)
        corner |= 1 << best
    assert cubes.solve(cost, edge_of).tolist() == taken

"""Rows of edges, and permutations."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import edges


@given(st.integers(1, 12))
def test_edges_are_numbered_in_row_order(n: int) -> None:
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    assert [edges.edge_number(i, j, n) for i, j in pairs] == list(range(len(pairs)))
    assert [edges.edge_number(j, i, n) for i, j in pairs] == list(range(len(pairs)))
    matrix = edges.cost_matrix(np.arange(len(pairs), dtype=np.float64), n)
    assert [matrix[i, j] for i, j in pairs] == [matrix[j, i] for i, j in pairs] == list(range(len(pairs)))
    assert not matrix.diagonal().any()


@given(st.lists(st.integers(-2, 6), max_size=6), st.integers(0, 6))
def test_permutations_are_told_from_others(order: list[int], n: int) -> None:
    assert edges.is_permutation(np.array(order, dtype=np.int64), n) == (sorted(order) == list(range(n)))


def test_rounding_is_a_share_of_the_largest() -> None:
    assert edges.rounding(np.array([1.0, -4.0])) == 4e-12
    assert edges.rounding(np.zeros((2, 2))) == 0.0


def test_enlarged_keeps_what_was_there() -> None:
    rows = np.arange(6).reshape(2, 3)
    assert edges.enlarged(rows)[:2].tolist() == rows.tolist()
    assert edges.enlarged(rows).shape == (4, 3)

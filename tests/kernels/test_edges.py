"""Numbers of paths."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import paths


@given(st.integers(1, 12))
def test_edge_number_counts_pairs_in_row_order(n: int) -> None:
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    assert [paths.edge_number(i, j, n) for i, j in pairs] == list(range(len(pairs)))
    assert [paths.edge_number(j, i, n) for i, j in pairs] == list(range(len(pairs)))
    matrix = paths.cost_matrix(np.arange(len(pairs), dtype=np.float64), n)
    assert [matrix[i, j] for i, j in pairs] == [matrix[j, i] for i, j in pairs] == list(range(len(pairs)))
    assert not matrix.diagonal().any()

"""Sparse rows against numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coactor.kernels import rankings
from tests.cases import sparse_rows


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_sparse_products_equal_those_of_the_dense_matrix(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5)
    rows = sparse_rows(dense)
    w, share = rng.standard_normal(d), rng.standard_normal(n) * (rng.random(n) < 0.7)
    csr = (rows.indptr, rows.indices, rows.values)
    np.testing.assert_array_equal(rankings.sparse_dense(*csr, d), dense)
    np.testing.assert_allclose(rankings.sparse_scores(*csr, w), dense @ w, atol=1e-12)
    np.testing.assert_allclose(rankings.sparse_sum(*csr, share, d), share @ dense, atol=1e-12)


@given(st.lists(st.integers(-2, 2), max_size=12))
def test_descending_keeps_ties_in_input_order(scores: list[int]) -> None:
    order = rankings.descending(np.array(scores, dtype=np.float64))
    assert order.tolist() == sorted(range(len(scores)), key=lambda k: -scores[k])

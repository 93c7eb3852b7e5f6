"""Rankings of dense and sparse documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coactor import Session, SimulatedExpert, domains
from coactor.domains import Query, Ranking, SparseRows
from tests.cases import same_correction, sparse_rows


@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_dense_and_sparse_documents_give_the_same_results(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # halves add up exactly, so that even the last bit agrees
    rows = rng.integers(0, 9, (n, d)) / 2 * (rng.random((n, d)) < 0.6)
    labels = rng.integers(0, 5, n).astype(np.float64)
    dense, sparse = Query.of(rows, labels), Query.of(sparse_rows(rows), labels)
    domain = Ranking(features=d)
    y, w = rng.permutation(n), rng.integers(-4, 5, d + 1) / 2
    np.testing.assert_array_equal(sparse.rows(), rows)
    np.testing.assert_allclose(domain.all_features(dense, y), domain.all_features(sparse, y), rtol=1e-12)
    np.testing.assert_allclose(domain.move_features(dense, y), domain.move_features(sparse, y), rtol=1e-12)
    for weights in (w, w[:-1]):
        assert domain.solve(dense, weights).tolist() == domain.solve(sparse, weights).tolist()
        expert = SimulatedExpert(domain, weights, kappa=0.1)
        assert same_correction(expert(dense, y), expert(sparse, y))


def test_features_are_discounted_by_position() -> None:
    domain, x = Ranking(features=1), Query.of([[1.0], [10.0], [100.0]], labels=[0, 1, 2])
    expected = 10.0 / math.log2(2) + 100.0 / math.log2(3) + 1.0 / math.log2(4)
    assert domain.features(x, np.array([1, 2, 0])).tolist() == pytest.approx([expected])
    assert domain.all_features(x, np.array([1, 2, 0]))[1] == -(1 * 1 + 2 * 2 + 3 * 0)


def test_linear_discount_counts_positions() -> None:
    domain, x = Ranking(features=1, discount="linear"), Query.of([[1.0], [10.0], [100.0]], labels=[0, 1, 2])
    order = np.array([1, 2, 0])
    assert domain.features(x, order).tolist() == [-(1 * 10.0 + 2 * 100.0 + 3 * 1.0)]
    assert domain.landscape(x, np.ones(1)).utility(order) == domain.features(x, order)[0]
    np.testing.assert_array_equal(domain.move_features(x, order)[0], [100.0 - 10.0])
    with pytest.raises(ValueError, match="expected log or linear"):
        Ranking(discount="square")  # type: ignore[arg-type]


def test_declined_are_exchanges_of_near_and_far_documents() -> None:
    domain, rng = Ranking(features=2), np.random.default_rng(0)
    x, y = Query.of(rng.random((6, 2))), rng.permutation(6)
    expected = []
    for gap in (1, 2, 4):
        for i in range(6 - gap):
            z = y.copy()
            z[[i, i + gap]] = z[[i + gap, i]]
            expected.append(domain.features(x, z) - domain.features(x, y))
    np.testing.assert_allclose(domain.declined_features(x, y), expected, atol=1e-12)
    assert domain.declined_features(Query.of([[1.0, 2.0]]), np.array([0])).shape == (0, 2)


def test_weights_that_sort_well_survive_noisy_corrections() -> None:
    """Each exchange contradicts the weights that sorted the list; what stays in order speaks for them."""
    domain, quantiles = Ranking(features=5), [0.5, 0.75, 0.9, 0.97]
    expert, angles = SimulatedExpert(domain, domain.truth(), kappa=2.0), []
    for seed in range(4):
        rng, session = np.random.default_rng(seed), Session(domain, "default")
        for _ in range(60):
            rows = rng.random((15, 5))
            quality = rows.sum(axis=1) / np.sqrt(5) + 0.4 * rng.standard_normal(15)
            x = Query.of(rows, np.digitize(quality, np.quantile(quality, quantiles)))
            proposal = session.ask(x)
            session.tell(proposal, expert(x, proposal.solution))
        weights = session.weights()
        angles.append(weights.sum() / np.linalg.norm(weights) / np.sqrt(5))
    assert np.mean(angles) > 0.93


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Query.of(np.empty((0, 2))), "no documents"),
        (lambda: Query.of([[1.0]], labels=[1, 2]), "2 labels were given for 1 documents"),
        (lambda: Query.of([[1.0]], labels=[math.nan]), "labels contain NaN"),
        (lambda: Query.of([[1.0]], features=2), r"shape \(1, 1\); expected \(any, 2\)"),
        (lambda: Query.of(sparse_rows(np.ones((1, 2))), features=3), "2 features; expected 3"),
        (lambda: Query.of([["a"]]), "cannot be read as numbers"),
        (lambda: SparseRows.of([0, 1], [0], [math.inf], (1, 1)), "NaN or infinity"),
        (lambda: SparseRows.of([0, 2], [0], [1.0], (1, 1)), "indptr does not describe 1 rows"),
        (lambda: SparseRows.of([0, 1], [5], [1.0], (1, 1)), "a column from 0 to 0"),
        (lambda: SparseRows.of([0, 1], [0.5], [1.0], (1, 1)), "indices is"),
    ],
)
def test_queries_raise_value_error_for_malformed_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_solve_raises_value_error_for_documents_of_another_width() -> None:
    for rows in (np.ones((2, 5)), sparse_rows(np.ones((2, 5)))):
        with pytest.raises(ValueError, match="The documents have 5 features; the domain expects 3"):
            domains.Ranking(features=3).solve(Query.of(rows), np.ones(3))


@given(st.permutations(range(9)), st.permutations(range(9)))
def test_edits_between_counts_the_exchanges_of_a_bubble_sort(y, z):
    place = {d: k for k, d in enumerate(z)}
    order, exchanges = [place[d] for d in y], 0
    for _ in order:
        for i in range(len(order) - 1):
            if order[i] > order[i + 1]:
                order[i], order[i + 1] = order[i + 1], order[i]
                exchanges += 1
    assert Ranking(features=2).edits_between(None, np.array(y), np.array(z)) == exchanges

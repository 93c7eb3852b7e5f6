"""Beliefs find the mode they promise: against plain gradient descent that knows nothing of Newton."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coactor.learners import gaussians
from coactor.learners.gaussians import TOLERANCE, Diagonal, Precision
from coactor.protocol import Matrix, Vector


def loss(theta: Vector, mean: Vector, precision: Matrix, rows: Matrix, labels: Vector) -> float:
    """Minus the log of (Gaussian x likelihood), up to a constant."""
    away, fit = theta - mean, rows @ theta
    return float(0.5 * away @ precision @ away + np.logaddexp(0.0, fit).sum() - labels @ fit)


def brute_force_mode(mean: Vector, precision: Matrix, rows: Matrix, labels: Vector) -> Vector:
    """Gradient steps no longer than the curvature allows anywhere: slow, and sure to arrive."""
    bound = precision + 0.25 * rows.T @ rows
    inverse = np.linalg.inv(bound)
    theta = mean.copy()
    for _ in range(20_000):
        p = 1.0 / (1.0 + np.exp(-np.clip(rows @ theta, -500, 500)))
        slope = precision @ (theta - mean) + rows.T @ (p - labels)
        step = inverse @ slope
        theta = theta - step
        if float(slope @ step) < 1e-16:
            return theta
    raise AssertionError("the brute force did not arrive")


def a_round(seed: int, d: int, m: int, size: float = 1.0) -> tuple[Vector, Matrix, Vector]:
    """A mean, rows and labels at random."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(d), size * rng.standard_normal((m, d)), (rng.random(m) < 0.4).astype(float)


shapes = (st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 12), st.sampled_from([0.1, 1.0, 5.0]))


@settings(max_examples=60, deadline=None)
@given(*shapes)
def test_the_precision_form_finds_the_mode(seed: int, d: int, m: int, size: float) -> None:
    mean, rows, labels = a_round(seed, d, m, size)
    rng = np.random.default_rng([seed, 1])
    root = rng.standard_normal((d, d))
    covariance = root @ root.T + np.eye(d)
    precision = np.linalg.inv(covariance)
    belief = Precision(mean, precision)
    belief.learn(rows, labels)
    mode = brute_force_mode(mean, precision, rows, labels)
    least = loss(mode, mean, precision, rows, labels)
    assert loss(belief.mean, mean, precision, rows, labels) <= least + TOLERANCE
    p = 1.0 / (1.0 + np.exp(-rows @ belief.mean))
    curvature = precision + (rows.T * (p * (1.0 - p))) @ rows
    # The curvature is of the point before the last, short step.
    np.testing.assert_allclose(belief.matrix, curvature, rtol=0.3, atol=0.3 * np.abs(curvature).max())


@settings(max_examples=60, deadline=None)
@given(*shapes)
def test_the_diagonal_form_finds_the_mode(seed: int, d: int, m: int, size: float) -> None:
    mean, rows, labels = a_round(seed, d, m, size)
    variances = np.random.default_rng([seed, 2]).random(d) * 4 + 0.1
    belief = Diagonal(mean, variances)
    belief.learn(rows, labels)
    precision = np.diag(1.0 / variances)
    mode = brute_force_mode(mean, precision, rows, labels)
    least = loss(mode, mean, precision, rows, labels)
    assert loss(belief.mean, mean, precision, rows, labels) <= least + TOLERANCE
    assert (belief.variances() <= variances).all()


@settings(max_examples=60, deadline=None)
@given(*shapes)
def test_both_forms_take_the_same_step_from_independent_coordinates(
    seed: int, d: int, m: int, size: float
) -> None:
    """The mode is the same; the precision's diagonal is the curvature that the diagonal form keeps."""
    mean, rows, labels = a_round(seed, d, m, size)
    variances = np.random.default_rng([seed, 3]).random(d) + 0.1
    primal, dual = Precision(mean, np.diag(1.0 / variances)), Diagonal(mean, variances)
    np.testing.assert_allclose(primal.spread(rows), dual.spread(rows), rtol=1e-9)
    primal.learn(rows, labels)
    dual.learn(rows, labels)
    np.testing.assert_allclose(primal.mean, dual.mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(np.diagonal(primal.matrix), 1.0 / dual.variance, rtol=1e-6)


def test_each_row_may_have_its_own_weight() -> None:
    mean, rows, labels = a_round(3, 4, 3, 1.0)
    for make in (lambda: Precision(mean, np.eye(4)), lambda: Diagonal(mean, np.ones(4))):
        once, repeated = make(), make()
        once.learn(rows, labels, np.array([3.0, 1.0, 1.0]))
        repeated.learn(np.vstack([rows[:1], rows[:1], rows]), np.append([labels[0]] * 2, labels))
        np.testing.assert_allclose(once.mean, repeated.mean, rtol=1e-6)
        np.testing.assert_allclose(once.variances(), repeated.variances(), rtol=1e-6)


def test_no_system_is_larger_than_the_number_of_coordinates(monkeypatch: pytest.MonkeyPatch) -> None:
    """44,550 moves of a tour of 300 points would be a matrix of 16 GB."""
    monkeypatch.setattr(gaussians, "_dual_newton", None)
    rng = np.random.default_rng(6)
    rows, labels = rng.standard_normal((400, 20)), (rng.random(400) < 0.3).astype(float)
    belief = Diagonal(np.zeros(20), np.ones(20))
    belief.learn(rows, labels)
    assert (belief.variances() < 1.0).all()


FORMS = {
    "precision": lambda d: Precision(np.zeros(d), np.eye(d)),
    "diagonal": lambda d: Diagonal(np.zeros(d), np.ones(d)),
}


@pytest.mark.parametrize("form", FORMS)
def test_forgetting_widens_the_posterior_up_to_the_prior(form: str) -> None:
    belief: Any = FORMS[form](3)
    start = belief.variances()
    rng = np.random.default_rng(1)
    belief.learn(rng.standard_normal((30, 3)), (rng.random(30) < 0.5).astype(float))
    narrow, mean = belief.variances(), belief.mean.copy()
    assert (narrow < start).all()
    belief.forget(0.5)
    assert (narrow < belief.variances()).all()
    assert (belief.variances() < start).all()
    for _ in range(200):
        belief.forget(0.5)
    np.testing.assert_allclose(belief.variances(), start, rtol=1e-9)
    np.testing.assert_array_equal(belief.mean, mean)  # what is forgotten is how sure one was


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1e-9, 1e3, 1e6])
def test_rows_of_any_length_leave_the_posterior_finite(form: str, size: float) -> None:
    belief: Any = FORMS[form](2)
    rng = np.random.default_rng(2)
    for _ in range(20):
        belief.learn(size * rng.standard_normal((8, 2)), (rng.random(8) < 0.5).astype(float))
        assert np.isfinite(belief.mean).all()
        assert np.isfinite(belief.variances()).all()
        assert (belief.variances() > 0).all()

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import sem, t

from coactor.lab.engine.statistics import (
    all_pairs,
    checkpoints,
    effort_interval,
    holm,
    interval,
    limits,
    mean_over_cases,
    p_below_zero,
)

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(arrays(np.float64, st.integers(1, 12), elements=numbers))
def test_interval_contains_the_mean_and_agrees_with_the_p_value(values):
    mean = interval(values)
    slack = 1e-9 * (1 + np.abs(values).max())
    assert mean.low - slack <= mean.value <= mean.high + slack
    assert mean.value == pytest.approx(values.mean())
    if len(values) > 1 and abs(mean.high) > slack and values.std() > slack:
        assert (p_below_zero(values) < 0.025) == (mean.high < 0)


def test_interval_of_tiny_values_is_finite():
    mean = interval(np.array([0.0, 0.0, 1e-141]))
    assert mean.low < mean.value < mean.high


DISTRIBUTIONS = {  # the values of a run, and their mean
    "normal": (lambda rng, shape: rng.standard_normal(shape), 0.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "normal minus exponential": (
        lambda rng, shape: rng.normal(size=shape) - rng.exponential(size=shape),
        -1.0,
    ),
    "log-normal": (lambda rng, shape: rng.lognormal(0.0, 0.5, shape), float(np.exp(0.125))),
    "gumbel": (lambda rng, shape: rng.gumbel(size=shape), float(np.euler_gamma)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize(("runs", "least", "most"), [(10, 0.93, 0.97), (3, 0.925, 0.975), (20, 0.93, 0.97)])
def test_intervals_have_their_nominal_coverage(name, runs, least, most):
    draw, mean = DISTRIBUTIONS[name]
    low, high = limits(draw(np.random.default_rng(5), (runs, 20_000)))  # one simulation per column
    assert least <= ((low <= mean) & (mean <= high)).mean() <= most


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("runs", [3, 10])
def test_p_value_at_the_end_of_the_interval_is_a_fortieth(name, sign, runs):
    """Hall's transformation in `p_below_zero` and its inverse in `limits` are one and the same."""
    values = sign * DISTRIBUTIONS[name][0](np.random.default_rng(runs), (runs,))
    mean = interval(values)
    assert p_below_zero(values - mean.high) == pytest.approx(0.025, rel=1e-6)
    assert p_below_zero(mean.low - values) == pytest.approx(0.025, rel=1e-6)


@given(arrays(np.float64, st.integers(3, 12), elements=st.floats(0, 1e6)))
def test_interval_without_skewness_is_that_of_scipy(values):
    symmetric = np.concatenate([values, 2 * values.mean() - values])
    error = sem(symmetric)
    if error > 1e-6:
        low, high = t.interval(0.95, len(symmetric) - 1, symmetric.mean(), error)
        mean = interval(symmetric)
        assert (mean.low, mean.high) == pytest.approx((low, high), rel=1e-4, abs=1e-4 * error)


def test_effort_interval_never_goes_below_zero():
    values = np.array([0.0, 0.0, 9.0])
    assert interval(values).low < 0 == effort_interval(values).low
    assert effort_interval(values).high == interval(values).high
    assert effort_interval(values + 100.0) == interval(values + 100.0)


def test_mean_over_cases_covers_the_mean_of_new_cases():
    """100 archives of 40 cases with rare, large efforts, each case in two orders."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(100):
        totals = 2 * rng.geometric(0.3, 40).astype(float) - 2
        mean = mean_over_cases(totals, np.full(40, 2.0), rng)
        hits += mean.low <= 1 / 0.3 - 1 <= mean.high
    assert 87 <= hits <= 99


def test_mean_over_cases_weighs_each_case_by_the_orders_that_have_it():
    totals, counts = np.repeat([9.0, 0.0], 10), np.repeat([3.0, 1.0], 10)
    assert mean_over_cases(totals, counts, np.random.default_rng(0)).value == 90 / 40


def test_mean_over_cases_has_no_interval_for_a_few_cases():
    mean = mean_over_cases(np.arange(9.0), np.ones(9), np.random.default_rng(0))
    assert mean.low == mean.value == mean.high == 4.0


def test_interval_is_wider_on_the_long_side():
    skewed = interval(np.array([0.0, 0.0, 1.0, 1.0, 8.0]))
    student = 2.7764 * np.sqrt(11.5) / np.sqrt(5)
    assert skewed.low == pytest.approx(2.0 - student, abs=1e-3)
    assert skewed.high > 2.0 + 1.2 * student


def test_p_below_zero_needs_two_runs_and_counts_certainty():
    assert p_below_zero(np.array([-1.0])) == 1.0
    assert p_below_zero(np.array([-1.0, -1.0])) == 0.0
    assert p_below_zero(np.array([0.0, 0.0])) == p_below_zero(np.array([1.0, 1.0])) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_rejects_more_than_bonferroni_and_less_than_no_correction(p_values):
    rejected = holm(p_values, 0.05)
    for p, yes in zip(p_values, rejected, strict=True):
        assert yes or p > 0.05 / len(p_values)
        assert not yes or p <= 0.05


def test_pairs_cancel_what_runs_share():
    hard = np.array([10.0, 500.0, 90.0, 1000.0])  # runs differ a lot, the learners by 1 each time
    (pair,) = all_pairs({"A": hard - 1, "B": hard})
    assert pair["difference"].low == pair["difference"].high == pair["difference"].value == -1
    assert pair["a_beats_b"] == 1


def test_pairs_count_a_tie_as_half():
    (pair,) = all_pairs({"A": np.array([1.0, 2.0]), "B": np.array([1.0, 3.0])})
    assert pair["a_beats_b"] == 0.75


@given(arrays(np.float64, (5, 3), elements=st.floats(0, 100)))
def test_all_pairs_is_antisymmetric(values):
    totals = {"a": values[:, 0], "b": values[:, 1], "c": values[:, 2]}
    there = {(p["a"], p["b"]): p for p in all_pairs(totals)}
    back = {(p["b"], p["a"]): p for p in all_pairs(dict(reversed(totals.items())))}
    for key, pair in there.items():
        assert pair["difference"].value == pytest.approx(-back[key]["difference"].value)
        assert pair["a_beats_b"] == pytest.approx(1 - back[key]["a_beats_b"])


@given(st.integers(1, 3000))
def test_checkpoints_increase_from_first_to_last_example(examples):
    at = checkpoints(examples)
    assert at[0] == 0
    assert at[-1] == examples - 1
    assert (np.diff(at) > 0).all()


def test_limits_are_the_interval_of_each_column():
    curves = np.random.default_rng(0).random((6, 4))
    low, high = limits(curves)
    for k in range(4):
        mean = interval(curves[:, k])
        assert (low[k], high[k]) == pytest.approx((mean.low, mean.high))

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coactor.lab.engine.statistics import (
    all_pairs,
    band,
    checkpoints,
    compare_pair,
    difference_of_means,
    interval,
    resamples,
    running_mean,
    standard_error,
)

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(arrays(np.float64, st.integers(1, 12), elements=numbers))
def test_interval_lies_within_the_values(values):
    mean = interval(values, resamples(0, len(values), "x", 300))
    slack = 1e-9 * (1 + np.abs(values).max())
    assert values.min() - slack <= mean.low <= mean.high <= values.max() + slack
    assert mean.value == pytest.approx(values.mean())


def test_interval_has_its_nominal_coverage():
    rng = np.random.default_rng(1)
    hits = 0
    for i in range(400):
        mean = interval(rng.normal(3.0, 1.0, 40), resamples(i, 40, "cover", 500))
        hits += mean.low <= 3.0 <= mean.high
    assert 0.88 <= hits / 400 <= 0.99  # 95 %, minus the bias of the bootstrap with 40 values


def test_resamples_depend_on_seed_and_topic_alone():
    first = resamples(3, 10, "tsp-clean")
    resamples(3, 10, "path-clean")
    assert np.array_equal(first, resamples(3, 10, "tsp-clean"))
    assert not np.array_equal(first, resamples(3, 10, "path-clean"))
    assert not np.array_equal(first, resamples(4, 10, "tsp-clean"))


def test_compare_pair_cancels_what_runs_share():
    hard = np.array([10.0, 500.0, 90.0, 1000.0])  # runs differ a lot, the learners by 1 each time
    pair = compare_pair("A", "B", hard - 1, hard, resamples(0, 4, "x"))
    assert pair.difference.low == pair.difference.high == pair.difference.value == -1
    assert pair.wins.value == 1


def test_compare_pair_counts_a_tie_as_half():
    pair = compare_pair("A", "B", np.array([1.0, 2.0]), np.array([1.0, 3.0]), resamples(0, 2, "x"))
    assert pair.wins.value == 0.75


@given(arrays(np.float64, (5, 3), elements=st.floats(0, 100)))
def test_all_pairs_is_antisymmetric(values):
    totals = {"a": values[:, 0], "b": values[:, 1], "c": values[:, 2]}
    drawn = resamples(0, 5, "x", 200)
    there = {(p.a, p.b): p for p in all_pairs(totals, drawn)}
    back = {(p.b, p.a): p for p in all_pairs(dict(reversed(totals.items())), drawn)}
    for key, pair in there.items():
        assert pair.difference.value == pytest.approx(-back[key].difference.value)
        assert pair.wins.value == pytest.approx(1 - back[key].wins.value)


def test_standard_error_of_one_run_is_nan():
    assert np.isnan(standard_error(np.array([4.0])))
    assert standard_error(np.array([1.0, 3.0])) == pytest.approx(1.0)


def test_running_mean_averages_the_first_costs():
    assert running_mean(np.array([[4.0, 0.0, 2.0]])).tolist() == [[4.0, 2.0, 2.0]]


@given(st.integers(1, 3000))
def test_checkpoints_increase_from_first_to_last_example(examples):
    at = checkpoints(examples)
    assert at[0] == 0
    assert at[-1] == examples - 1
    assert (np.diff(at) > 0).all()


def test_band_is_the_interval_at_each_point():
    rng = np.random.default_rng(0)
    curves = rng.random((6, 4))
    drawn = resamples(0, 6, "x", 400)
    low, high = band(curves, drawn)
    for k in range(4):
        mean = interval(curves[:, k], drawn)
        assert (low[k], high[k]) == pytest.approx((mean.low, mean.high))


def test_difference_of_means_resamples_the_two_samples_separately():
    rng = np.random.default_rng(3)
    early, late = rng.poisson(8, 20).astype(float), rng.poisson(3, 15).astype(float)
    change = difference_of_means(late, early, np.random.default_rng(0))
    assert change.value == pytest.approx(late.mean() - early.mean())
    assert change.low < change.value < change.high < 0
    assert difference_of_means(late, early, np.random.default_rng(0)) == change

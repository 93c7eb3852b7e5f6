"""Each learner does what its formula says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coactor import learners
from coactor.learners import CSPA, CSPER, PA, PAI, PAII, PER, AveragedPER, BatchPER, CappedCSPER
from coactor.protocol import Feedback, Learner, Vector

D = 3
vectors = arrays(np.float64, D, elements=st.floats(-100, 100, width=32))
costs = st.integers(1, 50).map(float)


def feedback(delta: Vector, cost: float) -> Feedback:
    return Feedback(np.array([np.zeros(D), delta]), cost)


def started(make: Callable[[int], Learner], w: Vector) -> Learner:
    """A learner whose weights are w."""
    learner = make(D)
    learner.restore({**learner.state(), "weights": w.tolist()})
    return learner


@given(vectors, vectors, costs)
def test_perceptrons_add_their_rate_times_delta(w: Vector, delta: Vector, cost: float) -> None:
    for make, rate in ((PER, 1.0), (CSPER, cost)):
        learner = started(make, w)
        learner.update(feedback(delta, cost))
        np.testing.assert_allclose(learner.weights, w + rate * delta, rtol=1e-12, atol=1e-12)


def test_update_ignores_a_correction_without_cost() -> None:
    """Algorithm 1 updates only if C > 0."""
    for make in (PER, CSPER, PA, CSPA):
        learner = started(make, np.ones(D))
        learner.update(feedback(np.array([1.0, 0.0, -2.0]), 0.0))
        np.testing.assert_array_equal(learner.weights, np.ones(D))


@given(vectors, vectors, costs)
def test_pa_and_cspa_reach_their_margin_exactly(w: Vector, delta: Vector, cost: float) -> None:
    for make, margin in ((PA, 1.0), (lambda d: PA(d, margin=2.5), 2.5), (CSPA, cost)):
        learner = started(make, w)
        learner.update(feedback(delta, cost))
        size = float(np.abs(learner.weights) @ np.abs(delta))
        if delta.any():
            assert learner.weights @ delta == pytest.approx(
                margin, abs=1e-10 * max(1.0, size, abs(w @ delta))
            )
            change = learner.weights - w  # the smallest change: along delta
            assert abs(change @ delta) ** 2 == pytest.approx(
                (change @ change) * (delta @ delta), rel=1e-6, abs=1e-6
            )
        else:
            np.testing.assert_array_equal(learner.weights, w)


@given(vectors, vectors, costs)
def test_pa_1_and_pa_2_limit_the_step(w: Vector, delta: Vector, cost: float) -> None:
    square, loss = float(delta @ delta), max(0.0, 1.0 - float(w @ delta))
    for make, rate in ((PAI, min(0.1, loss / square) if square else 0.0), (PAII, loss / (square + 5.0))):
        learner = started(make, w)
        learner.update(feedback(delta, cost))
        np.testing.assert_allclose(learner.weights, w + rate * delta, rtol=1e-12, atol=1e-12)


@given(vectors, vectors, costs, st.sampled_from([0.5, 5.0]))
def test_capped_csper_bounds_the_change(w: Vector, delta: Vector, cost: float, cap: float) -> None:
    learner = CappedCSPER(D) if cap == 5.0 else CappedCSPER(D, cap=cap)  # 5 is the default
    learner.weights = w
    learner.update(feedback(delta, cost))
    change = float(np.linalg.norm(learner.weights - w))
    wanted = cost * float(np.linalg.norm(delta))
    assert change == pytest.approx(min(wanted, cap), rel=1e-6, abs=1e-9)


@given(st.lists(st.tuples(vectors, st.integers(0, 5)), max_size=12))
def test_averaged_weights_are_the_mean_since_the_first_correction(stream: list[tuple[Vector, int]]) -> None:
    averaged, plain = AveragedPER(D), PER(D)
    seen = []
    for delta, cost in stream:
        averaged.update(feedback(delta, cost))
        plain.update(feedback(delta, cost))
        if cost or seen:
            seen.append(plain.weights)
        np.testing.assert_allclose(
            averaged.weights, np.mean(seen, axis=0) if seen else np.zeros(D), atol=1e-9
        )


@given(st.lists(st.tuples(vectors.filter(np.any), st.integers(0, 5)), max_size=15), st.integers(1, 4))
def test_a_batch_applies_the_mean_of_its_updates(stream: list[tuple[Vector, int]], size: int) -> None:
    batch = BatchPER(D, size=size)
    w, waiting = np.zeros(D), list[Vector]()
    for delta, cost in stream:
        batch.update(feedback(delta, cost))
        if cost:
            waiting.append(delta)
        if len(waiting) == size:
            w, waiting = w + np.mean(waiting, axis=0), []
        np.testing.assert_allclose(batch.weights, w, atol=1e-9)


READ_ENDS = [name for name in learners.names() if learners.make(name, D).reads == "ends"]


@pytest.mark.parametrize("name", READ_ENDS)
def test_update_ignores_a_difference_that_is_rounding(name: str) -> None:
    """Hidden features: the expert worked, and the visible sums differ in their last bits."""
    learner = learners.make(name, D)
    start = np.array([-0.1 - 0.2 - 0.3, -5.0, -7.0])
    end = np.array([-0.3 - 0.2 - 0.1, -5.0, -7.0])
    assert start[0] != end[0]
    for _ in range(5):
        learner.update(Feedback(np.array([start, end]), 2.0))
    np.testing.assert_array_equal(learner.weights, np.zeros(D))
    learner.update(Feedback(np.full((2, D), [[0.0], [1e-200]]), 2.0))  # its square is 0: nothing to divide by
    assert np.isfinite(learner.weights).all()

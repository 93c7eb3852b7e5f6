"""The default learner for many features."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coactor import learners
from coactor.learners import FEW, ChoiceLearner, Committee, Population
from coactor.learners.committee import QUICK
from tests.learners.test_choice import a_round, cosine

MANY = FEW + 1


def taught(learner: Committee, rounds: int = 40, seed: int = 0, unit: float = 1.0) -> Committee:
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(learner.quick.dim) / np.sqrt(learner.quick.dim)
    for _ in range(rounds):
        feedback = a_round(rng, truth)
        declined = None if feedback.declined is None else unit * feedback.declined
        learner.update(type(feedback)(unit * feedback.path, feedback.cost, declined))
    return learner


def test_make_default_returns_a_committee_for_many_features() -> None:
    assert isinstance(learners.make("default", MANY), Committee)
    assert isinstance(learners.make("default", FEW), Population)


def test_weights_lie_between_those_of_the_two_learners() -> None:
    committee = taught(Committee(MANY), rounds=10)
    quick, slow = committee.quick.weights, committee.slow.weights
    apart = cosine(quick, slow)
    assert apart < 0.999  # else nothing is between them
    assert cosine(committee.weights, quick) > apart
    assert cosine(committee.weights, slow) > apart
    assert np.linalg.norm(committee.weights) == pytest.approx(np.linalg.norm(quick))


def test_update_learns_the_direction_of_the_weights() -> None:
    rng = np.random.default_rng(0)
    truth = rng.standard_normal(MANY) / np.sqrt(MANY)
    assert cosine(Committee(MANY).weights, truth) < 0.2
    learner = taught(Committee(MANY), rounds=150)
    assert cosine(learner.weights, truth) > 0.6
    assert learners.from_state(json.loads(json.dumps(learner.state()))).state() == learner.state()


@pytest.mark.parametrize("unit", [1e-200, 1e-6, 1e5])
def test_weights_do_not_depend_on_the_unit_of_the_features(unit: float) -> None:
    """Not even where squares would vanish."""
    one, two = taught(Committee(MANY), rounds=8), taught(Committee(MANY), rounds=8, unit=unit)
    np.testing.assert_allclose(one.weights, unit * two.weights, rtol=1e-6, atol=1e-12)
    assert one.threshold == pytest.approx(two.threshold, rel=1e-6)


def test_quick_learner_counts_rows_by_direction() -> None:
    rng = np.random.default_rng(1)
    first, second = a_round(rng, np.ones(MANY)), a_round(rng, np.ones(MANY))
    assert second.declined is not None
    sizes = rng.random((len(second.declined), 1)) + 0.1
    one, two = (ChoiceLearner(MANY, form=QUICK) for _ in range(2))
    for learner, factor in ((one, 1.0), (two, sizes)):
        learner.update(first)
        learner.update(type(second)(second.path, second.cost, factor * second.declined))
    np.testing.assert_allclose(one.weights, two.weights, rtol=1e-9)


def test_posterior_is_that_of_the_quick_learner() -> None:
    start = np.where(np.arange(MANY) % 2, 1.0, -1.0)
    committee = Committee(MANY, start)
    np.testing.assert_array_equal(np.sign(committee.weights), start)
    assert not committee.known().any()
    taught(committee, rounds=5)
    assert (committee.known() > 0).all()
    assert (committee.deviations() > 0).all()

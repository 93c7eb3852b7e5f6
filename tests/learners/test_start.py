"""Learners that start from the weights in use."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coactor import Session, SimulatedExpert, learners
from coactor.domains import Query, Ranking
from coactor.learners import ChoiceLearner
from coactor.protocol import Feedback
from tests.learners.test_choice import a_round, cosine

START = np.array([1.0, 20.0, 0.5, 0.0])
UNITS = np.array([1.0, 0.05, 30.0, 1.0])  # what a move changes: each weight but the last is worth its part


def in_units(feedback: Feedback) -> Feedback:
    return Feedback(feedback.path * UNITS, feedback.cost, feedback.declined * UNITS)  # type: ignore[operator]


def test_a_good_start_is_kept_and_a_bad_one_is_replaced() -> None:
    rng, truth = np.random.default_rng(0), START * UNITS
    good, bad = ChoiceLearner(4, start=START), ChoiceLearner(4, start=START[::-1])
    first, last = [], []
    for k in range(40):
        feedback = in_units(a_round(rng, truth / np.linalg.norm(truth), moves=6))
        good.update(feedback)
        bad.update(feedback)
        if k < 3:
            first.append(cosine(good.weights * UNITS, truth))
        last = [cosine(good.weights * UNITS, truth), cosine(bad.weights * UNITS, truth)]
    assert min(first) > 0.9
    assert min(last) > 0.98


def test_a_start_keeps_the_proportions_of_features_that_have_not_varied() -> None:
    learner, rng = ChoiceLearner(4, start=START), np.random.default_rng(1)
    for _ in range(20):
        feedback = in_units(a_round(rng, np.array([1.0, 1.0, 0.0, 0.0])))
        feedback.path[:, 2], feedback.declined[:, 2] = 0.0, 0.0  # type: ignore[index]
        learner.update(feedback)
    assert learner.weights[2] / learner.weights[0] == pytest.approx(0.5, rel=0.2)
    before = learner.weights
    late = learner.observe(Feedback(np.zeros((1, 4)), 0.0, np.array([[0.0, 0.0, 30.0, 0.0]])))
    assert late is not None
    learner.measure(late.units)  # its unit is known now; nothing was learned about it
    np.testing.assert_allclose(learner.weights[[0, 1, 3]], before[[0, 1, 3]], rtol=0.05, atol=1e-3)
    assert learner.weights[2] / learner.weights[0] == pytest.approx(0.5, rel=0.2)


@pytest.mark.parametrize("name", ["choice", "population", "committee"])
def test_a_start_that_is_trusted_more_is_kept_longer(name: str) -> None:
    start, truth, left = np.array([1.0, 1.0, 1.0, 0.5]), np.array([3.0, 1.0, 1.0, 0.0]), []
    for trust in (None, 1.0, 10.0, 1e9):
        total = 0.0
        for seed in range(5):
            learner, rng = learners.make(name, 4, start=start, trust=trust), np.random.default_rng(seed)
            np.testing.assert_allclose(learner.weights / learner.weights[0], start, atol=1e-12)
            for _ in range(4):
                learner.update(a_round(rng, truth, moves=6))
            total += 1.0 - cosine(learner.weights, start)
        left.append(total / 5)
    assert left[0] > left[1] > left[2] > left[3]
    assert left[3] < 1e-3
    twin = type(learner)(4)
    twin.restore(json.loads(json.dumps(learner.state())))
    assert twin.state() == learner.state()


def test_a_start_that_is_trusted_gives_way_to_many_corrections() -> None:
    learner, rng = ChoiceLearner(4, start=START[::-1], trust=2.0), np.random.default_rng(0)
    truth = START * UNITS / np.linalg.norm(START * UNITS)
    for _ in range(60):
        learner.update(in_units(a_round(rng, truth, moves=6)))
    assert cosine(learner.weights * UNITS, START * UNITS) > 0.95


@pytest.mark.parametrize("features", [5, 30])
def test_a_start_that_is_trusted_keeps_its_sign_when_each_step_contradicts_it(features: int) -> None:
    """A list is sorted by the weights, so each exchange of neighbours lowers its score."""
    domain, least = Ranking(features), []
    expert = SimulatedExpert(domain, domain.truth(), kappa=2.0)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        weights = rng.standard_normal(features)
        session = Session(domain, "default", start=weights, trust=10.0)
        session.knowledge.guard = None
        for _ in range(10):
            documents = rng.standard_normal((12, features))
            quality = documents @ weights / np.linalg.norm(weights) + rng.standard_normal(12)
            proposal = session.ask(Query(documents, np.clip(np.floor(1.2 * quality + 2.5), 0, 4)))
            session.tell(proposal, expert(proposal.problem, proposal.solution))
            least.append(cosine(session.learner.weights, weights))
    assert min(least) > 0.5


def test_make_raises_for_an_invalid_start_or_trust() -> None:
    with pytest.raises(ValueError, match="trust is 0"):
        ChoiceLearner(4, start=START, trust=0)
    for name, start in (("choice", None), ("PER", START)):
        with pytest.raises(ValueError, match="takes no trust"):
            learners.make(name, 4, start=start, trust=1.0)
    with pytest.raises(ValueError, match=r"The start has shape \(1,\)"):
        learners.make("PER", 2, start=[1.0])


def test_steps_count_in_full_and_declined_moves_as_the_root_of_their_number() -> None:
    rng, weights = np.random.default_rng(2), np.array([1.0, -1.0, 1.0, 1.0])
    for moves in (15, 2000):
        observed = ChoiceLearner(4).observe(a_round(rng, weights, moves=moves))
        assert observed is not None
        made, n = observed.labels == 1.0, len(observed.labels)
        np.testing.assert_allclose(observed.worth[made], 1.0)
        np.testing.assert_allclose(observed.worth[~made], n**-0.5)


def test_features_that_the_start_gives_0_vary_with_the_others_unless_it_is_trusted() -> None:
    """Habits are such features: an expert has no weight for them, and they do not vary in the first case."""
    weights = []
    for trust in (None, 10.0):
        learner, rng = ChoiceLearner(4, start=START, trust=trust), np.random.default_rng(2)
        feedback = in_units(a_round(rng, np.array([1.0, 1.0, 1.0, 0.0]), moves=6))
        feedback.path[:, 3], feedback.declined[:, 3] = 0.0, 0.0  # type: ignore[index]
        learner.update(feedback)
        weights.append(learner.weights[3] / abs(learner.weights[0]))
    assert weights[0] > 0.05
    assert abs(weights[1]) < 0.01

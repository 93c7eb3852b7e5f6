"""The default learner: what it learns from, that units do not matter, and that nothing breaks it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from coactor import Session, SimulatedExpert
from coactor.learners import ChoiceLearner
from coactor.protocol import Feedback, Matrix, Vector
from tests.cases import make_case, same


def a_round(rng: np.random.Generator, truth: Vector, moves: int = 12, threshold: float = 0.5) -> Feedback:
    """Steps a true taste makes, and the moves it leaves alone."""
    rows = rng.standard_normal((moves, truth.size))
    made = rows @ truth > threshold
    path = np.vstack([np.zeros(truth.size), np.cumsum(rows[made], axis=0)])
    return Feedback(path, float(made.sum()), rows[~made])


def taught(learner: ChoiceLearner, truth: Vector, rounds: int = 60, seed: int = 0) -> ChoiceLearner:
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        learner.update(a_round(rng, truth))
    return learner


def cosine(one: Vector, two: Vector) -> float:
    return float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))


# -- what it learns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 5, 40])
def test_update_learns_weights_and_threshold(dim: int) -> None:
    truth = np.random.default_rng(dim).standard_normal(dim)
    learner = taught(ChoiceLearner(dim), truth, rounds=150)
    assert cosine(learner.weights, truth) > 0.95
    # sigma(w . D - b) crosses one half where the expert does: w* . D = 0.5.
    size = float(learner.weights @ truth / (truth @ truth))
    assert learner.threshold / size == pytest.approx(0.5, abs=0.3)


def test_update_takes_an_estimated_correction_as_its_mean_edit() -> None:
    edit, declined = np.array([1.0, -0.5]), -np.eye(2)
    one, three = ChoiceLearner(2), ChoiceLearner(2)
    one.update(Feedback(np.array([0 * edit, edit]), 1.0, declined))
    three.update(Feedback(np.array([0 * edit, 3 * edit]), 3.0, declined, estimated=True))
    assert three.weights == pytest.approx(one.weights)


def test_update_learns_less_from_an_unsure_correction() -> None:
    sure = a_round(np.random.default_rng(0), np.array([1.0, -2.0]))
    learners = [taught(ChoiceLearner(2), np.array([2.0, 1.0]), rounds=5) for _ in range(3)]
    learners[1].update(replace(sure, unsure=True))
    learners[2].update(sure)
    before, half, full = (learner.weights for learner in learners)
    assert 0.0 < np.linalg.norm(half - before) < np.linalg.norm(full - before)
    assert cosine(half - before, full - before) > 0.9


@pytest.mark.parametrize("cost", [0.0, 0.5, 60.0])
def test_update_does_not_depend_on_the_unit_of_costs(cost: float) -> None:
    path = np.array([[0.0, 0.0], [1.0, -0.5], [1.5, 0.0]])
    paid, other = ChoiceLearner(2), ChoiceLearner(2)
    paid.update(Feedback(path, 2.0, -np.eye(2)))
    other.update(Feedback(path, cost, -np.eye(2)))
    assert same(paid.weights, other.weights)


def test_update_learns_from_declined_moves_of_an_accepted_proposal() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([1.0, -0.5, 0.2])
    learner = ChoiceLearner(3)
    for _ in range(40):
        rows = rng.standard_normal((12, 3))
        learner.update(Feedback(np.zeros((1, 3)), 0.0, rows[rows @ truth < 0.1]))
    assert cosine(learner.weights, truth) > 0.9


def test_update_ignores_declined_moves_after_a_cut() -> None:
    """A cut round teaches what the same round without its end teaches."""
    rng = np.random.default_rng(4)
    truth = np.array([1.0, -0.5, 0.2])
    first, second = a_round(rng, truth), a_round(rng, truth)
    cut, unseen, whole = ChoiceLearner(3), ChoiceLearner(3), ChoiceLearner(3)
    for learner in (cut, unseen, whole):
        learner.update(first)
    cut.update(Feedback(second.path, second.cost, second.declined, cut=True))
    unseen.update(Feedback(second.path, second.cost, None))
    whole.update(second)
    assert cut.state() == unseen.state()
    assert not np.array_equal(cut.weights, whole.weights)
    assert cut.threshold == unseen.threshold


def test_update_ignores_a_correction_that_is_cut_before_its_first_step() -> None:
    learner = taught(ChoiceLearner(3), np.ones(3), rounds=3)
    before = learner.state()
    learner.update(Feedback(np.zeros((1, 3)), 0.0, np.ones((4, 3)), cut=True))
    assert learner.state() == before


def test_deviations_fall_only_for_features_that_varied() -> None:
    rng = np.random.default_rng(5)
    learner = ChoiceLearner(3)
    np.testing.assert_allclose(learner.known(), 0.0, atol=1e-7)
    before = learner.deviations()
    for _ in range(50):
        rows = rng.standard_normal((10, 3)) * [1.0, 1.0, 0.0]
        learner.update(Feedback(np.zeros((1, 3)), 0.0, rows[rows[:, 0] < 0.3]))
    assert (learner.known()[:2] > 0.5).all()
    assert learner.known()[2] < 0.5  # kinship with the others is all that is known
    assert (learner.deviations() < before).all()
    assert learner.deviations()[2] > 2 * learner.deviations()[0]


def test_forgetting_follows_weights_that_change_sign() -> None:
    truth, near = np.array([1.0, 0.5, -0.5]), {}
    for forgetting in (0.9, 1.0):
        learner = ChoiceLearner(3, forgetting=forgetting)
        rng = np.random.default_rng(11)
        for t in range(160):
            learner.update(a_round(rng, truth if t < 120 else -truth, moves=20))
        near[forgetting] = cosine(learner.weights, -truth)
    assert near[0.9] > 0.5
    assert near[0.9] > near[1.0]


def test_choice_among_all_solutions_is_evidence_against_each_other_one() -> None:
    """What was proposed does not matter, nor is there a threshold."""
    rng, truth = np.random.default_rng(12), np.array([1.0, -0.5, 0.2])
    one, two = ChoiceLearner(3), ChoiceLearner(3)
    for _ in range(60):
        alternatives = rng.standard_normal((4, 3))
        chosen = alternatives[(alternatives @ truth).argmax()]
        others = alternatives[~(alternatives == chosen).all(axis=1)] - chosen
        one.update(Feedback(chosen[None], 0.0, others, chosen=True))
        two.update(Feedback(np.array([chosen + others[0], chosen]), 1.0, others, chosen=True))
    assert one.weights.tolist() == two.weights.tolist()
    assert one.threshold == 0.0
    assert cosine(one.weights, truth) > 0.95


# -- units ---------------------------------------------------------------------------------------------------


class InUnits:
    """A domain whose features are measured in other units, by its four methods."""

    def __init__(self, domain: Any, unit: float) -> None:
        self.dim, self.domain, self.unit = domain.dim, domain, unit
        self.solve, self.moves, self.apply = domain.solve, domain.moves, domain.apply

    def features(self, x: Any, y: Any) -> Vector:
        return self.unit * np.asarray(self.domain.features(x, y))


# Not tours: there the same tour read backwards is another solution, and rounding decides between the two.
@pytest.mark.parametrize("kind", ["cube", "fleet"])
@pytest.mark.parametrize("unit", [1e-6, 0.3, 1e5])
@pytest.mark.parametrize("seed", range(2))
def test_multiplying_all_features_changes_no_proposal(kind: str, unit: float, seed: int) -> None:
    case = make_case(kind, size=5, features=3, seed=seed)
    expert = SimulatedExpert(case.domain, case.rng.random(3), kappa=0.05)
    one = Session(InUnits(case.domain, 1.0), ChoiceLearner(3))
    two = Session(InUnits(case.domain, unit), ChoiceLearner(3))
    for x in case.domain.sample(case.rng, n=4):
        here, there = one.ask(x), two.ask(x)
        assert same(here.solution, there.solution)
        assert (here.chance is None) == (there.chance is None)
        if here.chance is not None:
            assert here.chance == pytest.approx(there.chance, rel=1e-6)
        one.tell(here, expert(x, here.solution))
        two.tell(there, expert(x, there.solution))
    assert one.learner.rounds > 0  # type: ignore[attr-defined]
    np.testing.assert_allclose(one.learner.weights, unit * two.learner.weights, rtol=1e-6)


def test_update_learns_badly_scaled_features_as_well_as_others() -> None:
    truth = np.array([1.0, 0.5, -0.5])
    units = np.array([1e-3, 1.0, 1e4])
    rng = np.random.default_rng(8)
    learner = ChoiceLearner(3)
    for _ in range(80):
        feedback = a_round(rng, truth)
        assert feedback.declined is not None
        learner.update(Feedback(feedback.path * units, feedback.cost, feedback.declined * units))
    assert cosine(learner.weights * units, truth) > 0.95


# -- state ---------------------------------------------------------------------------------------------------


def test_state_does_not_grow_with_rounds() -> None:
    learner = taught(ChoiceLearner(6), np.ones(6), rounds=5)
    few = len(json.dumps(learner.state()))
    taught(learner, np.ones(6), rounds=200)
    assert len(json.dumps(learner.state())) < 1.5 * few


# -- nothing breaks it ---------------------------------------------------------------------------------------


def works(learner: ChoiceLearner) -> None:
    """Finite, and still able to learn."""
    assert np.isfinite(learner.weights).all()
    assert np.isfinite(learner.deviations()).all()
    json.dumps(learner.state(), allow_nan=False)
    before = learner.weights.copy()
    taught(learner, np.ones(learner.dim), rounds=3, seed=99)
    assert np.isfinite(learner.weights).all()
    assert np.isfinite(learner.threshold)
    assert not np.array_equal(learner.weights, before)


@pytest.mark.parametrize("dim", [1, 3])
def test_update_learns_from_steps_without_declined_moves(dim: int) -> None:
    """Declined moves are not recorded."""
    rng = np.random.default_rng(10)
    truth = rng.standard_normal(dim)
    learner = ChoiceLearner(dim)
    for _ in range(300):
        feedback = a_round(rng, truth, threshold=0.0)
        learner.update(Feedback(feedback.path, feedback.cost, None))
    assert cosine(learner.weights, truth) > 0.5
    assert learner.threshold == 0.0  # preferences alone say nothing of it
    works(learner)


def same_again(rows: Matrix, declined: Matrix | None) -> Feedback:
    return Feedback(rows, float(len(rows) - 1), declined)


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize(
    "what", ["zero", "no moves", "one move for ever", "contradictions", "tiny", "huge", "constant"]
)
def test_update_stays_finite_after_degenerate_rounds(dim: int, what: str) -> None:
    learner = ChoiceLearner(dim)
    one = np.ones((1, dim))
    feedback = {
        "zero": same_again(np.zeros((3, dim)), np.zeros((4, dim))),
        "no moves": same_again(np.zeros((1, dim)), np.zeros((0, dim))),
        "one move for ever": same_again(np.vstack([0 * one, one]), None),
        "contradictions": same_again(np.vstack([0 * one, one, 0 * one]), np.vstack([one, -one])),
        "tiny": same_again(np.vstack([0 * one, 1e-100 * one]), -1e-100 * one),
        "huge": same_again(np.vstack([0 * one, 1e100 * one]), -1e100 * one),
        "constant": same_again(np.vstack([5 * one, 5 * one]), np.repeat(-one, 50, axis=0)),
    }[what]
    for _ in range(60):
        learner.update(feedback)
        assert np.isfinite(learner.weights).all()
    if what in ("zero", "no moves"):
        assert learner.rounds == 0
    if what in ("tiny", "huge"):
        assert np.isfinite(learner.deviations()).all()
    else:
        works(learner)


@pytest.mark.parametrize("forgetting", [0.995, 1.0])
def test_update_stays_finite_after_thousands_of_accepted_proposals(forgetting: float) -> None:
    """Nothing is ever corrected: the weights stay finite, and the learner can still be moved."""
    rng = np.random.default_rng(11)
    rows = [-np.abs(rng.standard_normal((6, 2))) for _ in range(50)]
    learner = ChoiceLearner(2, forgetting=forgetting)
    for t in range(3_000):
        learner.update(Feedback(np.zeros((1, 2)), 0.0, rows[t % 50]))
    assert learner.rounds == 3_000
    works(learner)


@pytest.mark.parametrize(
    ("settings_", "sentence"),
    [
        ({"forgetting": 1.5}, "The forgetting factor is 1.5"),
        ({"forgetting": 0.0}, "forgetting is 0.0; it must be a finite number above 0"),
        ({"trust": 2.0}, "A trust needs a start"),
        ({"start": [1.0]}, r"start has shape \(1,\); expected 2 finite numbers"),
        ({"start": [0.0, 0.0]}, "not all 0"),
        ({"start": [1.0, float("inf")]}, "finite"),
    ],
)
def test_choice_learner_raises_value_error_for_invalid_settings(
    settings_: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        ChoiceLearner(2, **settings_)

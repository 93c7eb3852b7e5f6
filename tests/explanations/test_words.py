"""What a learner knows, in words: they follow the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from coactor import explanations, learners
from coactor.explanations import Known
from coactor.protocol import Feedback, Matrix, Vector, feature_names
from tests.cases import Coins

NAMES, SIGNS = ["distance (km)", "toll", "scenery"], [-1, -1, 1]


class Knowing:
    """A learner that knows weights as well as told."""

    name, reads = "knowing", "declined"

    def __init__(self, weights: list[float], deviation: float) -> None:
        self.weights: Vector = np.array(weights)
        self._deviation = deviation
        self.threshold = 0.0

    def deviations(self) -> Vector:
        return np.full(len(self.weights), self._deviation)

    def prior_deviations(self) -> Vector:
        return np.full(len(self.weights), 10.0)

    def known(self) -> Vector:
        return 1.0 - self.deviations() / self.prior_deviations()

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        raise NotImplementedError


def known(*weights: float, deviation: float = 0.1) -> Known:
    return Known.of(Knowing(list(weights), deviation))  # type: ignore[arg-type]


def beliefs(*weights: float, deviation: float = 0.1) -> list[explanations.Belief]:
    return explanations.beliefs(NAMES, SIGNS, Knowing(list(weights), deviation))  # type: ignore[arg-type]


def test_beliefs_say_direction_degree_and_doubt() -> None:
    rows = beliefs(4.0, -1.0, 0.05)
    assert [row.words for row in rows] == ["avoided, strongly", "wanted", "makes no difference"]
    assert [row.taste for row in rows] == pytest.approx([-1.0, 0.25, 0.0125])
    doubtful = beliefs(4.0, -1.6, 0.5, deviation=1.0)
    assert [row.words for row in doubtful] == ["avoided, strongly", "probably wanted", "not known yet"]
    plain = learners.PER(3)
    plain.weights = np.array([4.0, 0.0, 0.0])
    assert [row.words for row in explanations.beliefs(NAMES, SIGNS, plain)] == [
        "avoided, strongly",
        "makes no difference",
        "makes no difference",
    ]
    assert all(
        row.deviation is None and row.known is None for row in explanations.beliefs(NAMES, SIGNS, plain)
    )


def test_beliefs_are_unknown_at_the_start_and_known_later() -> None:
    rng, learner = np.random.default_rng(0), learners.ChoiceLearner(3)
    assert {row.words for row in explanations.beliefs(NAMES, SIGNS, learner)} == {"not known yet"}
    truth = np.array([1.0, -0.5, 0.0])
    for _ in range(120):
        rows = rng.standard_normal((10, 3)) * [1.0, 1.0, 0.0]  # scenery never varies
        made = rows @ truth > 0.3
        path = np.vstack([np.zeros(3), np.cumsum(rows[made], axis=0)])
        learner.update(Feedback(path, float(made.sum()), rows[~made]))
    words = [row.words for row in explanations.beliefs(NAMES, SIGNS, learner)]
    assert words[0].startswith("avoided")
    assert words[1].startswith("wanted")
    assert words[2] == "not known yet"


def test_exchange_rates_need_a_yardstick_that_is_avoided_and_clear() -> None:
    assert beliefs(4.0, 2.0, 0.0)[1].worth == "To avoid one toll, a detour of 0.5 km is fine."
    assert beliefs(-4.0, 2.0, 0.0)[2].worth == ""  # distance is wanted; toll is the yardstick of the others
    assert "detour" not in "".join(row.worth for row in beliefs(-4.0, 2.0, 1.0))
    assert all(row.worth == "" for row in beliefs(4.0, 2.0, 1.0, deviation=3.0))
    assert all(row.worth == "" for row in beliefs(-4.0, -2.0, 1.0))


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ((0.0, 0.0, 0.0), (4.0, 0.0, 0.0), "Learned: distance avoided."),
        ((0.0, 0.0, 0.0), (4.0, -2.0, 3.0), "Learned: distance avoided and scenery wanted."),  # at most two
        ((4.0, 0.0, 0.0), (4.0, 0.0, 3.0), "Learned: scenery wanted."),
        ((4.0, 0.0, 3.0), (3.0, 0.0, 4.0), "Learned from it."),
        ((0.0, 0.0, 0.0), (4.0, 0.0, 0.5), "Learned: distance avoided."),  # little beside the largest
        ((4.0, 0.0, 0.0), (-4.0, 0.0, 0.0), "Learned: distance wanted."),
    ],
)
def test_lesson_says_what_has_become_clear(
    before: tuple[float, ...], after: tuple[float, ...], sentence: str
) -> None:
    assert explanations.lesson(NAMES, SIGNS, known(*before), known(*after)) == sentence


def test_lesson_says_nothing_that_is_uncertain_or_unlearned() -> None:
    vague, sure = known(4.0, 1.0, 1.0, deviation=3.0), known(4.0, 1.0, 1.0)
    assert explanations.lesson(NAMES, SIGNS, vague, vague, accepted=True) == "Accepted. Nothing new to learn."
    learned = explanations.lesson(NAMES, SIGNS, vague, sure, accepted=True)
    assert learned == "Accepted. Learned: distance avoided and toll avoided."
    assert "nothing was learned" in explanations.lesson(NAMES, SIGNS, vague, sure, learn=False)


def test_feature_names_default_to_numbers() -> None:
    assert list(feature_names(Coins())) == ["feature 1", "feature 2"]

"""What a learner believes, in words: they follow the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from coactor import domains, explanations, learners
from coactor.protocol import Feedback, feature_names
from tests.cases import Coins

TOURS = domains.Tour(points=8, features=3, names=["distance", "toll", "scenery"])


def holder(*weights: float) -> learners.PER:
    learner = learners.PER(len(weights))
    learner.weights = np.array(weights)
    return learner


def test_beliefs_are_sorted_by_size_and_their_shares_add_up() -> None:
    listed = explanations.beliefs(TOURS, holder(1.0, -6.0, 3.0))
    assert [b.feature for b in listed] == ["toll", "scenery", "distance"]
    assert [b.share for b in listed] == pytest.approx([-0.6, 0.3, 0.1])
    assert [b.weight for b in listed] == [-6.0, 3.0, 1.0]
    assert sum(abs(b.share) for b in listed) == pytest.approx(1.0)
    assert all(b.deviation is None and b.known is None for b in listed)


def test_verb_follows_the_sign_and_whether_features_are_costs() -> None:
    """A tour's features are costs, phi is minus their sum: a positive weight avoids them."""
    assert explanations.verb(-1, 1.0) == "avoids"
    assert explanations.verb(-1, -1.0) == "prefers"
    assert explanations.verb(1, 1.0) == "prefers"
    first, second, third = explanations.beliefs(TOURS, holder(1.0, -6.0, 3.0))
    assert first.words == "prefers toll (60 % of what counts)"
    assert second.words == "avoids scenery (30 % of what counts)"
    assert third.words == "avoids distance (10 % of what counts)"


def test_feature_names_default_to_numbers() -> None:
    assert list(feature_names(Coins())) == ["feature 1", "feature 2"]


def test_beliefs_are_unknown_at_the_start_and_known_later() -> None:
    rng = np.random.default_rng(0)
    learner = learners.ChoiceLearner(3)
    assert all(b.words.endswith("not known yet") for b in explanations.beliefs(TOURS, learner))
    truth = np.array([1.0, -0.5, 0.0])
    for _ in range(120):
        rows = rng.standard_normal((10, 3)) * [1.0, 1.0, 0.0]  # scenery never varies
        made = rows @ truth > 0.3
        path = np.vstack([np.zeros(3), np.cumsum(rows[made], axis=0)])
        learner.update(Feedback(path, float(made.sum()), rows[~made]))
    by_name = {b.feature: b for b in explanations.beliefs(TOURS, learner)}
    assert by_name["distance"].words.startswith("avoids distance")
    assert by_name["toll"].words.startswith("prefers toll")
    assert by_name["scenery"].words == "scenery: not known yet"
    assert by_name["distance"].known is not None
    assert by_name["scenery"].known is not None
    assert by_name["distance"].known > by_name["scenery"].known
    assert by_name["distance"].deviation is not None
    assert by_name["distance"].weight > 2 * by_name["distance"].deviation


def test_beliefs_say_how_certain_they_are() -> None:
    class Doubting:
        name, reads = "doubting", "declined"
        weights = np.array([3.0, 1.5, 0.5])

        def deviations(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.ones(3)

        def prior_deviations(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.full(3, 2.0)

        def known(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.full(3, 0.5)

        def variances(self, rows: object, around_others: bool = False) -> object:
            raise NotImplementedError

    words = [b.words for b in explanations.beliefs(TOURS, Doubting())]  # type: ignore[arg-type]
    assert words == [
        "avoids distance (60 % of what counts)",
        "probably avoids toll (30 % of what counts)",
        "scenery: not known yet",
    ]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ([1.0, 0.0], [2.0, 0.0], "Now prefers parks more."),
        ([-1.0, 0.0], [-2.0, 0.0], "Now avoids parks more."),
        ([1.0, 0.0], [-1.0, 0.0], "Now avoids parks."),
        ([2.0, 0.0], [1.0, 0.0], "Now cares less for parks."),
        ([-2.0, 0.0], [-1.0, 0.0], "Now minds parks less."),
        ([0.0, 0.0], [0.5, 1.0], "Now avoids distance and prefers parks."),
        (
            [0.0, 0.0],
            [0.05, 1.0],
            "Now avoids distance.",
        ),  # a change below a tenth of the largest is not named
        ([1.0, 1.0], [1.0, 1.0], "Recorded; the weights stay."),
    ],
)
def test_lesson_names_the_direction_of_each_large_change(
    before: list[float], after: list[float], sentence: str
) -> None:
    names, weights = ["parks", "distance (km)"], (np.array(before), np.array(after))
    assert explanations.lesson(names, *weights, signs=[1, -1]) == sentence


def test_lesson_compares_changes_in_units_and_says_what_was_accepted_or_not_learned() -> None:
    names, before, after = ["parks", "distance"], np.zeros(2), np.array([1.0, 20.0])
    units = np.array([1.0, 1000.0])
    assert explanations.lesson(names, before, after, units) == "Now prefers parks."
    accepted = explanations.lesson(names, before, after, units, accepted=True)
    assert accepted == "Accepted as proposed. Now prefers parks."
    assert "nothing was learned" in explanations.lesson(names, before, after, learn=False)
    assert explanations.lesson(names, before, before, accepted=True).startswith("Accepted as proposed; ")

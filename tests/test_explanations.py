"""What a learner believes, in words: they follow the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from coactor import Session, SimulatedExpert, domains, explanations, learners
from coactor.protocol import Feedback
from tests.cases import Coins

TOURS = domains.Tour(points=8, features=3, names=["distance", "toll", "scenery"])


def holder(*weights: float) -> learners.PER:
    learner = learners.PER(len(weights))
    learner.weights = np.array(weights)
    return learner


def test_the_weightiest_comes_first_and_shares_add_up() -> None:
    found = explanations.beliefs(TOURS, holder(1.0, -6.0, 3.0))
    assert [b.feature for b in found] == ["toll", "scenery", "distance"]
    assert [b.share for b in found] == pytest.approx([-0.6, 0.3, 0.1])
    assert [b.weight for b in found] == [-6.0, 3.0, 1.0]
    assert sum(abs(b.share) for b in found) == pytest.approx(1.0)
    assert all(b.deviation is None and b.known is None for b in found)


def test_verbs_follow_the_sign_and_whether_features_are_costs() -> None:
    """A tour's features are costs, phi is minus their sum: a positive weight avoids them."""
    assert explanations.verb(-1, 1.0) == "avoids"
    assert explanations.verb(-1, -1.0) == "prefers"
    assert explanations.verb(1, 1.0) == "prefers"
    first, second, third = explanations.beliefs(TOURS, holder(1.0, -6.0, 3.0))
    assert first.words == "prefers toll (60 % of what counts)"
    assert second.words == "avoids scenery (30 % of what counts)"
    assert third.words == "avoids distance (10 % of what counts)"


def test_features_without_names_have_numbers() -> None:
    assert list(explanations.feature_names(Coins())) == ["feature 1", "feature 2"]


def test_nothing_is_known_at_the_start_and_more_later() -> None:
    rng = np.random.default_rng(0)
    learner = learners.ChoiceLearner(3)
    assert sorted(explanations.unknown(TOURS, learner)) == ["distance", "scenery", "toll"]
    assert all(b.words.endswith("not known yet") for b in explanations.beliefs(TOURS, learner))
    truth = np.array([1.0, -0.5, 0.0])
    for _ in range(120):
        rows = rng.standard_normal((10, 3)) * [1.0, 1.0, 0.0]  # scenery never varies
        made = rows @ truth > 0.3
        path = np.vstack([np.zeros(3), np.cumsum(rows[made], axis=0)])
        learner.update(Feedback(path, float(made.sum()), rows[~made]))
    assert explanations.unknown(TOURS, learner) == ["scenery"]
    by_name = {b.feature: b for b in explanations.beliefs(TOURS, learner)}
    assert by_name["distance"].words.startswith("avoids distance")
    assert by_name["toll"].words.startswith("prefers toll")
    assert by_name["scenery"].words == "scenery: not known yet"
    assert by_name["distance"].known is not None
    assert by_name["scenery"].known is not None
    assert by_name["distance"].known > by_name["scenery"].known
    assert by_name["distance"].deviation is not None
    assert by_name["distance"].weight > 2 * by_name["distance"].deviation


def test_doubt_is_said() -> None:
    class Doubting:
        name, reads = "doubting", "declined"
        weights = np.array([3.0, 1.5, 0.5])

        def deviations(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.ones(3)

        def prior_deviations(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.full(3, 2.0)

        def known(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.full(3, 0.5)

    words = [b.words for b in explanations.beliefs(TOURS, Doubting())]  # type: ignore[arg-type]
    assert words == [
        "avoids distance (60 % of what counts)",
        "probably avoids toll (30 % of what counts)",
        "scenery: not known yet",
    ]


def test_a_change_is_told_by_shares_so_that_growing_all_weights_is_none() -> None:
    before = np.array([1.0, 1.0, 2.0])
    assert explanations.change(TOURS, before, 10 * before) == []
    assert explanations.change(TOURS, before, before) == []
    assert explanations.change(TOURS, before, np.array([1.0, -1.0, 2.0])) == [
        "toll turned: avoids -> prefers"
    ]
    assert explanations.change(TOURS, before, np.array([3.0, 1.0, 0.0])) == [
        "distance counts for more: 25 % -> 75 %",
        "scenery counts for less: 50 % -> 0 %",
    ]
    assert len(explanations.change(TOURS, before, np.array([9.0, 3.0, 1.0]), most=1)) == 1


def test_the_first_correction_is_told_too() -> None:
    assert explanations.change(TOURS, np.zeros(3), np.array([1.0, 0.0, 0.0])) == [
        "distance counts for more: 0 % -> 100 %"
    ]


def test_what_a_real_correction_changed_agrees_with_the_weights() -> None:
    rng = np.random.default_rng(1)
    domain = domains.Tour(points=10, features=3)
    expert = SimulatedExpert(domain, [1.0, 0.1, 0.1])
    session = Session(domain, learners.make("default", 3))
    seen = 0
    for x in domain.sample(rng, n=10):
        before = session.learner.weights
        proposal = session.ask(x)
        session.tell(proposal, expert(x, proposal.solution))
        after = session.learner.weights
        old, new = before / np.abs(before).sum(), after / np.abs(after).sum()
        for sentence in explanations.change(domain, before, after):
            seen += 1
            name = sentence.split(" counts")[0].split(" turned")[0]
            k = list(explanations.feature_names(domain)).index(name)
            if "more" in sentence:
                assert abs(new[k]) > abs(old[k])
            elif "less" in sentence:
                assert abs(new[k]) < abs(old[k])
            else:
                assert new[k] * old[k] < 0
    assert seen > 3

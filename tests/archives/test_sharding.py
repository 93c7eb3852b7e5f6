from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor import learners
from coactor.archives import evaluate, learn_archive, open_archive
from coactor.archives.combining import combine
from coactor.archives.replays import replay
from coactor.lab import Contender
from coactor.protocol import Feedback, State


def learned(state: State, stream: Iterable[Feedback]) -> Any:
    """A learner that goes on from a state."""
    learner = learners.from_state(state)
    for feedback in stream:
        learner.update(feedback)
    return learner


@pytest.mark.parametrize("learner", ["default", "PER@start", "averaged-CSPER"])
def test_learn_archive_with_one_shard_equals_a_replay(learner: str, trips: Path) -> None:
    archive = open_archive(trips)
    state, effort = learn_archive(archive, learner, 1)
    live = replay(archive, Contender.parse(learner, "paper"), np.arange(archive.size))
    assert np.array_equal(learners.from_state(state["learner"]).weights, live.weights)
    assert effort == pytest.approx(live.efforts.mean())


def test_combine_averages_the_weights_of_perceptrons() -> None:
    common = learners.make("PER", 2).state()
    states = [{**common, "weights": [1.0, 0.0]}, {**common, "weights": [0.0, 4.0]}]
    assert combine(common, states, [3, 1])["weights"] == [0.75, 1.0]


def test_combine_multiplies_posteriors() -> None:
    """Shards of similar cases are more certain together than alone, and agree with learning in one go."""
    rng = np.random.default_rng(0)
    truth = np.array([1.0, -2.0, 0.5])

    def feedback() -> Feedback:
        rows = rng.standard_normal((12, 3))
        steps = rows[rows @ truth > 1][:1]
        path = np.vstack([np.zeros(3), *np.cumsum(steps, axis=0)])
        return Feedback(path, float(len(steps)), rows[rows @ truth <= 1])

    learner: Any = learners.ChoiceLearner(3, forgetting=1.0)
    for _ in range(5):
        learner.update(feedback())
    common = learner.state()
    streams = [[feedback() for _ in range(30)] for _ in range(2)]
    states = [learned(common, stream).state() for stream in streams]
    together: Any = learners.from_state(combine(common, states, [30, 30]))
    whole = learned(common, itertools.chain(*streams))
    assert np.allclose(together.weights, whole.weights, rtol=0.15, atol=0.15 * np.abs(whole.weights).max())
    for state in states:
        alone: Any = learners.from_state(state)
        assert (together.deviations() < alone.deviations()).all()
    assert together.rounds == whole.rounds


def test_combine_converts_the_units_that_each_shard_chose() -> None:
    """A feature that does not vary in the pilot gets its unit in each shard by itself."""
    rng = np.random.default_rng(0)
    truth = np.array([1.0, -2.0, 0.05])

    def feedback(scale: float) -> Feedback:
        rows = rng.standard_normal((12, 3)) * [1.0, 1.0, scale]
        made = rng.random(12) < 1.0 / (1.0 + np.exp(1.0 - rows @ truth))
        path = np.vstack([np.zeros(3), *np.cumsum(rows[made], axis=0)])
        return Feedback(path, float(made.sum()), rows[~made])

    learner: Any = learners.ChoiceLearner(3, forgetting=1.0)
    for _ in range(5):
        learner.update(feedback(0.0))
    common = learner.state()
    streams = [[feedback(scale), *(feedback(20.0) for _ in range(80))] for scale in (5.0, 20.0, 80.0)]
    states = [learned(common, stream).state() for stream in streams]
    assert len({state["units"][2] for state in states}) == 3
    together: Any = learners.from_state(combine(common, states, [81, 81, 81]))
    whole = learned(common, itertools.chain(*streams))
    assert together.state()["units"][2] > 0
    # Each shard approximates its posterior at its own weights, so a small difference stays.
    assert (np.abs(together.weights - whole.weights) < 0.4 * whole.deviations()).all()
    assert np.allclose(together.deviations() / whole.deviations(), 1.0, atol=0.08)


def test_combine_multiplies_both_posteriors_of_a_committee() -> None:
    """One has a full covariance matrix, the other independent weights."""
    rng = np.random.default_rng(1)
    truth = rng.standard_normal(300) / np.sqrt(300)

    def taught(state: Any, rounds: int) -> Any:
        learner: Any = learners.from_state(state)
        for _ in range(rounds):
            rows = rng.standard_normal((12, 300))
            steps = rows[rows @ truth > 0.5]
            path = np.vstack([np.zeros(300), *np.cumsum(steps, axis=0)])
            learner.update(Feedback(path, float(len(steps)), rows[rows @ truth <= 0.5]))
        return learner

    def agreement(learner: Any) -> float:
        return float(learner.weights @ truth / np.linalg.norm(learner.weights) / np.linalg.norm(truth))

    common = taught(learners.make("default", 300).state(), 5).state()
    parts = [taught(common, 30) for _ in range(2)]
    together: Any = learners.from_state(combine(common, [part.state() for part in parts], [30, 30]))
    for part in parts:
        assert agreement(together) > agreement(part)
        assert agreement(together.slow) > agreement(part.slow)
        assert (together.deviations() < part.deviations()).all()


@pytest.mark.parametrize("learner", ["default", "PER"])
def test_learn_archive_on_a_cluster_gives_the_same(learner: str, trips: Path, threaded_worker: str) -> None:
    archive = open_archive(trips)
    home, effort = learn_archive(archive, learner, 3, jobs=2)
    away, same = learn_archive(archive, learner, 3, cluster=threaded_worker)
    assert away == home
    assert same == effort


def test_learn_archive_with_three_shards_learns_that_drivers_avoid_side_roads(trips: Path) -> None:
    archive = open_archive(trips, habits=False)
    state, _ = learn_archive(archive, "default", 3, jobs=1)
    w = learners.from_state(state["learner"]).weights
    efforts = [
        c.expert(c.problem, archive.domain.solve(c.problem, w)).effort
        for c in archive.replay(range(archive.size))
    ]
    assert (
        sum(efforts) < 0.5 * replay(archive, Contender.parse("start"), np.arange(archive.size)).efforts.sum()
    )


def test_evaluate_on_a_cluster_gives_the_same(queries: Path, threaded_worker: str) -> None:
    archive = open_archive(queries)
    home = evaluate(archive, ["PER", "default"], orders=2, jobs=1)
    away = evaluate(archive, ["PER", "default"], orders=2, cluster=threaded_worker)
    for name in home.efforts:
        assert np.array_equal(home.efforts[name], away.efforts[name])
        assert np.array_equal(home.weights[name], away.weights[name])

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor import learners
from coactor.lab.archives import evaluate, learn_shards, open_archive, replay
from coactor.lab.archives.contenders import parse_line
from coactor.lab.archives.sharding import mix
from coactor.protocol import Feedback


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real scheduler with two worker processes."""
    distributed: Any = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        host="127.0.0.1",
        local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as running:
        yield running.scheduler_address


@pytest.mark.parametrize("line", ["default", "PER@start", "averaged-CSPER"])
def test_one_shard_is_learning_in_one_go(line: str, trips: Path) -> None:
    archive = open_archive(trips)
    state, effort = learn_shards(archive, line, 1)
    live = replay(archive, parse_line(line), np.arange(archive.size))
    assert np.array_equal(learners.from_state(state).weights, live.weights)
    assert effort == pytest.approx(live.efforts.mean())


def test_perceptrons_are_mixed_by_the_mean_of_their_weights() -> None:
    common = learners.make("PER", 2).state()
    states = [{**common, "weights": [1.0, 0.0]}, {**common, "weights": [0.0, 4.0]}]
    assert mix(common, states, [3, 1])["weights"] == [0.75, 1.0]


def test_beliefs_are_multiplied() -> None:
    """Shards that see the same kind of cases are surer together than alone, and agree with one go."""
    rng = np.random.default_rng(0)
    taste = np.array([1.0, -2.0, 0.5])

    def feedback() -> Feedback:
        rows = rng.standard_normal((12, 3))
        made = rows[rows @ taste > 1][:1]
        path = np.vstack([np.zeros(3), *np.cumsum(made, axis=0)])
        return Feedback(path, float(len(made)), rows[rows @ taste <= 1])

    learner: Any = learners.ChoiceLearner(3, keep=1.0)
    for _ in range(5):
        learner.update(feedback())
    common = learner.state()
    streams = [[feedback() for _ in range(30)] for _ in range(2)]
    states = []
    for stream in streams:
        part = learners.from_state(common)
        for item in stream:
            part.update(item)
        states.append(part.state())
    together: Any = learners.from_state(mix(common, states, [30, 30]))
    whole: Any = learners.from_state(common)
    for item in (*streams[0], *streams[1]):
        whole.update(item)
    assert np.allclose(together.weights, whole.weights, rtol=0.15, atol=0.15 * np.abs(whole.weights).max())
    for state in states:
        alone: Any = learners.from_state(state)
        assert (together.deviations() < alone.deviations()).all()
    assert together.rounds == whole.rounds


def test_a_committee_is_mixed_belief_by_belief() -> None:
    """One of its beliefs is a whole covariance, the other has independent weights."""
    rng = np.random.default_rng(1)
    taste = rng.standard_normal(300) / np.sqrt(300)

    def taught(state: Any, rounds: int) -> Any:
        learner: Any = learners.from_state(state)
        for _ in range(rounds):
            rows = rng.standard_normal((12, 300))
            made = rows[rows @ taste > 0.5]
            path = np.vstack([np.zeros(300), *np.cumsum(made, axis=0)])
            learner.update(Feedback(path, float(len(made)), rows[rows @ taste <= 0.5]))
        return learner

    def agreement(learner: Any) -> float:
        return float(learner.weights @ taste / np.linalg.norm(learner.weights) / np.linalg.norm(taste))

    common = taught(learners.make("default", 300).state(), 5).state()
    parts = [taught(common, 30) for _ in range(2)]
    together: Any = learners.from_state(mix(common, [part.state() for part in parts], [30, 30]))
    for part in parts:
        assert agreement(together) > agreement(part)
        assert agreement(together.slow) > agreement(part.slow)
        assert (together.deviations() < part.deviations()).all()


@pytest.mark.parametrize("line", ["default", "PER"])
def test_shards_on_a_cluster_give_what_shards_at_home_give(line: str, trips: Path, cluster: str) -> None:
    archive = open_archive(trips)
    home, effort = learn_shards(archive, line, 3)
    away, same = learn_shards(archive, line, 3, cluster=cluster)
    assert learners.from_state(away).state() == learners.from_state(home).state()
    assert same == effort


def test_mixing_three_shards_still_understands_the_drivers(trips: Path) -> None:
    archive = open_archive(trips, habit=False)
    state, _ = learn_shards(archive, "default", 3)
    w = learners.from_state(state).weights
    efforts = [
        c.expert(c.problem, archive.domain.solve(c.problem, w)).effort
        for c in archive.replay(range(archive.size))
    ]
    assert sum(efforts) < 0.5 * replay(archive, parse_line("start"), np.arange(archive.size)).efforts.sum()


def test_an_evaluation_on_a_cluster_equals_one_at_home(queries: Path, cluster: str) -> None:
    archive = open_archive(queries)
    home = evaluate(archive, ["PER", "default"], orders=2)
    away = evaluate(archive, ["PER", "default"], orders=2, cluster=cluster)
    for line in home.efforts:
        assert np.array_equal(home.efforts[line], away.efforts[line])
        assert np.array_equal(home.weights[line], away.weights[line])

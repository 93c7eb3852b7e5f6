from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor import open_study
from coactor.archives import evaluate, open_archive
from coactor.archives import evaluation as module
from coactor.archives.evaluation import order_of
from coactor.archives.replays import replay
from coactor.lab import Contender
from coactor.lab.engine.parallel import Interrupted
from coactor.studies.log.verification import verify


def test_evaluate_learns_that_drivers_avoid_side_roads(trips: Path) -> None:
    archive = open_archive(trips, habits=False)
    result = evaluate(archive, ["default", "PER", "copy", "hindsight"], orders=3, jobs=1)
    start = result.efforts["start"].mean()
    assert result.efforts["default"].mean() < 0.6 * start
    assert result.efforts["hindsight"].mean() < 0.6 * start
    names = archive.network.names  # type: ignore[attr-defined]
    w = result.weights["default"].mean(axis=0)
    assert w[names.index("side road")] > 1.5 * w[names.index("main road")]


def test_evaluate_learns_the_habits_of_a_planner(plans: Path) -> None:
    result = evaluate(open_archive(plans), ["default", "copy"], orders=2, jobs=1)
    assert result.efforts["default"].mean() < result.efforts["start"].mean()
    last = result.efforts["default"][:, -4:].mean()
    assert last < result.efforts["start"][:, -4:].mean() / 2


def test_replay_learns_and_remembers_earlier_cases_alone(trips: Path, plans: Path) -> None:
    for path in (trips, plans):
        archive = open_archive(path)
        contender = Contender.parse("default", "paper")
        one, two = (replay(archive, contender, order) for order in ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 5, 4]))
        assert np.array_equal(one.efforts[:4], two.efforts[:4])


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_replay_equals_a_durable_study(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """An archive that is told to a study case by case, by a new process each time, gives the same numbers."""
    archive = open_archive(request.getfixturevalue(kind))
    order = np.random.default_rng(0).permutation(archive.size)[:8]
    expected = replay(archive, Contender.parse("default", "paper"), order)
    url, efforts = f"sqlite:///{tmp_path}/desk.db", []
    for number, case in enumerate(archive.replay(order)):
        options = {"create": True, "proposals": "paper"} if number == 0 else {}
        with open_study(url, "depot", archive.domain, "default", **options) as study:
            proposal = study.ask(case.problem, key=str(number))
        with open_study(url, "depot", archive.domain) as study:
            proposal = study.ask(case.problem, key=str(number))  # read back from the log
            correction = case.expert(proposal.problem, proposal.solution)
            efforts.append(study.tell(proposal, correction).effort)
    assert efforts == expected.efforts.tolist()
    with open_study(url, "depot", archive.domain) as study:
        assert np.array_equal(study.weights(), expected.weights)
        assert verify(study.store, "depot").arithmetic == ""


def test_evaluate_gives_every_contender_the_same_budgets(queries: Path) -> None:
    archive = open_archive(queries, budget=(1, 3))
    result = evaluate(archive, ["PER", "default"], orders=2, jobs=1)
    assert all(efforts.max() <= 3 for efforts in result.efforts.values())
    again = evaluate(archive, ["default"], orders=2, jobs=1)
    assert np.array_equal(again.efforts["default"], result.efforts["default"])
    assert result.quality["default"].mean() > result.quality["start"].mean() > 0


def test_evaluate_orders_are_independent(queries: Path) -> None:
    archive = open_archive(queries)
    one, two = (evaluate(archive, ["PER"], orders=n, jobs=1) for n in (1, 2))
    assert np.array_equal(one.efforts["PER"][0], two.efforts["PER"][0])
    assert np.array_equal(order_of(archive, 1, 5, 0), order_of(archive, 1, 10, 0)[:5])


def test_hindsight_needs_no_more_effort_than_the_start(trips: Path) -> None:
    archive = open_archive(trips)
    order = np.arange(archive.size)
    efforts = replay(archive, Contender.parse("hindsight"), order).efforts
    assert efforts.sum() <= replay(archive, Contender.parse("start"), order).efforts.sum()


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_default_at_start_makes_the_first_proposal_of_the_start_weights(
    kind: str, request: pytest.FixtureRequest
) -> None:
    archive = open_archive(request.getfixturevalue(kind))
    result = evaluate(archive, ["default@start", "PER@start", "PER"], orders=4, cases=1, jobs=1)
    assert np.array_equal(result.efforts["default@start"], result.efforts["start"])
    assert np.array_equal(result.efforts["PER@start"], result.efforts["start"])


def test_evaluate_uses_the_proposals_of_each_contender(plans: Path) -> None:
    archive = open_archive(plans)
    names = ["default", "default+paper", "default+polish"]
    result = evaluate(archive, names, orders=3, cases=12, jobs=1)
    assert np.array_equal(result.efforts["default"], result.efforts["default+paper"])
    assert not np.array_equal(result.weights["default"], result.weights["default+polish"])
    polished = evaluate(archive, names, orders=3, cases=12, proposals="polish", jobs=1)
    assert np.array_equal(polished.weights["default"], result.weights["default+polish"])


def test_evaluate_does_not_depend_on_jobs(queries: Path) -> None:
    archive = open_archive(queries)
    one, two = (evaluate(archive, ["PER", "default"], orders=2, jobs=jobs) for jobs in (1, 2))
    for name in one.efforts:
        assert np.array_equal(one.efforts[name], two.efforts[name])
        assert np.array_equal(one.weights[name], two.weights[name])


def test_evaluate_resumes_after_an_interruption(
    queries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = open_archive(queries)
    whole = evaluate(archive, ["PER"], orders=2, jobs=1)
    real, calls = module._replay, []

    def stop_at_third(archive: Any, task: Any) -> Any:
        calls.append(str(task))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(archive, task)

    monkeypatch.setattr(module, "_replay", stop_at_third)
    with pytest.raises(Interrupted, match="2 of 4 tasks"):
        evaluate(archive, ["PER"], orders=2, jobs=1, folder=tmp_path)
    resumed = evaluate(archive, ["PER"], orders=2, jobs=1, folder=tmp_path)
    assert calls == ["start, order 0", "PER, order 0", "start, order 1", "start, order 1", "PER, order 1"]
    for name in whole.efforts:
        assert np.array_equal(resumed.efforts[name], whole.efforts[name])
        assert np.array_equal(resumed.weights[name], whole.weights[name])


def test_evaluate_does_not_reuse_replays_of_other_options(queries: Path, tmp_path: Path) -> None:
    free = evaluate(open_archive(queries), ["PER"], orders=1, jobs=1, folder=tmp_path)
    limited = evaluate(open_archive(queries, budget=(1, 1)), ["PER"], orders=1, jobs=1, folder=tmp_path)
    assert free.efforts["PER"].max() > limited.efforts["PER"].max() == 1

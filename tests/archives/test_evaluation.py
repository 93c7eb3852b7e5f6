from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coactor import learners, open_study
from coactor.archives import evaluate, learn_archive, open_archive, replays
from coactor.archives.evaluation import order_of
from coactor.archives.replays import replay
from coactor.lab import PANELS, Contender
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.paper import runs
from coactor.session import Session
from coactor.studies.log.verification import verify
from tests.lab.helpers import run_unit


def test_evaluate_learns_that_drivers_avoid_side_roads(trips: Path) -> None:
    archive = open_archive(trips, habits=False)
    result = evaluate(archive, ["default", "PER", "copy", "hindsight"], orders=3, jobs=1)
    start = result.efforts["start"].mean()
    assert result.efforts["default"].mean() < 0.6 * start
    assert result.efforts["hindsight"].mean() < 0.6 * start
    names = archive.domain.network.names
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
        options = {"create": True, "settings": {"proposals": "paper"}} if number == 0 else {}
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


def test_hindsight_keeps_the_start_when_there_are_no_alternatives(tmp_path: Path) -> None:
    write_ring(tmp_path)
    archive = open_archive(tmp_path)
    assert replay(archive, Contender.parse("hindsight"), range(2)).weights.tolist() == archive.start.tolist()


def write_ring(folder: Path) -> None:
    """Three one-way links in a circle: every trip has one route."""
    (folder / "links.csv").write_text("id,from,to,length\na,1,2,100\nb,2,3,50\nc,3,1,80\n")
    (folder / "trips.csv").write_text("path\na_b_c\nc_a\n")


def test_hindsight_needs_no_more_effort_than_the_start(trips: Path) -> None:
    archive = open_archive(trips)
    order = np.arange(archive.size)
    efforts = replay(archive, Contender.parse("hindsight"), order).efforts
    assert efforts.sum() <= replay(archive, Contender.parse("start"), order).efforts.sum()


@pytest.mark.parametrize("kind", ["trips", "plans"])
def test_default_starts_at_distance_without_being_told(kind: str, request: pytest.FixtureRequest) -> None:
    archive = open_archive(request.getfixturevalue(kind))
    other = archive.starting_at(np.arange(1.0, archive.domain.dim + 1.0))
    told, untold = (evaluate(one, ["default"], orders=4, cases=1, jobs=1) for one in (archive, other))
    assert np.array_equal(told.efforts["default"], told.efforts["start"])
    assert np.array_equal(untold.efforts["default"], told.efforts["default"])


def test_evaluate_uses_the_proposals_of_each_contender(plans: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []

    def session(domain: Any, learner: Any, *, proposals: str, seed: int) -> Session:
        used.append(proposals)
        return Session(domain, learner, proposals=proposals, seed=seed)

    monkeypatch.setattr(replays, "Session", session)
    archive = open_archive(plans)
    for proposals in ("paper", "polish"):
        evaluate(archive, ["PER", "PER+default"], orders=1, cases=2, proposals=proposals, jobs=1)
    assert {*used[: len(used) // 2]} == {"paper", "default"}
    assert {"polish", "default"} <= {*used[len(used) // 2 :]}


@pytest.mark.parametrize(("text", "guarded"), [("default", True), ("default+paper", True), ("PER", False)])
def test_a_contender_is_guarded_alike_in_archives_and_panels(
    text: str, guarded: bool, queries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = []

    def session(*given: Any, **more: Any) -> Session:
        sessions.append(Session(*given, **more))
        return sessions[-1]

    for place in (replays, runs):
        monkeypatch.setattr(place, "Session", session)
    (archived,), (in_panel,) = (
        parse_contenders([text], "archive", "paper"),
        parse_contenders([text], "panel"),
    )
    replay(open_archive(queries), archived, [0])
    run_unit(runs.Unit(PANELS["tsp-clean"], 0, 0, 1, (in_panel,)))
    assert [one.knowledge.guard is not None for one in sessions] == [guarded, guarded]


def test_evaluate_does_not_depend_on_jobs(queries: Path, threaded_worker: str) -> None:
    archive, names = open_archive(queries), ["PER", "default"]
    one, *others = (evaluate(archive, names, orders=2, jobs=jobs) for jobs in (1, 2, threaded_worker))
    for name in one.efforts:
        for other in others:
            assert np.array_equal(one.efforts[name], other.efforts[name])
            assert np.array_equal(one.weights[name], other.weights[name])


def test_evaluate_does_not_reuse_replays_of_other_options(queries: Path, tmp_path: Path) -> None:
    free = evaluate(open_archive(queries), ["PER"], orders=1, jobs=1, folder=tmp_path)
    limited = evaluate(open_archive(queries, budget=(1, 1)), ["PER"], orders=1, jobs=1, folder=tmp_path)
    assert free.efforts["PER"].max() > limited.efforts["PER"].max() == 1


def test_intervals_are_over_cases_and_not_over_orders(plans: Path) -> None:
    archive = open_archive(plans)
    result = evaluate(archive, ["default"], orders=2, jobs=1)
    effort, saved = result.mean("default"), result.saved("default")
    assert effort.value == pytest.approx(result.efforts["default"].mean())
    assert 0 <= effort.low < effort.value < effort.high
    paired = [
        (result.efforts["start"] - result.efforts["default"])[result.order == case].mean()
        for case in range(archive.size)
    ]
    error = np.std(paired, ddof=1) / np.sqrt(archive.size)
    assert saved.value == pytest.approx(np.mean(paired))
    assert saved.high - saved.low == pytest.approx(2 * 1.96 * error, rel=0.25)
    assert "a bootstrap of 12 cases" in result.note
    fewer = evaluate(archive, ["default"], orders=None, cases=5, jobs=1)
    assert fewer.mean("default").low == fewer.mean("default").high
    assert "There are no intervals: 5 different cases" in fewer.note


def test_other_start_weights_are_those_of_start_and_of_learners_that_begin_there(
    plans: Path, tmp_path: Path
) -> None:
    archive = open_archive(plans)
    learned, _ = learn_archive(archive, "PER@start")
    weights = learners.from_state(learned["learner"]).weights
    other = archive.starting_at(weights)
    assert np.array_equal(other.start, weights)
    assert other.digest != archive.digest
    names = ["default@start", "PER@start", "alike"]
    before, after = (
        evaluate(one, names, orders=3, cases=1, jobs=1, folder=tmp_path) for one in (archive, other)
    )
    assert not np.array_equal(after.efforts["start"], before.efforts["start"])
    for name in names[:2]:
        assert np.array_equal(after.efforts[name], after.efforts["start"])
    assert np.array_equal(after.efforts["alike"], before.efforts["alike"])
    with pytest.raises(ValueError, match=r"has 1 numbers; expected"):
        archive.starting_at([1.0])


@pytest.mark.parametrize("learner", ["default", "PER@start", "averaged-PER"])
def test_learn_archive_equals_a_replay(learner: str, trips: Path) -> None:
    archive = open_archive(trips)
    state, effort = learn_archive(archive, learner)
    live = replay(archive, Contender.parse(learner, "paper"), np.arange(archive.size))
    assert np.array_equal(learners.from_state(state["learner"]).weights, live.weights)
    assert effort == pytest.approx(live.efforts.mean())

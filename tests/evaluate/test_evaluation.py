from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coactor import learners
from coactor.cli import main
from coactor.lab.archives import evaluate, hindsight, open_archive, replay
from coactor.lab.archives.contenders import parse_line
from coactor.lab.archives.evaluation import order_of


def test_drivers_who_shun_side_roads_are_understood(trips: Path) -> None:
    archive = open_archive(trips, habit=False)
    found = evaluate(archive, ["default", "PER", "copy", "hindsight"], orders=3)
    start = found.efforts["start"].mean()
    assert found.efforts["default"].mean() < 0.6 * start
    assert found.efforts["hindsight"].mean() < 0.6 * start
    names = archive.network.names  # type: ignore[attr-defined]
    w = found.weights["default"].mean(axis=0)
    assert w[names.index("side road")] > 1.5 * w[names.index("main road")]


def test_a_planner_of_habit_is_understood(plans: Path) -> None:
    found = evaluate(open_archive(plans), ["default", "copy"], orders=2)
    assert found.efforts["default"].mean() < found.efforts["start"].mean()
    last = found.efforts["default"][:, -4:].mean()
    assert last < found.efforts["start"][:, -4:].mean() / 2


def test_a_case_never_sees_itself_or_what_comes_after(trips: Path, plans: Path) -> None:
    for path in (trips, plans):
        archive = open_archive(path)
        order = np.arange(6)
        whole = [
            archive.domain.features(c.problem, archive.domain.solve(c.problem, archive.start))
            for c in archive.replay(order)
        ]
        other = [*order[:4], 5, 4]
        part = [
            archive.domain.features(c.problem, archive.domain.solve(c.problem, archive.start))
            for c in archive.replay(other)
        ]
        assert np.array_equal(whole[:4], part[:4])


def test_budgets_are_the_same_for_every_line(queries: Path) -> None:
    archive = open_archive(queries, budget=(1, 3))
    found = evaluate(archive, ["PER", "default"], orders=2)
    assert all(efforts.max() <= 3 for efforts in found.efforts.values())
    again = evaluate(archive, ["default"], orders=2)
    assert np.array_equal(again.efforts["default"], found.efforts["default"])
    assert found.quality["default"].mean() > found.quality["start"].mean() > 0


def test_more_orders_change_none(queries: Path) -> None:
    archive = open_archive(queries)
    one, two = evaluate(archive, ["PER"], orders=1), evaluate(archive, ["PER"], orders=2)
    assert np.array_equal(one.efforts["PER"][0], two.efforts["PER"][0])
    assert np.array_equal(order_of(archive, 1, 5, 0), order_of(archive, 1, 10, 0)[:5])


def test_the_four_may_start_anywhere(trips: Path) -> None:
    archive = open_archive(trips)
    start = archive.start
    assert np.array_equal(parse_line("PER").make(archive.domain.dim, start).weights, 0 * start)
    for name in ("PER@start", "averaged-PER@start", "batch-PER@start"):
        assert np.array_equal(parse_line(name).make(archive.domain.dim, start).weights, start)
    assert np.array_equal(parse_line("PA@start*50").make(archive.domain.dim, start).weights, 50 * start)
    for bad in ("PER@home", "PER@start*0", "PER@start*x", "nobody"):
        with pytest.raises(ValueError, match=r"expected '@start'|there is no learner"):
            parse_line(bad)


def test_hindsight_is_no_worse_than_its_start(trips: Path) -> None:
    archive = open_archive(trips)
    order = np.arange(archive.size)
    w = hindsight(archive, order)
    efforts = [
        case.expert(case.problem, archive.domain.solve(case.problem, w)).effort
        for case in archive.replay(order)
    ]
    assert sum(efforts) <= replay(archive, parse_line("start"), order).efforts.sum()


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_evaluate_writes_tables_picture_and_report(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = str(request.getfixturevalue(kind))
    args = ["evaluate", source, "--orders", "2", "--jobs", "1", "--cases", "10", "--learners", "PER,default"]
    result = CliRunner().invoke(main, [*args, "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    report = (tmp_path / "out" / "report.md").read_text()
    assert "| default |" in report
    assert "## What default learned" in report
    assert (tmp_path / "out" / "effort.png").read_bytes().startswith(b"\x89PNG")
    table = (tmp_path / "out" / "table.csv").read_text().splitlines()
    assert len(table) == 4  # header, start, PER, default
    result = CliRunner().invoke(main, [*args, "--out", str(tmp_path / "out"), "--json"])
    assert json.loads(result.stdout)["rows"][0]["line"] == "start"


def test_true_order_and_its_interval_over_cases(plans: Path, tmp_path: Path) -> None:
    args = [
        "evaluate",
        str(plans),
        "--true-order",
        "--jobs",
        "1",
        "--learners",
        "default",
        "--out",
        str(tmp_path),
    ]
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 0, result.output
    assert "in their true order" in result.output
    assert "intervals over cases" in result.output


def test_learn_writes_a_state_that_proposes_like_the_learner(trips: Path, tmp_path: Path) -> None:
    out = tmp_path / "learner.json"
    result = CliRunner().invoke(main, ["learn", str(trips), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "100 m of side road feel like" in result.output
    archive = open_archive(trips)
    live = replay(archive, parse_line("default"), np.arange(archive.size))
    assert np.array_equal(learners.from_state(json.loads(out.read_text())).weights, live.weights)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["evaluate", "nowhere"], "There is no file or folder nowhere"),
        (["evaluate", "{trips}", "--learners", "nobody"], "there is no learner 'nobody'"),
        (["evaluate", "{trips}", "--cases", "100000"], "100000 cases were asked for; the archive has"),
        (["evaluate", "{queries}", "--budget", "many"], "expected two whole numbers like 5,15"),
        (["evaluate", "{plans}", "--features", "weather"], "There is no feature 'weather'"),
        (["learn", "{trips}", "--learner", "copy"], "'copy' does not learn"),
        (["learn", "{trips}", "--shards", "9999"], "9999 shards were asked for"),
        (["evaluate", "{trips}", "--cluster", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
    ],
)
def test_mistakes_end_in_a_sentence(
    args: list[str], says: str, trips: Path, plans: Path, queries: Path, tmp_path: Path
) -> None:
    filled = [arg.format(trips=trips, plans=plans, queries=queries) for arg in args]
    out = ["--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, [*filled, *out])
    assert result.exit_code == 1
    assert says in result.output
    assert not (tmp_path / "out").exists()

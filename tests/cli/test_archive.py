"""evaluate and learn on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from coactor import learners
from coactor.archives import open_archive
from coactor.archives.replays import replay
from coactor.cli import main, serve
from coactor.habits import HABIT
from coactor.lab import Contender
from coactor.protocol import feature_names
from coactor.studies import Store, open_study


def run(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_evaluate_writes_tables_figure_and_reports(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source, out = str(request.getfixturevalue(kind)), tmp_path / "out"
    words = ["evaluate", source, "--orders", "2", "--jobs", "1", "--cases", "10"]
    words += ["--learners", "PER,default", "--out", str(out)]
    result = run(*words)
    assert result.exit_code == 0, result.output
    report = (out / "report.md").read_text()
    assert report in result.stdout
    assert "| default |" in report
    assert "## What default learned" in report
    assert "<td>default</td>" in (out / "report.html").read_text()
    assert (out / "effort.png").read_bytes().startswith(b"\x89PNG")
    assert len((out / "table.csv").read_text().splitlines()) == 4  # header, start, PER, default
    again = run(*words, "--json")
    data = json.loads(again.stdout, parse_constant=pytest.fail)
    assert [row["learner"] for row in data["rows"]] == ["start", "PER", "default"]
    assert (data["rows"][0]["quality"] is None) == (kind != "queries")


def test_evaluate_true_order_has_intervals_over_cases(plans: Path, tmp_path: Path) -> None:
    result = run(
        "evaluate", str(plans), "--true-order", "--jobs", "1", "--learners", "default", "--out", str(tmp_path)
    )
    assert result.exit_code == 0, result.output
    assert "in their true order" in result.output
    assert "intervals over cases: a bootstrap of 12 cases" in result.output


def test_learn_writes_a_state_that_proposes_like_the_learner(trips: Path, tmp_path: Path) -> None:
    out = tmp_path / "learner.json"
    result = run("learn", str(trips), "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "100 m of side road count as" in result.output
    archive = open_archive(trips)
    live = replay(archive, Contender.parse("default", "paper"), np.arange(archive.size))
    assert np.array_equal(learners.from_state(json.loads(out.read_text())["learner"]).weights, live.weights)


def test_learn_says_nothing_of_features_that_no_correction_concerned(tmp_path: Path) -> None:
    rows = ["date,vehicle,sequence,stop,lat,lon,demand,from,to"]
    for day in range(1, 13):
        stops = np.random.default_rng(day).permutation(6)
        rows += [
            f"2026-03-{day:02},{k // 3},{k % 3},s{stop},{50 + stop / 50},{8 + stop**2 / 50},1,,"
            for k, stop in enumerate(stops)
        ]
    past = tmp_path / "past.csv"
    past.write_text("\n".join(rows))
    result = run("learn", str(past), "--out", str(tmp_path / "learner.json"))
    assert result.exit_code == 0, result.output
    assert "distance" in result.stdout
    assert "waiting" not in result.stdout  # there are no times
    assert "lateness" not in result.stdout


@pytest.mark.parametrize("kind", ["trips", "plans", "queries"])
def test_evaluate_starts_at_weights_or_at_what_was_learned(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source, out = str(request.getfixturevalue(kind)), tmp_path / "out"
    learned = tmp_path / "learner.json"
    assert run("learn", source, "--learner", "PER", "--out", str(learned)).exit_code == 0
    weights = learners.from_state(json.loads(learned.read_text())["learner"]).weights
    words = ["evaluate", source, "--orders", "1", "--cases", "2", "--jobs", "1", "--out", str(out), "--json"]
    plain, from_file, written = (
        json.loads(run(*words, "--learners", "PER@start", *start).stdout)["rows"]
        for start in ((), ("--start", str(learned)), ("--start", ",".join(map(str, weights))))
    )
    assert from_file == written != plain
    first = {row["learner"]: row["first_sixth"] for row in written}
    assert first["PER@start"] == first["start"]  # both propose with the given weights
    names = [name for name in feature_names(open_archive(source).domain) if name != HABIT]
    file = tmp_path / "start.json"
    file.write_text(json.dumps(dict.fromkeys(names, 1.0)))
    assert run(*words, "--learners", "PER@start", "--start", str(file)).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "nowhere"], "There is no file or folder nowhere"),
        (["evaluate", "{trips}", "--learners", "unheard"], "Unknown learner 'unheard'"),
        (["evaluate", "{trips}", "--learners", "expert"], "'expert' does not apply here"),
        (["evaluate", "{trips}", "--cases", "100000"], "cases is 100000; the archive has"),
        (["evaluate", "{trips}", "--jobs", "0"], "at least 1"),
        (["evaluate", "{queries}", "--budget", "many"], "expected two whole numbers such as 5,15"),
        (["learn", "{trips}", "--learner", "copy"], "'copy' does not learn"),
        (["evaluate", "{trips}", "--learners", ""], "No learner is named"),
        (["evaluate", "{trips}", "--start", "1,2"], "has 2 numbers; expected"),
        (["evaluate", "{trips}", "--start", "nowhere.json"], "expected numbers with commas"),
        (["evaluate", "{trips}", "--start", "{plans}/days.json"], "cannot be read as numbers"),
    ],
)
def test_archive_commands_refuse_invalid_input_with_one_sentence(
    words: list[str], message: str, trips: Path, plans: Path, queries: Path, tmp_path: Path
) -> None:
    filled = [word.format(trips=trips, plans=plans, queries=queries) for word in words]
    result = run(*filled, "--out", str(tmp_path / "out"))
    assert result.exit_code in (1, 2)
    assert message in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


ROADS = """{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"highway": "road"},
"geometry": {"type": "LineString", "coordinates": [[13.4, 52.5], [13.4, 52.6], [13.5, 52.6]]}}]}"""


@pytest.mark.filterwarnings("ignore:Distances")
def test_commands_measure_past_routes_along_streets(tmp_path: Path) -> None:
    past, town = tmp_path / "past.csv", tmp_path / "town.geojson"
    past.write_text("date,vehicle,sequence,stop,lat,lon\n1,A,0,depot,52.5,13.4\n1,A,1,C,52.6,13.5\n")
    town.write_text(ROADS)
    result = run("learn", str(past), "--streets", str(town), "--out", str(tmp_path / "learner.json"))
    assert result.exit_code == 0, result.output
    assert "along the streets" in result.output
    with Store(f"sqlite:///{tmp_path / 'depot.db'}") as store:
        _, domain = serve.domain_of(f"depot={past}", store, None, str(town))
        with open_study(store, "depot", domain) as study:
            assert study.proposal(1).problem.arcs[0, 1, 0] > 17.0  # km; 13 as the crow flies
    result = run("evaluate", str(past), "--streets", str(tmp_path / "no.geojson"))
    assert result.exit_code == 1
    assert "no.geojson" in result.output


def test_learn_refuses_a_folder_that_is_missing_before_it_reads(tmp_path: Path) -> None:
    for out, message in ((tmp_path / "no" / "x.json", "There is no folder"), (tmp_path, "is a directory")):
        result = run("learn", "nowhere", "--out", str(out))
        assert result.exit_code == 2
        assert message in " ".join(result.output.split())
    assert not list(tmp_path.iterdir())

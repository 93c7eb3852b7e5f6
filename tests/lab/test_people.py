"""Panels with several people: the experts, the contenders, the table."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coactor.cli import main
from coactor.lab import people
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.engine.statistics import Interval
from coactor.lab.output.people import FILES, draw
from coactor.lab.paper.data.tastes import DIFFERENCE, TASTES
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.runs import Unit, run_unit

CONTENDERS = parse_contenders(["default", "pooled-default", "separate-default"], "panel")


def test_people_have_in_common_what_their_panel_says() -> None:
    def drawn(tastes: str) -> np.ndarray:  # type: ignore[type-arg]
        return np.array(TASTES[tastes](np.random.default_rng(0), 6, 2000))

    same, groups, other = drawn("identical"), drawn("groups"), drawn("independent")
    assert (same == same[0]).all()
    assert (groups[0] == groups[4]).all()
    assert abs(np.corrcoef(groups[:2])[0, 1]) < 0.1
    assert abs(np.corrcoef(other)[0, 1:]).max() < 0.1
    similar = drawn("similar")
    assert similar.min() > 0
    assert np.log(similar[0] / similar[1]).std() == pytest.approx(DIFFERENCE * 2**0.5, rel=0.05)


def test_contenders_share_what_their_name_says() -> None:
    assert [c.learner for c in CONTENDERS] == ["default"] * 3
    assert [c.proposals for c in CONTENDERS] == ["default"] * 3
    assert [(c.learner_of("ana"), c.named("ana")) for c in CONTENDERS] == [
        ("", "ana"),
        ("", ""),
        ("ana", "ana"),
    ]
    (paper,) = parse_contenders(["separate-CSPER"], "panel")  # a learner of its own
    assert (paper.learner, paper.sharing) == ("separate-CSPER", "")
    with pytest.raises(ValueError, match=r"defalt.*Known are .*pooled-default, separate-default"):
        parse_contenders(["pooled-defalt"], "panel")


def test_one_person_makes_all_contenders_equal() -> None:
    panel = replace(PANELS["path-clean"], tastes="independent", people=1)
    costs = run_unit(Unit(panel, 0, 0, 12, CONTENDERS)).costs
    assert (costs == costs[0]).all()
    assert costs.sum() > 0


def test_learners_are_told_who_corrects_if_there_are_several() -> None:
    several = replace(PANELS["path-clean"], tastes="independent", people=4)
    default, pooled, separate = run_unit(Unit(several, 0, 0, 40, CONTENDERS)).costs
    assert (default != pooled).any()
    assert (separate != pooled).any()


def test_newcomer_comes_last() -> None:
    plain = replace(PANELS["path-clean"], tastes="identical", people=3)
    together = run_unit(Unit(plain, 0, 0, 20, CONTENDERS)).costs
    costs = run_unit(Unit(replace(plain, newcomer=4), 0, 0, 24, CONTENDERS)).costs
    assert (costs[:, :20] == together).all()
    alone = run_unit(Unit(replace(plain, newcomer=24), 0, 0, 24, CONTENDERS)).costs
    assert costs[2, 20:].sum() > 0
    assert (alone == alone[0]).all()  # there was no other person before


def test_names_of_panels_stand_for_their_cells() -> None:
    assert len(people.chosen_cells(None)) == len(people.CELLS) == 6 * 4 * 3
    assert people.chosen_cells(["tsp-noise-groups"]) == [f"tsp-noise-groups-{k}" for k in people.PEOPLE]
    with pytest.raises(ValueError, match="tsp-clean-similar-5"):
        people.chosen_cells(["tsp-clean-similar-6"])


@pytest.mark.parametrize(
    ("low", "high", "runs", "verdict"),
    [
        (0.5, 0.7, 10, "holds"),
        (0.8, 0.9, 10, "does not hold"),
        (0.7, 0.9, 10, "too close to call"),
        (0.5, 0.7, 2, "too close to call"),
    ],
)
def test_verdict_follows_the_interval(low: float, high: float, runs: int, verdict: str) -> None:
    assert people._verdict(Interval(0.7, low, high), 0.75, runs) == verdict


def test_figure_names_every_number_of_people() -> None:
    one = Interval(1.0, 0.9, 1.1)
    shown = [("similar", 20), ("groups", 5), ("groups", 100)]
    cells = [
        people.PeopleCell(
            name="",
            base="tsp-clean",
            tastes=tastes,
            people=count,
            runs=5,
            effort={},
            rival="",
            ratio=one,
            goal=0.8,
            verdict="",
            newcomer_effort=one,
            alone_effort=one,
            newcomer_ratio=one,
            newcomer_goal=None,
        )
        for tastes, count in shown
    ]
    svg = draw(cells)[1]
    assert [k for k in (5, 20, 100) if f"{k} people" in svg] == [5, 20, 100]


def test_command_writes_every_file_and_resumes(tmp_path: Path) -> None:
    command = ["reproduce", "--people", "--panels", "path-clean-groups-5", "--quick"]
    command += ["--examples", "8", "--runs", "2", "--jobs", "1", "--out", str(tmp_path)]
    first = CliRunner().invoke(main, command, catch_exceptions=False)
    assert first.exit_code == 0
    assert "path-clean-groups-5" in first.output
    files = {name: (tmp_path / name).read_bytes() for name in FILES}
    units = sorted((tmp_path / "units").iterdir())
    assert len(units) == 2
    rows = list(csv.DictReader(files["people.csv"].decode().splitlines()))
    assert [(row["panel"], row["tastes"], row["people"]) for row in rows] == [("path-clean", "groups", "5")]
    assert "--people --panels path-clean-groups-5" in files["people.md"].decode()
    CliRunner().invoke(main, command, catch_exceptions=False)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == files
    assert sorted((tmp_path / "units").iterdir()) == units


def test_command_shows_added_contenders_and_says_that_one_run_decides_nothing(tmp_path: Path) -> None:
    command = ["reproduce", "--people", "--panels", "path-clean-groups-5", "--learners", "balanced-CSPER"]
    command += ["--examples", "6", "--runs", "1", "--jobs", "1", "--out", str(tmp_path)]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert "; balanced-CSPER " in result.output
    page = (tmp_path / "people.md").read_text()
    for text in (result.output, page):
        assert "1 run of 6 examples; 1 run decides nothing; it takes at least" in text
    header, _, row = [line for line in page.splitlines() if line.startswith("|")][:3]
    assert "| separate | balanced-CSPER | ratio |" in header
    assert header.count("|") == row.count("|")


@pytest.mark.parametrize(
    ("base", "tastes", "count", "limit"),
    [
        ("tsp-clean", "similar", 5, 0.75),
        ("tsp-noise", "similar", 5, 0.9),
        ("mtsp-clean", "groups", 20, 0.6),
        ("mtsp-clean", "groups", 5, 0.85),
        ("path-clean", "groups", 20, 0.85),
        ("tsp-clean", "identical", 100, 1.12),
        ("path-noise", "independent", 5, 1.08),
    ],
)
def test_goal_depends_on_the_cell(base: str, tastes: str, count: int, limit: float) -> None:
    assert people.goal(base, tastes, count) == limit

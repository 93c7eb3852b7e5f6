"""The claims under all settings: which panels are run, what is concluded, what is written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from coactor.cli import main
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.output import specification as output
from coactor.lab.paper.choices import Choices
from coactor.lab.paper.claims import CLOSE, EQUAL, FAILS, HOLDS
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.reproduction import CHOICES_FILES, explore_choices
from coactor.lab.paper.runs import Unit, run_unit
from coactor.lab.paper.specification import SETTINGS, VALUES, ClaimTable, Setting, changes, conclude, explore


def test_settings_are_all_combinations_and_share_panels() -> None:
    assert len(SETTINGS) == len(set(SETTINGS)) == 48
    assert SETTINGS[0] == Setting("final", "first", "lowest", 0.1, "log")
    assert all(SETTINGS[0].panel(panel) == panel for panel in PANELS.values())
    distinct = {name: len({s.panel(panel) for s in SETTINGS}) for name, panel in PANELS.items()}
    assert distinct == {
        "path-clean": 8,
        "path-noise": 8,
        "tsp-clean": 8,
        "tsp-noise": 8,
        "mtsp-clean": 24,
        "mtsp-noise": 24,
        "rank-unlimited": 4,
        "rank-budget": 8,
    }


@pytest.mark.parametrize(
    ("choice", "panel"),
    [("candidate", "rank-unlimited"), ("candidate", "rank-budget"), ("policy", "rank-unlimited")],
)
def test_choices_that_change_nothing_are_not_run(choice: str, panel: str) -> None:
    """On rankings the candidate is the final solution, and without a limit every policy ends alike."""
    assert not changes(choice, panel)
    contenders = parse_contenders(["PER", "CSPA"], "panel")
    one, other = (
        run_unit(Unit(Choices(**{choice: value}).apply(PANELS[panel]), 0, 0, 25, contenders)).costs
        for value in VALUES[choice]
    )
    assert np.array_equal(one, other)


def verdicts(rule) -> list[str]:
    return [rule(setting) for setting in SETTINGS]


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (lambda s: HOLDS, "Holds whatever the choice."),
        (lambda s: FAILS, "Does not hold, whatever the choice."),
        (lambda s: EQUAL, "Neither confirmed nor refuted: level, whatever the choice."),
        (lambda s: CLOSE, "Undecided, whatever the choice."),
        (
            lambda s: HOLDS if s.candidate == "disagreement" else CLOSE,
            "Holds with the disagreement candidate, and only there; elsewhere it is undecided.",
        ),
        (
            lambda s: HOLDS if s.kappa >= 0.3 and s.ties == "random" else FAILS,
            "Holds with random ties and kappa of at least 0.3 on multi-TSP, and only there; "
            "elsewhere it does not hold.",
        ),
        (
            lambda s: HOLDS if s.kappa == 0.1 or (s.ties == "random" and s.policy == "best") else EQUAL,
            "Holds in 24 of 48 settings, always with kappa = 0.1 on multi-TSP; elsewhere it is level.",
        ),
        (
            lambda s: FAILS if s.policy == "best" else CLOSE if s.ties == "random" else EQUAL,
            "Does not hold with the best-improvement expert; elsewhere it is level (12) or is undecided "
            "(12).",
        ),
        (
            lambda s: EQUAL if s.kappa <= 0.3 else CLOSE,
            "Neither confirmed nor refuted: level with kappa of at most 0.3 on multi-TSP; elsewhere it is "
            "undecided.",
        ),
        (
            lambda s: FAILS if (s.policy == "best") == (s.ties == "random") else CLOSE,
            "Does not hold in 24 of 48 settings, always with the first-improvement expert and lowest ties; "
            "elsewhere it is undecided.",
        ),
    ],
)
def test_conclude_names_the_simplest_rule(rule, sentence: str) -> None:
    assert conclude(verdicts(rule), list(VALUES)) == sentence


def test_conclude_uses_only_choices_that_matter() -> None:
    rule = verdicts(lambda s: HOLDS if s.discount == "linear" else CLOSE)
    assert "with no simple rule" in conclude(rule, ["ties"])


def test_explore_judges_every_claim_that_was_run() -> None:
    tables = explore(runs=2, examples=5, seed=0, panels=["path-clean", "path-noise"], jobs=1)
    assert [table.number for table in tables] == [1, 2, 10, 11, 13, 18, 19, 22]
    assert all(len(table.verdicts) == len(table.short) == 48 for table in tables)
    first = tables[0]
    assert first.choices == ["candidate", "policy", "ties"]
    assert first.count(HOLDS) + first.count(FAILS) + first.count(EQUAL) + first.count(CLOSE) == 48
    by_choices = {(s.candidate, s.policy, s.ties): v for s, v in zip(SETTINGS, first.verdicts, strict=True)}
    assert all(
        by_choices[s.candidate, s.policy, s.ties] == v for s, v in zip(SETTINGS, first.verdicts, strict=True)
    )


def test_explore_choices_writes_table_picture_and_page(tmp_path: Path) -> None:
    options = (
        "--panels",
        "path-clean",
        "--runs",
        "2",
        "--examples",
        "3",
        "--jobs",
        "1",
        "--out",
        str(tmp_path),
    )
    result = CliRunner().invoke(main, ["reproduce", "--choices", *options])
    assert result.exit_code == 0, result.output
    assert "In most settings the cost-sensitive learner" in result.stdout
    assert "Fewer than 5 runs decide no claim" in result.stdout
    assert "fewer than 5 runs decide no claim" in (tmp_path / "choices.html").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {*CHOICES_FILES, "units"}
    with (tmp_path / "choices.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert list(rows[0])[:6] == [*VALUES, "claim 10"]
    assert (
        "--choices --runs 2 --examples 3 --seed 0 --panels path-clean"
        in (tmp_path / "choices.html").read_text()
    )
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()}
    again = CliRunner().invoke(main, ["reproduce", "--choices", *options, "--json"])
    assert [table["number"] for table in json.loads(again.stdout)] == [10, 11, 13, 18, 19, 22]
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()}  # resumed


def test_explore_runs_on_a_cluster(threaded_worker: str) -> None:
    size: dict[str, Any] = {"panels": ["path-clean"], "runs": 2, "examples": 2, "seed": 0}
    assert explore(**size, cluster=threaded_worker) == explore(**size, jobs=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--panels", "tsp"], "Did you mean"),
        (["--candidate", "final"], "--candidate has no effect with --choices"),
        (["--kappa", "mtsp=0.3"], "--kappa has no effect with --choices"),
        (["--learners", "PER"], "--learners has no effect with --choices"),
        (["--people"], "--choices has no effect with --people"),
    ],
)
def test_reproduce_choices_refuses_what_it_cannot_do(words: list[str], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["reproduce", "--choices", *words, "--out", str(tmp_path / "out")])
    assert result.exit_code != 0
    assert message in result.output


def test_explore_choices_takes_all_queries_unless_the_page_says_so(tmp_path: Path) -> None:
    data = tmp_path / "train.txt"
    data.write_text("".join(f"2 qid:{q} 1:1\n0 qid:{q} 1:0\n" for q in range(1, 13)))
    size: dict[str, Any] = {"panels": ["rank-budget"], "runs": 1, "data": [data], "jobs": 1}
    explore_choices(tmp_path / "all", **size)
    assert "--examples all" in (tmp_path / "all" / "choices.md").read_text()
    explore_choices(tmp_path / "cut", **size, examples=3)
    assert "at most 3 queries" in (tmp_path / "cut" / "choices.md").read_text()


def test_draw_has_one_cell_per_setting_and_claim() -> None:
    table = ClaimTable(3, "A claim.", ["ties"], [HOLDS] * 47 + [FAILS], [CLOSE] * 48, "A conclusion.")
    png, svg = output.draw([table, table])
    assert png.startswith(b"\x89PNG")
    assert svg.count("#0072b2") == 2 * 2 * 47 + 2  # fill and edge of each cell, and the legend
    assert (png, svg) == output.draw([table, table])
    assert "| 3 | A claim. | 47 | 1 | 0 | 0 |" in output.markdown([table], "command", "5 runs")

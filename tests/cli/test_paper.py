"""reproduce, compare and demo on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from coactor.cli import main

SMALL = ("--panels", "path-noise", "--runs", "2", "--examples", "4", "--jobs", "1")


def run(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--panels", "tsp-claen"], "Did you mean tsp-clean"),
        (["--learners", "PER,CSPERR"], "Did you mean CSPER"),
        (["--learners", "PER,expert+polish"], "expert is a baseline"),
        (["--learners", "PER,copy"], "'copy' does not apply here"),
        (["--panels", "tsp-clean,tsp-clean"], "named twice"),
        (["--panels", ","], "No panel"),
        (["--panels", "rank-budget", "--learners", "expert"], "no expert line"),
        (["--data", "nowhere.txt"], "There is no data file nowhere.txt"),
        (["--panels", "tsp-clean", "--data", __file__], "no ranking panel"),
        (["--panels", "rank-budget", "--data", __file__], "line 1"),
        (["--out", __file__], "not a folder"),
        (["--out", "/proc/results"], "cannot be written to"),
        (["--jobs", "2", "--cluster", "tcp://x:1"], "Give one of them"),
        (["--runs", "0"], "runs"),
        (["--verify", "nowhere.json"], "cannot be read"),
    ],
)
def test_reproduce_refuses_invalid_input_with_one_sentence(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("reproduce", *words)
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []  # nothing was started


def test_reproduce_json_prints_errors_as_json(tmp_path: Path) -> None:
    result = run("reproduce", "--panels", "tsp", "--json", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "Did you mean" in json.loads(result.stdout)["error"]


def test_reproduce_json_prints_nothing_else(tmp_path: Path) -> None:
    words = (
        "reproduce",
        *SMALL,
        "--json",
        "--learners",
        "PER,tests.lab.helpers:Slow",
        "--out",
        str(tmp_path),
    )
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    data = json.loads(result.stdout)
    assert [row["learner"] for row in data["summary"]] == ["PER", "tests.lab.helpers:Slow"]
    assert len(data["claims"]) == 25


def test_reproduce_prints_claims_and_verify_prints_findings(tmp_path: Path) -> None:
    result = run("reproduce", *SMALL, "--learners", "PER", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "Theorem 1 bounds the average effort." in result.stdout
    assert f"Open {tmp_path}/report.html." in result.stdout
    assert "Fewer than 5 runs decide no claim" in result.stdout
    assert "Fewer than 5 runs decide no claim" in (tmp_path / "report.html").read_text().replace(
        "; fewer", "; Fewer"
    )
    result = run("reproduce", "--verify", f"{tmp_path}/manifest.json", "--jobs", "1")
    assert (result.exit_code, result.stdout[:26]) == (0, "Identical, byte for byte: ")
    (tmp_path / "runs.csv").unlink()
    result = run("reproduce", "--verify", f"{tmp_path}/manifest.json", "--jobs", "1", "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert (data["same"], "runs.csv is missing" in data["findings"][0]) == (False, True)


def test_ctrl_c_ends_reproduce_and_keeps_finished_runs(tmp_path: Path) -> None:
    """A real process, and a signal to its whole group, as a terminal sends it."""
    options = ("--panels", "path-clean,mtsp-clean", "--runs", "40", "--examples", "40", "--jobs", "2")
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            # A shell starts background jobs, and so tests, with Ctrl-C ignored; a terminal does not.
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "from coactor.cli import main; main()",
            "reproduce",
            *options,
            "--out",
            str(tmp_path / "out"),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "80 tasks to do\n"
    first = process.stderr.readline()
    assert "/80 done, " in first  # some units are finished
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command resumes from there" in err
    assert "Traceback" not in err + out
    kept = len(list((tmp_path / "out" / "units").glob("*.unit")))
    assert f"{kept} of 80 tasks are finished" in err
    assert int(first.partition("/")[0]) <= kept < 80
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"units"}


def test_compare_prints_a_table_or_json() -> None:
    words = (
        "compare",
        "PER",
        "CSPER",
        "--panel",
        "path-clean",
        "--runs",
        "2",
        "--examples",
        "8",
        "--jobs",
        "1",
    )
    data = json.loads(run(*words, "--json").stdout)
    assert data["panel"] == "path-clean"
    assert set(data["totals"][0]) == {"learner", "total", "low", "high", "final_utility"}
    assert {pair["a"] + pair["b"] for pair in data["pairs"]} == {"PERCSPER"}
    assert f"{data['totals'][0]['total']:.1f}" in run(*words).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["PERR"], "Did you mean PER"),
        (["PER", "--panel", "tps-noise"], "Did you mean tsp-noise"),
        (["PER", "--panel", "tests.lab.helpers:NoProblems"], "sample(rng, n)"),
        (["PER", "--panel", "tsp-clean", "--data", "x"], "no ranking panel is run"),
        (["PER,hindsight"], "'hindsight' does not apply here"),
        ([], "LEARNER"),
    ],
)
def test_compare_refuses_invalid_input_with_one_sentence(words: list[str], message: str) -> None:
    result = run("compare", *words)
    assert result.exit_code in (1, 2)
    assert message in result.stderr


def test_demo_prints_json_and_refuses_unknown_learners() -> None:
    assert json.loads(run("demo", "--json").stdout)["learner"] == "CSPER"
    result = run("demo", "--learner", "CSPR")
    assert result.exit_code == 1
    assert "Did you mean CSPER" in result.stderr

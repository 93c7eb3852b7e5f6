"""reproduce and compare on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from coactor.cli import main

SMALL = ("--panels", "path-noise", "--quick", "--runs", "1", "--jobs", "1")


def run(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--panels", "tsp-claen"], "Did you mean tsp-clean"),
        (["--learners", "PER,expert+polish"], "expert is a baseline"),
        (["--panels", "tsp-clean", "--data", __file__], "no ranking panel"),
        (["--out", "/proc/results"], "No such file or directory: '/proc/results'"),
        (["--jobs", "tcp://127.0.0.1:1"], "No Dask scheduler answers"),
        (["--jobs", "0"], "at least 1"),
        (["--runs", "0"], "runs"),
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
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []  # nothing was started


def test_reproduce_prints_claims_and_verify_results_prints_findings(tmp_path: Path) -> None:
    result = run("reproduce", *SMALL, "--learners", "PER,tests.lab.helpers:Slow", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "Theorem 2 bounds the average effort under noise." in result.stdout
    assert f"Open {tmp_path}/report.html." in result.stdout
    assert "1 run decides nothing; it takes at least 5" in result.stdout
    assert "1 run decides nothing; it takes at least 5" in (tmp_path / "report.html").read_text()
    assert len(json.loads((tmp_path / "claims.json").read_text())) == 25
    result = run("verify-results", f"{tmp_path}/manifest.json", "--jobs", "1")
    assert (result.exit_code, result.stdout[:26]) == (0, "Identical, byte for byte: ")
    (tmp_path / "runs.csv").unlink()
    result = run("verify-results", f"{tmp_path}/manifest.json", "--jobs", "1", "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert (data["same"], "runs.csv is missing" in data["findings"][0]) == (False, True)
    result = run("verify-results", "nowhere.json", "--json")
    assert "cannot be read" in json.loads(result.stdout)["error"]


def test_open_choices_prints_what_changes_and_writes_a_table(tmp_path: Path) -> None:
    words = ("--panels", "mtsp-clean", "--quick", "--runs", "1", "--jobs", "1", "--out", str(tmp_path))
    result = run("open-choices", *words)
    assert result.exit_code == 0, result.output
    assert "  5  too close to call  Multi-TSP without noise: CSPER performs worst." in result.stdout
    assert f"The table is in {tmp_path}/open-choices.md." in result.stdout
    assert "kappa: 0.5 on multi-TSP" in (tmp_path / "open-choices.md").read_text()


def test_ctrl_c_ends_reproduce_and_keeps_finished_runs(tmp_path: Path) -> None:
    """A real process, and a signal to its whole group, as a terminal sends it."""
    options = ("--panels", "path-clean,mtsp-clean", "--quick", "--runs", "40", "--jobs", "2")
    options += ("--learners", "PER,CSPER")
    code = (  # A shell starts background jobs, and so tests, with Ctrl-C ignored; a terminal does not.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from coactor.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "reproduce", *options, "--out", str(tmp_path / "out")],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "80 tasks to do\n"
    first = process.stderr.readline()
    assert "/80 done" in first  # some units are finished
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command resumes from there" in err
    assert "Traceback" not in err + out
    kept = len(list((tmp_path / "out" / "units").glob("*.unit")))
    said = re.search(r"(\d+) of 80 tasks are finished", err)
    assert said, err
    # The signal may come after a result was saved and before it was counted; never the other way.
    assert int(first.partition("/")[0]) <= int(said[1]) <= kept <= int(said[1]) + 1 < 80
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"units"}


def test_compare_prints_a_table_or_json() -> None:
    words = [
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
    ]
    data = json.loads(run(*words, "--json").stdout)
    assert data["panel"] == "path-clean"
    assert {"learner", "total", "total_low", "total_high", "final_utility"} <= set(data["totals"][0])
    assert {pair["a"] + pair["b"] for pair in data["pairs"]} == {"PERCSPER"}
    assert f"{data['totals'][0]['total']:.1f}" in run(*words).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["PERR"], "Did you mean PER"),
        (["PER,hindsight"], "'hindsight' does not apply here"),
        ([], "LEARNER"),
        (["own:Plain", "--panel", "path-clean"], "'own:Plain' cannot be made: TypeError: Plain() takes no"),
        (["own:Fails", "--panel", "path-clean"], "'own:Fails' cannot be made: KeyError: 'boom'."),
    ],
)
def test_compare_refuses_invalid_input_with_one_sentence(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.py").write_text(
        "class Plain: pass\nclass Fails:\n    def __init__(self, dim):\n        raise KeyError('boom')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = run("compare", *words, "--jobs", "1")
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.stderr
    assert message in result.stderr

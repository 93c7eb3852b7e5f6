"""The one command, end to end and small: the same files whatever way they are made."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import coactor
from coactor.cli import main
from coactor.lab.engine.contenders import parse_lines
from coactor.lab.engine.parallel import Interrupted, execute
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.panels import find_panel
from coactor.lab.paper.reproduction import MANIFEST, NUMBERS, PICTURES

SMALL = {"panels": ["path-clean", "mtsp-noise"], "runs": 2, "examples": 6}


def run(*words: str):
    return CliRunner().invoke(main, list(words))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small reproduction, made once."""
    out = tmp_path_factory.mktemp("made")
    done = coactor.lab.reproduce(out, **SMALL, jobs=1)
    return out, done


def test_every_file_is_there(made):
    out, done = made
    assert {path.name for path in out.iterdir()} == {*NUMBERS, *PICTURES, MANIFEST, "units"}
    assert len(done.claims) == 11


def test_runs_csv_holds_every_cost(made):
    out, done = made
    with (out / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["panel", "learner", "run", "example", "cost"]
    assert len(rows) == 2 * 6 * 2 * 6
    total = sum(
        float(row["cost"])
        for row in rows
        if (row["panel"], row["learner"], row["run"]) == ("mtsp-noise", "PER", "1")
    )
    assert total == done.results[1].costs["PER"][1].sum()
    with (out / "summary.csv").open() as file:
        summary = {(row["panel"], row["learner"]): row for row in csv.DictReader(file)}
    for result in done.results:
        for line, costs in result.costs.items():
            row = summary[result.panel.name, line]
            assert float(row["total"]) == pytest.approx(costs.sum(axis=1).mean())
            assert float(row["total_low"]) <= float(row["total"]) <= float(row["total_high"])
            assert float(row["final_utility"]) == pytest.approx(result.utilities[line].mean())
    per, expert = summary["path-clean", "PER"], summary["path-clean", "expert"]
    assert float(per["above_expert"]) == pytest.approx(float(per["total"]) - float(expert["total"]))


def test_the_manifest_vouches_for_every_file(made):
    from coactor.lab.engine.atomic_files import digest

    out, _ = made
    manifest = json.loads((out / MANIFEST).read_text())
    assert manifest["outputs"] == {name: digest(out / name) for name in (*NUMBERS, *PICTURES)}
    assert manifest["command"].startswith("coactor reproduce --panels path-clean,mtsp-noise")
    assert manifest["environment"]["numpy"] == np.__version__


def same_files(one: Path, two: Path) -> bool:
    return all(
        (one / name).read_bytes() == (two / name).read_bytes() for name in (*NUMBERS, *PICTURES, MANIFEST)
    )


def test_two_processes_make_the_same_files(made, tmp_path):
    out, _ = made
    coactor.lab.reproduce(tmp_path, **SMALL, jobs=2)
    assert same_files(out, tmp_path)


def test_a_second_call_uses_what_is_finished(made, tmp_path):
    out, _ = made
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    before = {path: path.stat().st_mtime_ns for path in (copy / "units").iterdir()}
    next(iter(before)).unlink()
    coactor.lab.reproduce(copy, **SMALL, jobs=1)
    after = {path: path.stat().st_mtime_ns for path in (copy / "units").iterdir()}
    assert sum(before[path] != after[path] for path in before) == 1
    assert same_files(out, copy)


def test_an_interrupted_run_goes_on(made, tmp_path, monkeypatch):
    from coactor.lab.engine import parallel as module

    out, _ = made
    real, calls = module.run_unit, []

    def interrupted(unit):
        calls.append(unit)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(unit)

    monkeypatch.setattr(module, "run_unit", interrupted)
    with pytest.raises(Interrupted) as stop:
        coactor.lab.reproduce(tmp_path, **SMALL, jobs=1)
    assert (stop.value.done, stop.value.total) == (2, 4)
    assert not (tmp_path / "runs.csv").exists()  # nothing half written
    monkeypatch.setattr(module, "run_unit", real)
    coactor.lab.reproduce(tmp_path, **SMALL, jobs=1)
    assert same_files(out, tmp_path)


def test_ctrl_c_on_the_command_line(tmp_path):
    """A real process, a real signal to its whole group, as a terminal sends it."""
    command = [
        sys.executable,
        "-c",
        "from coactor.cli import main; main()",
        "reproduce",
        "--panels",
        "path-clean,mtsp-clean",
        "--runs",
        "40",
        "--examples",
        "40",
        "--jobs",
        "2",
        "--out",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert "1/80 done" in process.stderr.readline()  # the first unit is finished
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in err
    assert "Traceback" not in err + out
    kept = len(list((tmp_path / "out" / "units").glob("*.unit")))
    assert f"{kept} of 80 units are finished" in err
    assert 1 <= kept < 80
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"units"}


def test_verify_finds_the_same_and_tells_what_is_not(made, tmp_path):
    out, _ = made
    found = run("reproduce", "--verify", str(out / MANIFEST), "--jobs", "1")
    assert found.exit_code == 0, found.output
    assert "byte for byte" in found.output
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    text = (copy / "runs.csv").read_text()
    (copy / "runs.csv").write_text(text.replace("PER,0,0,", "PER,0,0,9", 1))
    manifest = json.loads((copy / MANIFEST).read_text())
    manifest["parameters"]["seed"] = 5
    (copy / MANIFEST).write_text(json.dumps(manifest))
    found = run("reproduce", "--verify", str(copy / MANIFEST), "--jobs", "1", "--json")
    assert found.exit_code == 1
    told = json.loads(found.stdout)
    assert told["same"] is False
    assert any("runs.csv" in finding and "was changed after" in finding for finding in told["findings"])
    assert any("runs.csv came out differently from line 2 on" in finding for finding in told["findings"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("[]", "not a manifest"),
        ('{"parameters": {}, "outputs": {}, "environment": {}}', "does not say what to run"),
    ],
)
def test_verify_refuses_what_is_no_manifest(tmp_path, content, said):
    path = tmp_path / "manifest.json"
    if content is not None:
        path.write_text(content)
    found = run("reproduce", "--verify", str(path))
    assert found.exit_code == 1
    assert said in found.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--panels", "tsp-claen"], "did you mean tsp-clean"),
        (["--learners", "PER,CSPERR"], "did you mean CSPER"),
        (["--panels", "tsp-clean,tsp-clean"], "named twice"),
        (["--panels", ","], "no panel"),
        (["--panels", "rank-budget", "--learners", "expert"], "no expert line"),
        (["--data", "nowhere.txt"], "there is no data file nowhere.txt"),
        (["--panels", "tsp-clean", "--data", __file__], "no ranking panel"),
        (["--out", __file__], "not a folder"),
        (["--out", "/proc/results"], "cannot be written to"),
        (["--jobs", "2", "--cluster", "tcp://x:1"], "give one of them"),
        (["--runs", "0"], "runs"),
    ],
)
def test_bad_input_is_answered_by_a_sentence(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run("reproduce", *words)
    assert found.exit_code in (1, 2)
    assert said in found.stderr
    assert "Traceback" not in found.stderr
    assert list(tmp_path.iterdir()) == []  # nothing was begun


def test_errors_are_json_when_json_was_asked_for(tmp_path):
    found = run("reproduce", "--panels", "tsp", "--json", "--out", str(tmp_path))
    assert found.exit_code == 1
    assert "did you mean" in json.loads(found.stdout)["error"]


def test_json_prints_json_and_nothing_else(tmp_path):
    found = run(
        "reproduce",
        "--panels",
        "path-noise",
        "--runs",
        "2",
        "--examples",
        "4",
        "--jobs",
        "1",
        "--json",
        "--learners",
        "PER,tests.lab.helpers:Slow",
        "--out",
        str(tmp_path),
    )
    assert found.exit_code == 0
    assert found.stderr == ""
    told = json.loads(found.stdout)
    assert [row["learner"] for row in told["summary"]] == ["PER", "tests.lab.helpers:Slow"]
    assert len(told["claims"]) == 11


DATA = """2 qid:1 1:0.5 3:0.2
0 qid:1 2:1
4 qid:1 1:0.9
1 qid:2 1:0.1 2:0.3
3 qid:2 3:0.7
"""


def test_ranking_on_real_data(tmp_path):
    (tmp_path / "train.txt").write_text(DATA)
    out = tmp_path / "out"
    found = run(
        "reproduce",
        "--panels",
        "rank-unlimited,rank-budget",
        "--runs",
        "2",
        "--data",
        str(tmp_path / "train.txt"),
        "--out",
        str(out),
        "--jobs",
        "1",
    )
    assert found.exit_code == 0, found.stderr
    with (out / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["example"] for row in rows} == {"0", "1"}  # as many examples as there are queries
    assert "train.txt" in (out / "report.html").read_text()
    assert "generated twin" not in (out / "report.html").read_text()
    again = run("reproduce", "--verify", str(out / MANIFEST), "--jobs", "1")
    assert again.exit_code == 0, again.output
    moved = tmp_path / "moved.txt"
    (tmp_path / "train.txt").rename(moved)
    again = run("reproduce", "--verify", str(out / MANIFEST), "--jobs", "1", "--data", str(moved))
    assert again.exit_code == 0, again.output
    moved.write_text(DATA.replace("4 qid:1 1:0.9", "0 qid:1 1:0.9"))
    again = run("reproduce", "--verify", str(out / MANIFEST), "--jobs", "1", "--data", str(moved))
    assert again.exit_code == 1
    assert "not the ones the manifest was made from" in again.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rows"),
        ("2 qid:1 1:x\n", "line 1"),
        ("0 qid:1 1:2\n0 qid:1 1:1\n", "every label is 0"),
        ("good qid:1 1:1\n", "line 1"),
    ],
)
def test_bad_data_is_told_with_file_and_line(tmp_path, text, said):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    found = run("reproduce", "--panels", "rank-budget", "--data", str(path), "--out", str(tmp_path / "out"))
    assert found.exit_code == 1
    assert "bad.txt" in found.stderr
    assert said in found.stderr
    assert not (tmp_path / "out").exists()


def test_the_report_says_that_the_twin_was_used(tmp_path):
    run(
        "reproduce",
        "--panels",
        "rank-budget",
        "--runs",
        "2",
        "--examples",
        "3",
        "--jobs",
        "1",
        "--out",
        str(tmp_path),
    )
    assert "generated twin" in (tmp_path / "report.html").read_text()
    assert "generated twin" in (tmp_path / "claims.md").read_text()


def test_experiments_check_themselves():
    panels, lines = (find_panel("tsp-clean"),), parse_lines(["PER"])
    for more, said in (
        ({"runs": 0}, "runs is 0"),
        ({"examples": 0}, "examples is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"policy": "worst"}, "first or best"),
    ):
        with pytest.raises(ValueError, match=said):
            Experiment(panels, lines, **more)


def test_no_units_no_results():
    assert execute([]) == []

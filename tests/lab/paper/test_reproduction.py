"""A small reproduction, end to end: the same files whatever way they are made."""

from __future__ import annotations

import csv
import html
import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import coactor
from coactor.cli import main
from coactor.lab.engine.atomic_files import digest
from coactor.lab.engine.contenders import PAPER
from coactor.lab.paper.claims import CLOSE
from coactor.lab.paper.experiment import QUICK, WHOLE_PAPER, Settings
from coactor.lab.paper.reproduction import MANIFEST, NUMBERS, PICTURES, Reproduction, command_of
from coactor.lab.paper.sentences import NEXT_STEPS
from coactor.lab.paper.verification import verify

SIX = (*PAPER, "expert", "default")
SMALL = Settings(["path-clean", "mtsp-noise"], SIX, runs=2, examples=6)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """A small reproduction, run once."""
    return coactor.lab.reproduce(tmp_path_factory.mktemp("small"), SMALL, jobs=1)


def test_reproduce_writes_every_file(small: Reproduction) -> None:
    assert {path.name for path in small.out.iterdir()} == {*NUMBERS, *PICTURES, MANIFEST, "units"}
    assert len(small.claims) == 25


def test_runs_csv_and_summary_csv_have_the_costs(small: Reproduction) -> None:
    with (small.out / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["panel", "learner", "run", "example", "cost"]
    assert len(rows) == 2 * 6 * 2 * 6
    total = sum(
        float(row["cost"])
        for row in rows
        if (row["panel"], row["learner"], row["run"]) == ("mtsp-noise", "PER", "1")
    )
    assert total == small.results[1].costs["PER"][1].sum()
    with (small.out / "summary.csv").open() as file:
        summary = {(row["panel"], row["learner"]): row for row in csv.DictReader(file)}
    for result in small.results:
        for name, costs in result.costs.items():
            row = summary[result.panel.name, name]
            assert float(row["total"]) == pytest.approx(costs.sum(axis=1).mean())
            assert float(row["total_low"]) <= float(row["total"]) <= float(row["total_high"])
            assert float(row["final_utility"]) == pytest.approx(result.utilities[name].mean())
    per, expert = summary["path-clean", "PER"], summary["path-clean", "expert"]
    assert float(per["above_expert"]) == pytest.approx(float(per["total"]) - float(expert["total"]))


def test_manifest_has_the_digest_of_every_file(small: Reproduction) -> None:
    manifest = json.loads((small.out / MANIFEST).read_text())
    assert manifest["outputs"] == {name: digest(small.out / name) for name in (*NUMBERS, *PICTURES)}
    assert manifest["settings"]["panels"] == ["path-clean", "mtsp-noise"]
    assert eval(manifest["command"].removeprefix("coactor.lab.reproduce('results', ")[:-1]) == SMALL
    assert manifest["environment"]["numpy"] == np.__version__
    assert manifest["environment"]["blas"]  # the last digits of the default learner depend on it


def same_files(one: Path, two: Path) -> bool:
    return all(
        (one / name).read_bytes() == (two / name).read_bytes() for name in (*NUMBERS, *PICTURES, MANIFEST)
    )


def test_reproduce_does_not_depend_on_jobs(small: Reproduction, tmp_path: Path) -> None:
    coactor.lab.reproduce(tmp_path, SMALL, jobs=2)
    assert same_files(small.out, tmp_path)


def test_reproduce_runs_only_what_is_not_cached(small: Reproduction, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small.out, copy)
    before = {path: path.stat().st_mtime_ns for path in (copy / "units").iterdir()}
    next(iter(before)).unlink()
    coactor.lab.reproduce(copy, SMALL, jobs=1)
    after = {path: path.stat().st_mtime_ns for path in (copy / "units").iterdir()}
    assert sum(before[path] != after[path] for path in before) == 1
    assert same_files(small.out, copy)


def test_verify_confirms_the_same_numbers(small: Reproduction) -> None:
    result = verify(small.out / MANIFEST, jobs=1)
    assert result.same, result.findings
    assert tuple(result.checked) == NUMBERS


def test_verify_names_changed_files_and_numbers(small: Reproduction, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small.out, copy)
    text = (copy / "runs.csv").read_text()
    (copy / "runs.csv").write_text(text.replace("PER,0,0,", "PER,0,0,9", 1))
    manifest = json.loads((copy / MANIFEST).read_text())
    manifest["settings"]["seed"] = 5
    manifest["environment"]["blas"] = "openblas Haswell, of old"
    (copy / MANIFEST).write_text(json.dumps(manifest))
    result = verify(copy / MANIFEST, jobs=1)
    assert not result.same
    assert any("runs.csv" in finding and "was changed after" in finding for finding in result.findings)
    assert any("runs.csv differs from line 2 on" in finding for finding in result.findings)
    assert any(finding.startswith("blas was openblas Haswell, of old") for finding in result.findings)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read as JSON"),
        ("[]", "not a manifest"),
        ('{"settings": {}, "outputs": {}, "environment": {}}', "'choices' is missing"),
    ],
)
def test_verify_refuses_what_is_not_a_manifest(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "manifest.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=message):
        verify(path)


DATA = """2 qid:1 1:0.5 3:0.2
0 qid:1 2:1
4 qid:1 1:0.9
1 qid:2 1:0.1 2:0.3
3 qid:2 3:0.7
"""


def test_reproduce_and_verify_on_a_data_file(tmp_path: Path) -> None:
    file, moved, out = tmp_path / "train.txt", tmp_path / "moved.txt", tmp_path / "out"
    file.write_text(DATA)
    settings = Settings(["rank-unlimited", "rank-budget"], SIX, runs=2, data=[file])
    coactor.lab.reproduce(out, settings, jobs=1)
    with (out / "runs.csv").open() as rows:
        assert {row["example"] for row in csv.DictReader(rows)} == {"0", "1"}  # one per query
    page = (out / "report.html").read_text()
    assert "train.txt" in page
    assert "synthetic" not in page
    assert verify(out / MANIFEST, jobs=1).same
    file.rename(moved)
    assert verify(out / MANIFEST, jobs=1, data=[str(moved)]).same
    moved.write_text(DATA.replace("4 qid:1 1:0.9", "0 qid:1 1:0.9"))
    result = verify(out / MANIFEST, jobs=1, data=[str(moved)])
    assert not result.same
    assert "The data files are not those of the manifest." in result.findings


@pytest.mark.parametrize(
    ("more", "message"),
    [({"runs": 0}, "runs is 0"), ({"examples": 0}, "examples is 0"), ({"seed": -1}, "seed is -1")],
)
def test_settings_refuse_invalid_sizes(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**more)


@pytest.mark.parametrize(
    ("settings", "command"),
    [
        (WHOLE_PAPER, "coactor reproduce --seed 0"),
        (QUICK, "coactor reproduce --quick --seed 0"),
        (
            Settings(["tsp-clean"], ["PER", "my.module:L"], runs=40, seed=3, data=["my file"]),
            "coactor reproduce --panels tsp-clean --learners PER,my.module:L --runs 40 --seed 3 "
            "--data 'my file'",
        ),
    ],
)
def test_a_command_makes_the_settings_that_it_is_written_for(
    settings: Settings, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command_of(settings) == command
    called = []

    def reproduce(out: str, settings: Settings, **_: object) -> None:
        called.append((out, settings))
        raise ValueError("Stop here.")

    monkeypatch.setattr(coactor.lab, "reproduce", reproduce)
    CliRunner().invoke(main, shlex.split(command_of(settings, "folder"))[1:])
    assert called == [("folder", settings)]


def test_an_open_claim_comes_with_the_command_that_decides_it(tmp_path: Path) -> None:
    four = Settings(["path-clean", "path-noise"], (*PAPER, "expert"), runs=5, examples=20)
    claims = {claim.number: claim for claim in coactor.lab.reproduce(tmp_path, four, jobs=1).claims}
    claim = claims[1]
    assert (claim.verdict, claim.learners) == (CLOSE, ("CSPER", "PER", "PA", "CSPA"))
    assert claim.deciding_runs is not None
    assert f"runs={claim.deciding_runs}" in claim.command
    assert "panels=('path-clean', 'path-noise')" in claim.command
    for name in ("claims.md", "report.html"):
        text = html.unescape((tmp_path / name).read_text())
        assert f"About {claim.deciding_runs} runs would decide it" in text
        assert claim.command in text
    assert (claims[3].verdict, claims[3].command) == ("not run", "")


def test_the_figure_and_the_pairs_leave_the_suggested_learners_out(tmp_path: Path) -> None:
    """They are there for claims 17 to 19."""
    result = coactor.lab.reproduce(tmp_path, Settings(["mtsp-clean"], runs=1, examples=2), jobs=1)
    assert set(NEXT_STEPS) <= set(result.results[0].costs)
    assert {"not run"} & {claim.verdict for claim in result.claims[17:19]} == set()
    page = (tmp_path / "report.html").read_text()
    assert "PER – CSPER" in page
    assert "PA – PA-I" not in page

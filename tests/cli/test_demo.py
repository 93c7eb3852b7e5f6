"""The demo in the terminal."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner

from coactor.cli import main


def run(*words: str) -> Any:
    return CliRunner().invoke(main, ["demo", *words])


def test_demo_prints_json_and_refuses_unknown_learners() -> None:
    data = json.loads(run("--json").stdout)
    assert data["learner"] == "CSPER"
    assert sum(data["costs"][:20]) > 3 * sum(data["costs"][-20:])
    assert data["total"] == sum(data["costs"])
    result = run("--learner", "CSPR")
    assert result.exit_code == 1
    assert "Did you mean CSPER" in result.stderr


def test_demo_shows_bars_that_fall() -> None:
    result = run("--seed", "1")
    bars = [line.count("█") for line in result.stdout.splitlines() if line.startswith("tours ")]
    assert len(bars) == 12
    assert bars[0] == max(bars) > 3 * bars[-1]
    assert json.loads(run("--seed", "1", "--json").stdout)["sentence"] in result.stdout

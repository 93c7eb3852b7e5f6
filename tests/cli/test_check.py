"""coactor check: a domain or a learner of the user."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from coactor.cli import main

GOOD = """
import numpy as np
from coactor.learners import PER

class Coins:
    dim = 1
    def features(self, x, y): return np.array([float(np.dot(x, y))])
    def solve(self, x, w): return tuple(int(v * w[0] > 0) for v in x)
    def moves(self, x, y): return [{"op": "turn", "args": [k]} for k in range(len(y))]
    def apply(self, x, y, move):
        k = move["args"][0]
        return y[:k] + (1 - y[k],) + y[k + 1:]

class Lazy(Coins):
    def solve(self, x, w): return (0,) * len(x)

class Sampling(Lazy):
    def sample(self, rng, n): return [[1.0]] * n

class Unsampled(Coins):
    sample = None

class Uneven(Coins):
    dim = 3
    feature_names = ["sum", "large sum", "constant"]
    def features(self, x, y): return np.dot(x, y) * np.array([1.0, 1e6, 0.0]) + 7.0
    def solve(self, x, w): return tuple(int(v * (w @ [1.0, 1e6, 0.0]) > 0) for v in x)
    def moves(self, x, y): return 2 * super().moves(x, y)

class Sized(Coins):
    def __init__(self, size): pass

class Mean(PER):
    def __init__(self, dim):
        super().__init__(dim)
        self.weights = self.weights + 1.0
    def update(self, feedback):
        super().update(feedback)
        self.weights = 0.9 * self.weights

coins = Coins()
number = 7
problems = [[1.0, -2.0], [0.5]]
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the current folder."""
    (tmp_path / "my_coins.py").write_text(GOOD)
    (tmp_path / "no_problems.py").write_text(GOOD.replace("problems =", "others ="))
    monkeypatch.chdir(tmp_path)
    yield "my_coins"  # type: ignore[misc]
    sys.modules.pop("my_coins", None)
    sys.modules.pop("no_problems", None)


def invoke(*args: str) -> Any:
    return CliRunner().invoke(main, ["check", *args])


def test_check_accepts_valid_domains_and_learners(mine: str) -> None:
    first, *notes = invoke(f"{mine}:Coins").output.splitlines()
    assert first == "my_coins:Coins is a valid domain."
    assert notes[0].startswith("  Tried ")
    assert invoke(f"{mine}:coins").exit_code == 0
    assert invoke("my_coins.py:Coins").exit_code == 0
    assert invoke("coactor.domains:Hypercube", "--problems", "1").exit_code == 0
    assert invoke("coactor.learners:CSPA").output == "coactor.learners:CSPA is a valid learner.\n"
    steps, note = invoke(f"{mine}:Mean").output.splitlines()
    assert steps == "my_coins:Mean is a valid learner."
    assert "weights changed although the cost was 0" in note
    data = json.loads(invoke(f"{mine}:Coins", "--json").output)
    assert data == {
        "target": "my_coins:Coins",
        "ok": True,
        "kind": "domain",
        "message": "my_coins:Coins is a valid domain.",
        "notes": data["notes"],
    }
    assert len(data["notes"]) == len(notes)


def test_check_notes_what_would_be_better(mine: str) -> None:
    notes = "\n".join(json.loads(invoke(f"{mine}:Uneven", "--json").output)["notes"])
    assert "Tried 2 problems with 3 features and 2 to 4 moves" in notes
    assert "3 of 6 moves lead to the same solution as another move" in notes
    assert "No move changes 'constant'" in notes
    assert "A move changes 'large sum' over 1000 times as much as 'sum'" in notes
    assert "Without feature_names" not in notes
    assert "Without feature_names" in invoke(f"{mine}:Coins").output


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("my_coins:Lazy", "The solver's answer on problem 0 is improved by move"),
        ("my_coins:Sampling", "The solver's answer on problem 0 is improved by move"),
        ("my_coins:Sized", "cannot be made: "),
        ("my_coins:number", "neither a domain"),
        ("my_coins:Missing", "has no 'Missing'; it has"),
        ("no_problems:Coins", "no list named problems"),
        ("no_problems:Unsampled", "no list named problems"),
        ("my_coins", "not of the form module:Class"),
    ],
)
def test_check_explains_what_is_wrong_and_exits_with_1(mine: str, target: str, sentence: str) -> None:
    plain = invoke(target)
    assert plain.exit_code == 1
    assert sentence in plain.output
    assert "Traceback" not in plain.output
    told = invoke(target, "--json")
    assert told.exit_code == 1
    data = json.loads(told.output)
    assert not data["ok"]
    assert sentence in data["message"]


def test_check_refuses_a_learner_object(mine: str, tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("import coactor\nlearner = coactor.learners.PER(2)\n")
    assert "give the class of the learner" in invoke("made.py:learner").output
    sys.modules.pop("made", None)


@pytest.mark.parametrize(("code", "message"), [("def f(:", "SyntaxError"), ("1 / 0", "ZeroDivisionError")])
def test_check_reports_a_module_that_cannot_be_imported(tmp_path, code, message):
    (tmp_path / "broken.py").write_text(code)
    result = CliRunner().invoke(main, ["check", f"{tmp_path}/broken.py:Mine"])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert f"cannot be imported: {message}" in result.output

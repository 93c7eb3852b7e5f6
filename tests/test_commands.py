"""The command line: fast to start, and plain in what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import coactor
from coactor.cli import COMMANDS, main

HEAVY = {
    "matplotlib",
    "joblib",
    "distributed",
    "dask",
    "sqlalchemy",
    "orjson",
    "fastapi",
    "uvicorn",
    "starlette",
    "httpx",
    "psycopg",
    "ortools",
    "pyvrp",
    "scipy",
    "pandas",
    "sklearn",
    "networkx",
}


def imported_by(code: str) -> set[str]:
    """The packages in memory after some code has run in a fresh Python."""
    report = "\nimport sys; print('\\n' + ' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_importing_the_package_imports_nothing_heavy() -> None:
    loaded = imported_by("import coactor")
    assert not loaded & (HEAVY | {"numba"})


def test_the_whole_core_imports_numpy_and_numba_only() -> None:
    loaded = imported_by(
        "import coactor\n"
        "for name in coactor.__all__: getattr(coactor, name)\n"
        "domain = coactor.domains.Tour(points=4, features=2)\n"
        "coactor.Session(domain, coactor.learners.make('default', 2))\n"
    )
    assert {"numpy", "numba"} <= loaded
    assert not loaded & (HEAVY - {"scipy"} | {"click"})  # numba looks for scipy by itself


def test_help_imports_neither_numpy_nor_any_command() -> None:
    loaded = imported_by(
        "from coactor.cli import main\ntry: main(['--help'])\nexcept SystemExit as end: assert end.code == 0"
    )
    assert not loaded & (HEAVY | {"numpy", "numba"})


def test_help_lists_every_command() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    for name, (_, _, line) in COMMANDS.items():
        assert name in shown.output
        assert line.split(",")[0].split(":")[0] in shown.output
    assert CliRunner().invoke(main, ["nonsense"]).exit_code == 2


def test_every_public_name_exists() -> None:
    for name in coactor.__all__:
        assert getattr(coactor, name) is not None
    assert set(coactor.__all__) <= set(dir(coactor))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = coactor.nonsense


def test_version() -> None:
    plain = CliRunner().invoke(main, ["version"])
    assert plain.output.startswith(f"coactor {coactor.__version__}, python ")
    data = json.loads(CliRunner().invoke(main, ["version", "--json"]).output)
    assert data["coactor"] == coactor.__version__
    assert set(data) == {"coactor", "python", "numpy", "numba"}


GOOD = """
import numpy as np

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

class Sized(Coins):
    def __init__(self, size): pass

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


def test_a_good_domain_passes(mine: str) -> None:
    assert invoke(f"{mine}:Coins").output == "my_coins:Coins keeps the promises of a domain.\n"
    assert invoke(f"{mine}:coins").exit_code == 0
    assert invoke("my_coins.py:Coins").exit_code == 0
    assert invoke("coactor.domains:Hypercube", "--problems", "1").exit_code == 0
    assert (
        invoke("coactor.learners:CSPA").output == "coactor.learners:CSPA keeps the promises of a learner.\n"
    )
    data = json.loads(invoke(f"{mine}:Coins", "--json").output)
    assert data == {
        "target": "my_coins:Coins",
        "ok": True,
        "kind": "domain",
        "message": "my_coins:Coins keeps the promises of a domain.",
    }


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("my_coins:Lazy", "the solver's answer on problem 0 is improved by move"),
        ("my_coins:Sampling", "the solver's answer on problem 0 is improved by move"),
        ("my_coins:Sized", "cannot be made without arguments"),
        ("my_coins:number", "neither a domain"),
        ("my_coins:Missing", "has no 'Missing'; it has np, Coins"),
        ("no_problems:Coins", "no list named problems"),
        ("my_coins", "not of the form MODULE:CLASS"),
        (":Coins", "not of the form MODULE:CLASS"),
        ("absent:Coins", "cannot import 'absent'"),
        ("absent.py:Coins", "cannot import 'absent.py'"),
    ],
)
def test_a_bad_one_gets_a_sentence_and_exit_code_1(mine: str, target: str, sentence: str) -> None:
    plain = invoke(target)
    assert plain.exit_code == 1
    assert sentence in plain.output
    assert "Traceback" not in plain.output
    told = invoke(target, "--json")
    assert told.exit_code == 1
    data = json.loads(told.output)
    assert not data["ok"]
    assert sentence in data["message"]


def test_a_learner_is_given_as_a_class(mine: str, tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text("import coactor\nlearner = coactor.learners.PER(2)\n")
    assert "give the class" in invoke("made.py:learner").output
    sys.modules.pop("made", None)

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from coactor.domains import Graph, Tour
from coactor.protocol import Vector
from coactor.solvers import SolverError, command_line, custom

DOMAIN = Tour(points=7, features=2)

GOOD = """
import json, sys
asked = json.load(sys.stdin)
assert len(asked["weights"]) == 2
print(json.dumps({"solution": list(range(asked["problem"]["size"]))}))
"""


def problem() -> Graph:
    return next(DOMAIN.sample(np.random.default_rng(0), 1))


def program(folder: Path, text: str) -> list[str]:
    path = folder / "solver.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def test_a_function_is_checked_and_polished() -> None:
    x, w = problem(), np.ones(2)

    def mine(x: Graph, w: Vector) -> np.ndarray:
        return np.arange(x.size)

    assert np.array_equal(custom(DOMAIN, mine, polished=False)(x, w), np.arange(7))
    assert (DOMAIN.landscape(x, w).gains(custom(DOMAIN, mine)(x, w)) <= 1e-12).all()
    with pytest.raises(
        SolverError, match=r"the solver <lambda> gave something that is not a solution: .*exactly once"
    ):
        custom(DOMAIN, lambda x, w: np.zeros(7, np.int64))(x, w)
    with pytest.raises(SolverError, match="failed with ZeroDivisionError"):
        custom(DOMAIN, lambda x, w: 1 / 0)(x, w)


def test_a_program_is_asked_in_json(tmp_path: Path) -> None:
    x, w = problem(), np.ones(2)
    solve = command_line(DOMAIN, program(tmp_path, GOOD), polished=False)
    assert np.array_equal(solve(x, w), np.arange(7))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import sys; sys.exit('no licence')", "ended with status 1: no licence"),
        ("print('hello')", "answered 'hello\\\\n', which is not JSON"),
        ("print('{}')", "answered without 'solution'"),
        ("print('{\"solution\": [0, 0]}')", "not a solution: .*exactly once"),
        ("while True: pass", "took longer than 0.5 s and was stopped"),
    ],
)
def test_a_program_that_fails_says_so_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SolverError, match=says):
        command_line(DOMAIN, program(tmp_path, text), timeout=0.5 if "while" in text else 60)(
            problem(), np.ones(2)
        )


def test_what_is_refused() -> None:
    with pytest.raises(SolverError, match="no-such-program cannot be started"):
        command_line(DOMAIN, "no-such-program --fast")(problem(), np.ones(2))
    with pytest.raises(ValueError, match="the command is empty"):
        command_line(DOMAIN, "")
    with pytest.raises(ValueError, match="timeout is 0"):
        command_line(DOMAIN, "solver", timeout=0)

    class Bare:
        dim = 1

    with pytest.raises(ValueError, match="Bare cannot be written as JSON"):
        command_line(Bare(), "solver")  # type: ignore[arg-type]

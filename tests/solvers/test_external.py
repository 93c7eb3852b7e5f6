from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coactor.domains import Graph, Tour
from coactor.protocol import Vector
from coactor.solvers import SolverError, command_line, custom

DOMAIN = Tour(points=7, features=2)

GOOD = """
import json, sys
request = json.load(sys.stdin)
assert len(request["weights"]) == 2
print(json.dumps({"solution": list(range(request["problem"]["size"]))}))
"""


def problem() -> Graph:
    return next(DOMAIN.sample(np.random.default_rng(0), 1))


def program(folder: Path, text: str) -> list[str]:
    path = folder / "solver.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def test_custom_validates_and_improves_by_what_is_feasible() -> None:
    x, w = problem(), np.ones(2)

    def mine(x: Graph, w: Vector) -> np.ndarray:
        return np.arange(x.size)

    assert np.array_equal(
        custom(DOMAIN, mine)(x, w), np.arange(7)
    )  # it may keep rules that nobody else knows
    view = DOMAIN.landscape(x, w)
    assert (view.gains(custom(DOMAIN, mine, polished=True)(x, w)) <= 1e-12).all()

    def two_before_three(x: Graph, y: np.ndarray) -> bool:
        return bool(np.flatnonzero(y == 2)[0] < np.flatnonzero(y == 3)[0])

    y = custom(DOMAIN, mine, feasible=two_before_three)(x, w)
    assert two_before_three(x, y)
    assert view.utility(y) > view.utility(np.arange(7))
    with pytest.raises(
        SolverError, match=r"The solver <lambda> returned an invalid solution: .*exactly once"
    ):
        custom(DOMAIN, lambda x, w: np.zeros(7, np.int64))(x, w)
    with pytest.raises(SolverError, match="failed with ZeroDivisionError"):
        custom(DOMAIN, lambda x, w: 1 / 0)(x, w)


def test_command_line_exchanges_json(tmp_path: Path) -> None:
    x, w = problem(), np.ones(2)
    solve = command_line(DOMAIN, program(tmp_path, GOOD), polished=False)
    assert np.array_equal(solve(x, w), np.arange(7))


CHILD = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(__file__).with_name("pid").write_text(str(child.pid))
time.sleep(60 if {waits} else 0)
"""


@pytest.mark.parametrize("waits", [True, False])
def test_command_line_kills_the_children_of_the_program_on_timeout(tmp_path: Path, waits: bool) -> None:
    """A child that outlives the program holds its pipes open, so that reading them would not end."""
    started = time.monotonic()
    with pytest.raises(SolverError, match="was stopped"):
        command_line(DOMAIN, program(tmp_path, CHILD.format(waits=waits)), timeout=2.0)(problem(), np.ones(2))
    assert time.monotonic() - started < 30  # not the 60 s of the child
    pid = int((tmp_path / "pid").read_text())
    while is_running(pid):
        assert time.monotonic() - started < 30
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc").is_dir()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit('no licence')", "ended with status 1: no licence"),
        ("print('hello')", "returned 'hello\\\\n', which is not JSON"),
        ("print('{}')", "returned no 'solution'"),
        ("print('{\"solution\": [0, 0]}')", "invalid solution: .*exactly once"),
        ("while True: pass", "took longer than 0.5 s and was stopped"),
    ],
)
def test_command_line_raises_solver_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        command_line(DOMAIN, program(tmp_path, text), timeout=0.5 if "while" in text else 60)(
            problem(), np.ones(2)
        )


def test_command_line_raises_value_error_for_invalid_parameters() -> None:
    with pytest.raises(SolverError, match="no-such-program cannot be started"):
        command_line(DOMAIN, "no-such-program --fast")(problem(), np.ones(2))
    with pytest.raises(ValueError, match="The command is empty"):
        command_line(DOMAIN, "")
    with pytest.raises(ValueError, match="The timeout is 0"):
        command_line(DOMAIN, "solver", timeout=0)

    class Bare:
        dim = 1

    with pytest.raises(ValueError, match="Bare cannot be written as JSON"):
        command_line(Bare(), "solver")  # type: ignore[arg-type]

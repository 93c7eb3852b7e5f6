"""Your own solver: any function, or any program that reads and writes JSON."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from coactor.protocol import Codes, Domain, Problem, Solution, Solver, Vector
from coactor.search import check_solution, polish


class SolverError(RuntimeError):
    """A solver that is not ours failed; the sentence says how."""


def custom(
    domain: Domain, function: Callable[[Problem, Vector], Solution], *, polished: bool = True
) -> Solver:
    """A solver from your own function of (problem, weights), checked and polished.

    Parameters
    ----------
    domain
        Says what a valid solution is.
    function
        Solves.
    polished
        Improve its answers by the domain's own moves, so that Assumption 1 holds.
    """
    name = getattr(function, "__name__", type(function).__name__)

    def solve(x: Problem, w: Vector) -> Solution:
        try:
            y = function(x, w)
        except Exception as error:
            raise SolverError(f"the solver {name} failed with {type(error).__name__}: {error}") from error
        return _checked(domain, x, y, f"the solver {name}")

    return polish(domain, solve) if polished else solve


def command_line(
    domain: Domain, command: str | Sequence[str], *, timeout: float = 60.0, polished: bool = True
) -> Solver:
    """A solver from a program: one JSON object on its standard input, one on its standard output.

    It is given ``{"problem": ..., "weights": [...]}``, the problem as the domain encodes it, and answers
    ``{"solution": ...}``. The program is started once a problem, without a shell.

    Parameters
    ----------
    domain
        Must be able to encode (see `protocol.Codes`).
    command
        Program and arguments, as a list or as one line.
    timeout
        Seconds it may take.
    polished
        Improve its answers by the domain's own moves, so that Assumption 1 holds.
    """
    if not isinstance(domain, Codes):
        raise ValueError(
            f"{type(domain).__name__} cannot be written as JSON; give it encode and decode methods."
        )
    coded: Codes = domain
    parts = shlex.split(command) if isinstance(command, str) else list(command)
    if not parts:
        raise ValueError("the command is empty; give the program and its arguments.")
    if not timeout > 0:
        raise ValueError(f"timeout is {timeout!r}; expected seconds above 0.")

    def solve(x: Problem, w: Vector) -> Solution:
        asked = json.dumps({"problem": coded.encode_problem(x), "weights": w.tolist()})
        data = _answer(parts, asked, timeout)
        if not isinstance(data, dict) or "solution" not in data:
            raise SolverError(f"{parts[0]} answered without 'solution'; expected {{'solution': ...}}.")
        try:
            y = coded.decode_solution(x, data["solution"])
        except ValueError as error:
            raise SolverError(
                f"{parts[0]} answered with something that is not a solution: {error}"
            ) from error
        return _checked(domain, x, y, parts[0])

    return polish(domain, solve) if polished else solve


def _answer(parts: list[str], asked: str, timeout: float) -> Any:
    try:
        done = subprocess.run(
            parts, input=asked, capture_output=True, text=True, timeout=timeout, check=False
        )
    except OSError as error:
        raise SolverError(f"{parts[0]} cannot be started: {error.strerror or error}.") from error
    except subprocess.TimeoutExpired:
        raise SolverError(
            f"{parts[0]} took longer than {timeout:g} s and was stopped; raise the timeout."
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise SolverError(f"{parts[0]} ended with status {done.returncode}: {last[:300]}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise SolverError(f"{parts[0]} answered {done.stdout[:60]!r}, which is not JSON.") from None


def _checked(domain: Domain, x: Problem, y: Solution, who: str) -> Solution:
    try:
        check_solution(domain, x, y)
    except ValueError as error:
        raise SolverError(f"{who} gave something that is not a solution: {error}") from error
    return y

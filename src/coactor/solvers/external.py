"""External solvers: any function, or any program that reads and writes JSON."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from coactor.protocol import Codes, Domain, Problem, Solution, Solver, Vector, has
from coactor.search import check_solution, landscape, polish


class SolverError(RuntimeError):
    """An external solver failed or returned an invalid solution."""


class SolverTimeoutError(SolverError, TimeoutError):
    """An external solver exceeded its time limit."""


def custom(
    domain: Domain,
    function: Callable[[Problem, Vector], Solution],
    *,
    polished: bool = False,
    feasible: Callable[[Problem, Solution], bool] | None = None,
) -> Solver:
    """A solver from a function of (problem, weights), with validated solutions.

    Parameters
    ----------
    domain
        Validates the solutions.
    function
        Returns a solution.
    polished
        Whether to improve its solutions by the domain's moves, so that Assumption 1 holds. Only right if the
        domain knows every rule that the function keeps: the moves would break the others without a word.
    feasible
        Whether a solution keeps all rules. Its solutions are then improved by the moves that lead to such.
    """
    name = getattr(function, "__name__", type(function).__name__)

    def solve(x: Problem, w: Vector) -> Solution:
        try:
            y = function(x, w)
        except Exception as error:
            raise SolverError(f"The solver {name} failed with {type(error).__name__}: {error}") from error
        return _validated(domain, x, y, f"The solver {name}")

    if feasible is None:
        return polish(domain, solve) if polished else solve

    def improved(x: Problem, w: Vector) -> Solution:
        y, view = solve(x, w), landscape(domain, x, w)
        while True:
            gains, moves = view.gains(y), list(domain.moves(x, y))
            better = [
                k
                for k in np.argsort(-gains, kind="stable").tolist()
                if gains[k] > 1e-9 * abs(view.utility(y))
            ]
            neighbours = (domain.apply(x, y, moves[k]) for k in better)
            step = next((z for z in neighbours if feasible(x, z)), None)
            if step is None:
                return y
            y = step

    return improved


def command_line(
    domain: Domain, command: str | Sequence[str], *, timeout: float = 60.0, polished: bool = True
) -> Solver:
    """A solver from a program: one JSON object on its standard input, one on its standard output.

    The input is ``{"problem": ..., "weights": [...]}``, with the problem as the domain encodes it; the output
    is ``{"solution": ...}``. Each call starts the program once, without a shell. If it exceeds the timeout,
    it is killed together with the processes it started.

    Parameters
    ----------
    domain
        Encodes problems and decodes solutions (see `protocol.Codes`).
    command
        Program and arguments, as a list or as one line.
    timeout
        In seconds, for one problem.
    polished
        Whether to improve its solutions by the domain's moves, so that Assumption 1 holds.
    """
    if not has(domain, Codes):
        raise ValueError(
            f"{type(domain).__name__} cannot be written as JSON; it needs the methods of protocol.Codes."
        )
    coded: Codes = domain
    parts = shlex.split(command) if isinstance(command, str) else list(command)
    if not parts:
        raise ValueError("The command is empty; give the program and its arguments.")
    if not timeout > 0:
        raise ValueError(f"The timeout is {timeout!r}; expected seconds above 0.")

    def solve(x: Problem, w: Vector) -> Solution:
        request = json.dumps({"problem": coded.encode_problem(x), "weights": w.tolist()})
        data = _run(parts, request, timeout)
        if not isinstance(data, dict) or "solution" not in data:
            raise SolverError(f"{parts[0]} returned no 'solution'; expected {{'solution': ...}}.")
        try:
            y = coded.decode_solution(x, data["solution"])
        except ValueError as error:
            raise SolverError(f"{parts[0]} returned an invalid solution: {error}") from error
        return _validated(domain, x, y, parts[0])

    return polish(domain, solve) if polished else solve


def _run(parts: list[str], request: str, timeout: float) -> Any:
    """The JSON that the program writes. Raises SolverError if it fails or exceeds the timeout."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            parts, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
    except OSError as error:
        raise SolverError(f"{parts[0]} cannot be started: {error.strerror or error}.") from error
    with process:
        try:
            output, errors = process.communicate(request, timeout)
        except BaseException as error:
            _kill_group(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise SolverTimeoutError(
                    f"{parts[0]} took longer than {timeout:g} s and was stopped. Raise the timeout."
                ) from None
            raise
    if process.returncode:
        last = (errors.strip().splitlines() or ["no message"])[-1]
        raise SolverError(f"{parts[0]} ended with status {process.returncode}: {last[:300]}")
    try:
        return json.loads(output)
    except json.JSONDecodeError:
        raise SolverError(f"{parts[0]} returned {output[:60]!r}, which is not JSON.") from None


def _kill_group(process: subprocess.Popen[str]) -> None:
    """Kill the program and its children, which may hold its pipes open after it has ended."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _validated(domain: Domain, x: Problem, y: Solution, who: str) -> Solution:
    try:
        check_solution(domain, x, y)
    except ValueError as error:
        raise SolverError(f"{who} returned an invalid solution: {error}") from error
    return y

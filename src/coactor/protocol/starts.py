"""The optional ability of a solver to start from a solution."""

from __future__ import annotations

import inspect
from typing import Protocol, TypeGuard

from coactor.protocol.values import Problem, Solution, Solver, Vector


class StartingSolver(Protocol):
    """A solver that can start from a solution, which makes it cheaper to call again.

    A domain's `solve` or a solver of your own has this ability if it takes `start` by keyword.
    """

    def __call__(self, x: Problem, w: Vector, /, *, start: Solution | None = None) -> Solution: ...


def takes_start(solve: Solver) -> TypeGuard[StartingSolver]:
    """Whether a solver takes a solution to start from: ``solve(x, w, start=y)``."""
    try:
        parameter = inspect.signature(solve).parameters.get("start")
    except (TypeError, ValueError):  # compiled functions may have no signature
        return False
    if parameter is None:
        return False
    return parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)

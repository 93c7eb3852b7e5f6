"""The settings of a study that can be changed later."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from coactor.proposals.strategies import NAMES, Strategy, limits, strategy
from coactor.protocol import Domain, Solver
from coactor.studies.codec import number
from coactor.studies.errors import Invalid
from coactor.validation import text

BUDGET = 1.0  # seconds of an ask, when a study is created
CHANGEABLE = ("proposals", "budget", "costs", "grace", "control")
MOST_CONTROL = 0.5  # of the proposals


def validated(
    *,
    proposals: str | None = None,
    budget: float | None = None,
    costs: Mapping[str, float] | None = None,
    grace: float | None = None,
    control: float | None = None,
) -> dict[str, Any]:
    """The settings that are given, as they are stored. An infinite budget is stored as None: no time limit.

    Raises Invalid if one of them is invalid.
    """
    settings: dict[str, Any] = {}
    if proposals is not None:
        if proposals not in NAMES:
            raise Invalid(f"There are no proposals {proposals!r}; choose one of {', '.join(NAMES)}.")
        settings["proposals"] = proposals
    if budget is not None:
        settings["budget"] = None if budget == math.inf else number(budget, "budget", 1e6)
    if costs is not None:
        settings["costs"] = {text(op, "operator", 40): number(c, "cost", 1e6) for op, c in costs.items()}
    if grace is not None:
        settings["grace"] = number(grace, "grace period", 1e9)
    if control is not None:
        settings["control"] = number(control, "control share", MOST_CONTROL)
    return settings


def strategies(
    domain: Domain, solver: Solver | None, given: Strategy | None, reserve: int = 0
) -> Callable[[dict[str, Any]], Strategy]:
    """A function from the settings of a study to the strategy they ask for; always the one given, if any.

    The search leaves time for `reserve` calls of the solver.
    """

    @cache
    def named(name: str, budget: float | None) -> Strategy:
        return given or strategy(name, domain, solver, limits(budget, reserve))

    return lambda settings: named(settings["proposals"], settings["budget"])

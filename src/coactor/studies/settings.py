"""The settings of a study."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, TypedDict

from coactor.plugins import load_class
from coactor.proposals.strategies import NAMES, Strategy, limits, strategy
from coactor.protocol import Candidate, Domain, Problem, Solution, Solver, Vector
from coactor.search import check_solution
from coactor.studies.errors import Invalid
from coactor.studies.processes import Processes
from coactor.validation import checked_type, number, positive, text

BUDGET = 1.0  # seconds of an ask, when a study is created
CHANGEABLE = ("proposals", "budget", "costs", "grace", "control")  # later, with `Study.configure`
MOST_CONTROL = 0.5  # of the proposals


class Settings(TypedDict, total=False):
    """The settings of a study, with the values that a new one has by default.

    Attributes
    ----------
    proposals
        Which of the solver's local optima to propose: "default", or another name of `coactor.proposals`.
    budget
        The time limit of an ask in seconds, 1: a slow solver is then called once, and others as often as
        there is time. None or ``math.inf`` counts candidates instead, so that proposals do not depend on the
        machine.
    costs
        The cost of each operator, 1.
    grace
        Seconds in which a tell can be withdrawn, 600.
    control
        The share of proposals that are made without what was learned, unmarked, so that the report can say
        what learning saves: 0; 0.1 is usual, 0.5 the most.
    candidate
        What to learn from: the expert's "final" solution, or the last one on which learner and expert still
        disagree ("disagreement", Assumption 3).
    seed
        Of the search for proposals, 0.
    habits
        Whether to remember what people chose, and to add how unusual the parts of a solution are to its
        features, see `coactor.habits`; False. A study with habits is opened with the plain domain.
    trust
        How far a learner given by its name trusts the start, see `ChoiceLearner`; only when created.
    solver
        ``module:function`` in place of the domain's own solver: it is called with (problem, weights) in every
        process that opens the study and asks. None; only when created, and not over HTTP.
    """

    proposals: str
    budget: float | None
    costs: Mapping[str, float]
    grace: float
    control: float
    candidate: Candidate
    seed: int
    habits: bool
    trust: float | None
    solver: str


DEFAULTS = Settings(
    costs={}, candidate="final", grace=600.0, control=0.0, proposals="default", budget=BUDGET, seed=0
)


def validated(settings: Settings) -> dict[str, Any]:
    """The settings as they are stored; an infinite budget is None.

    Raises Invalid if one of them is invalid or unknown.
    """
    unknown = set(checked_type(settings, Mapping, "'settings'")) - set(Settings.__annotations__)
    if unknown:
        known = ", ".join(sorted(Settings.__annotations__))
        raise Invalid(f"There is no setting {min(unknown)!r}; the settings are {known}.")
    stored: dict[str, Any] = {**settings}
    if stored.get("candidate", "final") not in ("final", "disagreement"):
        raise Invalid(f"The candidate is {stored['candidate']!r}; expected 'final' or 'disagreement'.")
    if stored.get("proposals", "default") not in NAMES:
        raise Invalid(f"There are no proposals {stored['proposals']!r}; choose one of {', '.join(NAMES)}.")
    if stored.get("budget") is not None:
        budget = stored["budget"]
        stored["budget"] = None if budget == math.inf else number(budget, "budget", 1e6)
    if "costs" in stored:
        costs = checked_type(stored["costs"], Mapping, "'costs'").items()
        stored["costs"] = {text(op, "operator", 40): number(cost, "cost", 1e6) for op, cost in costs}
    if "grace" in stored:
        stored["grace"] = number(stored["grace"], "grace period", 1e9)
    positive(stored.get("seed", 0), 0, "seed")
    checked_type(stored.get("habits", False), bool, "'habits'")
    if "solver" in stored:
        stored["solver"] = text(stored["solver"], "solver", 200)
    if "control" in stored:
        stored["control"] = number(stored["control"], "control share", MOST_CONTROL)
    return stored


def named_solver(domain: Domain, place: str, processes: Processes | None = None) -> Solver:
    """The solver that a setting names. It is imported when it is first called; maybe in another process."""

    function = cache(partial(load_class, place, "solver"))

    def solve(x: Problem, w: Vector) -> Solution:
        y = function()(x, w) if processes is None else processes(place, x, w)
        check_solution(domain, x, y)
        return y

    return solve


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

"""Panels of the paper on which several people take turns, and a newcomer after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from coactor.lab.engine.contenders import Contender
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.runs import Unit, hidden_features, make_expert, make_problems, make_session, stream
from coactor.session import Session

NEWCOMER = 20  # problems
OVERRIDES = {"tsp-clean": {"features": 20}, "tsp-noise": {"features": 20, "hidden": 2}}  # few problems each
DIFFERENCE = 0.3  # of similar people: the standard deviation of the logarithm of a weight
WEIGHTS, TURNS = 0, 6  # the purposes of two random streams of a unit


def draw_weights(tastes: str, rng: np.random.Generator, people: int, size: int) -> list[np.ndarray]:
    """The true weights of each person: uniform on [0, 1], as the paper draws those of one expert."""
    if tastes == "groups":
        kinds = rng.random((2, size))
        return [kinds[k % 2] for k in range(people)]
    if tastes == "independent":
        return list(rng.random((people, size)))
    shared = rng.random(size)
    if tastes == "identical":
        return [shared] * people
    return list(shared * np.exp(DIFFERENCE * rng.standard_normal((people, size))))


@dataclass(frozen=True)
class Cell:
    """A panel with several people."""

    base: str
    tastes: str
    people: int

    def __str__(self) -> str:
        return f"{self.base}-{self.tastes}-{self.people}"


@dataclass(frozen=True)
class Task:
    """One run of a cell."""

    cell: Cell
    run: int
    seed: int
    examples: int
    contenders: tuple[Contender, ...]

    def __str__(self) -> str:
        return f"{self.cell}, run {self.run}"


def measure_cell(_: None, task: Task) -> np.ndarray:
    """The effort of each contender on each problem."""
    cell, base = task.cell, PANELS[task.cell.base]
    parameters = tuple((dict(base.parameters) | OVERRIDES.get(base.name, {})).items())
    panel = replace(base, name=str(cell), parameters=parameters)
    unit = Unit(panel, task.run, task.seed, task.examples + NEWCOMER, ())
    domain = panel.make_domain()
    size = domain.dim + hidden_features(domain)
    weights = draw_weights(cell.tastes, stream(unit, WEIGHTS), cell.people + 1, size)
    experts = [make_expert(unit, domain, own) for own in weights]
    turns = stream(unit, TURNS).integers(cell.people, size=unit.examples)
    turns[task.examples :] = cell.people  # the newcomer
    sessions = [sessions_of(unit, contender, domain) for contender in task.contenders]
    costs = np.zeros((len(sessions), unit.examples))
    for t, x in enumerate(make_problems(unit, domain, None)):
        person = f"person {turns[t]}"
        for k, (contender, session_of) in enumerate(zip(task.contenders, sessions, strict=True)):
            session = session_of(contender.learner_of(person))
            proposal = session.ask(x, asked_for=contender.named(person))
            correction = experts[turns[t]](x, proposal.solution)
            session.tell(proposal, correction)
            costs[k, t] = correction.effort
    return costs


def sessions_of(unit: Unit, contender: Contender, domain: Any) -> Callable[[str], Session]:
    """The session that proposes to a person. All ways to share have the same random numbers."""
    own = replace(contender, text=contender.text.removeprefix(f"{contender.sharing}-"))
    return cache(lambda _: make_session(unit, own, domain))

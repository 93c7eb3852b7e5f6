"""Demo studies, and Ada, a simulated colleague with a hidden taste.

The taste is drawn from the identity of the study, so that every process meets the same Ada and two stores
meet different ones. Problem k of a study is always the same problem.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from coactor.domains import Fleet, Hypercube, Plans, Ranking, Tour
from coactor.experts import SimulatedExpert
from coactor.protocol import Domain, Problem, Vector
from coactor.studies import NotFound, Round, Store, Study, catalog, open_study
from coactor.studies.telling import Request
from coactor.web.demo import problems
from coactor.web.demo.problems import DRIVE, HOTEL, TASK, TASKS
from coactor.web.demo.roster import roster

logger = logging.getLogger("coactor.web")
COLLEAGUE = "Ada"
ACTOR = "Ada (simulated)"
MOST_ROUNDS = 50  # in one request


@dataclass(frozen=True, slots=True)
class DemoKind:
    """A kind of demo study.

    Attributes
    ----------
    name, title, story
        The name of the study, its title on the page, and what to do in it.
    domain
        Returns the domain.
    problem
        Draws a problem.
    largest
        The largest weight that each feature may have for the colleague.
    kappa
        The smallest gain for which the colleague makes an edit.
    """

    name: str
    title: str
    story: str
    domain: Callable[[], Domain]
    problem: Callable[[np.random.Generator], Problem]
    largest: tuple[float, ...]
    kappa: float


_DRIVE = (0.4, 4.0, 3.0, 1.2, 1.0)
_KINDS = (
    DemoKind(
        "try-tour",
        "A courier's round",
        "One courier, sixteen stops. Reverse parts of the round until you like it.",
        lambda: Tour(16, len(DRIVE), names=DRIVE),
        lambda rng: problems.graph(rng, 16),
        _DRIVE,
        0.2,
    ),
    DemoKind(
        "try-plan",
        "A day's deliveries",
        "Three vans from one depot. Move stops within or between routes, swap them, reverse a stretch.",
        lambda: Plans(len(DRIVE), names=DRIVE),
        problems.day,
        _DRIVE,
        0.2,
    ),
    DemoKind(
        "try-fleet",
        "Two couriers",
        "Two couriers with fixed starts and ends. Reverse parts of their routes.",
        lambda: Fleet(18, 2, len(DRIVE), names=DRIVE),
        problems.fleet,
        _DRIVE,
        0.2,
    ),
    DemoKind(
        "try-ranking",
        "A list of hotels",
        "Ten hotels for a guest. Put the better one higher.",
        lambda: Ranking(len(HOTEL), 10, HOTEL),
        problems.hotels,
        (-0.01, -0.25, 0.4, -0.025, 1.0, 0.8, 0.8),
        0.02,
    ),
    DemoKind(
        "try-steps",
        "Opening the shop",
        "Seven things to do each morning. Choose a better order for three in a row.",
        lambda: Hypercube(len(TASKS), len(TASK), names=TASK),
        problems.morning,
        (1.0, 0.5, 1.0, 2.0, 1.0, 0.5),
        2.0,
    ),
    DemoKind(
        "try-roads",
        "A taxi ride",
        "Across the town by car. Pull the route onto other streets until you like it.",
        problems.roads,
        problems.trip,
        (0.5, 4.0, 4.0, 2.0, 1.2, 0.8),
        0.1,
    ),
    DemoKind(
        "try-roster",
        "A week on the ward",
        "Ten nurses, seven days. Exchange shifts or change them until the roster is fair.",
        roster,
        lambda rng: next(roster().sample(rng, 1)),
        (0.6, 4.0, 5.0, -4.0, 4.0, 3.0, 1.5, 5.0, 2.0),
        0.3,
    ),
)
DEMOS = {demo.name: demo for demo in _KINDS}
catalog.add("try-roster", roster)


@cache
def _description(name: str) -> dict[str, Any]:
    return catalog.describe(DEMOS[name].domain())


def demo_of(study: Study) -> DemoKind | None:
    """Return the demo that a study is of; None if it has the name of a demo but another domain."""
    demo = DEMOS.get(study.name)
    return demo if demo is not None and study.config["domain"] == _description(study.name) else None


def require_demo(study: Study) -> DemoKind:
    """Return the demo that a study is of. Raises NotFound if it is none."""
    demo = demo_of(study)
    if demo is None:
        raise NotFound(f"Study {study.name!r} is not a demo study.")
    return demo


def title(study: Study) -> str | None:
    """Return the title of a demo study; None for other studies."""
    demo = demo_of(study)
    return None if demo is None else demo.title


def taste(study: Study) -> Vector:
    """Return the colleague's weight of each feature; about half of the weights are 0."""
    largest, rng = np.array(require_demo(study).largest), _rng(study, 0)
    weights: Vector = largest * rng.uniform(0.5, 1.0, largest.size)
    weights[rng.permutation(np.arange(1, largest.size))[: largest.size // 2]] = 0.0
    return weights


def expert(study: Study) -> SimulatedExpert:
    """Return the colleague as a simulated expert, who makes the best edit first."""
    return SimulatedExpert(study.domain, taste(study), require_demo(study).kappa, policy="best")


def ask(study: Study, actor: str) -> int:
    """Ask for the next problem; return the number of its proposal."""
    demo, number = require_demo(study), study.summary()["asked"] + 1
    problem = demo.problem(_rng(study, number))
    return study.ask(problem, key=f"try/{number}", label=f"{demo.title} {number}", actor=actor).id


def play(study: Study, rounds: int, via: str) -> list[Round]:
    """Let the colleague correct proposals: those that wait untouched first, then new ones."""
    simulated, outcomes = expert(study), []
    for _ in range(min(rounds, MOST_ROUNDS)):
        waiting = [draft.id for draft in study.proposals("waiting", limit=1)]
        id = waiting[0] if waiting else ask(study, ACTOR)
        proposal = study.renew(id, actor=ACTOR, via=via)
        moves = list(simulated(proposal.problem, proposal.solution).moves)
        request = Request(moves=moves, version=proposal.version)
        outcomes.append(study.receive(id, request, ACTOR, via, solved_for=proposal.solved_for))
    return outcomes


def fill(study: Study, actor: str) -> int:
    """Ask for a proposal if the queue is empty; return the number of open proposals."""
    require_demo(study)
    count = len(study.proposals("open"))
    if count == 0:
        ask(study, actor)
        return 1
    return count


def create_demo_studies(store: Store, *, fill_queues: bool = True) -> None:
    """Create the demo studies that the store does not have yet, each with a proposal in its queue."""
    with store.reading() as sql:
        existing = {head.name for head in sql.studies()}
    for name, demo in DEMOS.items():
        if name not in existing:
            open_study(store, name, demo.domain(), "default", create=True, actor=COLLEAGUE)
    if fill_queues:
        fill_demo_queues(store)


def fill_demo_queues(store: Store) -> None:
    """Ask for the first proposal of each demo study; the solver of each is compiled for it."""
    for demo in DEMOS.values():
        study = Study(store, demo.name)
        if demo_of(study) is not None and not study.summary()["asked"]:
            logger.info("Preparing “%s” …", demo.title)
            fill(study, COLLEAGUE)


def _rng(study: Study, number: int) -> np.random.Generator:
    return np.random.default_rng([int(study.uid[:12], 16), number])

"""Demo studies, and Ada, a simulated colleague with a hidden taste.

The taste is drawn from the identity of the study, so that every process meets the same Ada and two stores
meet different ones. Problem k of a study is always the same problem.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from coactor.domains import Plans, Ranking, Tour
from coactor.experts import SimulatedExpert
from coactor.explanations import lesson
from coactor.protocol import Domain, Problem, Vector, Work, feature_names
from coactor.rounds import known_of
from coactor.studies import Conflict, NotFound, Round, Store, Study, catalog, open_study
from coactor.studies.log import transfer
from coactor.studies.settings import Settings
from coactor.studies.telling import Request
from coactor.web.demo import problems
from coactor.web.demo.problems import DRIVE, HOTEL
from coactor.web.demo.roster import roster

logger = logging.getLogger("coactor.web")
COLLEAGUE = "Ada"
ACTOR = "Ada (simulated)"
MOST_ROUNDS = 50  # in one request
PEOPLE = ("Mira", "Noor", "Oskar")  # of the example report
CONTROL = 0.3  # of its proposals
WEEK = 7 * 86400.0  # seconds


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
    weeks
        How many weeks three people have worked on it already, to show a report.
    """

    name: str
    title: str
    story: str
    domain: Callable[[], Domain]
    problem: Callable[[np.random.Generator], Problem]
    largest: tuple[float, ...]
    kappa: float
    weeks: int = 0


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
        "Three vans, promised times, shifts. Move stops within or between routes until you like the day.",
        lambda: Plans(len(DRIVE), ("lateness", "waiting", "overtime"), DRIVE),
        problems.day,
        (*_DRIVE, 0.3, 0.1, 0.2),
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
    DemoKind(
        "try-example",
        "Two months of rounds",
        "What the report says after two months of work by three people. Three in ten rounds were proposed "
        "without what was learned.",
        lambda: Tour(14, len(DRIVE), names=DRIVE),
        lambda rng: problems.graph(rng, 14),
        _DRIVE,
        0.2,
        weeks=8,
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
    return draw_taste(require_demo(study), _rng(study, 0))


def draw_taste(kind: DemoKind, rng: np.random.Generator) -> Vector:
    """Draw a taste for a kind of study; lateness always counts."""
    largest = np.array(kind.largest)
    weights: Vector = largest * rng.uniform(0.5, 1.0, largest.size)
    names = feature_names(kind.domain())
    ignored = [k for k in range(1, largest.size) if names[k] != "lateness"]
    weights[rng.permutation(ignored)[: largest.size // 2]] = 0.0
    return weights


def expert(study: Study) -> SimulatedExpert:
    """Return the colleague as a simulated expert, who makes the best edit first."""
    return SimulatedExpert(study.domain, taste(study), require_demo(study).kappa, policy="best")


def ask(study: Study, actor: str) -> int:
    """Ask for the next problem; return the number of its proposal."""
    demo, number = require_demo(study), study.summary()["asked"] + 1
    problem = demo.problem(_rng(study, number))
    return study.ask(problem, key=f"try/{number}", label=f"{demo.title} {number}", actor=actor).id


def play(study: Study, rounds: int, via: str) -> tuple[list[Round], str]:
    """Let the colleague correct proposals: those that wait untouched first, then new ones.

    Returns the rounds, and what was learned in all of them.
    """
    simulated, outcomes, before = expert(study), list[Round](), known_of(study.learner(), ACTOR)
    for _ in range(min(rounds, MOST_ROUNDS)):
        waiting = [draft.id for draft in study.proposals("waiting", limit=1)]
        id = waiting[0] if waiting else ask(study, ACTOR)
        proposal = study.renew(id, actor=ACTOR, via=via)
        moves = list(simulated(proposal.problem, proposal.solution).moves)
        request = Request(moves=moves, version=proposal.version)
        outcomes.append(study.receive(id, request, ACTOR, via, solved_for=proposal.solved_for))
    after = known_of(study.learner(), ACTOR)
    return outcomes, lesson(study.config["features"], study.signs, before[1], after[1])


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
        if name not in existing and not demo.weeks:
            open_study(store, name, demo.domain(), "default", create=True, actor=COLLEAGUE)
    if fill_queues:
        fill_demo_queues(store)


def fill_demo_queues(store: Store) -> None:
    """Ask for the first proposal of each demo study; the solver of each is compiled for it."""
    with store.reading() as sql:
        existing = {head.name for head in sql.studies()}
    for demo in DEMOS.values():
        new = demo.name not in existing
        if new:
            with (
                TemporaryDirectory() as folder,
                Store(f"sqlite:///{folder}/demo.db", clock=store.clock) as own,
            ):
                work(own, demo)
                with suppress(Conflict):  # another server was faster
                    # Once it is complete: no visitor takes part in past weeks.
                    transfer.copy(own, store, [demo.name])
        study = Study(store, demo.name)
        if demo_of(study) is not None and (new or not study.summary()["asked"]):
            logger.info("Preparing “%s” …", demo.title)
            fill(study, COLLEAGUE)


def work(store: Store, demo: DemoKind) -> None:
    """Create a study and let three people work on it for some weeks until now; the store's clock is set."""
    settings = Settings(control=CONTROL)
    open_study(store, demo.name, demo.domain(), "default", create=True, settings=settings, actor=COLLEAGUE)
    begin = store.clock() - demo.weeks * WEEK
    moments = [
        begin + week * WEEK + day * WEEK / 7 + hour * 3600.0
        for week in range(demo.weeks)
        for day in range(5)
        for hour in (1, 3, 5)
    ]
    store.clock = lambda: moments[0]
    study = Study(store, demo.name)
    rng, own = np.random.default_rng([int(study.uid[:12], 16), 0, 1]), taste(study)
    tastes = [own * rng.uniform(0.7, 1.3, own.size) for _ in PEOPLE]
    experts = [SimulatedExpert(study.domain, one, demo.kappa, policy="best") for one in tastes]
    while moments:
        k = int(rng.integers(len(PEOPLE)))
        proposal = study.proposal(ask(study, PEOPLE[k]))
        correction = experts[k](proposal.problem, proposal.solution)
        seconds = float(rng.gamma(8.0, 4.0) + rng.gamma(8.0, 3.0) * len(correction.moves))
        study.tell(proposal, correction, actor=PEOPLE[k], work=Work(seconds=round(seconds, 1)))
        del moments[0]


def _rng(study: Study, number: int) -> np.random.Generator:
    return np.random.default_rng([int(study.uid[:12], 16), number])

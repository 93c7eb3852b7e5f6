"""Studies to try it with: problems of a made-up city, and a colleague whose taste nobody has been told.

The taste is drawn once for each study, from the study's own identity, so every process meets the same
colleague and no two stores the same taste. Problem number k of a study is always the same problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from coactor import SimulatedExpert
from coactor.domains import (
    Cube,
    Day,
    Fleet,
    FleetProblem,
    Graph,
    Hypercube,
    Plans,
    Query,
    Ranking,
    Roads,
    Tour,
)
from coactor.protocol import Correction, Domain, Problem, Vector
from coactor.studies import NotFound, Outcome, Store, Study, catalog, open_study
from coactor.studies.desk import Desk
from coactor.web.demo import city, street_network

COLLEAGUE = "Ada"
ACTOR = "Ada (simulated)"
MOST = 50  # rounds in one request

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of study to try.

    Attributes
    ----------
    name, title, story
        What the study is called, what the page calls it, and one sentence about it.
    domain
        What is edited.
    problem
        Makes one.
    most
        The most that each feature may weigh to the colleague.
    kappa
        The least gain that is worth an edit to her.
    map
        Whether there is a city beneath.
    """

    name: str
    title: str
    story: str
    domain: Domain
    problem: Callable[[Generator], Problem]
    most: Sequence[float]
    kappa: float
    map: bool = False


def _graph(rng: Generator, n: int) -> Graph:
    places, names = city.stops(rng, n)
    upper = np.triu_indices(n, 1)
    return Graph.of(n, city.drives(rng, places)[upper], coordinates=places, names=names)


def _fleet(rng: Generator) -> FleetProblem:
    return FleetProblem.of(_graph(rng, 18), [[0, 1], [2, 3]])


def _day(rng: Generator) -> Day:
    places, names = city.stops(rng, 15)
    middle = np.array([city.WIDTH / 2, city.HEIGHT / 2])
    nearest = int(np.hypot(*(places - middle).T).argmin())
    order = np.r_[nearest, np.delete(np.arange(15), nearest)]  # the depot lies in the middle
    demand = np.append(0, rng.integers(1, 5, 14))
    capacity = np.full(3, float(np.ceil(1.25 * demand.sum() / 3)))
    names = ["Depot", *(names[k] for k in order[1:])]
    return Day.of(city.drives(rng, places[order]), demand, capacity, names, places[order])


HOTELS = ("price (€)", "way to the centre (km)", "guests' rating", "noise (dB)", "breakfast", "lift", "view")
_FIRST = ("Hotel", "Pension", "Villa", "Haus", "Albergo", "Casa", "The", "Old")
_LAST = (
    "Aurora",
    "Bellevue",
    "Central",
    "Dorothea",
    "Edelweiss",
    "Flora",
    "Garden",
    "Harbour",
    "Iris",
    "Juno",
    "Kestrel",
    "Lindenhof",
    "Mirabell",
    "Neptune",
    "Orion",
    "Palace",
    "Quay",
    "Rosengarten",
    "Swan",
    "Tivoli",
)


def _hotels(rng: Generator) -> Query:
    n = 10
    stars = rng.random(n)
    rows = np.column_stack(
        [
            (55 + 130 * stars + 25 * rng.standard_normal(n)).clip(40).round(),
            rng.gamma(2.0, 1.2, n).clip(0.1, 9).round(1),
            (2.9 + 1.5 * stars + 0.4 * rng.standard_normal(n)).clip(1, 5).round(1),
            rng.uniform(28, 62, n).round(),
            *rng.integers(0, 2, (3, n)),
        ]
    )
    names = [f"{rng.choice(_FIRST)} {_LAST[k]}" for k in rng.permutation(len(_LAST))[:n]]
    return Query.of(rows, names=names)


STEPS = ("Lights", "Till", "Bread oven", "Coffee", "Delivery", "Floor", "Shop window")
MORNING = ("waiting (min)", "walking (m)", "lifting (kg)", "customers waiting", "phone calls", "noise (min)")


def _morning(rng: Generator) -> Cube:
    """What each step costs depends on what has been done before it."""
    n, d = len(STEPS), len(MORNING)
    size = np.array([4.0, 30.0, 8.0, 1.5, 2.0, 6.0])
    base = rng.random((n, d)) * size
    after = rng.normal(0, 0.5, (n, n, d)) * size  # by how much a step is eased or burdened by an earlier one
    rows = []
    for corner in range(1 << n):
        done = np.array([(corner >> k) & 1 for k in range(n)], dtype=float)
        for bit in np.flatnonzero(done == 0):
            rows.append((base[bit] + done @ after[bit]).clip(0))
    return Cube(np.array(rows).round(2), np.empty((len(rows), 0)), STEPS)


_ROADS = (0.4, 4.0, 4.0, -0.5, 3.0, 1.2, 3.0, 3.0, 1.0, 2.0)
_D = len(city.FEATURES)
_STREETS = (0.5, 3.0, 4.0, 1.5, 3.0, 2.0, 4.0, 2.0, 1.5, 2.5, 1.2, 0.8)
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "try-tour",
            "A courier's round",
            "One courier, sixteen stops. Turn stretches of the round the other way until it suits.",
            Tour(16, _D, names=city.FEATURES),
            lambda rng: _graph(rng, 16),
            _ROADS,
            0.2,
            map=True,
        ),
        Kind(
            "try-plan",
            "A day's deliveries",
            "Three vans from one depot. Move stops within and between routes, swap them, turn them round.",
            Plans(_D, names=city.FEATURES),
            _day,
            _ROADS,
            0.2,
            map=True,
        ),
        Kind(
            "try-fleet",
            "Two couriers",
            "Two couriers, each with a start and an end of their own. Turn stretches of their ways round.",
            Fleet(18, 2, _D, names=city.FEATURES),
            _fleet,
            _ROADS,
            0.2,
            map=True,
        ),
        Kind(
            "try-ranking",
            "A list of hotels",
            "Ten hotels for a guest. Put the better one higher.",
            Ranking(len(HOTELS), 10, HOTELS),
            _hotels,
            (-0.03, -0.8, 2.0, -0.06, 1.5, 1.5, 1.0),
            0.02,
        ),
        Kind(
            "try-steps",
            "Opening the shop",
            "Seven things to do each morning. Choose a better order for three in a row.",
            Hypercube(len(STEPS), len(MORNING), names=MORNING),
            _morning,
            (1.0, 0.1, 0.4, 2.0, 1.0, 0.2),
            0.2,
        ),
        Kind(
            "try-roads",
            "A taxi ride",
            "Across the city by car. Pull the route onto other streets until it suits.",
            Roads(street_network.network(), habit=False),
            street_network.trip,
            _STREETS,
            0.1,
            map=True,
        ),
    )
}


def kind_of(study: Study) -> Kind | None:
    """The kind a study is of, if it is one to try."""
    kind = KINDS.get(study.name)
    return kind if kind is not None and study.config["domain"] == _said(study.name) else None


@cache
def _said(name: str) -> dict[str, Any]:
    return catalog.describe(KINDS[name].domain)


def trial(study: Study) -> Kind:
    """The same for a study that must be one."""
    kind = kind_of(study)
    if kind is None:
        raise NotFound(f"Study {study.name!r} is not one to try; its experts are people.")
    return kind


def taste(study: Study) -> Vector:
    """What the colleague likes: her weight for each feature. Some of them are nothing to her."""
    most, rng = np.array(trial(study).most), _rng(study, 0)
    weights: Vector = most * rng.uniform(0.5, 1.0, most.size)
    weights[rng.permutation(np.arange(1, most.size))[: most.size // 2]] = 0.0
    return weights


def expert(study: Study) -> SimulatedExpert:
    """The colleague herself; she makes the best edit first."""
    return SimulatedExpert(study.domain, taste(study), trial(study).kappa, policy="best")


def ask(study: Study, actor: str) -> int:
    """One more problem, solved with the weights of now; its number."""
    kind, number = trial(study), study.ledger.refresh().asked + 1
    problem = kind.problem(_rng(study, number))
    return study.ask(problem, key=f"try/{number}", label=f"{kind.title} {number}", actor=actor).id


def would_do(study: Study, id: int) -> Correction:
    """What the colleague would make of a draft as it is."""
    draft = Desk(study).view(id)
    return expert(study)(draft.problem, draft.solution)


def play(study: Study, rounds: int, via: str) -> list[Outcome]:
    """Let the colleague work: what waits untouched first, then new problems."""
    simulated, outcomes = expert(study), []
    for _ in range(min(rounds, MOST)):
        waiting = [ticket.id for ticket in study.proposals("waiting", limit=1)]
        id = waiting[0] if waiting else ask(study, ACTOR)
        shown = study.renew(id, actor=ACTOR, via=via)
        moves = list(simulated(shown.problem, shown.solution).moves)
        outcomes.append(study.tell(shown, moves=moves, actor=ACTOR, via=via))
    return outcomes


def fill(study: Study, actor: str) -> int:
    """One proposal of today's weights in the queue, if it is empty; how many are open."""
    trial(study)
    open_now = len(study.proposals("open"))
    if open_now == 0:
        ask(study, actor)
        return 1
    return open_now


def add_trials(store: Store) -> None:
    """A study of each kind, with a proposal in its queue; nothing where it exists already."""
    with store.reading() as sql:
        there = {head.name for head in sql.studies()}
    for kind in KINDS.values():
        if kind.name not in there:
            with open_study(store, kind.name, kind.domain, "default", create=True, actor=COLLEAGUE) as study:
                fill(study, COLLEAGUE)


def about(kind: Kind) -> dict[str, Any]:
    """What the page says about it."""
    return {
        "study": kind.name,
        "title": kind.title,
        "story": kind.story,
        "colleague": COLLEAGUE,
        "background": city.background() if kind.map else [],
    }


def _rng(study: Study, number: int) -> Generator:
    return np.random.default_rng([int(study.ledger.refresh().uid[:12], 16), number])

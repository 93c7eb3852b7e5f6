"""What a re-plan is worth when a plan that suited is hit by something from outside.

    python benchmarks/disruptions.py [--runs 10] [--train 30] [--cases 10]

An expert with a taste of their own corrects proposals until the default learner knows it. Then each plan
that they accepted is hit: a nurse is ill for the rest of the week, a room is closed for a day, a vehicle is
missing, an order must come first (an edit by hand, which must stay):

    by hand   the expert repairs the rest, move by move
    re-plan   the solver does the rest again around the change, with what was learned; the expert edits what
              is left; the re-plan counts as one edit

A row has the edits of both, their ratio, how often the re-plan ends with at least the utility of the repair
by hand (less what one edit must gain), and by how much it is better in the mean, in what one edit must gain;
by the expert's true weights and rules first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coactor import Session, SimulatedExpert, domains
from coactor.grids import GridModel
from coactor.keeping import parts_of
from coactor.keeping import replan as solve_rest
from coactor.lab.engine.statistics import interval
from coactor.protocol import Part, Vector
from coactor.search import landscape

sys.path[:0] = [str(Path(__file__).parents[1] / "examples")]
from roster import roster, week  # noqa: E402

KAPPA = 1.0
RULE = 1e3  # the expert's price of a broken rule


class Hit(NamedTuple):
    """A problem after a disruption, the plan with the forced change, and what must stay."""

    x: Any
    y: Any
    keep: frozenset[Part]


def ill_nurse(rng: np.random.Generator, data: dict[str, Any], y: Any) -> Hit:
    """A nurse who works on a day is ill from there to the end of the week."""
    nurse, day = rng.permutation(np.argwhere(y > 0))[0]
    leave = np.array(data["leave"], bool)
    leave[nurse, day:] = True
    return Hit(roster.problem({**data, "leave": leave}), y, frozenset())


HOURS = [f"{day} {hour}" for day in ("Mon", "Tue", "Wed", "Thu", "Fri") for hour in range(1, 5)]
ROOMS = ["Lab", "Hall", "Room 1", "Room 2"]
LESSONS = 36


def timetable() -> GridModel:
    """A school's timetable: an hour and a room for each lesson."""
    model = GridModel(
        over={"lesson": None},
        choose={"hour": HOURS, "room": ROOMS},
        axes={"teacher": None, "class": None},
        data={
            "teaches": "lesson teacher",
            "attends": "lesson class",
            "closed": "hour room",
            "unfit": "lesson room",
        },
        sample=term,
        steps=100,
    )
    at = model.chosen
    hours = at.per("lesson", "hour")
    model.rule("One lesson in a room", at.per("hour", "room").above(1))
    model.rule("One lesson of a teacher", hours.times("teaches").per("teacher", "hour").above(1))
    model.rule("One lesson of a class", hours.times("attends").per("class", "hour").above(1))
    model.rule("Closed rooms", at.times("closed"))
    model.wish("Unfit rooms", at.times("unfit"), unit="points")
    for hour in "1234":
        model.wish(f"Hour {hour}", at.at(hour=[name for name in HOURS if name.endswith(hour)]))
    for day in ("Mon", "Fri"):
        model.wish(f"On {day}", at.at(hour=[name for name in HOURS if name.startswith(day)]))
    return model


def term(rng: np.random.Generator) -> dict[str, Any]:
    """A random term: who teaches whom, and which rooms suit."""
    return {
        "lesson": [f"L{k}" for k in range(LESSONS)],
        "teacher": [f"T{k}" for k in range(8)],
        "class": [f"C{k}" for k in range(6)],
        "teaches": np.eye(8)[rng.integers(0, 8, LESSONS)],
        "attends": np.eye(6)[np.arange(LESSONS) % 6],
        "closed": np.zeros((len(HOURS), len(ROOMS))),
        "unfit": rng.integers(0, 3, (LESSONS, len(ROOMS))),
    }


school = timetable()


def closed_room(rng: np.random.Generator, data: dict[str, Any], y: Any) -> Hit:
    """A room that is used is closed for a day; the lessons there wait for another place."""
    hour, room = np.divmod(int(rng.choice(y)), len(ROOMS))
    closed = data["closed"].copy()
    closed[hour // 4 * 4 : hour // 4 * 4 + 4, room] = 1.0
    return Hit(school.problem({**data, "closed": closed}), y, frozenset())


plans = domains.Plans(features=3)


def delivery(rng: np.random.Generator) -> domains.Day:
    """A random day of 30 stops and 4 vehicles."""
    places = rng.random((31, 2))
    distance = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    arcs = np.stack([distance, *(distance * rng.random((2, 31, 31)))], axis=2)
    return domains.Day.of(arcs, np.append(0.0, rng.integers(1, 4, 30)), np.full(4, 20.0))


def first_order(rng: np.random.Generator, x: domains.Day, y: Any) -> Hit:
    """An order must come first."""
    late = [(r, i) for r, route in enumerate(y) for i in range(2, len(route) + 1)]
    r, i = late[rng.integers(len(late))]
    z = plans.apply(x, y, {"op": "move", "args": [r, i, r, 0]})
    return Hit(x, z, frozenset([(x.stops[0], x.stops[z[r][0]])]))


def missing_vehicle(rng: np.random.Generator, x: domains.Day, y: Any) -> Hit:
    """The vehicle with the fewest stops is missing; the others have room for them, at its stops' expense."""
    used = [r for r, route in enumerate(y) if len(route)]
    gone = min(used, key=lambda r: len(y[r]))
    to = next(r for r in used if r != gone)
    left = [np.concatenate([route, y[gone]]) if r == to else route for r, route in enumerate(y) if r != gone]
    capacity = np.delete(x.capacity, gone) * 4 / 3
    return Hit(replace(x, capacity=capacity), tuple(left), frozenset())


def by_hand(domain: Any, hit: Hit, w: Vector) -> tuple[int, Any]:
    """The expert's edits: the best move that gains enough and keeps what must stay, until there is none."""
    view, y, edits = landscape(domain, hit.x, w), hit.y, 0
    while True:
        gains, moves = view.gains(y), list(domain.moves(hit.x, y))
        for k in np.argsort(-gains, kind="stable").tolist():
            if gains[k] < KAPPA:
                return edits, y
            z = domain.apply(hit.x, y, moves[k])
            if hit.keep <= parts_of(domain, hit.x, z):
                y, edits = z, edits + 1
                break
        else:
            return edits, y


class Scene(NamedTuple):
    """A domain, its random data and problems, the expert's weights and the disruption."""

    domain: Any
    data: Callable[[np.random.Generator], Any]
    problem: Callable[[Any], Any]
    weights: Callable[[np.random.Generator], Vector]
    hit: Callable[[np.random.Generator, Any, Any], Hit]


def wishes(model: GridModel) -> Callable[[np.random.Generator], Vector]:
    """Random prices of the wishes, and high ones of the rules."""

    def draw(rng: np.random.Generator) -> Vector:
        rules = model.dim - len(model.wishes)
        return np.concatenate([rng.lognormal(0.5, 1.0, len(model.wishes)), np.full(rules, RULE)])

    return draw


SCENES = {
    "roster, ill nurse": Scene(roster, week, roster.problem, wishes(roster), ill_nurse),
    "timetable, closed room": Scene(school, term, school.problem, wishes(school), closed_room),
    "plan, first order": Scene(plans, delivery, lambda x: x, lambda rng: 20 * rng.random(3), first_order),
    "plan, missing vehicle": Scene(
        plans, delivery, lambda x: x, lambda rng: 20 * rng.random(3), missing_vehicle
    ),
}


def run(scene: Scene, run: int, train: int, cases: int) -> Any:
    """Edits by hand, edits with a re-plan, and by how much the utility differs, for each case."""
    rng = np.random.default_rng([4, run])
    truth, domain = scene.weights(rng), scene.domain
    expert, session = SimulatedExpert(domain, truth, kappa=KAPPA), Session(domain, "default")
    for _ in range(train):
        x = scene.problem(scene.data(rng))
        proposal = session.ask(x)
        session.tell(proposal, expert(x, proposal.solution))
    rows = []
    for _ in range(cases):
        data = scene.data(rng)
        x = scene.problem(data)
        hit = scene.hit(rng, data, expert(x, session.ask(x).solution).final)
        hand, end = by_hand(domain, hit, truth)
        again = solve_rest(domain, hit.x, session.weights(), hit.y, hit.keep)
        edits, other = by_hand(domain, hit._replace(y=again), truth)
        view = landscape(domain, hit.x, truth)
        forced = int(bool(hit.keep))
        rows.append((forced + hand, forced + 1 + edits, view.utility(other) - view.utility(end)))
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--train", type=int, default=30)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--scenes", default="")
    options = parser.parse_args()
    print(
        "| disruption | edits by hand | with a re-plan | ratio | at least the utility by hand | better by |"
    )
    print("|---|---|---|---|---|---|", flush=True)
    for name, scene in SCENES.items():
        if options.scenes in name:
            rows = np.array([run(scene, k, options.train, options.cases) for k in range(options.runs)])
            hand, again = rows[:, :, 0].mean(axis=1), rows[:, :, 1].mean(axis=1)
            ratio = interval(again / hand)
            equal, better = 100 * (rows[:, :, 2] >= -KAPPA).mean(), rows[:, :, 2].mean()
            print(
                f"| {name} | {hand.mean():.2f} | {again.mean():.2f} "
                f"| {ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}] | {equal:.0f} % | {better:+.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

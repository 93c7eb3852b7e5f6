"""What a re-plan is worth: when a plan that suited is hit by something from outside, and on ordinary days.

    python benchmarks/disruptions.py [--runs 10] [--train 30] [--cases 10] [--scenes roster]
    python benchmarks/disruptions.py --ordinary [--runs 10] [--train 30]

An expert with a taste of their own corrects proposals until the default learner knows it. Then each plan
that they accepted is hit: a nurse is ill for the rest of the week, a room is closed for a day, a vehicle is
missing, an order must come first (an edit by hand, which must stay):

    by hand   the expert repairs the rest, each time by the move that gains most
    re-plan   the solver does the rest again around the change, with what was learned; the expert edits what
              is left; the re-plan counts as one edit, also where nothing had to be repaired

What has passed stays in both: the days before the nurse fell ill. A row has the edits of both, their ratio,
how often the re-plan ends with at least the utility of the repair by hand (less what one edit must gain), and
by how much it is better in the mean, in what one edit must gain; by the expert's true weights and rules.

With --ordinary nothing happens. The same expert corrects proposals by hand, or may re-plan: after the first
of several edits they look at a preview, and take it, for one edit, if it gains at least as much as an edit
must. A row has the edits of both, the re-plans among them, and what the learned weights are worth after it:
the edits that their solutions of new problems need.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
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

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from roster import roster, week

KAPPA = 1.0
RULE = 1e3  # the expert's price of a broken rule


class Hit(NamedTuple):
    """A problem after a disruption, the plan with the forced edits, what must stay, and their number."""

    x: Any
    y: Any
    keep: frozenset[Part] = frozenset()
    forced: int = 0


def ill_nurse(rng: np.random.Generator, data: dict[str, Any], y: Any) -> Hit:
    """A nurse who works on a day is ill from there to the end of the week."""
    nurse, day = rng.permutation(np.argwhere(y > 0))[0]
    leave = np.array(data["leave"], bool)
    leave[nurse, day:] = True
    x = roster.problem({**data, "leave": leave})
    passed = x.positions["day"][:day]
    return Hit(x, y, frozenset(part for part in roster.parts(x, y) if part[1] in passed))


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
    return Hit(school.problem({**data, "closed": closed}), y)


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
    return Hit(x, z, frozenset([(x.stops[0], x.stops[z[r][0]])]), 1)


def missing_vehicle(rng: np.random.Generator, x: domains.Day, y: Any) -> Hit:
    """A vehicle is missing; the others have more room, but its stops begin behind those of one of them."""
    used = [r for r, route in enumerate(y) if len(route)]
    gone = rng.choice(used)
    to = next(r for r in used if r != gone)
    left = [np.concatenate([route, y[gone]]) if r == to else route for r, route in enumerate(y) if r != gone]
    capacity = np.delete(x.capacity, gone) * 4 / 3
    return Hit(domains.Day.of(x.arcs, x.demand, capacity), tuple(left))


def by_hand(domain: Any, hit: Hit, w: Vector) -> tuple[int, Any]:
    """The expert's repairs: the best move that gains enough and keeps what must stay, until there is none."""
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
    """A domain, its random data and problems, the expert's weights and the disruption, if there is one."""

    domain: Any
    data: Callable[[np.random.Generator], Any]
    problem: Callable[[Any], Any]
    weights: Callable[[np.random.Generator], Vector]
    hit: Callable[[np.random.Generator, Any, Any], Hit] | None = None
    judge: Any = None  # the domain with the rules as features, if they are not


def wishes(model: GridModel) -> Callable[[np.random.Generator], Vector]:
    """Random prices of the wishes, and high ones of the rules."""

    def draw(rng: np.random.Generator) -> Vector:
        rules = model.dim - len(model.wishes)
        return np.concatenate([rng.lognormal(0.5, 1.0, len(model.wishes)), np.full(rules, RULE)])

    return draw


def routes(domain: Any, data: Callable[[np.random.Generator], Any], hit: Any = None) -> Scene:
    """A scene whose problems are data, with three prices."""
    judge = domains.Plans(features=3, soft=("overload",))
    return Scene(domain, data, lambda x: x, lambda rng: 20 * rng.random(3), hit, judge)


def of(domain: Any) -> Scene:
    """A scene of a domain's own random problems."""
    return routes(domain, lambda rng: next(iter(domain.sample(rng, 1))))


ward = Scene(roster, week, roster.problem, wishes(roster), ill_nurse)
SCENES = {
    "roster, ill nurse": ward,
    "timetable, closed room": Scene(school, term, school.problem, wishes(school), closed_room),
    "plan, first order": routes(plans, delivery, first_order),
    "plan, missing vehicle": routes(plans, delivery, missing_vehicle),
}
ORDINARY = {
    "roster": ward,
    "plan": routes(plans, delivery),
    "tour": of(domains.Tour(points=20, features=3)),
    "fleet": of(domains.Fleet(points=20, vehicles=3, features=3)),
}


def disrupted(scene: Scene, run: int, train: int, cases: int) -> Any:
    """Edits by hand, edits with a re-plan, and by how much the utility differs, for each case."""
    rng = np.random.default_rng([4, run])
    truth, domain = scene.weights(rng), scene.domain
    expert, session = SimulatedExpert(domain, truth, kappa=KAPPA), Session(domain, "default")
    for _ in range(train):
        x = scene.problem(scene.data(rng))
        proposal = session.ask(x)
        session.tell(proposal, expert(x, proposal.solution))
    rows = []
    judge = scene.judge or domain
    prices = np.append(truth, np.full(judge.dim - truth.size, RULE))
    for _ in range(cases):
        data = scene.data(rng)
        x = scene.problem(data)
        assert scene.hit is not None
        hit = scene.hit(rng, data, expert(x, session.ask(x).solution).final)
        hand, end = by_hand(judge, hit, prices)
        again = solve_rest(domain, hit.x, session.weights(), hit.y, hit.keep)
        edits, other = by_hand(judge, hit._replace(y=again), prices)
        view = landscape(judge, hit.x, prices)
        rows.append((hit.forced + hand, hit.forced + 1 + edits, view.utility(other) - view.utility(end)))
    return np.array(rows)


def ordinary(scene: Scene, run: int, train: int, cases: int) -> Any:
    """Edits, re-plans and what the learned weights leave to edit: by hand, then with re-plans."""
    rng = np.random.default_rng([4, run])
    truth, domain = scene.weights(rng), scene.domain
    expert = SimulatedExpert(domain, truth, kappa=KAPPA)
    problems, new = ([scene.problem(scene.data(rng)) for _ in range(n)] for n in (train, cases))
    row = list[float]()
    for may in (False, True):
        session, taken = Session(domain, "default"), 0
        for x in problems:
            proposal = session.ask(x)
            done = expert(x, proposal.solution)
            if may and len(done.moves) > 1:
                view, draft = landscape(domain, x, truth), done.path[1]
                preview = session.replan(proposal, moves=done.moves[:1])
                if view.utility(preview.solution) >= view.utility(draft) + KAPPA:
                    proposal, done, taken = preview, expert(x, preview.solution), taken + 1
            session.tell(proposal, done)
        left = np.mean([expert(x, domain.solve(x, session.weights())).effort for x in new])
        row += [sum(session.efforts), taken, float(left)]
    return np.array(row)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--train", type=int, default=30)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--scenes", default="")
    parser.add_argument("--ordinary", action="store_true")
    options = parser.parse_args()
    measure, scenes = (ordinary, ORDINARY) if options.ordinary else (disrupted, SCENES)
    if options.ordinary:
        heads = (
            "edits by hand",
            "with re-plans",
            "re-plans",
            "ratio",
            "edits left, by hand",
            "with re-plans",
        )
    else:
        heads = ("edits by hand", "with a re-plan", "ratio", "at least the utility by hand", "better by")
    print(f"| scene | {' | '.join(heads)} |\n" + "|---" * (len(heads) + 1) + "|", flush=True)
    for name, scene in scenes.items():
        if options.scenes not in name:
            continue
        rows = np.array([measure(scene, k, options.train, options.cases) for k in range(options.runs)])
        if options.ordinary:
            hand, _, left, again, taken, after = rows.mean(axis=0)
            ratio = interval(rows[:, 3] / np.maximum(rows[:, 0], 1.0))
            shown = f"{hand:.1f} | {again:.1f} | {taken:.1f} | {{}} | {left:.2f} | {after:.2f}"
        else:
            before, after = rows[:, :, 0].mean(axis=1), rows[:, :, 1].mean(axis=1)
            ratio, better = interval(after / before), interval(rows[:, :, 2].mean(axis=1))
            equal = 100 * (rows[:, :, 2] >= -KAPPA).mean()
            shown = f"{before.mean():.2f} | {after.mean():.2f} | {{}} | {equal:.0f} % | "
            shown += f"{better.value:+.2f} [{better.low:+.2f}, {better.high:+.2f}]"
        print(
            f"| {name} | {shown.format(f'{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]')} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

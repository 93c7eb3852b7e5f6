"""Plans at real size beside PyVRP at equal time, and what the log keeps of a tell; run by `studies.py`.

An ask has a budget of 1 second. PyVRP gets the time of our solver, on the same costs, from a start of its
own. Costs are ratios: below 1 ours are lower. `python benchmarks/asks.py` measures days with windows alone.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from typing import Any

import numpy as np

import coactor
from coactor import domains, learners
from coactor.solvers.pyvrp_engine import pyvrp_plan

SIZES = ((100, 9), (300, 25), (1000, 80))


def day(rng: np.random.Generator, stops: int, vehicles: int, features: int = 2) -> domains.Day:
    """Stops in the plane; the first feature is the distance, the others are drawn at random."""
    places = rng.random((stops + 1, 2))
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    others = rng.random((stops + 1, stops + 1, features - 1))
    demand = np.append(0, rng.integers(1, 5, stops))
    capacity = np.full(vehicles, np.ceil(1.2 * demand.sum() / vehicles))
    return domains.Day.of(np.concatenate([distance[:, :, None], others], axis=2), demand, capacity)


def windows(rng: np.random.Generator, stops: int, vehicles: int) -> domains.Day:
    """The same with ten hours of work and a window of two hours for two stops of three, within reach."""
    plain = day(rng, stops, vehicles)
    opens = rng.integers(0, 480, stops).astype(float)
    given = [[(a, a + 120.0)] if rng.random() < 2 / 3 else None for a in opens.tolist()]
    return domains.Day.of(
        plain.arcs,
        plain.demand,
        plain.capacity,
        minutes=30.0 * plain.arcs[:, :, 0],
        visits=domains.Visits(service=np.append(0.0, np.full(stops, 10.0)), windows=[None, *given]),
        shifts=domains.Shifts(hours=[(0.0, 600.0)] * vehicles),
    )


def edits() -> list[dict[str, Any]]:
    """Milliseconds of processor time on days with windows: an ask, the effects of edits, an edit."""
    rows, soft = [], ("lateness", "overtime", "waiting")
    domain = domains.Plans(features=2, soft=soft)
    for stops, vehicles in ((20, 3), (200, 18), (300, 25)):  # the first compiles
        x = windows(np.random.default_rng(stops), stops, vehicles)
        session = coactor.Session(domain, learners.make("default", domain.dim), budget=1.0)
        began = [time.process_time()]
        y = session.ask(x).solution
        began.append(time.process_time())
        moves = list(domain.moves(x, y))
        began.append(time.process_time())
        gains, _ = domain.landscape(x, np.ones(domain.dim)).gains(y), domain.move_features(x, y)
        began.append(time.process_time())
        domain.features(x, domain.apply(x, y, moves[int(gains.argmax())]))
        began.append(time.process_time())
        ask, _, effects, edit = (1000.0 * np.diff(began)).round(1).tolist()
        row = {"stops": stops, "moves": len(moves), "ask_ms": ask, "effects_ms": effects, "edit_ms": edit}
        rows.append(row)
    return rows[1:]


def plans(days: int) -> list[dict[str, Any]]:
    """Seconds of the solver and of an ask after a tell, and the cost beside PyVRP's at equal time."""
    domain, w, rows = domains.Plans(features=2), np.array([1.0, 0.05]), []
    for stops, vehicles in SIZES:
        rng = np.random.default_rng(stops)
        ratios, solving, asking = list[float](), list[float](), list[float]()
        for number in range(days + 1):  # the first compiles
            x = day(rng, stops, vehicles)
            began = time.process_time()
            own = domain.solve(x, w)
            spent = time.process_time() - began
            theirs = pyvrp_plan(domain.landscape(x, w).rules, stops, max(spent, 0.02))
            session = coactor.Session(domain, learners.make("default", domain.dim), budget=1.0)
            session.tell(session.ask(x), moves=[])
            began = time.perf_counter()
            session.ask(x)
            if number:
                asking.append(time.perf_counter() - began)
                solving.append(spent)
                if theirs is not None:
                    ratios.append(float(w @ domain.features(x, own)) / float(w @ domain.features(x, theirs)))
        row = {
            "stops": stops,
            "vehicles": vehicles,
            "solve_s": float(np.median(solving)),
            "ask_s": float(np.median(asking)),
            "cost_ratio": float(np.mean(ratios)) if ratios else None,
            "without": days - len(ratios),
            "days": days,
        }
        rows.append(row)
    return rows


def sizes(rounds: int) -> list[dict[str, Any]]:
    """The bytes that a tell of the default learner adds to the log."""
    rng, rows = np.random.default_rng(0), []
    tour = domains.Tour(points=20, features=10)
    cases = (
        ("tour, 20 points, 10 features", tour, list(tour.sample(rng, rounds)), 4_000),
        ("plan, 100 stops, 5 features", domains.Plans(features=5), [day(rng, 100, 14, 5)] * 3, 100_000),
    )
    for name, domain, problems, most in cases:
        expert = coactor.SimulatedExpert(domain, rng.random(domain.dim), kappa=0.3)
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/log.db"
            with coactor.open_study(f"sqlite:///{file}", "desk", domain, create=True) as study:
                for x in problems:
                    proposal = study.ask(x)
                    study.tell(proposal, expert(x, proposal.solution))
            query = "SELECT length(body) + length(vectors) FROM coactor_facts WHERE kind = 'told'"
            told = [row[0] for row in sqlite3.connect(file).execute(query)]
        rows.append({"case": name, "mean": float(np.mean(told)), "most": max(told), "goal": most})
    return rows


if __name__ == "__main__":
    print(*edits(), sep="\n")

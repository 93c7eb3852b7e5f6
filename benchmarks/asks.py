"""Plans at real size beside PyVRP at equal time, and what the log keeps of a tell; run by `studies.py`.

An ask has a budget of 1 second. PyVRP gets the processor time of our solver, on the same costs, from a start
of its own. Costs are ratios: below 1 ours are lower.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from typing import Any

import numpy as np
import pyvrp

import coactor
from coactor import domains, learners

SIZES = ((100, 9), (300, 25), (1000, 80))


def day(rng: np.random.Generator, stops: int, vehicles: int, features: int = 2) -> domains.Day:
    """Stops in the plane; the first feature is the distance, the others are drawn at random."""
    places = rng.random((stops + 1, 2))
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    others = rng.random((stops + 1, stops + 1, features - 1))
    demand = np.append(0, rng.integers(1, 5, stops))
    capacity = np.full(vehicles, np.ceil(1.2 * demand.sum() / vehicles))
    return domains.Day.of(np.concatenate([distance[:, :, None], others], axis=2), demand, capacity)


class ProcessorTime:
    """Stops PyVRP after so many seconds of processor time; PyVRP's own criterion counts waiting as well."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began: float | None = None

    def __call__(self, best_cost: float) -> bool:
        now = time.process_time()
        self.began = now if self.began is None else self.began
        return now - self.began > self.seconds


def pyvrp_plan(rules: Any, vehicles: int, seconds: float) -> tuple[Any, ...] | None:
    """PyVRP's plan; None if it finds none that keeps the capacities."""
    costs = np.rint(rules.costs * 1e6).astype(np.int64)
    np.fill_diagonal(costs, 0)
    data = pyvrp.ProblemData(
        [pyvrp.Location(0, 0) for _ in costs],
        [pyvrp.Client(k, delivery=[int(rules.demand[k])]) for k in range(1, len(costs))],
        [pyvrp.Depot(0)],
        [pyvrp.VehicleType(vehicles, capacity=[int(rules.capacity[0])])],
        [costs],
        [np.zeros_like(costs)],
    )
    best = pyvrp.solve(data, ProcessorTime(seconds), seed=0, collect_stats=False, display=False).best
    if not best.is_feasible():
        return None
    routes = [np.array([a.idx + 1 for a in route if a.is_client()], np.int64) for route in best.routes()]
    return (*routes, *(np.empty(0, np.int64) for _ in range(vehicles - len(routes))))


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
            theirs = pyvrp_plan(domain.landscape(x, w).rules, vehicles, max(spent, 0.02))
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

"""A dispatcher with hidden prices corrects plans: python benchmarks/dispatcher.py [--runs 10] [--days 40]

A town with a river that costs toll and an old town with narrow streets; each day 60 of its 150 customers,
half of them with a window of three hours, for 8 vans with shifts. Each run has a dispatcher with prices of
their own for lateness, overtime, vehicles, tolls and narrow streets: those of an engineer, each times
exp(0.7 N(0, 1)); the engineer knows of no price for tolls and narrow streets. The dispatcher makes the move
that gains most by their prices until none gains as much as a kilometre. A row has the edits of a day with a
95 % interval over the runs, and their ratio to those with the engineer's prices, of all days and from the
tenth on.

The dispatcher makes no mistakes and has no wish that is not a feature, so this shows what can be learned, not
what a person would save.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from coactor import Session, SimulatedExpert
from coactor.archives.replays import FixedWeights
from coactor.domains import Day, Plans, Shifts, Visits
from coactor.lab.engine.statistics import interval
from coactor.learners import make
from coactor.protocol import Vector

CUSTOMERS, STOPS, VANS, SPEED = 150, 60, 8, 30.0
KAPPA = 1.0  # km
domain = Plans(3, soft=("lateness", "overtime", "vehicles"), names=("distance", "toll", "narrow streets"))
ENGINEER = np.array([1.0, 0.0, 0.0, 0.5, 0.5, 20.0])  # km, crossings, streets, minutes, minutes, vans
UNKNOWN = np.array([0.0, 8.0, 3.0, 0.0, 0.0, 0.0])


def days(rng: np.random.Generator, count: int) -> Iterator[Day]:
    """Days of one town, in kilometres and minutes."""
    places = np.vstack([[10.0, 9.0], 20.0 * rng.random((CUSTOMERS, 2))])
    distance = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    north = places[:, 1] > 10.0
    toll = (north[:, None] != north).astype(float)
    old = np.hypot(*(places - [14.0, 14.0]).T) < 4.0
    narrow = (old[:, None] | old).astype(float)
    arcs = np.stack([distance, toll, narrow], axis=2)
    for _ in range(count):
        some = np.append(0, 1 + rng.permutation(CUSTOMERS)[:STOPS])
        grid = np.ix_(some, some)
        opens = rng.integers(480, 840, STOPS)
        windows = [[(float(a), float(a + 180))] if rng.random() < 0.5 else None for a in opens]
        yield Day.of(
            arcs[grid],
            np.append(0, rng.integers(1, 5, STOPS)),
            np.full(VANS, 30.0),
            minutes=60.0 / SPEED * distance[grid],
            visits=Visits(service=np.append(0.0, np.full(STOPS, 8.0)), windows=[None, *windows]),
            shifts=Shifts(hours=[(480.0, 960.0)] * VANS),
        )


def edits(run: int, count: int) -> dict[str, Vector]:
    """The edits of each day, for each way to price."""
    rng = np.random.default_rng([23, run])
    truth = (ENGINEER + UNKNOWN) * np.exp(0.7 * rng.standard_normal(domain.dim))
    truth /= truth[0]
    learners = {
        "engineer's prices": FixedWeights(ENGINEER),
        "PER from them": make("PER", domain.dim, start=ENGINEER),
        "default from them": make("default", domain.dim, start=ENGINEER),
        "dispatcher's prices": FixedWeights(truth),
    }
    sessions = {name: Session(domain, learner) for name, learner in learners.items()}
    expert = SimulatedExpert(domain, truth, kappa=KAPPA, policy="best")
    rows: dict[str, list[float]] = {name: [] for name in sessions}
    for x in days(rng, count):
        for name, session in sessions.items():
            proposal = session.ask(x)
            rows[name].append(session.tell(proposal, expert(x, proposal.solution)).effort)
    return {name: np.array(row) for name, row in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--days", type=int, default=40)
    options = parser.parse_args()
    runs = [edits(run, options.days) for run in range(options.runs)]
    print("| prices | edits a day | ratio | from day 10 | ratio |\n|---|---|---|---|---|")
    for name in runs[0]:
        cells = []
        for first in (0, 9):
            own, start = (
                np.array([run[one][first:].mean() for run in runs]) for one in (name, "engineer's prices")
            )
            one = interval(own)
            cells += [f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]", f"{own.sum() / start.sum():.2f}"]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()

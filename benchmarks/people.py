"""What several people cost: OMP_NUM_THREADS=1 python benchmarks/people.py [--people 100] [--features 100]

Processor time of an update and of the weights of whoever asks, with feedback of a 20-point tour (190 moves),
and the size of the state; then the time to open a durable study with these people. --tells 20000 makes a
study of that size (most of its tells only record, because learning does not change the time to open); it is
opened just after a snapshot and as far from one as it gets. Everything is also a ratio to one person.

    python benchmarks/people.py --bounds tsp-noise-similar-20,tsp-noise-groups-5 [--runs 5] [--seed 1]

How much there is to gain in cells of `coactor reproduce --people`: the effort of the default learner, and of
learners that know more, over that of the better of pooled and separate. With similar people it knows the
population from 2000 problems of 100 other people; with groups it is told who is in which group, and has one
default learner for each.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from copy import deepcopy
from typing import Any

import numpy as np
from coactor.lab.paper.data.tastes import TASTES
from coactor.lab.people import CELLS, goal
from threadpoolctl import threadpool_limits

from coactor import Session, SimulatedExpert, learners, open_study
from coactor.domains import Alternatives
from coactor.lab.engine.parallel import run_all
from coactor.lab.engine.statistics import best_of, ratio_of_totals
from coactor.lab.paper.runs import hidden_features
from coactor.protocol import Feedback
from coactor.studies.log.ledger import OFTEN

MOVES = 190
COLLEAGUES, BEFORE, EXAMPLES = 100, 2000, 600
GOALS = {"update, ms": 20.0, "ask, ms": 5.0, "state, MB": 20.0, "open, s": 2.0, "open at worst, s": 2.0}


def corrections(people: int, features: int, count: int) -> list[Feedback]:
    """Corrections of people with different weights, in turn."""
    rng = np.random.default_rng(0)
    tastes = rng.random((people, features))
    out = []
    for k in range(count):
        moves = rng.standard_normal((MOVES, features))
        gains = moves @ tastes[k % people]
        made = moves[gains > 2.0][:1]
        path = np.vstack([np.zeros(features), made]).cumsum(axis=0)
        out.append(Feedback(path, float(len(made)), moves[gains <= 2.0], person=f"person {k % people}"))
    return out


def in_memory(people: int, features: int, rounds: int) -> dict[str, float]:
    learner, updates, asks = learners.make("default", features), [], []
    for k, feedback in enumerate(corrections(people, features, people + rounds)):
        start = time.process_time()
        other: Any = deepcopy(learner)
        other.update(feedback)
        updates.append(time.process_time() - start)
        learner = other
        start = time.process_time()
        view = other.person(f"person {(k + 1) % people}")
        assert view.weights.size == features
        asks.append(time.process_time() - start)
    state = json.dumps(learner.state())
    return {
        "update, ms": 1e3 * float(np.median(updates[people:])),
        "ask, ms": 1e3 * float(np.median(asks[people:])),
        "state, MB": len(state) / 1e6,
    }


def durable(people: int, features: int, tells: int) -> dict[str, float]:
    """Open a study of so many tells; the processor time."""
    domain, rng = Alternatives(features), np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/desk.db"
        with open_study(url, "desk", domain, create=True) as study:

            def tell(k: int, learn: bool) -> None:
                name = f"person {k % people}"
                proposal = study.ask(domain_problems[k % len(domain_problems)], person=name, solution=0)
                study.tell(proposal, solution=k % 4, person=name, learn=learn)

            domain_problems = list(domain.sample(rng, 50))
            learning = min(tells, 2 * people)
            for k in range(tells):
                tell(k, learn=k < learning)
            took = [_opening(url, domain)]
            facts = study.summary()["facts"]
            for k in range(max(0, (OFTEN - facts % OFTEN) // 2 - 1)):  # an ask and a tell are two facts
                tell(k, learn=True)
            took.append(_opening(url, domain))
    return {"open, s": min(took), "open at worst, s": max(took)}


def _opening(url: str, domain: Alternatives) -> float:
    start = time.process_time()
    with open_study(url, "desk", domain) as study:
        assert study.weights(person="person 0").size == domain.dim
    return time.process_time() - start


def bounds(_: None, unit: tuple[str, int, int]) -> dict[str, float]:
    """The effort of each contender in one run of a cell."""
    cell, run, seed = unit
    panel = CELLS[cell][1]
    domain: Any = panel.make_domain()
    rng = np.random.default_rng([seed, run])
    size, count = domain.dim + hidden_features(domain), panel.people
    tastes = TASTES[panel.tastes](rng, count + COLLEAGUES, size)
    experts = [SimulatedExpert(domain, w, kappa=panel.kappa, policy=panel.policy) for w in tastes]
    sessions: dict[str, Session] = {}

    def effort(kind: str, x: Any, person: int) -> float:
        shared = {"pooled": 0, "separate": person, "known groups": person % 2}
        name = f"{kind} {shared.get(kind, 0)}"
        if name not in sessions:
            sessions[name] = Session(domain, "default", seed=run)
        own = "" if kind in shared else f"person {person}"
        proposal = sessions[name].ask(x, person=own)
        correction = experts[person](x, proposal.solution)
        sessions[name].tell(proposal, correction)
        return float(correction.effort)

    known = "known groups" if panel.tastes == "groups" else "known population"
    if known == "known population":
        for k, x in enumerate(domain.sample(rng, BEFORE)):
            effort(known, x, count + k % COLLEAGUES)
    totals = dict.fromkeys(("default", "pooled", "separate", known), 0.0)
    for x in domain.sample(rng, EXAMPLES):
        person = int(rng.integers(count))
        for kind in totals:
            totals[kind] += effort(kind, x, person)
    return totals


def print_bounds(cells: list[str], runs: int, seed: int) -> None:
    units = [(cell, run, seed) for cell in cells for run in range(runs)]
    results = run_all(bounds, None, units)
    print("| cell | goal | default | with more knowledge |")
    print("|---|---|---|---|", flush=True)
    for cell in cells:
        own = [total for unit, total in zip(units, results, strict=True) if unit[0] == cell]
        totals = {kind: np.array([total[kind] for total in own]) for kind in own[0]}
        rival, (*_, known) = best_of(totals, ("pooled", "separate")), totals
        base, panel = CELLS[cell]
        ratios = [ratio_of_totals(totals[kind], totals[rival]) for kind in ("default", known)]
        ours, most = (f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" for one in ratios)
        least = goal(base, panel.tastes, panel.people)
        print(f"| {cell} | {least:g} | {ours} | {most} ({known}) |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--tells", type=int, default=1000)
    parser.add_argument("--bounds", default="", help="cells, with commas between them")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.bounds:
        print_bounds(chosen.bounds.split(","), chosen.runs, chosen.seed)
        return
    with threadpool_limits(1):
        many, one = (
            in_memory(k, chosen.features, chosen.rounds) | durable(k, chosen.features, chosen.tells)
            for k in (chosen.people, 1)
        )
    print(f"| {chosen.features} features | {chosen.people} people | one person | ratio | goal |")
    print("|---" * 5 + "|")
    for name, value in many.items():
        print(f"| {name} | {value:.2f} | {one[name]:.3f} | {value / one[name]:.1f} | {GOALS[name]:g} |")


if __name__ == "__main__":
    main()

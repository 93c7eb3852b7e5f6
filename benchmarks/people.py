"""Several people: one default learner that knows who corrects, against one for all and one each.

    python benchmarks/people.py [--cells tsp-clean,mtsp-noise-groups-5] [--runs 10] [--seed 0]

Every cell is a synthetic panel of the paper on which people take turns at random: how much they have in
common (identical, similar, groups, independent), and how many they are (5, 20, 100). After them comes a
newcomer. What counts is the effort of "default" over that of the better of "pooled-default", which does not
know who corrects, and "separate-default". --learners adds contenders; --out keeps finished runs.

    OMP_NUM_THREADS=1 python benchmarks/people.py --cost [--people 100] [--features 100] [--tells 1000]

What people cost: processor time of an update and of the weights of whoever asks, with feedback of a 20-point
tour (190 moves), and the size of the state; then the time to open a durable study with these people, just
after a snapshot and as far from one as it gets. Everything is also a ratio to one person.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coactor import Session, learners, open_study
from coactor.domains import Alternatives
from coactor.lab.engine.cache import Cache
from coactor.lab.engine.contenders import Contender, parse_contenders
from coactor.lab.engine.parallel import run_all
from coactor.lab.engine.statistics import Interval, interval
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.runs import Unit, hidden_features, make_expert, make_problems, make_session, stream
from coactor.protocol import Feedback
from coactor.studies.log.ledger import OFTEN

OURS, RIVALS = "default", ("pooled-default", "separate-default")
PEOPLE = (5, 20, 100)
NEWCOMER = 20  # problems
OVERRIDES = {"tsp-clean": {"features": 20}, "tsp-noise": {"features": 20, "hidden": 2}}  # few problems each
DIFFERENCE = 0.3  # of similar people: the standard deviation of the logarithm of a weight
WEIGHTS, TURNS = 0, 6  # the purposes of two random streams of a unit
MOVES = 190


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


BASES = [name for name, panel in PANELS.items() if panel.problems == "sample"]
TASTES = ("identical", "similar", "groups", "independent")
CELLS = [Cell(base, tastes, people) for base in BASES for people in PEOPLE for tastes in TASTES]


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


def measure(_: None, task: Task) -> np.ndarray:
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


def ratio_of_totals(effort: np.ndarray, best: np.ndarray) -> Interval:
    """Total effort over the best total; the interval is that of the residuals (delta method)."""
    total, scale = float(effort.mean()), float(best.mean())
    if scale == 0:
        ratio = 1.0 if total == 0 else float("inf")
        return Interval(ratio, ratio, ratio)
    residuals = interval((effort - total / scale * best) / scale)
    return Interval(total / scale, total / scale + residuals.low, total / scale + residuals.high)


def print_cells(options: argparse.Namespace) -> None:
    wanted = options.cells.split(",") if options.cells else BASES
    cells = [cell for cell in CELLS if any(f"{cell}-".startswith(f"{name}-") for name in wanted)]
    more = [name for name in options.learners.split(",") if name]
    contenders = parse_contenders([OURS, *RIVALS, *more], "panel")
    tasks = [
        Task(cell, run, options.seed, options.examples, contenders)
        for cell in cells
        for run in range(options.runs)
    ]
    kept = Cache(
        Path(options.out or "."), asdict, lambda costs: {"costs": costs}, lambda _, arrays: arrays["costs"]
    )
    results = run_all(measure, None, tasks, cache=kept if options.out else None, silent=False)
    names = [contender.text for contender in contenders]
    print("| cell | rival | ratio | newcomer over one who starts alone |", *(f" {name} |" for name in names))
    print("|---" * (4 + len(names)) + "|")
    ratios = []
    for k, cell in enumerate(cells):
        costs = np.array(results[k * options.runs : (k + 1) * options.runs])  # runs, contenders, problems
        effort = dict(zip(names, costs[:, :, :-NEWCOMER].sum(axis=2).T, strict=True))
        new = dict(zip(names, costs[:, :, -NEWCOMER:].sum(axis=2).T, strict=True))
        rival = min(RIVALS, key=lambda name: float(effort[name].mean()))
        ratio = ratio_of_totals(effort[OURS], effort[rival])
        ratios.append(ratio.value)
        newcomer = ratio_of_totals(new[OURS], new[RIVALS[1]])
        means = " ".join(f"{effort[name].mean():.0f} |" for name in names)
        print(f"| {cell} | {rival} | {ratio:.3f} | {newcomer:.2f} | {means}", flush=True)
    print(f"\nMean ratio of {len(cells)} cells: {np.mean(ratios):.4f}.")


# -- what people cost ----------------------------------------------------------------------------------------


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
        out.append(Feedback(path, float(len(made)), moves[gains <= 2.0], learned_for=f"person {k % people}"))
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
    problems = list(domain.sample(rng, 50))
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/desk.db"
        with open_study(url, "desk", domain, create=True) as study:

            def tell(k: int, learn: bool) -> None:
                name = f"person {k % people}"
                proposal = study.ask(problems[k % len(problems)], asked_for=name, solution=0)
                study.tell(proposal, solution=k % 4, learned_for=name, learn=learn)

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
        assert study.weights(learned_for="person 0").size == domain.dim
    return time.process_time() - start


def print_cost(options: argparse.Namespace) -> None:
    with threadpool_limits(1):
        many, one = (
            in_memory(k, options.features, options.rounds) | durable(k, options.features, options.tells)
            for k in (options.people, 1)
        )
    print(f"| {options.features} features | {options.people} people | one person | ratio |")
    print("|---" * 4 + "|")
    for name, value in many.items():
        print(f"| {name} | {value:.2f} | {one[name]:.3f} | {value / one[name]:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", default="", help="cells or panels, with commas between them")
    parser.add_argument("--learners", default="", help="more contenders")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="", help="a folder that keeps finished runs")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--tells", type=int, default=1000)
    options = parser.parse_args()
    (print_cost if options.cost else print_cells)(options)


if __name__ == "__main__":
    main()

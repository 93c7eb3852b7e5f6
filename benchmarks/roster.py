"""The tutorial roster with a simulated planner: python benchmarks/roster.py [--runs 10] [--weeks 50]

Fixed hand-tuned weights, InvOpt on the same features, PER, CSPER, the default, and the default started from
the hand-tuned weights, in paired runs: the same weeks and the same planner for all (needs coactor[bench]).
Two tables:

    live    the planner corrects what each of them proposes
    logged  the planner corrects the proposals of the fixed weights, and all learn from these corrections;
            what counts is how many edits each one's own proposal for the week would have needed

The planner's weights differ from the hand-tuned ones by a factor (lognormal, deviation 1); of the 15 wishes
two do not matter to them and one has the opposite sign. They stop when no edit gains kappa = 1, the smallest
hand-tuned weight. InvOpt's step is chosen on other seeds (least total of two runs); nothing else is tuned.

--out FILE keeps the runs that are finished; the same command goes on from there.
--two runs two planners in turn, whose tastes share 9 of 15 weights, through one durable study on a server:
with a token each, and with one token for both.
--speed measures solving, all edits' effects and proposals in processor time, also for a month of 60 nurses.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import coactor
from coactor.archives.replays import FixedWeights
from coactor.corrections import feedback
from coactor.grids import GridModel, pattern
from coactor.lab.engine.statistics import effort_interval
from coactor.studies import Store
from coactor.studies.accounts import Accounts

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "benchmarks"), str(ROOT)]
from peers import InvOpt  # noqa: E402
from roster import roster  # noqa: E402
from tests.web.test_failures import ServerProcess  # noqa: E402

WISHES = [1, 5, 3, 3, 2, 3, 4, 2, 2, 4, 2, 2, 5, 2, 2]
HAND = np.array([*WISHES, *np.zeros(roster.dim - len(WISHES))], dtype=float)
REPORT, TUNE = 0, 101
STEPS = list(product((0.03, 0.1, 0.3, 1.0), ("constant", "decaying"), ("normalised",)))


def taste(rng: np.random.Generator) -> Any:
    """What a planner wants: not the hand-tuned weights."""
    truth = HAND * np.append(rng.lognormal(0.0, 1.0, len(WISHES)), np.zeros(HAND.size - len(WISHES)))
    odd = rng.permutation(len(WISHES))[:3]
    truth[odd[:2]], truth[odd[2]] = 0.0, -truth[odd[2]]
    return truth


def world(seed: int, run: int, weeks: int) -> tuple[list[Any], coactor.SimulatedExpert]:
    """The weeks and the planner of a run."""
    rng = np.random.default_rng([seed, run])
    truth = taste(rng)
    problems = list(roster.sample(rng, n=weeks))
    return problems, coactor.SimulatedExpert(roster, truth, kappa=1.0)


def live(learner: Any, problems: list[Any], planner: coactor.SimulatedExpert) -> tuple[list[float], float]:
    """The planner's edits week by week, and the longest processor time of a proposal."""
    session, slowest = coactor.Session(roster, learner), 0.0
    for x in problems:
        begun = time.process_time()
        proposal = session.ask(x)
        slowest = max(slowest, time.process_time() - begun)
        session.tell(proposal, planner(x, proposal.solution))
    return session.efforts, slowest


def logged(
    learners: dict[str, Any], problems: list[Any], planner: coactor.SimulatedExpert
) -> dict[str, float]:
    """Edits that each learner's proposals would have needed, when all learn from the same corrections."""
    totals = dict.fromkeys(learners, 0.0)
    for x in problems:
        correction = planner(x, roster.solve(x, HAND))
        for name, learner in learners.items():
            totals[name] += planner(x, roster.solve(x, learner.weights)).effort
            learner.update(feedback(roster, x, correction, learner.reads))
    return totals


def two_planners(seed: int, weeks: int) -> tuple[list[Any], list[coactor.SimulatedExpert]]:
    """The weeks, and two planners whose tastes share 9 of the 15 weights."""
    rng = np.random.default_rng([seed, 2])
    tastes = np.array([taste(rng), taste(rng)])
    same = rng.permutation(len(WISHES))[:9]
    tastes[1, same] = tastes[0, same]
    planners = [coactor.SimulatedExpert(roster, own, kappa=1.0) for own in tastes]
    return list(roster.sample(rng, n=weeks)), planners


def in_one_study(
    names: tuple[str, str], problems: list[Any], planners: list[coactor.SimulatedExpert]
) -> float:
    """The edits of two planners in turn, with tokens of these names, through one study on a server."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/desk.db"
        server = ServerProcess(url, "--study", f"ward={ROOT / 'examples' / 'roster.py'}:roster")
        with Store(url) as store:
            tokens = {name: Accounts(store).create(name, "ward", "lead") for name in dict.fromkeys(names)}
        try:
            total = 0.0
            studies = [coactor.connect(server.address, "ward", token=tokens[n], domain=roster) for n in names]
            for k, x in enumerate(problems):
                study, planner = studies[k % 2], planners[k % 2]
                proposal = study.ask(x)
                correction = planner(x, proposal.solution)
                study.tell(proposal, correction)
                total += correction.effort
            return total
        finally:
            server.kill()


def two(runs: int, weeks: int) -> None:
    """Two planners in one study, known and not."""
    for run in range(runs):
        problems, planners = two_planners(run, weeks)
        apart = [
            sum(live(coactor.learners.make("default", roster.dim), problems[k::2], planners[k])[0])
            for k in range(2)
        ]
        known, unknown = (in_one_study(n, problems, planners) for n in (("ana", "ben"), ("desk", "desk")))
        print(
            f"run {run}: {known:g} edits with a token each, {unknown:g} with one, {sum(apart):g} apart",
            flush=True,
        )


def contenders(setting: tuple[float, str, str]) -> dict[str, Callable[[], Any]]:
    dim = roster.dim
    return {
        "hand-tuned": lambda: FixedWeights(HAND),
        "InvOpt": lambda: InvOpt(dim, "invopt", *setting),
        "PER": lambda: coactor.learners.make("PER", dim),
        "CSPER": lambda: coactor.learners.make("CSPER", dim),
        "default": lambda: coactor.learners.make("default", dim),
        "default@start": lambda: coactor.learners.make("default", dim, start=HAND),
    }


def tuned(weeks: int) -> tuple[float, str, str]:
    """InvOpt's best setting on other seeds."""
    worlds = [world(TUNE, run, weeks) for run in range(2)]

    def total(setting: tuple[float, str, str]) -> float:
        return sum(sum(live(InvOpt(roster.dim, "invopt", *setting), *each)[0]) for each in worlds)

    return min(STEPS, key=total)


def month() -> tuple[GridModel, Any]:
    """A month of 60 nurses: 1860 cells, 4 choices, 3 rules, 11 wishes."""
    model = GridModel(
        over={"nurse": None, "day": [f"{k + 1}" for k in range(31)]},
        choose={"shift": ["off", "morning", "evening", "night"]},
        data={"need": "day shift", "dislike": "nurse day shift", "last": "nurse -> shift", "senior": "nurse"},
    )
    off, morning, evening, night = (model.has(name) for name in ("off", "morning", "evening", "night"))
    chosen, work, past = model.chosen.at(shift=["morning", "evening", "night"]), ~off, {"past": "last"}
    staff, weekend = (
        chosen.per("day", "shift") - "need",
        work.window("day", 2).at(day=["7", "14", "21", "28"]),
    )
    model.rule("Enough nurses", staff.below())
    model.rule("At most five days in seven", work.window("day", 7).above(5))
    model.rule("No morning after a night", pattern(night, morning, along="day", **past))
    model.wish("Unwished shift", chosen.times("dislike"))
    model.wish("Too many", staff.above())
    model.wish("Split weekend", weekend.any() - weekend.above(1))
    model.wish("Third weekend", weekend.any().per("nurse").above(2))
    model.wish("Third night", pattern(night, night, night, along="day", **past))
    model.wish("Single night", pattern(~night, night, ~night, along="day", **past))
    model.wish("Evening then morning", pattern(evening, morning, along="day", **past))
    model.wish("Single day off", pattern(work, off, work, along="day", **past))
    model.wish("Fifth day in a row", pattern(*[work] * 5, along="day", **past))
    model.wish("Uneven days", work.per("nurse").spread("nurse"))
    model.wish("Shift without senior", chosen.times("senior").per("day", "shift").below(1))
    rng = np.random.default_rng(0)
    data = {
        "nurse": [f"nurse {k}" for k in range(60)],
        "need": [[0, 10, 5, 5] if k % 7 > 4 else [0, 15, 10, 10] for k in range(31)],
        "dislike": rng.choice([0, 0, 0, 1, 2], size=(60, 31, 4)),
        "last": rng.choice(["off", "morning", "evening", "night"], 60).tolist(),
        "senior": [1] * 25 + [0] * 35,
    }
    return model, model.problem(data)


def speed() -> None:
    """Processor times, after compilation."""
    tutorial = roster, next(roster.sample(np.random.default_rng(0), n=1))
    for name, (model, x) in (("tutorial", tutorial), ("60 x 31", month())):
        w = np.ones(model.dim)
        y = model.solve(x, w)
        tasks = {"solve": lambda m=model, x=x, w=w: m.solve(x, w)}
        tasks["effects of all edits"] = lambda m=model, x=x, y=y: m.move_features(x, y)
        tasks["edits of a cell"] = lambda m=model, x=x, y=y: m.edits_of(x, y, 0)
        planner = coactor.SimulatedExpert(model, np.random.default_rng(0).lognormal(size=model.dim), kappa=1)
        for cases in (0, 1, 5):  # with a budget, as in a study
            session = coactor.Session(model, "default", budget=1.0)
            for _ in range(cases):
                session.tell(proposal := session.ask(x), planner(x, proposal.solution))
            tasks[f"proposal after {cases} corrections"] = lambda s=session, x=x: s.ask(x)
        for task, call in tasks.items():
            times = []
            for _ in range(4):
                begun = time.process_time()
                call()
                times.append(time.process_time() - begun)
            print(
                f"{name}, {len(model.moves(x, y))} edits, {task}: {1000 * min(times[1:]):.1f} ms", flush=True
            )


def ratio(ours: Any, theirs: Any, drawn: Any) -> str:
    """A ratio of means, resampled by runs: a run without edits would make a mean of ratios infinite."""
    low, high = np.percentile(ours[drawn].mean(axis=1) / theirs[drawn].mean(axis=1), [2.5, 97.5])
    return f"{ours.mean() / theirs.mean():.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--weeks", type=int, default=50)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--two", action="store_true")
    args = parser.parse_args()
    if args.two:
        two(args.runs, args.weeks)
        return
    if args.speed:
        speed()
        return
    done = (
        [json.loads(line) for line in args.out.read_text().splitlines()]
        if args.out and args.out.exists()
        else []
    )
    setting = tuple(done[0]["setting"]) if done else tuned(args.weeks)
    make = contenders(setting)
    for run in range(len(done), args.runs):
        problems, planner = world(REPORT, run, args.weeks)
        row: dict[str, Any] = {"setting": setting, "live": {}, "slowest": 0.0}
        for name, fresh in make.items():
            row["live"][name], seconds = live(fresh(), problems, planner)
            row["slowest"] = max(row["slowest"], seconds)
        row["logged"] = logged({n: fresh() for n, fresh in make.items()}, problems, planner)
        done.append(row)
        if args.out:
            with args.out.open("a") as file:
                print(json.dumps(row), file=file)
        print(f"run {run}: { ({n: sum(e) for n, e in row['live'].items()}) }", file=sys.stderr, flush=True)
    done = done[: args.runs]
    totals = {
        "live": {n: [sum(row["live"][n]) for row in done] for n in make},
        "logged": {n: [row["logged"][n] for row in done] for n in make},
    }
    drawn = np.random.default_rng(REPORT).integers(0, args.runs, (2000, args.runs))
    print(f"{args.runs} runs of {args.weeks} weeks; InvOpt's setting: {setting}")
    for table, rows in totals.items():
        print(f"\n| {table} | edits in all | default / it | default@start / it | first 10 weeks | last 10 |")
        print("|---|---|---|---|---|---|")
        for name, values in rows.items():
            theirs = np.array(values)
            weeks = np.mean([row["live"][name] for row in done], axis=0)
            first, last = weeks[:10].mean(), weeks[-10:].mean()
            shown = f"{first:.1f} | {last:.1f}" if table == "live" else " | "
            ratios = (ratio(np.array(rows[ours]), theirs, drawn) for ours in ("default", "default@start"))
            print(f"| {name} | {effort_interval(theirs):.1f} | {' | '.join(ratios)} | {shown} |")
    print(f"\nslowest proposal {max(row['slowest'] for row in done):.2f} s of processor time")


if __name__ == "__main__":
    main()

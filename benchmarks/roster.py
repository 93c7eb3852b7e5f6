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
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import coactor
from coactor.archives.replays import FixedWeights
from coactor.bench.peers import InvOpt
from coactor.corrections import feedback
from coactor.grids import GridModel, pattern
from coactor.lab.engine.statistics import effort_interval

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from roster import roster

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
    args = parser.parse_args()
    setting = tuned(args.weeks)
    make, done = contenders(setting), list[dict[str, Any]]()
    for run in range(args.runs):
        problems, planner = world(REPORT, run, args.weeks)
        row: dict[str, Any] = {"live": {}, "slowest": 0.0}
        for name, fresh in make.items():
            row["live"][name], seconds = live(fresh(), problems, planner)
            row["slowest"] = max(row["slowest"], seconds)
        row["logged"] = logged({n: fresh() for n, fresh in make.items()}, problems, planner)
        done.append(row)
        print(f"run {run}: { ({n: sum(e) for n, e in row['live'].items()}) }", file=sys.stderr, flush=True)
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

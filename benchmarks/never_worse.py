"""Is the default learner ever worse than not learning? A table of archives and panels, with paired intervals.

    python benchmarks/never_worse.py ARCHIVE ... [--orders 10] [--cases N] [--true-order] [--parts 0:13,-13:]
                                     [--runs 10] [--examples 100]

Each cell is the effort of another contender minus that of the default learner, per case of an archive and per
run of a panel, with its 95 % interval over cases or runs: above 0 the default learner needs less. The last
column names those that need less than the default learner, beyond the interval. Archives are what `coactor
evaluate` reads; queries are replayed without and with a budget. `--true-order` replays once in the
archive's own order, and `--parts` adds rows for some of the cases, as Python writes slices.

    python benchmarks/never_worse.py --good-start 0.3 [--runs 10] [--examples 100]

The panels, and lists that are sorted, with a start that suits the expert: their true weights, each times
exp(0.3 N(0, 1)). A
cell is the total effort of never learning, and of the default learner without this start, minus that of the
default learner with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coactor import Session, SimulatedExpert
from coactor.archives.archives import open_archive
from coactor.archives.evaluation import evaluate
from coactor.archives.replays import FixedWeights
from coactor.domains import Ranking
from coactor.lab.engine.contenders import PAPER
from coactor.lab.engine.statistics import Interval, interval
from coactor.lab.paper.comparison import compare
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.runs import Unit, make_expert, make_problems, true_weights
from coactor.learners import make
from coactor.protocol import Domain, Problem, Vector

OURS = "default@start"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="*")
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--true-order", action="store_true")
    parser.add_argument("--parts", default="", help="slices of the cases, with commas between them")
    parser.add_argument("--good-start", type=float, help="the error of a start that suits the expert")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--examples", type=int, default=100)
    options = parser.parse_args()
    if options.good_start is not None:
        good_start(options.good_start, options.runs, options.examples)
        return
    others = ["start", "alike", "copy", *PAPER]
    print(f"| set | {OURS} |", *(f" {name} |" for name in others), " needs less |")
    print("|---" * (len(others) + 3) + "|", flush=True)
    for path in options.archives:
        budgets = (None, (5, 15)) if open_archive(path).kind == "queries" else (None,)
        for budget in budgets:
            archive = open_archive(path, budget=budget)
            cases = min(options.cases or archive.size, archive.size)
            orders = None if options.true_order else options.orders
            result = evaluate(archive, [OURS, *others], cases=cases, jobs=1, orders=orders)
            ways = "own order" if options.true_order else f"{options.orders} orders"
            name = f"{Path(path).stem}{' with budget' if budget else ''}, {cases} {archive.kind}, {ways}"
            for part in ["", *filter(None, options.parts.split(","))]:
                chosen = (
                    slice(*(int(end) if end else None for end in part.split(":"))) if part else slice(None)
                )
                efforts = {one: effort[:, chosen] for one, effort in result.efforts.items()}
                own = replace(result, efforts=efforts, order=result.order[:, chosen])
                cells = {one: own.saved(OURS, against=one) for one in others}
                label = f"... cases {part}" if part else name
                print(_row(label, f"{efforts[OURS].mean():.3f}", cells), flush=True)
    for panel in [name for name, one in PANELS.items() if one.problems == "sample"] if options.runs else []:
        known = [name for name in others if name not in ("start", "copy")]
        rows = compare([OURS, *known], panel, runs=options.runs, examples=options.examples, jobs=1)
        totals = {name: rows.costs[name].sum(axis=1) for name in (OURS, *known)}
        cells = {name: interval(totals[name] - totals[OURS]) if name in known else None for name in others}
        name = f"{panel}, {options.runs} runs of {options.examples}"
        print(_row(name, f"{totals[OURS].mean():.1f}", cells), flush=True)


def good_start(error: float, runs: int, examples: int) -> None:
    print("| set | default, good start | good start, never learning | default without it | needs less |")
    print("|---|---|---|---|---|", flush=True)
    panels = {panel.name: partial(of_panel, panel) for panel in PANELS.values() if panel.problems == "sample"}
    for name, drawn in {**panels, "rankings": of_rankings}.items():
        totals = np.zeros((runs, 3))
        for run in range(runs):
            domain, truth, expert, problems = drawn(run, examples)
            noise = np.random.default_rng([run, 9]).standard_normal(domain.dim)
            start = truth * np.exp(error * noise)
            starts = (
                make("default", domain.dim, start=start),
                FixedWeights(start),
                make("default", domain.dim),
            )
            sessions = [Session(domain, learner) for learner in starts]
            for x in problems:
                for k, session in enumerate(sessions):
                    proposal = session.ask(x)
                    totals[run, k] += session.tell(proposal, expert(x, proposal.solution)).effort
        never, plain = (interval(totals[:, k] - totals[:, 0]) for k in (1, 2))
        cells = {"good start": never, "default without it": plain}
        print(_row(f"{name}, {runs} runs of {examples}", f"{totals[:, 0].mean():.1f}", cells), flush=True)


Drawn = tuple[Domain, Vector, SimulatedExpert, Iterable[Problem]]


def of_panel(panel: Panel, run: int, examples: int) -> Drawn:
    unit, domain = Unit(panel, run, 0, examples, ()), panel.make_domain()
    truth = true_weights(unit, domain)
    return domain, truth[: domain.dim], make_expert(unit, domain, truth), make_problems(unit, domain, None)


def of_rankings(run: int, examples: int) -> Drawn:
    """Lists of 24 documents whose labels follow the mean of half of the features, with errors."""
    domain = Ranking(features=10)
    problems = domain.sample(np.random.default_rng(run), examples)
    return domain, np.repeat([1.0, 0.0], 5), SimulatedExpert(domain, domain.truth(), kappa=2.0), problems


def _row(name: str, effort: str, cells: dict[str, Any]) -> str:
    better = ", ".join(other for other, one in cells.items() if one is not None and one.high < 0)
    return f"| {name} | {effort} |" + "".join(map(_cell, cells.values())) + f" {better or 'none'} |"


def _cell(one: Interval | None) -> str:
    return " |" if one is None else f" {one.value:+.2f} [{one.low:+.2f}, {one.high:+.2f}] |"


if __name__ == "__main__":
    main()

"""Several people: one default learner that knows who corrects, against one for all and one each.

    python benchmarks/people.py [--cells tsp-clean,mtsp-noise-groups-5] [--runs 10] [--seed 0]

Every cell is a synthetic panel of the paper on which people take turns at random: how much they have in
common (identical, similar, groups, independent), and how many they are (5, 20, 100). After them comes a
newcomer. What counts is the effort of "default" over that of the better of "pooled-default", which does not
know who corrects, and "separate-default". --learners adds contenders; --out keeps finished runs.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import numpy as np

from coactor.bench.people import NEWCOMER, Cell, Task, measure_cell
from coactor.lab.engine.cache import Cache
from coactor.lab.engine.contenders import parse_contenders
from coactor.lab.engine.parallel import run_all
from coactor.lab.engine.statistics import Interval, interval
from coactor.lab.paper.panels import PANELS

OURS, RIVALS = "default", ("pooled-default", "separate-default")
PEOPLE = (5, 20, 100)
BASES = [name for name, panel in PANELS.items() if panel.problems == "sample"]
TASTES = ("identical", "similar", "groups", "independent")
CELLS = [Cell(base, tastes, people) for base in BASES for people in PEOPLE for tastes in TASTES]


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
    kept = Cache(Path(options.out or "."), asdict, lambda _, costs: np.array(costs))
    results = run_all(measure_cell, None, tasks, cache=kept if options.out else None, silent=False)
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
    print_cells(parser.parse_args())


if __name__ == "__main__":
    main()

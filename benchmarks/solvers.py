"""Quality and time of our own solvers beside OR-Tools, PyVRP and python-tsp, in one run.

    python benchmarks/solvers.py [--seconds 2] [--tsplib FOLDER [--only-tsplib]] [--out FILE]

First: learned costs (random weights on 5 edge features) on tours, fleets and plans of 20 to 200 stops;
utility as a share of the best found, and seconds. Then, with --tsplib: tours of the folder's .tsp files;
length over the optimum of the .opt.tour file.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from coactor import loaders, solvers
from coactor.domains import Day, Fleet, Plans, Tour
from coactor.protocol import Domain, Problem, Solution, Vector

SIZES = (20, 50, 100, 200)


def problems(rng: np.random.Generator) -> Iterator[tuple[str, Domain, Problem, Vector]]:
    for n in SIZES:
        tour = Tour(points=n, features=5)
        yield f"tour, {n} points", tour, next(tour.sample(rng, 1)), rng.random(5)
        fleet = Fleet(points=n, vehicles=4, features=5)
        yield f"fleet, {n} points, 4 vehicles", fleet, next(fleet.sample(rng, 1)), rng.random(5)
        day = Day.of(
            rng.random((n + 1, n + 1, 5)), np.append(0, rng.integers(1, 5, n)), np.full(n // 8 + 2, 30.0)
        )
        yield f"plan, {n} stops, {n // 8 + 2} vehicles", Plans(features=5), day, rng.random(5)


def measure(
    domain: Domain, x: Problem, w: Vector, solve: Callable[[Problem, Vector], Solution]
) -> tuple[float, float]:
    start = time.perf_counter()
    y = solve(x, w)
    seconds = time.perf_counter() - start
    return float(w @ domain.features(x, y)), seconds


def learned(seconds: float) -> list[str]:
    """Utility and time of each solver; all utilities here are negative costs."""
    rng = np.random.default_rng(0)
    lines = [
        "| problem | own cost | own s | OR-Tools cost | s | PyVRP cost | s |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, domain, x, w in problems(rng):
        domain.solve(x, w)  # compile first
        cells = []
        for solve in (domain.solve, solvers.ortools(domain, seconds), solvers.pyvrp(domain, seconds)):
            utility, took = measure(domain, x, w, solve)
            cells.append(f"{-utility:.4f} | {took:.3f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def tsplib(folder: Path, seconds: float) -> list[str]:
    """Length over the optimum, and time, of each solver on each instance."""
    from python_tsp.heuristics import solve_tsp_local_search

    def python_tsp(x: Problem, w: Vector) -> Solution:
        first = list(range(x.size))  # its own start is drawn at random
        order, _ = solve_tsp_local_search(x.costs(w), x0=first, max_processing_time=seconds)
        return np.array(order, dtype=np.int64)

    domain = Tour(features=1)
    w = np.ones(1)
    names = ("own", "OR-Tools", "PyVRP", "python-tsp")
    heads = " | ".join(f"{name} | s" for name in names)
    lines = [f"| instance | optimum | {heads} |", "|---" * (2 + 2 * len(names)) + "|"]
    for path in sorted(folder.glob("*.tsp"), key=lambda path: loaders.read_tsplib(path).size):
        x = loaders.read_tsplib(path)
        optimum = -float(domain.features(x, loaders.read_tour(path.with_suffix(".opt.tour")))[0])
        domain.solve(x, w)  # compile first
        cells = []
        for solve in (
            domain.solve,
            solvers.ortools(domain, seconds),
            solvers.pyvrp(domain, seconds),
            python_tsp,
        ):
            utility, took = measure(domain, x, w, solve)
            cells.append(f"{100 * (-utility / optimum - 1):+.2f} % | {took:.3f}")
        lines.append(f"| {path.stem} ({x.size}) | {optimum:.0f} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--tsplib", type=Path)
    parser.add_argument("--only-tsplib", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [] if options.only_tsplib else learned(options.seconds)
    if options.tsplib:
        lines += ["", *tsplib(options.tsplib, options.seconds)]
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

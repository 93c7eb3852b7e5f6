"""Quality and time of our own solvers beside OR-Tools and PyVRP: python benchmarks/solvers.py [--seconds 2]

Learned costs (random weights on 5 edge features) on tours, fleets and plans of 20 to 200 stops: the cost of
the answer, and seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np

from coactor import solvers
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0)
    seconds = parser.parse_args().seconds
    print("| problem | own cost | own s | OR-Tools cost | s | PyVRP cost | s |\n" + "|---" * 7 + "|")
    for name, domain, x, w in problems(np.random.default_rng(0)):
        domain.solve(x, w)  # compile first
        cells = []
        for solve in (domain.solve, solvers.ortools(domain, seconds), solvers.pyvrp(domain, seconds)):
            utility, took = measure(domain, x, w, solve)
            cells.append(f"{-utility:.4f} | {took:.3f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

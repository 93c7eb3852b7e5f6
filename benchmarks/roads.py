"""How long a proposal takes on a large road network.

    python benchmarks/roads.py [--links 100000] [--trips 50]

A generated grid city with one-way streets removed at random; the trips are drawn anywhere in it.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from coactor.domains import Network, Roads, Trip


def city(links: int, rng: np.random.Generator) -> Network:
    """A square grid whose links run both ways, with lengths and kinds drawn at random."""
    side = max(2, round(np.sqrt(links / 4)))
    grid = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [
            np.column_stack([grid[:, :-1].ravel(), grid[:, 1:].ravel()]),
            np.column_stack([grid[:-1].ravel(), grid[1:].ravel()]),
        ]
    )
    both = np.concatenate([pairs, pairs[:, ::-1]])
    kinds = np.array(["main", "side", "lane"])[rng.integers(3, size=len(both))]
    places = np.column_stack(np.divmod(np.arange(side * side), side)).astype(float)
    return Network.of(both[:, 0], both[:, 1], rng.uniform(50, 150, len(both)), kinds.tolist(), places=places)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", type=int, default=100_000)
    parser.add_argument("--trips", type=int, default=50)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    network = city(options.links, rng)
    domain = Roads(network, habits=True)
    habit = np.ones((len(network.head), 1))
    weights = rng.random(domain.dim)
    ends = rng.integers(network.size, size=(options.trips + 1, 2))
    domain.solve(Trip(*ends[0].tolist(), habit), weights)  # compile first
    wall, work = [], []
    for a, b in ends[1:].tolist():
        began, worked = time.perf_counter(), time.process_time()
        domain.solve(Trip(a, b, habit), weights)
        wall.append(1000 * (time.perf_counter() - began))
        work.append(1000 * (time.process_time() - worked))
    print(f"{network.size} links, {len(network.head)} turns, {options.trips} proposals")
    for name, milli in (("clock", wall), ("processor", work)):
        low, high, most = np.median(milli), np.quantile(milli, 0.9), max(milli)
        print(f"{name}: median {low:.1f} ms, 90 % below {high:.1f} ms, slowest {most:.1f} ms")


if __name__ == "__main__":
    main()

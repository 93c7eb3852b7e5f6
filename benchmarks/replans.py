"""How long a re-plan takes beside an ask, in processor time: python benchmarks/replans.py [--cases 5]

A person has made four edits, and what they brought about must stay. An ask is `domain.solve`, which is the
least that a proposal takes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from coactor import domains
from coactor.keeping import parts_of, replan

sys.path.insert(0, str(Path(__file__).parent))
from asks import day

HERE = Path(__file__).parent


def ward() -> tuple[Any, Any]:
    """The month of 60 nurses of `roster.py`; by its path, because it imports the example of that name."""
    spec = spec_from_file_location("roster_benchmark", HERE / "roster.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    model, x = module.month()
    return model, x


def city(links: int, rng: np.random.Generator) -> domains.Network:
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
    return domains.Network.of(
        both[:, 0], both[:, 1], rng.uniform(50, 150, len(both)), kinds.tolist(), places=places
    )


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of a call, and what it returns."""
    began = time.process_time()
    answer = work()
    return time.process_time() - began, answer


def edited(domain: Any, x: Any, y: Any, rng: np.random.Generator) -> Any:
    """A draft after four random edits."""
    for _ in range(4):
        moves = list(domain.moves(x, y))
        y = domain.apply(x, y, moves[rng.integers(len(moves))]) if moves else y
    return y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5)
    cases, rng = parser.parse_args().cases, np.random.default_rng(0)
    model, month = ward()
    roads = domains.Roads(city(100_000, rng))
    ranking, plans = domains.Ranking(features=20, documents=100), domains.Plans(features=2)
    trips = [domains.Trip(*rng.integers(roads.network.size, size=2).tolist()) for _ in range(cases + 1)]
    scenes = {
        "plan, 300 stops, 25 vehicles": (plans, [day(rng, 300, 25) for _ in range(cases + 1)]),
        "grid, 60 x 31": (model, [month] * (cases + 1)),
        "ranking, 100 documents": (ranking, list(ranking.sample(rng, cases + 1))),
        "roads, 100,000 links": (roads, trips),
    }
    print("| problem | re-plan, ms | slowest | ask, ms | re-plan over ask |\n|---|---|---|---|---|")
    for name, (domain, problems) in scenes.items():
        rows = []
        for x in problems:
            w = rng.random(domain.dim)
            asking, y = seconds(lambda d=domain, x=x, w=w: d.solve(x, w))
            draft = edited(domain, x, y, rng)
            keep = parts_of(domain, x, draft) - parts_of(domain, x, y)
            planning, _ = seconds(lambda d=domain, x=x, w=w, y=draft, k=keep: replan(d, x, w, y, k))
            rows.append((1000 * planning, 1000 * asking))
        own, asked = np.array(rows[1:]).T  # the first compiles
        shown = f"{np.median(own):.1f} | {own.max():.1f} | {np.median(asked):.1f}"
        print(f"| {name} | {shown} | {np.median(own / asked):.2f} |", flush=True)


if __name__ == "__main__":
    main()

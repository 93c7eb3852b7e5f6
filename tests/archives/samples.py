"""Small generated archives."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np


def write_trips(folder: Path, trips: int = 40, seed: int = 0) -> Path:
    """A 4 x 4 grid of streets whose drivers take the shortest path, but avoid side roads."""
    from coactor.domains import Network, Roads

    rng = np.random.default_rng(seed)
    points = np.arange(16).reshape(4, 4)
    pairs = [(a, b) for row in (*points, *points.T) for a, b in itertools.pairwise(row)]
    both = [pair for a, b in pairs for pair in ((int(a), int(b)), (int(b), int(a)))]
    kinds = ["main" if k % 3 else "side" for k in range(len(both))]
    lengths = rng.uniform(80, 120, len(both)).round(1)
    lines = [f"{k},{a},{b},{lengths[k]},{kinds[k]}" for k, (a, b) in enumerate(both)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "links.csv").write_text("id,from,to,length,kind\n" + "\n".join(lines) + "\n")
    (folder / "nodes.csv").write_text(
        "id,x,y\n" + "".join(f"{p},{1000 + p % 4},{p // 4}\n" for p in range(16))
    )
    begin, end = np.array(both).T
    network = Network.of(begin, end, lengths, kinds)
    domain = Roads(network)
    weights = np.array([1.0, 3.0, 2.0])  # main, side, u-turns
    driven = [domain.solve(x, weights).links for x in domain.sample(rng, trips)]
    rows = ["_".join(map(str, links)) for links in driven if len(links) > 1]
    (folder / "trips.csv").write_text("path\n" + "\n".join(rows) + "\n")
    return folder


def write_plans(folder: Path, days: int = 12, seed: int = 0) -> Path:
    """A planner who always visits the stops in the same circular order, in two routes."""
    rng = np.random.default_rng(seed)
    places = rng.random((11, 2))
    distances = np.linalg.norm(places[:, None] - places, axis=2).round(4)
    circle = (rng.permutation(10) + 1).tolist()
    entries = []
    for day in range(days):
        today = [stop for stop in circle if rng.random() < 0.85]
        half = len(today) // 2
        demand = {str(stop): 1 for stop in today}
        entries.append(
            {
                "day": day,
                "weekday": day % 5,
                "capacity": 6,
                "routes": [today[:half], today[half:]],
                "demand": demand,
            }
        )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "days.json").write_text(json.dumps(entries))
    (folder / "distances.csv").write_text("\n".join(",".join(map(str, row)) for row in distances.tolist()))
    return folder


def write_queries(path: Path, queries: int = 25, seed: int = 0) -> Path:
    """Documents whose label is a function of the first of four features."""
    rng = np.random.default_rng(seed)
    lines = []
    for query in range(queries):
        for _ in range(8):
            row = rng.random(4)
            label = int(np.clip(np.floor(5 * row[0]), 0, 4))
            lines.append(f"{label} qid:{query} " + " ".join(f"{k + 1}:{v:.4f}" for k, v in enumerate(row)))
    path.write_text("\n".join(lines))
    return path

"""Problems of the demo studies, drawn at random."""

from __future__ import annotations

import numpy as np

from coactor.domains import Cube, Day, FleetProblem, Graph, Query
from coactor.web.demo import city

Generator = np.random.Generator


def graph(rng: Generator, n: int) -> Graph:
    """Return n stops of the city and the drives between them."""
    places, names = city.stops(rng, n)
    upper = np.triu_indices(n, 1)
    return Graph.of(n, city.drives(rng, places)[upper], coordinates=places, names=names)


def fleet(rng: Generator) -> FleetProblem:
    """Return 18 stops for two couriers with fixed starts and ends."""
    return FleetProblem.of(graph(rng, 18), [[0, 1], [2, 3]])


def day(rng: Generator) -> Day:
    """Return 14 deliveries for three vans, with the depot in the middle of the city."""
    places, names = city.stops(rng, 15)
    middle = np.array([city.WIDTH / 2, city.HEIGHT / 2])
    nearest = int(np.hypot(*(places - middle).T).argmin())
    order = np.r_[nearest, np.delete(np.arange(15), nearest)]  # the depot first
    demand = np.append(0, rng.integers(1, 5, 14))
    capacity = np.full(3, float(np.ceil(1.25 * demand.sum() / 3)))
    names = ["Depot", *(names[k] for k in order[1:])]
    return Day.of(city.drives(rng, places[order]), demand, capacity, names, places[order])


HOTEL_FEATURES = (
    "price (€)",
    "way to the centre (km)",
    "guests' rating",
    "noise (dB)",
    "breakfast",
    "lift",
    "view",
)
_FIRST = ("Hotel", "Pension", "Villa", "Haus", "Albergo", "Casa", "The", "Old")
_HOTEL_NAMES = """
Aurora Bellevue Central Dorothea Edelweiss Flora Garden Harbour Iris Juno Kestrel Lindenhof Mirabell
Neptune Orion Palace Quay Rosengarten Swan Tivoli
"""
_LAST = tuple(_HOTEL_NAMES.split())


def hotels(rng: Generator) -> Query:
    """Return ten hotels to rank."""
    n = 10
    stars = rng.random(n)
    rows = np.column_stack(
        [
            (55 + 130 * stars + 25 * rng.standard_normal(n)).clip(40).round(),
            rng.gamma(2.0, 1.2, n).clip(0.1, 9).round(1),
            (2.9 + 1.5 * stars + 0.4 * rng.standard_normal(n)).clip(1, 5).round(1),
            rng.uniform(28, 62, n).round(),
            *rng.integers(0, 2, (3, n)),
        ]
    )
    names = [f"{rng.choice(_FIRST)} {_LAST[k]}" for k in rng.permutation(len(_LAST))[:n]]
    return Query.of(rows, names=names)


TASKS = ("Lights", "Till", "Bread oven", "Coffee", "Delivery", "Floor", "Shop window")
TASK_FEATURES = (
    "waiting (min)",
    "walking (m)",
    "lifting (kg)",
    "customers waiting",
    "phone calls",
    "noise (min)",
)


def morning(rng: Generator) -> Cube:
    """Return the tasks of a morning; the cost of a task depends on the tasks done before it."""
    n, d = len(TASKS), len(TASK_FEATURES)
    size = np.array([4.0, 30.0, 8.0, 1.5, 2.0, 6.0])
    base = rng.random((n, d)) * size
    after = rng.normal(0, 0.5, (n, n, d)) * size  # the effect of an earlier task on a later one
    rows = []
    for corner in range(1 << n):
        done = np.array([(corner >> k) & 1 for k in range(n)], dtype=float)
        for bit in np.flatnonzero(done == 0):
            rows.append((base[bit] + done @ after[bit]).clip(0))
    return Cube(np.array(rows).round(2), np.empty((len(rows), 0)), TASKS)

"""Routing instances in the VRPLIB format, as Uchoa, Solomon and PyVRP write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coactor.domains import Day, Shifts, Visits
from coactor.loaders.tsplib import File, distances, explained, read_file
from coactor.protocol import Matrix, Vector

UNSUPPORTED = (
    "BACKHAUL",
    "PRIZE",
    "RELEASE_TIME",
    "VEHICLES_ALLOWED_CLIENTS",
    "VEHICLES_RELOAD_DEPOT",
    "MUTUALLY_EXCLUSIVE_GROUP",
)


def read_vrplib(path: str | Path, vehicles: int | None = None) -> Day:
    """Read a VRPLIB instance as a day whose only arc feature is the cost of the way.

    That is the distance, times what a unit costs the vehicle. Distances are whole numbers as in TSPLIB; with
    time windows and one depot they have one decimal, cut, as in the DIMACS challenge; in PyVRP's files (of
    several depots, or of vehicles that differ) they are exact. A unit of distance takes a unit of time.

    Parameters
    ----------
    path
        The file.
    vehicles
        The number of vehicles; by default that of the file, else the ``-k`` number in its name, else one for
        each stop.
    """
    with explained(path):
        file = read_file(path)
        if "CAPACITY" not in {*file.header, *file.sections} or "DEMAND" not in file.sections:
            raise ValueError(f"{path} has no CAPACITY or no DEMAND_SECTION; expected a capacitated instance.")
        for name in UNSUPPORTED:
            if name in file.sections:
                raise ValueError(f"{path} has a {name}_SECTION, which cannot be read.")
        table = _ways(file)
        depots = [int(number) - 1 for number in file.sections.get("DEPOT", [1.0]) if number > 0]
        stops = np.setdiff1d(np.arange(len(table)), depots)
        order = np.array([depots[0], *stops, *depots[1:]])
        table, n = table[np.ix_(order, order)], len(stops)
        demand = _column(file, "DEMAND", len(table))
        if demand[depots].any():
            raise ValueError(f"{path} has demands at its depots {depots}; expected stops to have them.")
        tail = Path(path).stem.rpartition("-k")[2]
        if vehicles is None:
            vehicles = int(file.header.get("VEHICLES", tail if tail.isdigit() else n))
        place = {depot: 0 if k == 0 else n + k for k, depot in enumerate(depots)}
        begins = _column(file, "VEHICLES_DEPOT", vehicles, 1.0).astype(int) - 1
        price = _column(file, "VEHICLES_UNIT_DISTANCE_COST", vehicles, 1.0)
        units, kinds = np.unique(price, return_inverse=True)
        longest = _column(file, "VEHICLES_MAX_DURATION", vehicles, np.inf)
        windows = np.reshape(file.sections.get("TIME_WINDOW", []), (-1, 3))[:, 1:]
        timed = len(windows) > 0 or bool(np.isfinite(longest).any())
        starts = [place[depots[0] if "VEHICLES_DEPOT" not in file.sections else int(one)] for one in begins]
        hours = [tuple(windows[depots[0]].tolist()) for _ in starts] if len(windows) else None
        service = _column(file, "SERVICE_TIME", len(table), 0.0)[order[: n + 1]]
        given = [[(float(a), float(b))] for a, b in windows[stops]] if len(windows) else []
        visits = Visits(service=service, windows=[None, *given] if given else None)
        shifts = Shifts(
            starts=starts,
            ends=starts,
            hours=hours,
            longest=[None if np.isinf(one) else float(one) for one in longest],
            fixed=_column(file, "VEHICLES_FIXED_COST", vehicles, 0.0),
            kinds=kinds.tolist(),
        )
        arcs: NDArray[np.float64] = units[:, None, None, None] * table[:, :, None]
        places = file.points("NODE_COORD", "DISPLAY_DATA")
        try:
            return Day.of(
                arcs if len(units) > 1 else arcs[0],
                demand[order[: n + 1]],
                _column(file, "CAPACITY", vehicles),
                [str(point) for point in order],  # as in .sol files
                None if places is None else places[order],
                minutes=table if timed else None,
                visits=visits if timed else None,
                shifts=shifts if timed or len(depots) > 1 or len(units) > 1 or np.any(shifts.fixed) else None,
            )
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def _ways(file: File) -> Matrix:
    """The distances, by the convention of the file's type."""
    kind = file.header.get("TYPE", "CVRP")
    places = file.points("NODE_COORD")
    if kind == "CVRP" or places is None or file.header.get("EDGE_WEIGHT_TYPE") != "EUC_2D":
        return distances(file)
    exact: Matrix = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    return np.floor(10.0 * exact) / 10.0 if kind == "VRPTW" else exact


def _column(file: File, name: str, count: int, default: float | None = None) -> Vector:
    """One number for each point or vehicle: of a section, or the same for all, of the header."""
    if name in file.sections:
        column: Vector = np.reshape(file.sections[name], (count, 2))[:, 1]
        return column
    value: Any = file.header.get(name, default)
    return np.full(count, float(value))


def read_solution(path: str | Path) -> tuple[list[list[int]], float | None]:
    """Read the routes, as point numbers from 0, and the cost of a ``.sol`` file."""
    routes, cost = list[list[int]](), None
    for line in Path(path).read_text().splitlines():
        word, colon, rest = line.partition(":")
        if word.startswith("Route") and colon:
            routes.append([int(number) for number in rest.split()])
        elif word.split()[:1] == ["Cost"]:
            cost = float((rest or word.split()[1]).strip())
    return routes, cost

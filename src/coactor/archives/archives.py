"""The kinds of archives, how they are opened, and the most similar earlier case."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coactor import loaders
from coactor.archives.cases import Archive, Case
from coactor.archives.recorded_cases import read_cases
from coactor.domains import Day, Plans, Ranking, Roads, Route, Trip
from coactor.domains.plans import Routes
from coactor.experts import Budget
from coactor.lab.engine.cache import data_digest
from coactor.loaders.choices import COLUMNS
from coactor.loaders.tables import named_lines
from coactor.protocol import Domain, Solution


def open_archive(
    source: Any,
    *,
    habits: bool = True,
    budget: Budget = None,
    domain: str | Domain | None = None,
    parameters: dict[str, Any] | None = None,
    streets: str | Path | None = None,
) -> Archive:
    """Read an archive; its kind is recognised by its files.

    Parameters
    ----------
    source
        A folder with ``links.csv`` and ``trips.csv`` (or ``paths.csv``), and optionally ``nodes.csv`` and
        ``turns.csv`` (or ``transitions.csv``); a folder with ``days.json`` and ``distances.csv``; a LETOR /
        SVMlight file; a CSV file or a data frame of past routes, see `coactor.loaders.read_past_routes`, or
        of people's choices between alternatives, see `coactor.loaders.read_choices`; or, if a domain is
        given, a file of JSON lines, see `read_cases`.
    habits
        Whether how unusual the parts of a solution are is a feature, see `coactor.habits`.
        Queries have none.
    budget
        Queries: the most exchanges the expert makes, a number or (low, high).
    domain, parameters
        JSON lines: the domain, or the name of an installed one or ``module:Class``, and its parameters.
    streets
        Past routes: a street map along which distances are measured, see `coactor.loaders.read_network`, or
        a folder with ``links.csv`` and ``nodes.csv``; by default they are as the crow flies.

    Raises FileNotFoundError if a file is missing, and ValueError if one is not valid.
    """
    if not isinstance(source, str | Path):
        return _table(source, habits, streets)
    path = Path(source)
    if domain is not None:
        return read_cases(path, domain, parameters or {}, habits)
    if path.is_file():
        if path.suffix == ".jsonl":
            example = "domain='tour' or --domain tour"
            raise ValueError(f"{path} has cases of some domain; say which, for example {example}.")
        if path.suffix == ".csv":
            return _table(path, habits, streets)
        queries = loaders.read_letor(path)
        ranking, digest = Ranking(features=queries[0].documents.shape[1]), _digest([path], budget)
        return Archive.of([Case(query, None) for query in queries], ranking, digest, "queries", budget)
    if not path.is_dir():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    files = sorted(file for file in path.iterdir() if file.suffix in (".csv", ".json"))
    if (path / "links.csv").is_file():
        network, trips = loaders.read_roads(path)
        if trips is None:
            raise FileNotFoundError(f"{path} has links.csv, but neither trips.csv nor paths.csv.")
        roads = Roads(network, habits)
        driven = [Route(links, (), roads.distance) for links in trips]
        ended = [Case(Trip(int(y.links[0]), int(y.links[-1])), y) for y in driven]
        return Archive.of(ended, roads, _digest(files, habits), "trips")
    if (path / "days.json").is_file():
        distances = loaders.read_distances(path / "distances.csv")
        days = loaders.read_plans(path / "days.json", distances)
        planned = [Case(day.problem(distances), day.local_routes()) for day in days]
        plans = Plans(1, soft=True, names=("distance",), habits=habits)
        return Archive.of(planned, plans, _digest(files, habits), "plans")
    raise ValueError(
        f"{path} is not an archive; expected links.csv and trips.csv, days.json and distances.csv, a LETOR "
        "file, a CSV file of choices, or JSON lines and a domain."
    )


def _table(source: Any, habits: bool, streets: str | Path | None) -> Archive:
    """Past routes or choices between alternatives, from a CSV file or a data frame."""
    lines = [*named_lines(source)[1]]
    digest = hashlib.sha256(f"{lines} {habits}".encode()).hexdigest()
    header = {name.strip().lower() for _, names in lines[:1] for name in names}
    if not header & {"lat", "latitude", *COLUMNS["chosen"]}:
        raise ValueError(
            f"{named_lines(source)[0]} has no column lat, chosen or choice. Past routes need date, "
            "vehicle, sequence, stop, lat and lon; choices need chosen or choice, and features."
        )
    if not header & {"lat", "latitude"}:
        chosen, choices = loaders.read_choices(source)
        cases = [Case(one.problem, one.choice, person=one.person) for one in choices]
        return Archive.of(cases, chosen, digest, "choices")
    arcs, network = loaders.arcs_beside(source), None
    if streets is not None:
        whole = Path(streets).is_dir()
        network = loaders.read_roads(streets)[0] if whole else loaders.read_network(streets, largest=True)
    days = loaders.read_past_routes(source, arcs=arcs, streets=network)
    timed = any(x.tables.timed for x, _, _ in days)
    # The rules that the routes can break are features.
    soft = ("overload", *(("lateness", "waiting") if timed else ()))
    names = ("distance", *(() if arcs is None else arcs.names))
    domain = Plans(len(names), soft=soft, names=names, habits=habits)
    digest = hashlib.sha256(f"{digest} {arcs} {[x.arcs.sum() for x, _, _ in days]}".encode()).hexdigest()
    return Archive.of([Case(x, y) for x, y, _ in days], domain, digest, "plans")


def _digest(files: Sequence[Path], options: object) -> str:
    return hashlib.sha256(f"{data_digest(files)} {options!r}".encode()).hexdigest()


def most_similar(domain: Domain, case: Case, past: Sequence[Case]) -> Solution | None:
    """The solution of the most similar earlier case, adapted to this one; None if there is none.

    Of trips the latest with the same ends; of plans the latest of those that differ in the fewest stops, if
    only loads have to be respected.
    """
    if isinstance(domain, Roads):
        ends = case.problem.origin, case.problem.destination
        same = (one for one in reversed(past) if (one.problem.origin, one.problem.destination) == ends)
        return next((one.solution for one in same), None)
    if not isinstance(domain, Plans) or not past or not case.problem.plain:
        return None
    stops = {*case.problem.stops}
    nearest = min(reversed(past), key=lambda one: len(stops ^ {*one.problem.stops}))
    return _adapted(nearest.problem, nearest.solution, case.problem)


def _adapted(old: Day, planned: Routes, day: Day) -> Routes:
    """The routes of an earlier day for today's stops; new stops are inserted where they cost least."""
    number, d = {stop: k for k, stop in enumerate(day.stops)}, day.arcs[:, :, 0]
    named = [[old.stops[s] for s in route.tolist()] for route in planned]
    routes = [kept for route in named if (kept := [number[stop] for stop in route if stop in number])]
    while len(routes) > len(day.capacity):  # fewer vehicles: the shortest route joins the one before it
        k = min(range(len(routes)), key=lambda k: len(routes[k]))
        short = routes.pop(k)
        routes[k - 1] += short
    routes += [[] for _ in range(len(day.capacity) - len(routes))]
    for stop in sorted({*range(1, day.size + 1)} - {s for route in routes for s in route}):
        _, r, i = min(
            (d[a, stop] + d[stop, b] - d[a, b], r, i)
            for r, route in enumerate(routes)
            for i, (a, b) in enumerate(zip([0, *route], [*route, 0], strict=True))
        )
        routes[r].insert(i, stop)
    return tuple(np.array(route, dtype=np.int64) for route in routes)

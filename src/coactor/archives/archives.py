"""The kinds of archives, and how they are opened."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coactor import loaders
from coactor.archives.cases import Archive, Case, RecordedCase, usual_start
from coactor.archives.reconstructed_edits import towards_path, towards_plan
from coactor.archives.recorded_cases import CaseArchive, read_cases
from coactor.domains import PlannedDay, Plans, Ranking, Roads, Route, Trip
from coactor.domains.plans import Routes
from coactor.experts import Budget, SimulatedExpert
from coactor.lab.engine.cache import data_digest
from coactor.protocol import Correction, Domain, Indices, Matrix, Problem


class TripArchive(Archive):
    """Driven paths on a road network, as the indices of links."""

    domain: Roads

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        latest: dict[tuple[int, int], Indices] = {}
        domain = self.domain
        for number in order:
            driven = self.cases[number]
            ends = (int(driven[0]), int(driven[-1]))

            def expert(x: Trip, y: Route, driven: Indices = driven) -> Correction:
                return towards_path(domain, x, y, driven)

            earlier = latest.get(ends)
            copied = None if earlier is None else Route(earlier, (), domain.distance)
            yield Case(Trip(*ends), expert, copied)
            latest[ends] = driven


@dataclass(frozen=True, slots=True, eq=False)
class PlanArchive(Archive):
    """Planned days of one depot, as `PlannedDay`."""

    distances: Matrix

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        past: list[PlannedDay] = []
        domain = self.domain
        for number in order:
            day: PlannedDay = self.cases[number]
            planned = day.local_routes()

            def expert(x: Problem, y: Routes, planned: Routes = planned) -> Correction:
                return towards_plan(domain, x, y, planned)

            differences = [len({*day.demand} ^ {*old.demand}) for old in reversed(past)]
            nearest = differences.index(min(differences)) if past else -1  # the latest of the most similar
            copied = self._adapted(past[-1 - nearest], day) if past else None
            yield Case(day.problem(self.distances), expert, copied)
            past.append(day)

    def _adapted(self, old: PlannedDay, day: PlannedDay) -> Routes:
        """The routes of an earlier day for today's stops; new stops are inserted where they cost least."""
        number = {stop: k + 1 for k, stop in enumerate(day.stops)}
        points = np.array([0, *day.stops])
        d = self.distances[np.ix_(points, points)]
        routes = [[number[s] for s in route if s in number] for route in old.routes]
        routes = [route for route in routes if route]
        while len(routes) > day.vehicles:  # fewer vehicles: the shortest route joins the one before it
            k = min(range(len(routes)), key=lambda k: len(routes[k]))
            short = routes.pop(k)
            routes[k - 1] += short
        routes += [[] for _ in range(day.vehicles - len(routes))]
        for stop in sorted(set(number.values()) - {s for route in routes for s in route}):
            _, r, i = min(
                (d[a, stop] + d[stop, b] - d[a, b], r, i)
                for r, route in enumerate(routes)
                for i, (a, b) in enumerate(zip([0, *route], [*route, 0], strict=True))
            )
            routes[r].insert(i, stop)
        return tuple(np.array(route, dtype=np.int64) for route in routes)


@dataclass(frozen=True, slots=True, eq=False)
class QueryArchive(Archive):
    """Judged queries, with the paper's expert: exchanges neighbours if the second label is 2 higher."""

    budget: Budget = None

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        # One stream per replay: every contender gets the same budgets.
        rng = np.random.default_rng([seed, 5])
        expert = SimulatedExpert(self.domain, self.domain.truth(), kappa=2.0, budget=self.budget, rng=rng)
        for number in order:
            yield Case(self.cases[number], expert)


def open_archive(
    path: str | Path,
    *,
    habits: bool = True,
    budget: Budget = None,
    domain: str | Domain | None = None,
    parameters: dict[str, Any] | None = None,
) -> Archive:
    """Read an archive; its kind is recognised by its files.

    Parameters
    ----------
    path
        A folder with ``links.csv`` and ``trips.csv`` (or ``paths.csv``), and optionally ``nodes.csv`` and
        ``turns.csv`` (or ``transitions.csv``); a folder with ``days.json`` and ``distances.csv``; a LETOR /
        SVMlight file; a CSV file of past routes, see `coactor.loaders.read_past_routes`, or of
        people's choices between alternatives, see `coactor.loaders.read_choices`; or, if a domain is
        given, a file of JSON lines, see `read_cases`.
    habits
        Whether how unusual the parts of a solution are is a feature, see `coactor.habits`.
        Queries have none.
    budget
        Queries: the most exchanges the expert makes, a number or (low, high).
    domain, parameters
        JSON lines: the domain, or the name of an installed one or ``module:Class``, and its parameters.

    Raises FileNotFoundError if a file is missing, and ValueError if one is not valid.
    """
    path = Path(path)
    if domain is not None:
        return read_cases(path, domain, parameters or {}, habits)
    if path.is_file():
        if path.suffix == ".jsonl":
            example = "domain='tour' or --domain tour"
            raise ValueError(f"{path} has cases of some domain; say which, for example {example}.")
        if path.suffix == ".csv":
            with path.open(encoding="utf-8-sig", errors="replace") as file:
                header = {name.strip().lower() for name in file.readline().split(",")}
            return _routes(path, habits) if header & {"lat", "latitude"} else _choices(path)
        queries = loaders.read_letor(path)
        ranking = Ranking(features=queries[0].documents.shape[1])
        digest, start = _digest([path], budget), usual_start(ranking)
        return QueryArchive(ranking, tuple(queries), digest, start, "queries", "exchanges", budget)
    if not path.is_dir():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    files = sorted(file for file in path.iterdir() if file.suffix in (".csv", ".json"))
    if (path / "links.csv").is_file():
        network, trips = loaders.read_roads(path)
        if trips is None:
            raise FileNotFoundError(f"{path} has links.csv, but neither trips.csv nor paths.csv.")
        roads = Roads(network, habits)
        digest, start = _digest(files, habits), usual_start(roads)
        return TripArchive(roads, tuple(trips), digest, start, "trips", "via-points")
    if (path / "days.json").is_file():
        distances = loaders.read_distances(path / "distances.csv")
        days = tuple(loaders.read_plans(path / "days.json", distances))
        plans = Plans(1, soft=True, names=("distance",), habits=habits)
        digest, start = _digest(files, habits), usual_start(plans)
        return PlanArchive(plans, days, digest, start, "plans", "moves", distances)
    raise ValueError(
        f"{path} is not an archive; expected links.csv and trips.csv, days.json and distances.csv, a LETOR "
        "file, a CSV file of choices, or JSON lines and a domain."
    )


def _choices(path: Path) -> CaseArchive:
    """The choices of people between alternatives."""
    domain, choices = loaders.read_choices(path)
    cases = [RecordedCase(one.problem, one.choice, None, None, one.person) for one in choices]
    return CaseArchive.of(cases, domain, _digest([path], None), "choices")


def _routes(path: Path, habits: bool) -> CaseArchive:
    """Past routes, with the rules that they can break as features."""
    days = loaders.read_past_routes(path)
    timed = any(x.tables.timed for x, _, _ in days)
    soft = ("overload", *(("lateness", "waiting") if timed else ()))
    domain = Plans(1, soft=soft, names=("distance",), habits=habits)
    cases = [RecordedCase(x, y) for x, y, _ in days]
    return CaseArchive.of(cases, domain, _digest([path], habits), "plans")


def _digest(files: Sequence[Path], options: object) -> str:
    return hashlib.sha256(f"{data_digest(files)} {options!r}".encode()).hexdigest()

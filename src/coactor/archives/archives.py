"""Archives: recorded solutions of people, as problems with an expert who edits towards the recorded solution.

An archive is replayed in some order through a session, as in a live study: what is learned from a case, and
remembered of it, is known from the next case on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from coactor import loaders
from coactor.archives.reconstructed_edits import towards_path, towards_plan
from coactor.archives.recorded_cases import Case, CaseArchive, RecordedCase, read_cases
from coactor.domains import Network, PlannedDay, Plans, Query, Ranking, Roads, Route, Trip
from coactor.domains.plans import Routes
from coactor.experts import Budget, SimulatedExpert
from coactor.habits import DEFAULT_KINDS, check_kinds
from coactor.lab.engine.cache import data_digest
from coactor.protocol import Correction, Domain, Indices, Problem, Vector

OVERLOAD = 100.0  # start weight of load above capacity, in mean distances per vehicle load: capacities hold


class Archive(Protocol):
    """Past cases that can be replayed in any order."""

    @property
    def kind(self) -> str:
        """What the cases are, in the plural: "trips", "plans", "queries", "choices" or "cases"."""

    @property
    def effort_name(self) -> str:
        """The unit of effort, in the plural."""

    @property
    def digest(self) -> str:
        """A hash of the data and the options, for the cache."""

    @property
    def size(self) -> int:
        """The number of cases."""

    @property
    def domain(self) -> Domain:
        """The domain of the cases."""

    @property
    def start(self) -> Vector:
        """The weights before any learning: plain distance, or all weights 1."""

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        """The cases in this order; each is recorded when the next one is requested."""


@dataclass(frozen=True, slots=True)
class TripArchive:
    """Driven paths on a road network."""

    network: Network
    trips: tuple[Indices, ...]
    domain: Roads
    digest: str
    kind: str = "trips"
    effort_name: str = "via-points"

    @property
    def size(self) -> int:
        return len(self.trips)

    @property
    def start(self) -> Vector:
        return self.domain.distance

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        latest: dict[tuple[int, int], Indices] = {}
        domain = self.domain
        for number in order:
            driven = self.trips[number]
            ends = (int(driven[0]), int(driven[-1]))

            def expert(x: Trip, y: Route, driven: Indices = driven) -> Correction:
                return towards_path(domain, x, y, driven)

            earlier = latest.get(ends)
            copied = None if earlier is None else Route(earlier, (), domain.distance)
            yield Case(Trip(*ends), expert, copied)
            latest[ends] = driven


@dataclass(frozen=True, slots=True)
class PlanArchive:
    """Planned days of one depot."""

    distances: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    days: tuple[PlannedDay, ...]
    domain: Plans
    digest: str
    kind: str = "plans"
    effort_name: str = "moves"

    @property
    def size(self) -> int:
        return len(self.days)

    @property
    def start(self) -> Vector:
        w = np.zeros(self.domain.dim)
        w[0] = 1.0
        w[-1] = OVERLOAD
        return w

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        past: list[PlannedDay] = []
        domain = self.domain
        for number in order:
            day = self.days[number]
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


@dataclass(frozen=True, slots=True)
class QueryArchive:
    """Judged queries, with the paper's expert: exchanges neighbours if the second label is 2 higher."""

    queries: tuple[Query, ...]
    domain: Ranking
    digest: str
    budget: Budget = None
    kind: str = "queries"
    effort_name: str = "exchanges"

    @property
    def size(self) -> int:
        return len(self.queries)

    @property
    def start(self) -> Vector:
        return np.ones(self.domain.dim)

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        # One stream per replay: every contender gets the same budgets.
        rng = np.random.default_rng([seed, 5])
        expert = SimulatedExpert(self.domain, self.domain.truth(), kappa=2.0, budget=self.budget, rng=rng)
        for number in order:
            yield Case(self.queries[number], expert)


def open_archive(
    path: str | Path,
    *,
    habits: bool | Sequence[str] = True,
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
        SVMlight file; a CSV file with people's choices between alternatives, see
        `coactor.loaders.read_choices`; or, if a domain is given, a file of JSON lines, see `read_cases`.
    habits
        Whether how unusual the parts of a solution are is a feature: True, or the kinds of `coactor.habits`.
        Queries have none.
    budget
        Queries: the most exchanges the expert makes, a number or (low, high).
    domain, parameters
        JSON lines: the domain, or the name of an installed one or ``module:Class``, and its parameters.

    Raises FileNotFoundError if a file is missing, and ValueError if one is not valid.
    """
    path = Path(path)
    kinds = check_kinds(()) if habits is False else DEFAULT_KINDS if habits is True else check_kinds(habits)
    if domain is not None:
        return read_cases(path, domain, parameters or {}, habits)
    if path.is_file():
        if path.suffix == ".jsonl":
            example = "domain='tour' or --domain tour"
            raise ValueError(f"{path} has cases of some domain; say which, for example {example}.")
        if path.suffix == ".csv":
            return _choices(path)
        queries = loaders.read_letor(path)
        ranking = Ranking(features=queries[0].documents.shape[1])
        return QueryArchive(tuple(queries), ranking, _digest([path], budget), budget)
    if not path.is_dir():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    files = sorted(file for file in path.iterdir() if file.suffix in (".csv", ".json"))
    if (path / "links.csv").is_file():
        network, trips = loaders.read_roads(path)
        if trips is None:
            raise FileNotFoundError(f"{path} has links.csv, but neither trips.csv nor paths.csv.")
        return TripArchive(network, tuple(trips), Roads(network, kinds), _digest(files, kinds))
    if (path / "days.json").is_file():
        distances = loaders.read_distances(path / "distances.csv")
        days = tuple(loaders.read_plans(path / "days.json", distances))
        plans = Plans(1, soft=True, names=("distance",), habits=kinds)
        return PlanArchive(distances, days, plans, _digest(files, kinds))
    raise ValueError(
        f"{path} is not an archive; expected links.csv and trips.csv, days.json and distances.csv, a LETOR "
        "file, a CSV file of choices, or JSON lines and a domain."
    )


def _choices(path: Path) -> CaseArchive:
    """The choices of people between alternatives."""
    domain, choices = loaders.read_choices(path)
    cases = tuple(RecordedCase(one.problem, one.choice, None, None, one.person) for one in choices)
    return CaseArchive(cases, domain, _digest([path], None), "choices", "corrections")


def _digest(files: Sequence[Path], options: object) -> str:
    return hashlib.sha256(f"{data_digest(files)} {options!r}".encode()).hexdigest()

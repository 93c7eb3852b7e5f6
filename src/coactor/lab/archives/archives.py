"""Archives: what people did, case by case, as problems with an expert who goes there.

An archive is replayed in an order. The problem of a case may know the cases before it in that order (habits),
and never the case itself: what a person did is recorded only after the case is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from coactor import loaders
from coactor.domains import Habits, History, Network, PlannedDay, Plans, Query, Ranking, Roads, Route, Trip
from coactor.domains.plans import Column, Routes
from coactor.experts import Budget, SimulatedExpert
from coactor.lab.archives.reconstructed_edits import towards_path, towards_plan
from coactor.protocol import Correction, Domain, Expert, Indices, Problem, Solution, Vector

KEPT = 100.0  # mean distances a full vehicle too many costs before anything is learned: capacities are kept


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One case of an archive, as it stood before anybody decided it.

    Attributes
    ----------
    problem, expert
        What was asked, and who corrects a proposal towards what was done.
    copied
        The most similar earlier case's solution, made to fit; None when there is none.
    """

    problem: Problem
    expert: Expert
    copied: Solution | None = None


class Archive(Protocol):
    """Past cases that can be replayed in any order."""

    @property
    def kind(self) -> str:
        """ "trips", "plans" or "queries"."""

    @property
    def effort_name(self) -> str:
        """What effort is counted in."""

    @property
    def size(self) -> int:
        """How many cases."""

    @property
    def domain(self) -> Domain: ...

    @property
    def start(self) -> Vector:
        """The weights of somebody who has learned nothing: plain distance, or all features alike."""

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        """The cases in this order; each is recorded when the next one is asked for."""


@dataclass(frozen=True, slots=True)
class TripArchive:
    """Driven paths on a road network."""

    network: Network
    trips: tuple[Indices, ...]
    domain: Roads
    kind: str = "trips"
    effort_name: str = "via-points"

    @property
    def size(self) -> int:
        return len(self.trips)

    @property
    def start(self) -> Vector:
        return self.domain.distance

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        habits = Habits(self.network) if self.domain.habit else None
        seen: dict[tuple[int, int], Indices] = {}
        domain = self.domain
        for number in order:
            driven = self.trips[number]
            ends = (int(driven[0]), int(driven[-1]))
            x = Trip(*ends, habits.costs() if habits else None)

            def expert(x: Trip, y: Route, driven: Indices = driven) -> Correction:
                return towards_path(domain, x, y, driven)

            earlier = seen.get(ends)
            copied = None if earlier is None else Route(earlier, (), domain.distance)
            yield Case(x, expert, copied)
            seen[ends] = driven
            if habits:
                habits.record(driven)


@dataclass(frozen=True, slots=True)
class PlanArchive:
    """Planned days of one depot."""

    distances: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    days: tuple[PlannedDay, ...]
    columns: tuple[Column, ...]
    domain: Plans
    kind: str = "plans"
    effort_name: str = "moves"

    @property
    def size(self) -> int:
        return len(self.days)

    @property
    def start(self) -> Vector:
        w = np.zeros(self.domain.dim)
        w[0] = 1.0
        w[-1] = KEPT
        return w

    def replay(self, order: Sequence[int] | Indices, seed: int = 0) -> Iterator[Case]:
        history = History(self.distances, self.columns)
        past: list[PlannedDay] = []
        domain = self.domain
        for number in order:
            day = self.days[number]
            x = history.problem(day)
            planned = day.local_routes()

            def expert(x: Problem, y: Routes, planned: Routes = planned) -> Correction:
                return towards_plan(domain, x, y, planned)

            nearest = history.most_similar(day)
            copied = None if nearest < 0 else self._fitted(past[nearest], day)
            yield Case(x, expert, copied)
            history.record(day)
            past.append(day)

    def _fitted(self, old: PlannedDay, day: PlannedDay) -> Routes:
        """Another day's routes for today's stops: gone ones left out, new ones put where they cost least."""
        number = {stop: k + 1 for k, stop in enumerate(day.stops)}
        points = np.array([0, *day.stops])
        d = self.distances[np.ix_(points, points)]
        routes = [[number[s] for s in route if s in number] for route in old.routes]
        routes = [route for route in routes if route]
        while len(routes) > day.vehicles:  # fewer vans today: the shortest route joins the one before it
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
    """Judged queries; the expert is the paper's: exchange neighbours if the later label is 2 higher."""

    queries: tuple[Query, ...]
    domain: Ranking
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
        # One stream a replay: every line that is shown this order meets the same budgets.
        rng = np.random.default_rng([seed, 5])
        expert = SimulatedExpert(self.domain, self.domain.truth(), kappa=2.0, budget=self.budget, rng=rng)
        for number in order:
            yield Case(self.queries[number], expert)


def open_archive(
    path: str | Path, *, habit: bool = True, columns: Sequence[Column] = ("similar",), budget: Budget = None
) -> Archive:
    """Recognise and read an archive.

    Parameters
    ----------
    path
        A folder with ``links.csv`` and ``trips.csv`` (or ``paths.csv``), and optionally ``nodes.csv`` and
        ``turns.csv`` (or ``transitions.csv``); a folder with ``days.json`` and ``distances.csv``; or a
        LETOR / SVMlight file.
    habit
        Trips: whether routes know how usual each turn was on earlier trips.
    columns
        Plans: the features beside distance, see `domains.History`.
    budget
        Queries: the most exchanges the expert makes, a number or (low, high).
    """
    path = Path(path)
    if path.is_file():
        queries = loaders.read_letor(path)
        return QueryArchive(tuple(queries), Ranking(features=queries[0].documents.shape[1]), budget)
    if not path.is_dir():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    if (path / "links.csv").is_file():
        network, trips = loaders.read_roads(path)
        if trips is None:
            raise FileNotFoundError(f"{path} has links.csv, but neither trips.csv nor paths.csv.")
        return TripArchive(network, tuple(trips), Roads(network, habit))
    if (path / "days.json").is_file():
        distances = loaders.read_distances(path / "distances.csv")
        days = tuple(loaders.read_plans(path / "days.json", distances))
        history = History(distances, tuple(columns))
        domain = Plans(len(history.names), soft=True, names=history.names)
        return PlanArchive(distances, days, tuple(columns), domain)
    raise ValueError(
        f"{path} is no archive: expected links.csv and trips.csv, days.json and distances.csv, or a LETOR "
        f"file."
    )

"""The default learner against the Markov model of routing by historical solutions, on a planner's days.

    python benchmarks/markov.py planner_routes [--tuned 39]

The peer is the model of Canoy, Guns and others ("Vehicle routing by learning from historical solutions"),
written from its formulas. A route is a Markov chain over stops. With n_k(i, j) = 1 if day k goes from i to j,

    P(j | i) = (sum_k v_k n_k(i, j) + a) / (sum_k v_k n_k(i, .) + a m)    m: the stops of today and the depot
    v_k      = 0.5 ^ (age of k / half-life) * jaccard(stops of k and today) ^ s * c, c = 1 on other weekdays
    Q(j | i) = softmax of -distance(i, j) / mean distance over the stops of today
    cost     = -b log P - (1 - b) log Q

and the solver of the domain finds the routes with the least cost. a, half-life, s, c and b are tuned one
after the other, twice, on the first days in date order; what is printed is the effort on the other days, with
the earlier ones as history. Both learn from every day once it is over.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from coactor.archives import Archive, open_archive
from coactor.archives.replays import replay
from coactor.domains.plans import Day, PlannedDay
from coactor.habits import start_weights
from coactor.lab.engine.contenders import parse_contenders
from coactor.loaders import read_distances, read_plans
from coactor.protocol import Matrix, Vector

Days = list[PlannedDay]
GRID = {
    "smoothing": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
    "half_life": (np.inf, 40.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0),
    "similarity": (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0),
    "same_weekday": (1.0, 2.0, 4.0, 8.0, 16.0, 64.0),
    "share": (0.1, 0.3, 0.5, 0.7, 0.9, 1.0),
}


@dataclass(frozen=True)
class Markov:
    """The parameters of the model: a, half-life, s, c and b."""

    smoothing: float = 0.1
    half_life: float = 20.0
    similarity: float = 1.0
    same_weekday: float = 2.0
    share: float = 0.9

    def costs(self, days: Days, distances: Matrix, today: int) -> Matrix:
        """The costs of the arcs of one day."""
        day = days[today]
        counts = np.zeros_like(distances)
        for k, past in enumerate(days[:today]):
            common = len({*past.stops} & {*day.stops}) / len({*past.stops} | {*day.stops})
            value = 0.5 ** ((today - k) / self.half_life) * common**self.similarity
            value *= self.same_weekday if past.weekday == day.weekday else 1.0
            for route in past.routes:
                for i, j in zip((0, *route), (*route, 0), strict=True):
                    counts[i, j] += value
        points = np.array([0, *day.stops])
        visits = counts.sum(axis=1)[points]
        likely = counts[np.ix_(points, points)] + self.smoothing
        likely /= (visits + self.smoothing * len(points))[:, None]
        near = -distances[np.ix_(points, points)] / distances.mean()
        np.fill_diagonal(near, -np.inf)
        near -= np.log(np.exp(near).sum(axis=1, keepdims=True))
        np.fill_diagonal(near, 0.0)
        costs: Matrix = -self.share * np.log(likely) - (1.0 - self.share) * near
        return costs

    def effort(self, archive: Archive, days: Days, distances: Matrix, chosen: range) -> Vector:
        """The moves from the proposal of each day to what the planner did."""
        efforts, start = [], start_weights(archive.domain)
        assert start is not None
        for today, case in zip(chosen, archive.replay(chosen), strict=True):
            x: Day = case.problem
            costs = self.costs(days, distances, today)
            weighed = Day.of(costs, x.demand, x.capacity, x.stops)
            y = archive.domain.solve(weighed, np.array([1.0, start[-1] * costs.mean()]))
            efforts.append(case.expert(x, y).effort)
        return np.array(efforts)

    @classmethod
    def tuned(cls, archive: Archive, days: Days, distances: Matrix, chosen: range) -> Markov:
        """The best of the grid on some days, one parameter after the other, twice."""
        best = cls()
        for _ in range(2):
            for name, values in GRID.items():
                candidates = [replace(best, **{name: value}) for value in values]
                best = min(candidates, key=lambda one: one.effort(archive, days, distances, chosen).sum())
        return best


def interval(values: Vector, rng: np.random.Generator) -> str:
    """The mean and its 95 % interval by a bootstrap of days."""
    means = values[rng.integers(len(values), size=(2000, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("archive")
    options.add_argument("--tuned", type=int, default=39, help="days that the parameters are tuned on")
    given = options.parse_args()
    archive, plain = open_archive(given.archive), open_archive(given.archive, habits=False)
    first, last = range(1, given.tuned), range(given.tuned, archive.size)
    distances = read_distances(Path(given.archive) / "distances.csv")
    data = plain, read_plans(Path(given.archive) / "days.json", distances), distances
    markov = Markov.tuned(*data, first)
    print("tuned:", ", ".join(f"{f.name} {getattr(markov, f.name):g}" for f in fields(markov)))
    rows = {"best Markov model": markov.effort(*data, last)}
    for contender in parse_contenders(["default", "alike", "copy"], "archive"):
        rows[contender.text] = replay(archive, contender, range(archive.size)).efforts[last.start :]
    print("| last days in date order | moves a day | less than the Markov model |\n|---|---|---|")
    for name, efforts in rows.items():
        less = rows["best Markov model"] - efforts
        rng = np.random.default_rng(0)
        print(f"| {name} | {interval(efforts, rng)} | {interval(less, rng)} |")


if __name__ == "__main__":
    main()

"""Evaluate contenders on an archive: replay several orders of its cases, and compare effort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coactor import display, frames
from coactor.archives.cases import Archive
from coactor.archives.replays import Replay, replay
from coactor.frames import Backend
from coactor.lab.engine import atomic_files
from coactor.lab.engine.cache import Cache, source_digests
from coactor.lab.engine.contenders import ALIKE, COPY, HINDSIGHT, START, Contender, parse_contenders
from coactor.lab.engine.parallel import Jobs, run_all
from coactor.lab.engine.statistics import FEWEST_CASES, Interval, flat, limits, mean_over_cases
from coactor.lab.output.plotting import COLOURS, REFERENCE
from coactor.protocol import Indices, Matrix, Vector
from coactor.validation import checked_type

TRUE_ORDER = -1
EARLY = 5  # the first cases of a person
_BASELINES = {
    START: (REFERENCE, "--"),
    COPY: ("#888888", ":"),
    ALIKE: ("#B0A070", ":"),
    HINDSIGHT: ("#000000", "-."),
}
_MOST = 9  # curves in the figure: the baselines, and the best learners


@dataclass(frozen=True, slots=True)
class ReplayTask:
    """One contender on one order; order -1 is the archive's own."""

    contender: Contender
    order: int
    cases: int
    seed: int

    def __str__(self) -> str:
        return f"{self.contender.text}, {'true order' if self.order == TRUE_ORDER else f'order {self.order}'}"


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The result of `evaluate`.

    Attributes
    ----------
    archive
        What was replayed.
    efforts, weights, quality
        Of each contender: the effort of each case, shape (orders, cases); the final weights, shape
        (orders, d); the mean NDCG of each order, NaN unless the archive has queries.
    order
        Which case of the archive each one is, shape (orders, cases).
    settings
        The parameters, as JSON-able data.
    early
        Which cases are among the first five of a person, shape (orders, cases); None if there is one person.
    """

    archive: Archive
    efforts: dict[str, Matrix]
    weights: dict[str, Matrix]
    quality: dict[str, Vector]
    order: Indices
    settings: dict[str, Any]
    early: Matrix | None = None

    @property
    def cases(self) -> int:
        """The number of cases of each order."""
        return int(self.order.shape[1])

    @property
    def title(self) -> str:
        """What was replayed, and in which orders, in words."""
        orders = self.settings["orders"]
        times = "their true order" if orders is None else f"{orders} random order{'s' if orders > 1 else ''}"
        return f"{self.cases} {self.archive.kind}, {'in ' if orders is None else ''}{times}"

    @property
    def note(self) -> str:
        """What the intervals are about."""
        different = len(np.unique(self.order))
        if different < FEWEST_CASES:
            return f"There are no intervals: {different} different cases are too few to speak of new ones."
        return (
            f"Intervals are 95 % intervals over cases: a bootstrap of {different} cases, each with its "
            "effort in all orders. They say what other cases of the same kind would have changed."
        )

    def mean(self, name: str) -> Interval:
        """The effort per case of a contender, with an interval over cases."""
        return self.over_cases(self.efforts[name])

    def saved(self, name: str, against: str = START) -> Interval:
        """The effort per case that a contender saves against another one; paired."""
        return self.over_cases(self.efforts[against] - self.efforts[name])

    def over_cases(self, efforts: Matrix) -> Interval:
        """The mean of values of shape (orders, cases), with an interval over cases."""
        case, counts = np.unique(self.order, return_inverse=True, return_counts=True)[1:]
        # The same cases are drawn for every contender.
        rng = np.random.default_rng([self.settings["seed"], 1])
        totals = np.asarray(np.bincount(case.ravel(), efforts.ravel()), np.float64)
        return mean_over_cases(totals, counts.astype(np.float64), rng)

    def rows(self) -> list[dict[str, Any]]:
        """The table, one row per contender."""
        sixth = max(1, self.cases // 6)
        base = float(self.efforts[START].mean())
        table = []
        for name, efforts in self.efforts.items():
            saved = self.saved(name)
            table.append(
                {
                    "learner": name,
                    **flat({"effort": self.mean(name), "saved": saved}),
                    "saved_percent": 100.0 * saved.value / base if base else 0.0,
                    "untouched": float((efforts == 0).mean()),
                    "first_sixth": float(efforts[:, :sixth].mean()),
                    "last_sixth": float(efforts[:, -sixth:].mean()),
                    "newcomers": None if self.early is None else float(efforts[self.early > 0].mean()),
                    "quality": float(self.quality[name].mean()) if self.archive.kind == "queries" else None,
                }
            )
        return table

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """One row for each contender as a data frame, see `coactor.frames.to_frame`."""
        return frames.to_frame(self.rows(), backend)

    def plot(self, ax: Any = None) -> Any:
        """Draw effort per case, smoothed, with a 95 % band over the orders, and return the axes."""
        axes = frames.axes_of(ax)
        window = max(1, min(self.cases // 6, 500))
        steps, colours = np.arange(window, self.cases + 1), iter(COLOURS)
        for name in self.selected():
            efforts = self.efforts[name]
            colour, dashes = _BASELINES.get(name) or (next(colours), "-")
            curves = np.array([np.convolve(row, np.full(window, 1 / window), "valid") for row in efforts])
            label = f"{name}  {efforts.mean():.3g}"
            axes.plot(steps, curves.mean(axis=0), color=colour, linestyle=dashes, label=label)
            if len(curves) > 1:
                low, high = limits(curves)
                axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.set_xlabel(f"{self.archive.kind} so far")
        axes.set_ylabel(f"{self.archive.effort_name} per case, mean of the last {window}")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(
            frameon=False,
            fontsize=8.5,
            title="mean effort",
            alignment="left",
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
        )
        return axes

    def selected(self) -> list[str]:
        """The contenders in the figure: the baselines, then the learners with the least effort."""
        baselines = [name for name in _BASELINES if name in self.efforts]
        learners = [name for name in self.efforts if name not in _BASELINES]
        learners.sort(key=lambda name: (name != "default", float(self.efforts[name].mean())))
        return [*baselines, *learners][:_MOST]

    def __repr__(self) -> str:
        return f"<Evaluation of {self.title}: {', '.join(self.efforts)}>"

    def _repr_html_(self) -> str:
        rows = self.rows()
        return f"<p>{self.title}</p>" + display.table([*rows[0]], [[*row.values()] for row in rows])


def evaluate(
    archive: Archive,
    learners: Sequence[str],
    *,
    orders: int | None = 10,
    cases: int | None = None,
    seed: int = 0,
    proposals: str = "paper",
    folder: str | Path | None = None,
    jobs: Jobs = None,
    silent: bool = True,
) -> Evaluation:
    """Replay an archive with several contenders, all on the same orders of its cases.

    Parameters
    ----------
    archive
        From `open_archive`; `Archive.starting_at` gives it other start weights.
    learners
        Contenders such as "default", "PER@start", "copy" or "hindsight", see `coactor.lab.engine.contenders`.
        "start" is always added.
    orders
        The number of random orders; each is a sample of the archive without replacement. None replays once,
        in the archive's own order.
    cases
        The number of cases of each order; all by default.
    seed
        The seed of all random numbers.
    proposals
        The proposal strategy of learners that name none, see `coactor.proposals`.
    folder
        Where finished replays are cached, so that a stopped evaluation resumes; None caches nothing.
    jobs, silent
        Processes on this machine (by default one per core), or the address of a Dask scheduler; show no
        progress. The numbers do not depend on it.
    """
    checked_type(archive, Archive, "The archive")
    cases = archive.size if cases is None else cases
    if not 1 <= cases <= archive.size:
        raise ValueError(f"The number of cases is {cases}; the archive has {archive.size}.")
    contenders = parse_contenders(list(dict.fromkeys([START, *learners])), "archive", proposals)
    numbers = [TRUE_ORDER] if orders is None else list(range(orders))
    tasks = [ReplayTask(contender, number, cases, seed) for number in numbers for contender in contenders]
    cache = None
    if folder is not None:
        atomic_files.prepare(Path(folder))
        cache = _cache(Path(folder), archive)
    results = run_all(_replay, archive, tasks, cache=cache, jobs=jobs, silent=silent)
    replays: dict[str, list[Replay]] = {contender.text: [] for contender in contenders}
    for task, result in zip(tasks, results, strict=True):
        replays[task.contender.text].append(result)
    order = np.array([order_of(archive, number, cases, seed) for number in numbers])
    return Evaluation(
        archive,
        {name: np.array([r.efforts for r in own]) for name, own in replays.items()},
        {name: np.array([r.weights for r in own]) for name, own in replays.items()},
        {name: np.array([r.quality for r in own]) for name, own in replays.items()},
        order,
        {"orders": orders, "cases": cases, "seed": seed, "proposals": proposals},
        _early(archive, order),
    )


def _early(archive: Archive, orders: Indices) -> Matrix | None:
    """Which cases of each order are among the first of a person; None if there is one person."""
    people = [case.person for case in archive.cases]
    if len(set(people)) < 2:
        return None
    early = np.zeros(orders.shape)
    for flags, order in zip(early, orders, strict=True):
        turns: Counter[str] = Counter()
        for place, number in enumerate(order):
            turns[people[number]] += 1
            flags[place] = turns[people[number]] <= EARLY
    return early


def order_of(archive: Archive, number: int, cases: int, seed: int) -> Indices:
    """The cases of one order; addressed by seed and number, so that more orders change none."""
    if number == TRUE_ORDER:
        return np.arange(cases)
    return np.random.default_rng([seed, number]).permutation(archive.size)[:cases]


def _replay(archive: Archive, task: ReplayTask) -> Replay:
    order = order_of(archive, task.order, task.cases, task.seed)
    return replay(archive, task.contender, order, seed=task.seed + max(0, task.order))


def _cache(folder: Path, archive: Archive) -> Cache[ReplayTask, Replay]:
    def inputs(task: ReplayTask) -> dict[str, Any]:
        return {
            "archive": archive.digest,
            "task": asdict(task),
            "sources": source_digests([task.contender.learner]),
        }

    return Cache(folder, inputs, _unpack)


def _unpack(task: ReplayTask, data: dict[str, Any]) -> Replay | None:
    efforts, weights = np.array(data["efforts"], np.float64), np.array(data["weights"], np.float64)
    return Replay(efforts, weights, data["quality"]) if efforts.shape == (task.cases,) else None

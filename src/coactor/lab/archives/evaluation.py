"""An evaluation: several lines replayed over several orders of one archive, and what may be said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coactor.lab.archives.archives import Archive
from coactor.lab.archives.contenders import START, Line, parse_line
from coactor.lab.archives.parallel import run_all
from coactor.lab.archives.replays import Replay, replay
from coactor.lab.engine.progress import Progress
from coactor.lab.engine.statistics import Interval, interval, resamples
from coactor.protocol import Indices, Matrix, Vector

TRUE_ORDER = -1


@dataclass(frozen=True, slots=True)
class Task:
    """One line on one order; order -1 is the archive's own."""

    line: Line
    order: int
    cases: int
    seed: int
    proposals: str

    def __str__(self) -> str:
        return f"{self.line.text}, {'true order' if self.order == TRUE_ORDER else f'order {self.order}'}"


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What each line cost, shape (orders, cases), and the weights it ended with, (orders, d)."""

    kind: str
    effort_name: str
    efforts: dict[str, Matrix]
    weights: dict[str, Matrix]
    quality: dict[str, Vector]
    true_order: bool
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        return int(next(iter(self.efforts.values())).shape[1])

    @property
    def orders(self) -> int:
        return len(next(iter(self.efforts.values())))

    def mean(self, line: str) -> Interval:
        """Effort a case. Drawn again are the orders; for a single order, its cases."""
        return self._interval(self.efforts[line])

    def less_than(self, line: str, other: str = START) -> Interval:
        """How much less effort than another line, a case; paired."""
        return self._interval(self.efforts[other] - self.efforts[line])

    def untouched(self, line: str) -> float:
        """The share of proposals that needed nothing."""
        return float((self.efforts[line] == 0).mean())

    def block(self, line: str, first: bool) -> float:
        """Effort a case in the first or the last sixth (of 3,000 trips: 500)."""
        size = max(1, self.cases // 6)
        rows = self.efforts[line]
        return float((rows[:, :size] if first else rows[:, -size:]).mean())

    def rows(self) -> list[dict[str, float | str]]:
        """The table, one row a line."""
        table: list[dict[str, float | str]] = []
        for line in self.efforts:
            mean, less = self.mean(line), self.less_than(line)
            base = float(self.efforts[START].mean())
            table.append(
                {
                    "line": line,
                    "effort": mean.value,
                    "effort_low": mean.low,
                    "effort_high": mean.high,
                    "saved": less.value,
                    "saved_low": less.low,
                    "saved_high": less.high,
                    "saved_percent": 100.0 * less.value / base if base else 0.0,
                    "untouched": self.untouched(line),
                    "first_sixth": self.block(line, True),
                    "last_sixth": self.block(line, False),
                    "quality": float(self.quality[line].mean()),
                }
            )
        return table

    def _interval(self, rows: Matrix) -> Interval:
        values = rows[0] if self.orders == 1 else rows.mean(axis=1)
        return interval(values, resamples(self.seed, len(values), "evaluate"))


def evaluate(
    archive: Archive,
    lines: Sequence[str],
    *,
    orders: int = 10,
    cases: int | None = None,
    seed: int = 0,
    true_order: bool = False,
    proposals: str = "paper",
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Replay an archive with several lines, all over the same orders.

    Parameters
    ----------
    archive
        From `open_archive`.
    lines
        What proposes, see `evaluate.lines`; "start" is always among them.
    orders
        How many random orders; each is a sample of the archive without repetition.
    cases
        Cases an order; all by default.
    true_order
        Replay in the archive's own order instead.
    proposals
        Which of the solver's local optima to show, see `coactor.proposals`.
    """
    cases = archive.size if cases is None else cases
    if not 1 <= cases <= archive.size:
        raise ValueError(f"{cases} cases were asked for; the archive has {archive.size}.")
    texts = list(dict.fromkeys([START, *lines]))
    numbers = [TRUE_ORDER] if true_order else list(range(orders))
    parsed = [parse_line(text) for text in texts]
    tasks = [Task(line, number, cases, seed, proposals) for number in numbers for line in parsed]
    if progress is not None:
        progress.total = len(tasks)
    found = run_all(_work, archive, tasks, jobs=jobs, cluster=cluster, progress=progress)
    by_line: dict[str, list[Replay]] = {text: [] for text in texts}
    for task, result in zip(tasks, found, strict=True):
        by_line[task.line.text].append(result)
    return Evaluation(
        archive.kind,
        archive.effort_name,
        {text: np.array([r.efforts for r in results]) for text, results in by_line.items()},
        {text: np.array([r.weights for r in results]) for text, results in by_line.items()},
        {text: np.array([r.quality for r in results]) for text, results in by_line.items()},
        true_order,
        seed,
        {"orders": len(numbers), "cases": cases, "seed": seed, "proposals": proposals},
    )


def order_of(archive: Archive, number: int, cases: int, seed: int) -> Indices:
    """The cases of one order: addressed by seed and number, so that more orders change none."""
    if number == TRUE_ORDER:
        return np.arange(cases)
    return np.random.default_rng([seed, number]).permutation(archive.size)[:cases]


def _work(archive: Archive, task: Task) -> Replay:
    order = order_of(archive, task.order, task.cases, task.seed)
    return replay(archive, task.line, order, seed=task.seed + max(0, task.order), proposals=task.proposals)

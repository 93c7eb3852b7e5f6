"""The settings of `coactor bench`, its rows, and its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coactor import display, frames
from coactor.archives import evaluate, open_archive
from coactor.bench import peers
from coactor.bench.people import NEWCOMER, Cell, Task, measure_cell
from coactor.frames import Backend
from coactor.lab.engine import atomic_files
from coactor.lab.engine.contenders import OURS, PAPER, parse_contenders
from coactor.lab.engine.parallel import Jobs, run_all
from coactor.lab.engine.statistics import Interval, effort_interval, flat, interval
from coactor.lab.output.curves import short
from coactor.lab.output.plotting import COLOURS, encode, new_figure
from coactor.lab.paper.experiment import Settings, measure
from coactor.lab.paper.panels import PANELS
from coactor.protocol import Vector
from coactor.version import __version__

PEOPLE = (Cell("tsp-clean", "similar", 5), Cell("mtsp-clean", "groups", 5))
FULL, QUICK = (10, 300), (2, 30)  # runs, and examples of each
_LEAST = 0.05  # on the logarithmic axis of the picture


@dataclass(frozen=True, slots=True, repr=False)
class Bench:
    """What `bench` measured.

    Attributes
    ----------
    title
        The version, the size and the seed.
    rows
        For each setting and learner: the effort, and that minus the default's, with 95 % intervals. The
        verdict is "less" or "more" if it needs so beyond the interval.
    """

    title: str
    rows: list[dict[str, Any]]

    def __repr__(self) -> str:
        return f"<Bench: {self.title}>"

    def __str__(self) -> str:
        return "\n".join([self.title, *("  ".join(map(str, row)) for row in self._cells())])

    def _cells(self) -> list[list[Any]]:
        """Rows for people: an estimate and its interval in one cell."""

        def cell(row: dict[str, Any], name: str) -> str:
            return f"{row[name]:.4g} [{row[f'{name}_low']:.4g}, {row[f'{name}_high']:.4g}]"

        plain = ("setting", "learner", "effort", "difference", "verdict")
        return [
            [cell(row, k) if k in ("effort", "difference") else row[k] for k in plain] for row in self.rows
        ]

    def to_frame(self, *, backend: Backend | None = None) -> Any:
        """One row for each setting and learner as a data frame, see `coactor.frames.to_frame`."""
        return frames.to_frame(self.rows, backend)

    def plot(self, ax: Any = None) -> Any:
        """Draw the effort over the default's with 95 % intervals, setting by setting; return the axes."""
        axes = frames.axes_of(ax)
        base = {row["setting"]: row["effort"] or 1.0 for row in self.rows if row["learner"] == OURS}
        settings, learners = [*base], [*dict.fromkeys(row["learner"] for row in self.rows)]
        for k, name in enumerate(learners):
            rows = [row for row in self.rows if row["learner"] == name]
            at = [settings.index(row["setting"]) + 0.8 * k / len(learners) - 0.4 for row in rows]
            ends = ("difference", "difference_low", "difference_high")
            over = [[1 + row[end] / base[row["setting"]] for row in rows] for end in ends]
            middle, low, high = np.maximum(over, _LEAST)
            style = {"color": COLOURS[k % len(COLOURS)], "fmt": "os^DvPX<"[(k + k // 8) % 8]}
            axes.errorbar(middle, at, xerr=(middle - low, high - middle), markersize=4, label=name, **style)
        axes.axvline(1.0, color="#888888", lw=0.8)
        axes.set(xscale="log", xlabel="effort over that of the default")
        axes.set_yticks(range(len(settings)), settings)
        axes.invert_yaxis()
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return axes

    def _repr_html_(self) -> str:
        head = ("setting", "learner", "effort", "minus the default", "needs")
        table = display.table(head, self._cells(), len(self.rows))
        return f"<h1>{display.escape(self.title)}</h1>{table}"

    def write(self, folder: str | Path) -> Path:
        """Write the page with its picture to a folder; return its path."""
        size = 9, 1 + 0.8 * len({row["setting"] for row in self.rows})
        with new_figure(figsize=size, layout="constrained") as figure:
            self.plot(figure.add_subplot())
            picture = encode(figure)[1]
        path = Path(folder) / "bench.html"
        atomic_files.prepare(path.parent)
        picture = picture[picture.index("<svg") :]
        path.write_text(f"<!doctype html><meta charset=utf-8>{self._repr_html_()}{picture}", "utf-8")
        return path


def bench(
    learners: Sequence[str] = (),
    *,
    archives: Sequence[Any] = (),
    quick: bool = False,
    seed: int = 0,
    jobs: Jobs = None,
    silent: bool = True,
) -> Bench:
    """Compare learners with the paper's four, the default and the peers that are installed.

    On the paper's eight panels (two of them generated rankings), on two panels with five people, and on
    archives; all in the same paired runs. The numbers do not depend on the machine, but for peers that use
    their own BLAS.

    Parameters
    ----------
    learners
        Names, or "module:Class" of your own, as in `coactor.lab.compare`.
    archives
        Paths or data frames, see `coactor.archives.open_archive`.
    quick
        Two runs of 30 examples: it decides nothing.
    seed
        The seed of all random numbers.
    jobs, silent
        Processes on this machine, by default one per core; show no progress.
    """
    opened = [open_archive(given) for given in archives]
    names = [*dict.fromkeys([*learners, OURS, *PAPER, *peers.installed()])]
    (runs, examples), rows = QUICK if quick else FULL, list[dict[str, Any]]()
    for result in measure(Settings([*PANELS], names, runs, examples, seed), jobs=jobs, silent=silent):
        rows += _paired(result.panel.name, result.totals())
    contenders = parse_contenders(names, "panel")
    tasks = [Task(cell, run, seed, examples, contenders) for cell in PEOPLE for run in range(runs)]
    costs = np.array(run_all(measure_cell, None, tasks, jobs=jobs, silent=silent))
    for k, cell in enumerate(PEOPLE):
        totals = costs[k * runs : (k + 1) * runs, :, :-NEWCOMER].sum(axis=2).T
        rows += _paired(str(cell), dict(zip(names, totals, strict=True)))
    for given, archive in zip(archives, opened, strict=True):
        cases = min(archive.size, 10 * examples)
        done = evaluate(archive, names, orders=runs, cases=cases, seed=seed, jobs=jobs, silent=silent)
        setting = Path(given).name if isinstance(given, str | Path) else archive.kind
        rows += _rows(setting, names, done.mean, partial(done.saved, OURS))
    size = f"{runs} runs of {examples} examples, seed {seed}"
    return Bench(f"coactor bench {__version__}: {size}", rows)


def _paired(setting: str, totals: Mapping[str, Vector]) -> list[dict[str, Any]]:
    def over(name: str) -> Interval:
        return interval(totals[name] - totals[OURS])

    return _rows(setting, [*totals], lambda name: effort_interval(totals[name]), over)


def _rows(
    setting: str, names: Sequence[str], effort: Callable[[str], Interval], over: Callable[[str], Interval]
) -> list[dict[str, Any]]:
    rows = []
    for name in names:
        apart = over(name)
        verdict = "less" if apart.high < 0 else "more" if apart.low > 0 else "level"
        row = {"setting": setting, "learner": short(name), "effort": effort(name), "difference": apart}
        rows.append({**flat(row), "verdict": verdict})
    return rows

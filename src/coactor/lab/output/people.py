"""Panels with several people as files: a table, a page of text and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coactor.lab.engine import atomic_files
from coactor.lab.output.plotting import COLOURS, REFERENCE, encode, new_figure
from coactor.lab.output.rendering import render
from coactor.lab.output.tables import to_csv
from coactor.lab.people import NEWCOMER, PEOPLE, PeopleCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILES = ("people.csv", "people.md", "people.png", "people.svg")
_MARKERS = ("o", "s", "^")


def write(folder: Path, cells: Sequence[PeopleCell], command: str, size: str) -> None:
    """Write every file into a folder. All cells have the same contenders."""
    png, svg = draw(cells)
    others = list(cells[0].others)
    text = render("people.md", cells=cells, others=others, command=command, size=size, newcomer=NEWCOMER)
    contents: tuple[str | bytes, ...] = (to_csv([cell.row() for cell in cells]), text, png, svg)
    for name, content in zip(FILES, contents, strict=True):
        atomic_files.write(folder / name, content)


def draw(cells: Sequence[PeopleCell]) -> tuple[bytes, str]:
    """One plot per panel: the ratio of each cell with its interval, and the goal as a bar."""
    bases = list(dict.fromkeys(cell.base for cell in cells))
    rows = -(-len(bases) // 2)
    with new_figure(figsize=(9.0, 2.6 * rows + 0.4), layout="constrained") as figure:
        grid = figure.subplots(rows, min(2, len(bases)), squeeze=False).ravel()
        for axes, base in zip(grid, bases, strict=False):
            _plot(axes, base, [cell for cell in cells if cell.base == base])
        for axes in grid[len(bases) :]:
            axes.axis("off")
        return encode(figure)


def _plot(axes: Axes, base: str, cells: Sequence[PeopleCell]) -> None:
    tastes = list(dict.fromkeys(cell.tastes for cell in cells))
    shown = [people for people in PEOPLE if any(cell.people == people for cell in cells)]
    for place, people in enumerate(shown):
        k = PEOPLE.index(people)
        own = [cell for cell in cells if cell.people == people]
        places = [tastes.index(cell.tastes) + 0.22 * (place - (len(shown) - 1) / 2) for cell in own]
        for x, cell in zip(places, own, strict=True):
            axes.plot([x - 0.09, x + 0.09], [cell.goal] * 2, color=REFERENCE, linewidth=2.5, alpha=0.5)
        ratios = [cell.ratio for cell in own]
        axes.errorbar(
            places,
            [ratio.value for ratio in ratios],
            [[max(0.0, r.value - r.low) for r in ratios], [max(0.0, r.high - r.value) for r in ratios]],
            color=COLOURS[k],
            marker=_MARKERS[k],
            markersize=5,
            capsize=2,
            linestyle="none",
            label=f"{people} people",
        )
    axes.axhline(1.0, color=REFERENCE, linewidth=0.8, linestyle=":")
    axes.set_xticks(range(len(tastes)), tastes)
    axes.set_xlim(-0.5, len(tastes) - 0.5)
    axes.set_ylim(bottom=0.0)
    axes.set_title(base, fontsize=9.5)
    axes.set_ylabel("effort over the better\nof pooled and separate", fontsize=8)
    axes.legend(fontsize=7.5, loc="lower right")

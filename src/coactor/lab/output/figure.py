"""The paper's figure: average effort against examples, one plot per panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from coactor.lab.engine.contenders import EXPERT
from coactor.lab.engine.statistics import checkpoints, limits, running_mean
from coactor.lab.output.plotting import COLOURS, REFERENCE, encode, new_figure
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Indices, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Dashes and markers tell the curves apart in grey print.
_DASHES: tuple[tuple[Any, str], ...] = (
    ("-", "o"),
    ((0, (6, 1.5)), "s"),
    ((0, (1.2, 1.2)), "^"),
    ((0, (6, 1.5, 1.2, 1.5)), "D"),
    ((0, (10, 2)), "v"),
    ((0, (8, 2, 2, 2, 2, 2)), "P"),
    ((0, (3, 1)), "X"),
    ((0, (2, 2)), "<"),
)
_STYLES = tuple((colour, *dashes) for colour, dashes in zip(COLOURS, _DASHES, strict=True))
_EXPERT_STYLE = (REFERENCE, (0, (4, 3)), "")
_FIXED = {"PER": 0, "CSPER": 1, "PA": 2, "CSPA": 3, "default": 4}
_FIRST_SHARE = 0.05  # of the examples; on a linear axis their costs may lie above the visible range
_LABEL_GAP = 0.075  # between two labels, as a share of the axes' height

Styles: TypeAlias = dict[str, tuple[str, Any, str]]
"""contender -> colour, dashes, marker."""
End: TypeAlias = tuple[str, str, float]
"""Where a curve ends: contender, colour, height."""


def short(name: str) -> str:
    """The label of a contender: a class of the user without its module."""
    return name.rpartition(":")[2]


def draw(results: Sequence[PanelResult]) -> tuple[bytes, str]:
    """The figure as PNG bytes and as SVG text."""
    names = list(dict.fromkeys(name for result in results for name in result.costs))
    styles = _assign(names)
    columns = 1 if len(results) == 1 else 2
    rows = -(-len(results) // columns)
    with new_figure() as figure:
        grid = _grid(figure, rows, columns, max(len(short(name)) for name in names))
        for axes, result in zip(grid, results, strict=False):
            _label_ends(axes, _panel(axes, result, styles))
        for axes in grid[len(results) :]:
            axes.set_visible(False)
        return encode(figure)


def _grid(figure: Figure, rows: int, columns: int, longest: int) -> list[Axes]:
    """Axes of one size, with space at the right for labels of this many letters (all in inches)."""
    left, right, above, below = 0.72, 0.33 + 0.085 * longest, 0.36, 0.5
    wide, high = 4.2, 2.5
    width, height = columns * (left + wide + right), rows * (above + high + below)
    figure.set_size_inches(width, height)
    return [
        figure.add_axes(
            (
                (column * (left + wide + right) + left) / width,
                1 - ((row + 1) * (above + high + below) - below) / height,
                wide / width,
                high / height,
            )
        )
        for row in range(rows)
        for column in range(columns)
    ]


def _assign(names: Sequence[str]) -> Styles:
    """A style for each contender; the paper's learners always have the same one."""
    styles: Styles = {EXPERT: _EXPERT_STYLE}
    free = [i for i in range(len(_STYLES)) if i not in _FIXED.values()]
    for name in names:
        if name in _FIXED:
            styles[name] = _STYLES[_FIXED[name]]
        elif name not in styles:
            styles[name] = _STYLES[free[len(styles) % len(free)]]
    return styles


def _panel(axes: Axes, result: PanelResult, styles: Styles) -> list[End]:
    """Draw the curves; returns where they end."""
    at = checkpoints(result.examples)
    log = result.panel.log
    ends: list[End] = []
    top = 0.0
    settled = at + 1 >= result.examples * _FIRST_SHARE
    for name, costs in result.costs.items():
        colour, dashes, marker = styles[name]
        curves = running_mean(costs)[:, at]
        mean = curves.mean(axis=0)
        if name == EXPERT:
            # A reference level: the effort that remains with the true weights, if it is above zero.
            if mean[-1] > 0:
                axes.axhline(float(mean[-1]), color=colour, linestyle=dashes, linewidth=1.1, zorder=1)
                ends.append((name, colour, float(mean[-1])))
            continue
        visible = _positive(mean, log)
        top = max(top, float(mean[settled].max()))
        if result.runs > 1:
            low, high = limits(curves)
            top = max(top, float(high[settled].max()))
            axes.fill_between(
                at + 1, _positive(low, log), _positive(high, log), color=colour, alpha=0.16, lw=0
            )
        axes.plot(
            at + 1,
            visible,
            color=colour,
            linestyle=dashes,
            linewidth=1.7,
            marker=marker,
            markersize=4.2,
            markevery=_marks(at, result.examples),
            markeredgecolor="white",
            markeredgewidth=0.5,
            solid_capstyle="round",
            zorder=3,
        )
        ends.append((name, colour, float(mean[-1])))
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, top * 1.08)
    _decorate(axes, result)
    return ends


def _positive(values: Vector, log: bool) -> Vector:
    return np.where(values > 0, values, np.nan) if log else values


def _marks(at: Indices, examples: int) -> list[int]:
    """The checkpoints of markers that are evenly spaced along the axis."""
    wanted = np.linspace(examples * 0.12, examples * 0.94, 6)
    return sorted({int(np.argmin(np.abs(at + 1 - x))) for x in wanted})


def _decorate(axes: Axes, result: PanelResult) -> None:
    axes.set_title(result.panel.title, loc="left", fontsize=10.5, fontweight="bold")
    axes.set_xlabel("examples")
    axes.set_ylabel("average effort" + (", log scale" if result.panel.log else ""))
    axes.set_xlim(0, result.examples)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", which="major", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    if result.panel.log:
        from matplotlib.ticker import FuncFormatter, LogLocator

        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.minorticks_off()


def _label_ends(axes: Axes, ends: Sequence[End]) -> None:
    """Label each curve where it ends; overlapping labels are spread and joined by leader lines."""
    low, high = axes.get_ylim()
    scale = np.log if axes.get_yscale() == "log" else np.asarray
    heights = [
        float((scale(max(y, low)) - scale(low)) / (scale(high) - scale(low))) if y > 0 or low <= 0 else 0.0
        for _, _, y in ends
    ]
    places = spread(heights, _LABEL_GAP, floor=0.04)  # below are the tick labels
    for (name, colour, _), height, place in zip(ends, heights, places, strict=True):
        axes.plot(
            [1.005, 1.035],
            [height, place],
            transform=axes.transAxes,
            clip_on=False,
            color=colour,
            linewidth=0.8,
        )
        axes.text(
            1.045,
            place,
            short(name),
            transform=axes.transAxes,
            color=colour,
            va="center",
            fontsize=9,
            fontweight="bold",
        )


def spread(heights: Sequence[float], gap: float, floor: float = -np.inf) -> list[float]:
    """Positions near `heights`, in the same order, at least `gap` apart and above `floor`."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    blocks: list[tuple[float, int]] = []  # centre and size of a block of touching labels
    for i in order:
        centre, size = heights[i], 1
        while blocks and centre - blocks[-1][0] < (size + blocks[-1][1]) * gap / 2:
            before, count = blocks.pop()
            centre = (before * count + centre * size) / (count + size)
            size += count
        blocks.append((centre, size))
    stacked = [centre + (k - (size - 1) / 2) * gap for centre, size in blocks for k in range(size)]
    places = [0.0] * len(heights)
    lowest = floor
    for i, wanted in zip(order, stacked, strict=True):
        places[i] = max(wanted, lowest)
        lowest = places[i] + gap
    return places

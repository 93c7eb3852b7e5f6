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
_PLOT = (4.6, 2.9)  # inches

Styles: TypeAlias = dict[str, tuple[str, Any, str]]
"""contender -> colour, dashes, marker."""


def short(name: str) -> str:
    """The label of a contender: a class of the user without its module."""
    return name.rpartition(":")[2]


def draw(results: Sequence[PanelResult], shown: Sequence[str]) -> tuple[bytes, str]:
    """The figure of the contenders that are to be shown, as PNG bytes and as SVG text."""
    styles = _assign(shown)
    columns = min(2, len(results))
    rows = -(-len(results) // columns)
    size = (columns * _PLOT[0], rows * _PLOT[1] + 0.5)
    with new_figure(figsize=size, layout="constrained") as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        lines: dict[str, Any] = {}
        for axes, result in zip(grid, results, strict=False):
            lines |= _panel(axes, result, styles)
        for axes in grid[len(results) :]:
            axes.set_visible(False)
        handles = [lines[name] for name in shown if name in lines]
        figure.legend(handles=handles, loc="outside upper center", ncols=6, frameon=False)
        return encode(figure)


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


def _panel(axes: Axes, result: PanelResult, styles: Styles) -> dict[str, Any]:
    """Draw the curves; returns the line of each contender."""
    at = checkpoints(result.examples)
    log = result.panel.log
    lines: dict[str, Any] = {}
    top = 0.0
    settled = at + 1 >= result.examples * _FIRST_SHARE
    for name, costs in result.costs.items():
        if name not in styles:
            continue
        colour, dashes, marker = styles[name]
        curves = running_mean(costs)[:, at]
        mean = curves.mean(axis=0)
        label = {"color": colour, "linestyle": dashes, "label": short(name)}
        if name == EXPERT:
            # A reference level: the effort that remains with the true weights, if it is above zero.
            if mean[-1] > 0:
                label["label"] = "expert line"
                lines[name] = axes.axhline(float(mean[-1]), linewidth=1.1, zorder=1, **label)
            continue
        top = max(top, float(mean[settled].max()))
        if result.runs > 1:
            low, high = limits(curves)
            top = max(top, float(high[settled].max()))
            axes.fill_between(
                at + 1, _positive(low, log), _positive(high, log), color=colour, alpha=0.16, lw=0
            )
        (lines[name],) = axes.plot(
            at + 1,
            _positive(mean, log),
            linewidth=1.7,
            marker=marker,
            markersize=4.2,
            markevery=_marks(at, result.examples),
            markeredgecolor="white",
            markeredgewidth=0.5,
            zorder=3,
            **label,
        )
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, top * 1.08)
    _decorate(axes, result)
    return lines


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


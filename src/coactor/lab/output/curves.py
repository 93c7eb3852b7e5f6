"""Curves of average effort against examples, on axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from coactor.lab.engine.contenders import EXPERT
from coactor.lab.engine.statistics import checkpoints, limits, running_mean
from coactor.lab.output.plotting import COLOURS, REFERENCE
from coactor.protocol import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Dashes and markers tell the curves apart in grey print.
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (6, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (10, 2)),
    (0, (8, 2, 2, 2, 2, 2)),
    (0, (3, 1)),
    (0, (2, 2)),
)
_STYLES = tuple(zip(COLOURS, _DASHES, "os^DvPX<", strict=True))
_FIRST_SHARE = 0.05  # of the examples; on a linear axis their costs may lie above the visible range

Styles: TypeAlias = Mapping[str, tuple[str, Any, str]]
"""contender -> colour, dashes, marker."""


def short(name: str) -> str:
    """The label of a contender: a class of the user without its module."""
    return name.rpartition(":")[2]


def styles_of(names: Iterable[str]) -> Styles:
    """A style for each contender."""
    return dict(zip((name for name in names if name != EXPERT), cycle(_STYLES), strict=False))


def draw(axes: Axes, costs_of: Mapping[str, Matrix], styles: Styles, title: str, log: bool) -> dict[str, Any]:
    """Draw the average effort of each contender, from costs of shape (runs, examples); return the lines."""
    runs, examples = next(iter(costs_of.values())).shape
    at = checkpoints(examples)
    lines: dict[str, Any] = {}
    top = 0.0
    marks = np.linspace(examples * 0.12, examples * 0.94, 6) - 1  # evenly along the axis
    settled = at + 1 >= examples * _FIRST_SHARE
    for name, costs in costs_of.items():
        curves = running_mean(costs)[:, at]
        mean = curves.mean(axis=0)
        if name == EXPERT and mean[-1] > 0:
            # A reference level: the effort that remains with the true weights.
            level = float(mean[-1])
            lines[name] = axes.axhline(
                level, color=REFERENCE, linestyle=(0, (4, 3)), linewidth=1.1, zorder=1, label="expert line"
            )
        if name not in styles:
            continue
        colour, dashes, marker = styles[name]
        top = max(top, float(mean[settled].max()))
        if runs > 1:
            low, high = limits(curves)
            top = max(top, float(high[settled].max()))
            axes.fill_between(
                at + 1, _positive(low, log), _positive(high, log), color=colour, alpha=0.16, lw=0
            )
        (lines[name],) = axes.plot(
            at + 1,
            _positive(mean, log),
            color=colour,
            linestyle=dashes,
            linewidth=1.7,
            marker=marker,
            markersize=4.2,
            markevery=np.searchsorted(at, marks).tolist(),
            markeredgecolor="white",
            markeredgewidth=0.5,
            zorder=3,
            label=short(name),
        )
    if log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, top * 1.08)
    _decorate(axes, title, examples, log)
    return lines


def _positive(values: Vector, log: bool) -> Vector:
    return np.where(values > 0, values, np.nan) if log else values


def _decorate(axes: Axes, title: str, examples: int, log: bool) -> None:
    axes.set_title(title, loc="left", fontsize=10.5, fontweight="bold")
    axes.set_xlabel("examples")
    axes.set_ylabel("average effort" + (", log scale" if log else ""))
    axes.set_xlim(0, examples)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", which="major", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    if log:
        from matplotlib.ticker import FuncFormatter, LogLocator

        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.minorticks_off()

"""The paper's figure: average effort against examples, one plot per panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coactor.lab.output import curves
from coactor.lab.output.plotting import encode, new_figure
from coactor.lab.paper.results import PanelResult

_PLOT = (4.6, 2.9)  # inches


def draw(results: Sequence[PanelResult], shown: Sequence[str]) -> tuple[bytes, str]:
    """The figure of the contenders that are to be shown, as PNG bytes and as SVG text."""
    styles = curves.styles_of(shown)
    columns = min(2, len(results))
    rows = -(-len(results) // columns)
    size = (columns * _PLOT[0], rows * _PLOT[1] + 0.5)
    with new_figure(figsize=size, layout="constrained") as figure:
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        lines: dict[str, Any] = {}
        for axes, result in zip(grid, results, strict=False):
            lines |= curves.draw(axes, result.costs, styles, result.panel.title, result.panel.log)
        for axes in grid[len(results) :]:
            axes.set_visible(False)
        handles = [lines[name] for name in shown if name in lines]
        figure.legend(handles=handles, loc="outside upper center", ncols=6, frameon=False)
        return encode(figure)

"""The picture of an evaluation: effort case by case, smoothed, with a band over the orders."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from coactor.lab.archives.contenders import ALIKE, COPY, HINDSIGHT, START
from coactor.lab.archives.evaluation import Evaluation
from coactor.lab.engine.statistics import band, resamples
from coactor.protocol import Vector

# Okabe and Ito's colours stay apart for the colour-blind.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#8C6D00", "#5B3A8C", "#A03030")
_PLAIN = {
    START: ("#444444", "--"),
    COPY: ("#888888", ":"),
    ALIKE: ("#B0A070", ":"),
    HINDSIGHT: ("#000000", "-."),
}
_TEXT: Any = {
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "coactor",
    "svg.fonttype": "path",
}
_MOST = 9  # lines in the picture: the reference lines, and the best learners


def draw(found: Evaluation) -> tuple[bytes, str]:
    """PNG bytes and SVG text."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = shown(found)
    window = max(1, min(found.cases // 6, 500))
    steps = np.arange(window, found.cases + 1)
    drawn = resamples(found.seed, found.orders, "picture", 500)
    with mpl.rc_context(_TEXT):
        figure = Figure(figsize=(8.2, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        colours = iter(_COLOURS)
        for name in names:
            colour, dashes = _PLAIN.get(name) or (next(colours), "-")
            curves = np.array([smooth(row, window) for row in found.efforts[name]])
            mean = found.efforts[name].mean()
            axes.plot(steps, curves.mean(axis=0), color=colour, linestyle=dashes, label=f"{name}  {mean:.3g}")
            if found.orders > 1:
                low, high = band(curves, drawn)
                axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.set_xlabel(f"{found.kind} seen")
        axes.set_ylabel(f"{found.effort_name} a case, mean of the last {window}")
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
        png, svg = io.BytesIO(), io.StringIO()
        figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return png.getvalue(), svg.getvalue()


def shown(found: Evaluation) -> list[str]:
    """The reference lines, then the learners, best first."""
    plain = [name for name in _PLAIN if name in found.efforts]
    learners = [name for name in found.efforts if name not in _PLAIN]
    learners.sort(key=lambda name: (name != "default", float(found.efforts[name].mean())))
    return [*plain, *learners][:_MOST]


def smooth(row: Vector, window: int) -> Vector:
    """The mean of the last `window` entries, from the first full window on."""
    total = np.concatenate([[0.0], np.cumsum(row)])
    mean: Vector = (total[window:] - total[:-window]) / window
    return mean

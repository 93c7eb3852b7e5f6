"""The figure of an evaluation: effort per case, smoothed, with a band over the orders."""

from __future__ import annotations

import numpy as np

from coactor.archives.evaluation import Evaluation
from coactor.lab.engine.contenders import ALIKE, COPY, HINDSIGHT, START
from coactor.lab.engine.statistics import limits
from coactor.lab.output.plotting import COLOURS, REFERENCE, encode, new_figure

_BASELINES = {
    START: (REFERENCE, "--"),
    COPY: ("#888888", ":"),
    ALIKE: ("#B0A070", ":"),
    HINDSIGHT: ("#000000", "-."),
}
_MOST = 9  # curves in the figure: the baselines, and the best learners


def draw(evaluation: Evaluation) -> tuple[bytes, str]:
    """The figure as PNG bytes and as SVG text."""
    window = max(1, min(evaluation.cases // 6, 500))
    steps = np.arange(window, evaluation.cases + 1)
    with new_figure(figsize=(8.2, 4.6), layout="constrained") as figure:
        axes = figure.add_subplot()
        colours = iter(COLOURS)
        for name in selected(evaluation):
            efforts = evaluation.efforts[name]
            colour, dashes = _BASELINES.get(name) or (next(colours), "-")
            curves = np.array([np.convolve(row, np.full(window, 1 / window), "valid") for row in efforts])
            label = f"{name}  {efforts.mean():.3g}"
            axes.plot(steps, curves.mean(axis=0), color=colour, linestyle=dashes, label=label)
            if len(curves) > 1:
                low, high = limits(curves)
                axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.set_xlabel(f"{evaluation.archive.kind} so far")
        axes.set_ylabel(f"{evaluation.archive.effort_name} per case, mean of the last {window}")
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
        return encode(figure)


def selected(evaluation: Evaluation) -> list[str]:
    """The contenders in the figure: the baselines, then the learners with the least effort."""
    baselines = [name for name in _BASELINES if name in evaluation.efforts]
    learners = [name for name in evaluation.efforts if name not in _BASELINES]
    learners.sort(key=lambda name: (name != "default", float(evaluation.efforts[name].mean())))
    return [*baselines, *learners][:_MOST]

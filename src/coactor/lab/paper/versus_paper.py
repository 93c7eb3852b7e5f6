"""How a learner fares against the best of the paper's four: effort, the expert line, and final utility.

All of it is paired: the best of the four is chosen anew in every run, on the same problems and expert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coactor.lab.engine.contenders import EXPERT, PAPER
from coactor.lab.engine.statistics import Interval, best_of, interval, percentiles
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Indices, Vector


@dataclass(frozen=True, slots=True)
class Margin:
    """One line on one panel, against the best of the four.

    Attributes
    ----------
    panel, line
        Where, and who.
    effort, best
        Total effort of the line, and of the best of the four in each run.
    ratio
        Effort over the best's, run by run, mean of the runs; below 1 is less effort.
    ratio_of_totals
        The same from the totals of all runs, so that long runs count more.
    wins
        The share of runs with less effort than the best of the four; a tie counts half.
    rival, against_rival
        Who of the four needs least effort on average, and effort above his, run by run.
    above_expert
        Effort above the expert line; None where there is none.
    utility
        Final utility above that of the paper's pipeline with the highest one on this panel, per example.
    """

    panel: str
    line: str
    effort: Interval
    best: Interval
    ratio: Interval
    ratio_of_totals: Interval
    wins: float
    rival: str
    against_rival: Interval
    above_expert: Interval | None
    utility: Interval


def margins(result: PanelResult, names: Sequence[str] | None = None) -> list[Margin]:
    """The lines that are not the paper's (or those named), each against the paper's learners that were run.

    Empty where none of the four was run.
    """
    totals, drawn = result.totals(), result.drawn()
    rivals = [name for name in PAPER if name in totals]
    if not rivals:
        return []
    least: Vector = np.min([totals[name] for name in rivals], axis=0)
    rival = best_of(totals, rivals)
    utilities = {name: found.mean(axis=1) for name, found in result.utilities.items()}
    finest = max(rivals, key=lambda name: float(utilities[name].mean()))
    wanted = [n for n in totals if n not in (*PAPER, EXPERT)] if names is None else names
    return [
        Margin(
            result.panel.name,
            name,
            interval(totals[name], drawn),
            interval(least, drawn),
            interval(_ratios(totals[name], least), drawn),
            _ratio_of_totals(totals[name], least, drawn),
            float(((totals[name] < least) + 0.5 * (totals[name] == least)).mean()),
            rival,
            interval(totals[name] - totals[rival], drawn),
            interval(totals[name] - totals[EXPERT], drawn) if EXPERT in totals else None,
            interval(utilities[name] - utilities[finest], drawn),
        )
        for name in wanted
    ]


def _ratios(ours: Vector, theirs: Vector) -> Vector:
    """Run by run; where nobody had any effort the two are equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ours == theirs, 1.0, ours / theirs)


def _ratio_of_totals(ours: Vector, theirs: Vector, drawn: Indices) -> Interval:
    value = _ratios(ours.sum(keepdims=True), theirs.sum(keepdims=True))
    samples = _ratios(ours[drawn].sum(axis=1), theirs[drawn].sum(axis=1))
    return Interval(float(value[0]), *percentiles(samples))

"""Contenders against the best of the paper's four learners: effort, effort above the expert, final utility.

All differences are paired: the best of the four is chosen in every run, on the same problems and expert.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor.lab.engine.contenders import EXPERT, PAPER
from coactor.lab.engine.statistics import Interval, best_of, interval, ratio_of_totals, ratios
from coactor.lab.paper.results import PanelResult
from coactor.protocol import Vector


@dataclass(frozen=True, slots=True)
class Margin:
    """One contender on one panel, against the best of the paper's four.

    Attributes
    ----------
    effort, best
        Total effort of the contender, and of the best of the four in each run.
    ratio
        Effort divided by that of the best, mean over runs; below 1 is less effort.
    ratio_of_totals
        The same ratio of the totals over all runs, in which long runs count more.
    wins
        The share of runs with less effort than the best of the four; a tie counts half.
    rival, against_rival
        Which of the four needs least effort on average, and the effort above theirs.
    above_expert
        Effort above that of the expert's true weights; None if these were not run.
    utility
        Final utility per example, above that of the best of the four by final utility.
    """

    panel: str
    learner: str
    effort: Interval
    best: Interval
    ratio: Interval
    ratio_of_totals: Interval
    wins: float
    rival: str
    against_rival: Interval
    above_expert: Interval | None
    utility: Interval


def margins(result: PanelResult) -> list[Margin]:
    """The margins of all contenders that are not the paper's; none if none of the four was run."""
    totals = result.totals()
    rivals = [name for name in PAPER if name in totals]
    if not rivals:
        return []
    least: Vector = np.min([totals[name] for name in rivals], axis=0)
    rival = best_of(totals, rivals)
    utilities = {name: values.mean(axis=1) for name, values in result.utilities.items()}
    highest = max(rivals, key=lambda name: float(utilities[name].mean()))
    return [
        Margin(
            result.panel.name,
            name,
            interval(totals[name]),
            interval(least),
            interval(ratios(totals[name], least)),
            ratio_of_totals(totals[name], least),
            float(((totals[name] < least) + 0.5 * (totals[name] == least)).mean()),
            rival,
            interval(totals[name] - totals[rival]),
            interval(totals[name] - totals[EXPERT]) if EXPERT in totals else None,
            interval(utilities[name] - utilities[highest]),
        )
        for name in totals
        if name not in (*PAPER, EXPERT)
    ]

"""Several people: the default learner against one for all and one each, on panels with many experts.

Every cell is a panel of the paper on which people take turns at random: how much they have in common, and how
many they are. After them comes a newcomer. What counts is effort, divided by that of the better of two
default learners: one for all, which does not know who corrects (pooled), and one each (separate).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coactor.lab.engine.contenders import OURS, parse_contenders
from coactor.lab.engine.statistics import Interval, best_of, interval, interval_fields, ratio_of_totals
from coactor.lab.paper.claims import CLOSE, DECIDING_RUNS, FAILS, HOLDS
from coactor.lab.paper.data.tastes import TASTES
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.results import PanelResult
from coactor.plugins import unknown

RIVALS = (f"pooled-{OURS}", f"separate-{OURS}")
PEOPLE = (5, 20, 100)
NEWCOMER = 20  # problems
ESTIMATED_BYTES = 1 << 25  # of the files of all cells
OVERRIDES = {"tsp-clean": {"features": 20}, "tsp-noise": {"features": 20, "hidden": 2}}  # few problems each
GOALS = {"identical": 1.12, "similar": 0.9, "groups": 0.85, "independent": 1.08}
EASY_GOALS = {"similar": 0.75, "groups": 0.6}  # on tours and fleets without noise
NEWCOMER_GOALS = {"identical": 0.05, "similar": 0.5}  # on tours without noise, after 20 colleagues


def goal(base: str, tastes: str, people: int) -> float:
    """The ratio that a cell should not exceed. Two groups of 5 people are not easy to find."""
    easy = base in ("tsp-clean", "mtsp-clean") and not (tastes == "groups" and people < 20)
    return EASY_GOALS.get(tastes, GOALS[tastes]) if easy else GOALS[tastes]


def _panel(base: Panel, tastes: str, people: int) -> Panel:
    return replace(
        base,
        name=f"{base.name}-{tastes}-{people}",
        title=f"{base.title}: {people} {tastes} people",
        parameters=tuple((dict(base.parameters) | OVERRIDES.get(base.name, {})).items()),
        people=people,
        tastes=tastes,
        newcomer=NEWCOMER,
        stream="",
    )


CELLS: dict[str, tuple[str, Panel]] = {
    panel.name: (base.name, panel)
    for base in PANELS.values()
    if base.problems == "sample"
    for panel in (_panel(base, tastes, people) for people in PEOPLE for tastes in TASTES)
}
"""The panel of the paper that each cell comes from, and its own, by name: "tsp-clean-similar-20"."""


@dataclass(frozen=True, slots=True)
class PeopleCell:
    """One cell.

    Attributes
    ----------
    base, tastes, people
        The panel of the paper, what people have in common, and how many they are.
    effort
        Total effort of each contender, without the newcomer's.
    rival, ratio
        The better of the two rivals on average, and the default's effort over its.
    goal, verdict
        What the ratio should not exceed, and whether its interval says so.
    newcomer_effort, alone_effort
        The effort of the newcomer's first problems, and that of a person who starts alone.
    newcomer_ratio, newcomer_goal
        Their ratio, and what it should not exceed; None if nothing is expected.
    """

    name: str
    base: str
    tastes: str
    people: int
    runs: int
    effort: dict[str, Interval]
    rival: str
    ratio: Interval
    goal: float
    verdict: str
    newcomer_effort: Interval
    alone_effort: Interval
    newcomer_ratio: Interval
    newcomer_goal: float | None

    @property
    def others(self) -> dict[str, Interval]:
        """The effort of the contenders that were added."""
        return {name: effort for name, effort in self.effort.items() if name not in (OURS, *RIVALS)}

    def row(self) -> dict[str, Any]:
        """The cell as named columns."""
        columns: dict[str, Any] = {"panel": self.base, "tastes": self.tastes, "people": self.people}
        columns["runs"] = self.runs
        for name, effort in self.effort.items():
            columns |= interval_fields(name, effort)
        columns |= {"rival": self.rival, **interval_fields("ratio", self.ratio)}
        columns |= {"goal": self.goal, "verdict": self.verdict}
        for name in ("newcomer_effort", "alone_effort", "newcomer_ratio"):
            columns |= interval_fields(name, getattr(self, name))
        return columns | {"newcomer_goal": self.newcomer_goal}


def chosen_cells(names: Sequence[str] | None) -> list[str]:
    """The cells of these names; "tsp-clean" stands for all cells of that panel. All by default.

    Raises ValueError if there is none of a name.
    """
    chosen: list[str] = []
    for name in names if names is not None else dict.fromkeys(base for base, _ in CELLS.values()):
        own = [cell for cell in CELLS if cell == name or cell.startswith(f"{name}-")]
        if not own:
            raise unknown("panel with several people", name, list(CELLS))
        chosen += own
    return list(dict.fromkeys(chosen))


def measure(
    cells: Sequence[str],
    *,
    learners: Sequence[str] = (),
    runs: int = 10,
    examples: int = 600,
    seed: int = 0,
    folder: Path | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    silent: bool = True,
) -> list[PeopleCell]:
    """Run the cells of these names.

    Parameters
    ----------
    cells
        Names in `CELLS`.
    learners
        More contenders, such as "balanced-CSPER".
    runs, examples, seed
        The number of runs, the problems of all people in each, and the seed of all random numbers. The
        newcomer's problems come on top.
    folder, jobs, cluster, silent
        As in `Experiment.measure`.
    """
    contenders = parse_contenders(list(dict.fromkeys([OURS, *RIVALS, *learners])), "panel")
    panels = tuple(CELLS[name][1] for name in cells)
    experiment = Experiment(panels, contenders, runs, examples + NEWCOMER, seed)
    results = experiment.measure(folder=folder, jobs=jobs, cluster=cluster, silent=silent)
    return [_cell(result) for result in results]


def _cell(result: PanelResult) -> PeopleCell:
    panel, base = result.panel, CELLS[result.panel.name][0]
    effort = {name: costs[:, : -panel.newcomer].sum(axis=1) for name, costs in result.costs.items()}
    newcomer = {name: costs[:, -panel.newcomer :].sum(axis=1) for name, costs in result.costs.items()}
    alone = newcomer[RIVALS[1]]
    rival = best_of(effort, RIVALS)
    ratio = ratio_of_totals(effort[OURS], effort[rival])
    limit = goal(base, panel.tastes, panel.people)
    expected = base == "tsp-clean" and panel.people == 20
    return PeopleCell(
        name=panel.name,
        base=base,
        tastes=panel.tastes,
        people=panel.people,
        runs=result.runs,
        effort={name: interval(total) for name, total in effort.items()},
        rival=rival,
        ratio=ratio,
        goal=limit,
        verdict=_verdict(ratio, limit, result.runs),
        newcomer_effort=interval(newcomer[OURS]),
        alone_effort=interval(alone),
        newcomer_ratio=ratio_of_totals(newcomer[OURS], alone),
        newcomer_goal=NEWCOMER_GOALS.get(panel.tastes) if expected else None,
    )


def _verdict(ratio: Interval, goal: float, runs: int) -> str:
    if runs < DECIDING_RUNS or ratio.low <= goal < ratio.high:
        return CLOSE
    return HOLDS if ratio.high <= goal else FAILS

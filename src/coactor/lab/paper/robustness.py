"""The synthetic panels with other experts, features and weights, on which nothing was tuned.

Every variation changes one thing of the paper's panels and keeps their random streams, so that the cells of
the table differ by the variation alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from coactor.experts import Policy
from coactor.lab.engine.contenders import PAPER, parse_contenders
from coactor.lab.engine.statistics import interval_fields
from coactor.lab.paper.experiment import Experiment, Measure
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.versus_paper import Margin, margins

CONTENDERS = (*PAPER, "default", "default+paper")
EXAMPLES = 300  # per run, at most; differences show early


@dataclass(frozen=True, slots=True)
class Variation:
    """One row of the table.

    Attributes
    ----------
    name
        As shown in the table.
    policy, kappa, slips, drift, perturbation
        Those of the expert and the features that differ from the paper's.
    features
        The number of features; hidden ones, if any, keep the paper's proportion of one to ten.
    """

    name: str
    policy: Policy = "first"
    kappa: float | None = None
    features: int | None = None
    slips: float = 0.0
    drift: bool = False
    perturbation: str = ""

    def panel(self, base: Panel) -> Panel:
        """The panel with this change, on the same random streams."""
        parameters = dict(base.parameters)
        if self.features is not None:
            hidden = max(1, self.features // 10) if parameters["hidden"] else 0
            parameters = {"features": self.features, "hidden": hidden}
        return replace(
            base,
            kappa=base.kappa if self.kappa is None else self.kappa,
            parameters=tuple(parameters.items()),
            slips=self.slips,
            drift=self.drift,
            perturbation=self.perturbation,
            stream=base.name,
            policy=self.policy,
        )


VARIATIONS = (
    Variation("best-improvement expert", policy="best"),
    Variation("kappa 0.02", kappa=0.02),
    Variation("kappa 0.5", kappa=0.5),
    Variation("5 features", features=5),
    Variation("300 features", features=300),
    Variation("weights of mixed sign", perturbation="mixed signs"),
    Variation("correlated features", perturbation="correlated"),
    Variation("badly scaled features", perturbation="badly scaled"),
    Variation("errors in 10 % of the moves", slips=0.1),
    Variation("weights that change half way", drift=True),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One contender on one panel under one variation."""

    variation: str
    margin: Margin

    @property
    def worse(self) -> bool:
        """Whether it needs more effort than the best of the four, with all of the interval above 1."""
        return self.margin.ratio.low > 1.0


def measure(runs: int, examples: int, seed: int, measure_one: Measure) -> list[Cell]:
    """Run every variation on the six synthetic panels."""
    contenders = parse_contenders(CONTENDERS, "panel")
    cells: list[Cell] = []
    for variation in VARIATIONS:
        panels = tuple(variation.panel(panel) for panel in PANELS.values() if panel.problems == "sample")
        experiment = Experiment(panels, contenders, runs, min(examples, EXAMPLES), seed)
        for result in measure_one(experiment):
            cells += [Cell(variation.name, margin) for margin in margins(result)]
    return cells


def rows(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The table as plain data, one row per cell."""
    table = []
    for cell in cells:
        m = cell.margin
        row: dict[str, Any] = {"variation": cell.variation, "panel": m.panel, "learner": m.learner}
        for name in ("effort", "best", "ratio", "utility"):
            row |= interval_fields(name, getattr(m, name))
        table.append({**row, "wins": m.wins, "worse": cell.worse})
    return table

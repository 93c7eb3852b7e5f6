"""Where nobody tuned: the synthetic panels under other experts, features and tastes.

Every variation changes one thing of the paper's panels and keeps their random streams, so that the cells of
the table differ by the variation alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from coactor.experts import Policy
from coactor.lab.engine.contenders import PAPER, parse_lines
from coactor.lab.paper.experiment import Experiment
from coactor.lab.paper.panels import PANELS, Panel
from coactor.lab.paper.versus_paper import Margin, margins

LINES = (*PAPER, "default", "default+paper")
EXAMPLES = 300  # a run has no more; what is asked here shows early


@dataclass(frozen=True, slots=True)
class Variation:
    """One row of the table.

    Attributes
    ----------
    name
        In words.
    policy, kappa, slips, turns, twist
        Of the expert and the features, where they differ from the paper's.
    features
        How many features; hidden ones, where there are any, keep the paper's proportion of one to ten.
    """

    name: str
    policy: Policy = "first"
    kappa: float | None = None
    features: int | None = None
    slips: float = 0.0
    turns: bool = False
    twist: str = ""

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
            turns=self.turns,
            twist=self.twist,
            stream=base.name,
        )


VARIATIONS = (
    Variation("best-improvement expert", policy="best"),
    Variation("kappa 0.02", kappa=0.02),
    Variation("kappa 0.5", kappa=0.5),
    Variation("5 features", features=5),
    Variation("300 features", features=300),
    Variation("weights of mixed sign", twist="mixed signs"),
    Variation("correlated features", twist="correlated"),
    Variation("badly scaled features", twist="badly scaled"),
    Variation("an expert who errs in 10 % of the moves", slips=0.1),
    Variation("a taste that changes half way", turns=True),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What one line does on one panel under one variation."""

    variation: str
    margin: Margin

    @property
    def worse(self) -> bool:
        """Whether it needs more effort than the best of the four, by more than the interval."""
        return self.margin.ratio.low > 1.0


def measure(
    *,
    runs: int,
    examples: int,
    seed: int,
    folder: Path | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    silent: bool = True,
) -> list[Cell]:
    """Run every variation on the six synthetic panels."""
    lines = parse_lines(LINES)
    cells: list[Cell] = []
    for variation in VARIATIONS:
        panels = tuple(variation.panel(panel) for panel in PANELS.values() if panel.problems == "sample")
        experiment = Experiment(panels, lines, runs, min(examples, EXAMPLES), seed, variation.policy)
        for result in experiment.measure(folder=folder, jobs=jobs, cluster=cluster, silent=silent):
            cells += [Cell(variation.name, margin) for margin in margins(result)]
    return cells


def rows(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The table as plain data, one row a cell."""
    found = []
    for cell in cells:
        m = cell.margin
        row: dict[str, Any] = {"variation": cell.variation, "panel": m.panel, "learner": m.line}
        for name in ("effort", "best", "ratio", "utility"):
            value = getattr(m, name)
            row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        found.append({**row, "wins": m.wins, "worse": cell.worse})
    return found

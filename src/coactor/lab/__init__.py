"""The lab: the paper's panels, paired runs, statistics, claims, the figure and the report.

    coactor.lab.compare(["PER", "CSPER"], panel="tsp-noise", runs=10, examples=300, seed=0)

Names are loaded when first used: nothing here costs anything until it runs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOME = {
    "compare": "paper.comparison",
    "Comparison": "paper.comparison",
    "Experiment": "paper.experiment",
    "PANELS": "paper.panels",
    "Panel": "paper.panels",
    "reproduce": "paper.reproduction",
}

if TYPE_CHECKING:
    from coactor.lab.paper.comparison import Comparison, compare
    from coactor.lab.paper.experiment import Experiment
    from coactor.lab.paper.panels import PANELS, Panel
    from coactor.lab.paper.reproduction import reproduce

__all__ = ["PANELS", "Comparison", "Experiment", "Panel", "compare", "reproduce"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"coactor.lab.{_HOME[name]}"), name)
    raise AttributeError(f"module 'coactor.lab' has no attribute {name!r}")

"""Experiments: the paper's panels, and their statistics.

    coactor.lab.compare(["PER", "CSPER"], panel="tsp-noise", runs=10, examples=300, seed=0)
    coactor.lab.reproduce("results")

Contenders have one syntax everywhere, see `coactor.lab.engine.contenders`. Names are imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coactor.lab.engine.contenders import Contender
    from coactor.lab.engine.statistics import Interval
    from coactor.lab.paper.choices import Choices
    from coactor.lab.paper.comparison import Comparison, compare
    from coactor.lab.paper.panels import PANELS, Panel
    from coactor.lab.paper.reproduction import Reproduction, reproduce
    from coactor.lab.paper.verification import Verification, verify

__all__ = [
    "PANELS",
    "Choices",
    "Comparison",
    "Contender",
    "Interval",
    "Panel",
    "Reproduction",
    "Verification",
    "compare",
    "reproduce",
    "verify",
]

_MODULES = {
    "engine.contenders": ("Contender",),
    "engine.statistics": ("Interval",),
    "paper.choices": ("Choices",),
    "paper.comparison": ("Comparison", "compare"),
    "paper.panels": ("PANELS", "Panel"),
    "paper.reproduction": ("Reproduction", "reproduce"),
    "paper.verification": ("Verification", "verify"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"coactor.lab.{_HOME[name]}"), name)
    raise AttributeError(f"module 'coactor.lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

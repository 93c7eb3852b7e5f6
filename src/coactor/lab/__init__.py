"""Experiments: the paper's panels, archives of recorded solutions, and statistics of both.

    coactor.lab.compare(["PER", "CSPER"], panel="tsp-noise", runs=10, examples=300, seed=0)
    coactor.lab.reproduce("results")
    coactor.lab.evaluate(coactor.lab.open_archive("trips"), ["default", "PER@start", "copy"])

Contenders have one syntax everywhere, see `coactor.lab.engine.contenders`. Names are imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coactor.lab.archives.archives import Archive, open_archive
    from coactor.lab.archives.evaluation import Evaluation, evaluate
    from coactor.lab.archives.recorded_cases import Case
    from coactor.lab.archives.sharding import learn_archive
    from coactor.lab.engine.contenders import Contender
    from coactor.lab.engine.statistics import Interval
    from coactor.lab.paper.choices import Choices
    from coactor.lab.paper.comparison import Comparison, compare
    from coactor.lab.paper.panels import PANELS, Panel
    from coactor.lab.paper.reproduction import Reproduction, reproduce
    from coactor.lab.paper.verification import Verification, verify

__all__ = [
    "PANELS",
    "Archive",
    "Case",
    "Choices",
    "Comparison",
    "Contender",
    "Evaluation",
    "Interval",
    "Panel",
    "Reproduction",
    "Verification",
    "compare",
    "evaluate",
    "learn_archive",
    "open_archive",
    "reproduce",
    "verify",
]

_MODULES = {
    "archives.archives": ("Archive", "open_archive"),
    "archives.evaluation": ("Evaluation", "evaluate"),
    "archives.recorded_cases": ("Case",),
    "archives.sharding": ("learn_archive",),
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

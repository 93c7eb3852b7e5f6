"""Experiments: the paper's panels, and their statistics.

    coactor.lab.compare(["PER", "CSPER"], panel="tsp-noise", runs=10, examples=300, seed=0)
    coactor.lab.reproduce("results")

Contenders have one syntax everywhere, see `coactor.lab.engine.contenders`.
"""

from coactor.lab.engine.contenders import Contender
from coactor.lab.paper.choices import Choices
from coactor.lab.paper.comparison import compare
from coactor.lab.paper.experiment import Settings
from coactor.lab.paper.panels import PANELS
from coactor.lab.paper.reproduction import reproduce
from coactor.lab.paper.verification import verify

__all__ = ["PANELS", "Choices", "Contender", "Settings", "compare", "reproduce", "verify"]

"""What proposes in an evaluation: nobody who learns, a copier, or a learner with its start.

start                 the start weights, never changed (plain distance, or all features alike)
alike                 every feature counts 1, never changed: what the features alone are worth
copy                  the most similar earlier case, made to fit; the start weights where there is none
hindsight             the best fixed weights, fitted to all cases at once: nobody could have had them
PER                   a learner by its name, from w = 0 as in the paper
PER@start             the same learner, started at the start weights
PER@start*1000        the same, with a start so long that early corrections hardly turn it
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor import learners
from coactor.learners import Averaged, ChoiceLearner, CoactiveLearner, Committee, MiniBatch
from coactor.protocol import Learner, Vector

START, ALIKE, COPY, HINDSIGHT = "start", "alike", "copy", "hindsight"
FOUR = ("PER", "CSPER", "PA", "CSPA")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: `learner` is empty for those that do not learn."""

    text: str
    learner: str = ""
    start: float = 0.0

    def make(self, dim: int, start: Vector) -> Learner:
        """A fresh learner."""
        learner = learners.make(self.learner, dim)
        return begin(learner, self.start * start) if self.start else learner


def parse_line(text: str) -> Line:
    """A line from its name, or a sentence."""
    if text in (START, ALIKE, COPY, HINDSIGHT):
        return Line(text)
    name, at, rest = text.partition("@")
    factor = 0.0
    if at:
        word, times, number = rest.partition("*")
        try:
            factor = float(number) if times else 1.0
        except ValueError:
            factor = 0.0
        if word != START or not np.isfinite(factor) or factor <= 0:
            raise ValueError(f"{text!r} starts at {rest!r}; expected '@start' or '@start*1000'.")
    learners.make(name, 1)
    return Line(text, name, factor)


def begin(learner: Learner, weights: Vector) -> Learner:
    """The learner, started at other weights than 0."""
    if isinstance(learner, CoactiveLearner):
        learner.weights = np.array(weights)
    elif isinstance(learner, Averaged):
        begin(learner.learner, weights)
        learner.weights = np.array(weights)
    elif isinstance(learner, MiniBatch):
        begin(learner.learner, weights)
    elif isinstance(learner, ChoiceLearner | Committee):
        return type(learner)(learner.dim, prior=weights)
    else:
        raise ValueError(f"learner {learner.name!r} cannot be given start weights; leave out '@start'.")
    return learner

"""The three roles that can be replaced: domain, learner, expert. No base class is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from coactor.protocol.values import Correction, Feedback, Move, Problem, Reads, Solution, State, Vector


class Domain(Protocol):
    """What a problem, a solution and an edit are: four methods and a number.

    A domain knows its own objects and weights, but no learner, expert or store. What it can do beyond
    these methods is a protocol of its own, and what it declares an attribute with a default: see
    `coactor.protocol.abilities`.
    """

    @property
    def dim(self) -> int:
        """d, the length of a feature vector."""

    def features(self, x: Problem, y: Solution, /) -> Vector:
        """phi(x, y), length d. The utility is w . phi; if features are costs, phi is minus their sum."""

    def solve(self, x: Problem, w: Vector, /) -> Solution:
        """S(x; w). Assumption 1: no move improves w . phi of the returned solution."""

    def moves(self, x: Problem, y: Solution, /) -> Iterable[Move]:
        """Every operator that can be applied to y, in scan order."""

    def apply(self, x: Problem, y: Solution, move: Move, /) -> Solution:
        """The solution that a move leads to. It must not modify y."""


class Learner(Protocol):
    """Feedback in, weights out. A learner never sees a problem or a solution.

    `update` changes everything or, if it raises, nothing; `check_learner` tests it. Optional abilities are in
    `coactor.protocol.abilities`. Two attributes are optional too: `threshold`, b in P(the expert makes a
    move) = sigma(gain - b), which lets proposals expect corrections; and `start`, the weights in use before
    it learned, or None, which it is compared with.
    """

    @property
    def name(self) -> str:
        """Its name on the command line and in figures."""

    @property
    def reads(self) -> Reads:
        """How much of a correction it uses."""

    @property
    def weights(self) -> Vector:
        """The weights to solve with now."""

    def update(self, feedback: Feedback) -> None:
        """Learn from one correction. Raises ValueError if the feedback is invalid."""

    def state(self) -> State:
        """Everything it has learned, as JSON-able data. Floats must survive bit for bit."""

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from. Raises ValueError if it cannot."""


class Expert(Protocol):
    """Simulated or human: (problem, solution) -> correction."""

    def __call__(self, x: Problem, y: Solution, /) -> Correction: ...

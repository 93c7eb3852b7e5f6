"""Theorem 1 against measurement: one row for each noise-free run made with Assumption 3's candidate."""

from __future__ import annotations

from dataclasses import dataclass

# The experiments let a learner learn from the expert's final solution; the theorem speaks of the last
# candidate the learner disagreed with. So the theorem is measured in runs of its own, on the same problems.
SQUARED = {"PER": False, "CSPER": True, "PA": False, "CSPA": True}


@dataclass(frozen=True, slots=True)
class TheoremRow:
    """What one run measured, and what Theorem 1 allows.

    Attributes
    ----------
    examples, updates
        n, and how many of them changed the weights.
    R, W, kappa
        Largest |phi| among the solutions the learner compared, |w*|, and the expert's threshold.
    effort, squares
        Sum of C and sum of C squared, C counted up to the candidate.
    local, gained, disagreed
        Whether every proposal was locally optimal for the learner (Assumption 1), every candidate gained at
        least kappa C (Assumption 2), and the learner preferred its own proposal every time (Assumption 3).
    measured, bound, refined
        The average the theorem bounds (of C, or of C squared for the cost-sensitive pair), the printed bound,
        and the bound that does not depend on n (SPEC erratum 4), divided by n.
    """

    panel: str
    learner: str
    run: int
    examples: int
    updates: int
    R: float
    W: float
    kappa: float
    effort: float
    squares: float
    local: bool
    gained: bool
    disagreed: bool
    bound: float
    refined: float

    @property
    def assumptions_met(self) -> bool:
        """Whether the theorem speaks of this run at all."""
        return self.local and self.gained and self.disagreed

    @property
    def squared(self) -> bool:
        """Whether the bound is on the average of C squared."""
        return SQUARED[self.learner]

    @property
    def measured(self) -> float:
        return (self.squares if self.squared else self.effort) / self.examples

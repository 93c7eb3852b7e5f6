"""Checks of Theorem 1: one row per noise-free run with Assumption 3's candidate.

In the experiments a learner learns from the expert's final solution. The theorem assumes the last candidate
that the learner disagreed with. So the theorem is checked with separate learners on the same problems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor import bounds, learners, search
from coactor.experts import SimulatedExpert
from coactor.protocol import Domain, Problem, Solver
from coactor.session import Session

# The theorem holds for every n and is tightest early: later examples cost little.
THEOREM_EXAMPLES = 100
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TheoremRow:
    """The measured effort of one run, and the bounds of Theorem 1.

    Attributes
    ----------
    examples, updates
        n, and the number of examples that changed the weights.
    R, W, kappa
        Largest |phi| among the solutions that the learner compared, |w*|, and the expert's threshold.
    squared
        Whether the theorem bounds the mean of C squared (CSPER, CSPA) or of C (PER, PA).
    measured, bound, refined
        That mean, the printed bound, and the bound on the total that does not depend on n, divided by n.
    held
        Whether both bounds held.
    local, gained, disagreed
        Whether every proposal was locally optimal for the learner (Assumption 1), every candidate gained at
        least kappa C (Assumption 2), and the learner always preferred its own proposal (Assumption 3).
    """

    panel: str
    learner: str
    run: int
    examples: int
    updates: int
    R: float
    W: float
    kappa: float
    squared: bool
    measured: float
    bound: float
    refined: float
    held: bool
    local: bool
    gained: bool
    disagreed: bool

    @property
    def assumptions_met(self) -> bool:
        """Whether the theorem applies to this run."""
        return self.local and self.gained and self.disagreed


class TheoremCheck:
    """One learner in the setting of Theorem 1; checks the assumptions on every example.

    Parameters
    ----------
    name
        PER, CSPER, PA or CSPA.
    domain, expert
        Those of the panel; the expert sees the same features as the solver.
    solver
        A locally optimal solver, where the domain's own is not (Assumption 1).
    """

    def __init__(self, name: str, domain: Domain, expert: SimulatedExpert, solver: Solver | None) -> None:
        self._name, self._domain, self._expert = name, domain, expert
        self._session = Session(
            domain, learners.make(name, domain.dim), solver=solver, candidate="disagreement"
        )
        self._norm = 0.0
        self._local = self._gained = self._disagreed = True

    def observe(self, x: Problem) -> None:
        """Run one example."""
        w = self._session.learner.weights
        proposal = self._session.ask(x)
        y = proposal.solution
        slack = _ROUNDING * (1.0 + float(np.abs(w).sum()))
        self._local &= bool((search.landscape(self._domain, x, w).gains(y) <= slack).all())
        round = self._session.tell(proposal, self._expert(x, y))
        if round.cost > 0:
            delta, phi = round.delta, self._domain.features(x, y)
            self._norm = max(self._norm, float(np.linalg.norm(phi)), float(np.linalg.norm(phi + delta)))
            gained = float(self._expert.weights @ delta)
            self._gained &= gained >= self._expert.kappa * round.cost - _ROUNDING
            self._disagreed &= float(w @ delta) <= slack

    def row(self, panel: str, run: int) -> TheoremRow:
        """The run so far, against the bounds."""
        costs, kappa = self._session.costs, self._expert.kappa
        W = float(np.linalg.norm(self._expert.weights))
        printed, refined = bounds.check_run(self._name, costs, self._norm, W, kappa)
        return TheoremRow(
            panel,
            self._name,
            run,
            len(costs),
            sum(cost > 0 for cost in costs),
            self._norm,
            W,
            kappa,
            printed.quantity.endswith("^2"),
            printed.measured,
            printed.limit,
            refined.limit / len(costs),
            printed.held and refined.held,
            self._local,
            self._gained,
            self._disagreed,
        )

"""Checks of the theorems, and of PA's margin: one row per learner and run.

In the experiments a learner may learn from the expert's final solution. The theorems assume the last
candidate that the learner disagreed with. So they are checked with separate learners on the same problems.

Theorem 2. An expert who sees hidden features gains less in the visible utility than they think. The
misjudgement xi of an example is by how much that gain falls short of kappa C, measured at the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coactor import bounds, learners, search
from coactor.experts import SimulatedExpert
from coactor.protocol import Domain, Problem, Solver
from coactor.session import Session

# The theorems hold for every n and are tightest early: later examples cost little.
THEOREM_EXAMPLES = 100
THEOREM_1, THEOREM_2, MARGIN = "Theorem 1", "Theorem 2", "margin"
OTHER_MARGIN = 1024.0  # a power of two scales the weights of PA without rounding
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TheoremRow:
    """The measured effort of one run, and its bounds.

    Attributes
    ----------
    statement
        "Theorem 1", "Theorem 2", or "margin": the number of examples on which PA with another margin costs
        another effort, bounded by 0.
    examples, updates
        n, and the number of examples that changed the weights.
    kappa
        The expert's threshold.
    R, W
        Largest |phi| among the solutions that the learner compared, and |w*| of the visible features.
    squared
        Whether the theorem bounds the mean of C squared (CSPER, CSPA) or of C (PER, PA).
    misjudged
        The sum of xi: 0 without noise.
    measured, bound, refined
        That mean, the bound of the theorem, and the bound on the total that does not depend on n, divided by
        n; 0 where there is none.
    held
        Whether the bounds held.
    local, gained, disagreed
        Whether every proposal was locally optimal for the learner (Assumption 1), every candidate gained at
        least kappa C - xi (Assumption 2), and the learner always preferred its own proposal (Assumption 3).
    """

    statement: str
    panel: str
    learner: str
    run: int
    examples: int
    updates: int
    kappa: float
    measured: float
    held: bool
    R: float = 0.0
    W: float = 0.0
    squared: bool = False
    misjudged: float = 0.0
    bound: float = 0.0
    refined: float = 0.0
    local: bool = True
    gained: bool = True
    disagreed: bool = True

    @property
    def assumptions_met(self) -> bool:
        """Whether the theorem applies to this run."""
        return self.local and self.gained and self.disagreed


class TheoremCheck:
    """One learner in the setting of a theorem; checks the assumptions on every example.

    Parameters
    ----------
    name
        PER, CSPER, PA or CSPA; with hidden features PER or CSPER.
    domain, expert
        Those of the panel.
    solver
        A locally optimal solver, where the domain's own is not (Assumption 1).
    """

    def __init__(self, name: str, domain: Domain, expert: SimulatedExpert, solver: Solver | None) -> None:
        self._name, self._domain, self._expert = name, domain, expert
        self._visible = expert.weights[: domain.dim]
        self._noisy = expert.weights.size > domain.dim
        self._session = Session(
            domain, learners.make(name, domain.dim), solver=solver, candidate="disagreement"
        )
        self._norm = 0.0
        self._misjudged: list[float] = []
        self._local = self._gained = self._disagreed = True

    def observe(self, x: Problem) -> None:
        """Run one example."""
        w = self._session.learner.weights
        proposal = self._session.ask(x)
        y = proposal.solution
        slack = _ROUNDING * (1.0 + float(np.abs(w).sum()))
        self._local &= bool((search.landscape(self._domain, x, w).gains(y) <= slack).all())
        round = self._session.tell(proposal, self._expert(x, y))
        xi = bounds.misjudgement(self._visible, self._expert.kappa, round.cost, round.delta)
        self._misjudged.append(xi if self._noisy else 0.0)
        if round.cost > 0:
            delta, phi = round.delta, self._domain.features(x, y)
            self._norm = max(self._norm, float(np.linalg.norm(phi)), float(np.linalg.norm(phi + delta)))
            self._gained &= self._noisy or xi <= _ROUNDING
            self._disagreed &= float(w @ delta) <= slack

    def row(self, panel: str, run: int) -> TheoremRow:
        """The run so far, against the bounds."""
        costs, kappa = self._session.costs, self._expert.kappa
        W = float(np.linalg.norm(self._visible))
        xi = self._misjudged if any(self._misjudged) else None
        checks = bounds.check_run(self._name, costs, self._norm, W, kappa, xi)
        return TheoremRow(
            THEOREM_2 if self._noisy else THEOREM_1,
            panel,
            self._name,
            run,
            len(costs),
            sum(cost > 0 for cost in costs),
            kappa,
            checks[0].measured,
            all(check.held for check in checks),
            self._norm,
            W,
            checks[0].quantity.endswith("^2"),
            sum(self._misjudged),
            checks[0].limit,
            checks[1].limit / len(costs) if len(checks) > 1 else 0.0,
            self._local,
            self._gained,
            self._disagreed,
        )


class MarginCheck:
    """PA beside PA with another margin: "the specific value of M only results in a different scaling"."""

    def __init__(self, domain: Domain, expert: SimulatedExpert) -> None:
        self._expert = expert
        self._sessions = [
            Session(domain, learners.make("PA", domain.dim, margin=margin)) for margin in (1.0, OTHER_MARGIN)
        ]

    def observe(self, x: Problem) -> None:
        """Run one example."""
        for session in self._sessions:
            proposal = session.ask(x)
            session.tell(proposal, self._expert(x, proposal.solution))

    def row(self, panel: str, run: int) -> TheoremRow:
        """The number of examples with another effort."""
        one, other = (np.array(session.efforts) for session in self._sessions)
        different = int((one != other).sum())
        size = len(one), int((one > 0).sum())
        kappa = self._expert.kappa
        return TheoremRow(MARGIN, panel, "PA", run, *size, kappa, float(different), different == 0)

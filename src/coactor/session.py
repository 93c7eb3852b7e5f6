"""Ask and tell in memory: the paper's protocol, and the only code that changes a learner.

for each problem:  y = ask(x)         solve with the current weights, show y
                   tell(y, correction)  the expert's path and effort; update
"""

from __future__ import annotations

import math
from typing import NamedTuple

from coactor import search
from coactor.experts import same_solution
from coactor.proposals import strategies
from coactor.proposals.acceptance import Acceptance
from coactor.proposals.strategies import Outlook, Strategy
from coactor.protocol import Correction, Domain, Learner, Problem, Proposal, Round, Solver, Vector
from coactor.search import Candidate


class Session:
    """Proposes solutions, takes corrections, and lets the learner learn from them.

    Parameters
    ----------
    domain
        What problems, solutions and edits are.
    learner
        What learns the weights.
    solver
        Replaces the domain's own solver.
    proposals
        Which of the solver's local optima to show: "paper", "polish", "deep", "effort-aware", a strategy of
        your own, or "default": effort-aware where the learner knows the expert's threshold, else as in the
        paper.
    seed
        Of the search for proposals; proposal n depends on the seed and n alone.
    candidate
        What to learn from: the expert's "final" solution, or the last one on which learner and expert
        still disagree ("disagreement", Assumption 3, which the theorems need).

    Examples
    --------
    >>> import numpy as np
    >>> import coactor
    >>> rng = np.random.default_rng(7)
    >>> domain = coactor.domains.Tour(points=10, features=5)
    >>> expert = coactor.SimulatedExpert(domain, weights=rng.random(5), kappa=0.1)
    >>> session = coactor.Session(domain, coactor.learners.CSPER(domain.dim))
    >>> for x in domain.sample(rng, n=50):
    ...     proposal = session.ask(x)
    ...     round = session.tell(proposal, expert(x, proposal.solution))
    >>> sum(session.efforts[:10]) > sum(session.efforts[-10:])
    True
    """

    def __init__(
        self,
        domain: Domain,
        learner: Learner,
        *,
        solver: Solver | None = None,
        proposals: str | Strategy = "default",
        seed: int = 0,
        candidate: Candidate = "final",
    ) -> None:
        if learner.weights.shape != (domain.dim,):
            raise ValueError(
                f"the learner has {learner.weights.size} weights and the domain {domain.dim} features; "
                f"make it with dim={domain.dim}."
            )
        if candidate not in ("final", "disagreement"):
            raise ValueError(f"candidate is {candidate!r}; expected 'final' or 'disagreement'.")
        self.domain = domain
        self.learner = learner
        self.seed = seed
        self.propose: Strategy = (
            strategies.strategy(proposals, domain, solver) if isinstance(proposals, str) else proposals
        )
        self._own = solver is None and isinstance(proposals, str)
        self.candidate: Candidate = candidate
        self.efforts: list[float] = []  # what each example cost the expert
        self.costs: list[float] = []  # the C the learner was given for it
        self._asked = 0
        self.acceptance = Acceptance()
        self._open: dict[int, _Shown] = {}

    def ask(self, problem: Problem) -> Proposal:
        """Propose a solution with the current weights."""
        outlook = Outlook.of(self.learner)
        solution = self.propose(problem, outlook, (self.seed, self._asked))
        if not self._own:  # a stranger's answer: better refused than edited
            search.check_solution(self.domain, problem, solution)
        moves, chance = None, None
        if outlook.threshold is not None and math.isfinite(outlook.threshold):
            gains = search.landscape(self.domain, problem, outlook.weights).gains(solution)
            moves = strategies.expected_moves(gains, outlook.threshold)
            chance = self.acceptance.chance(moves)
        proposal = Proposal(self._asked, problem, solution, len(self.efforts), chance)
        self._open[proposal.id] = _Shown(proposal, outlook.weights, moves)
        self._asked += 1
        return proposal

    def tell(self, proposal: Proposal | int, correction: Correction) -> Round:
        """Learn from what the expert made of a proposal. A refused call changes nothing."""
        shown, weights, moves = self._find(proposal if isinstance(proposal, int) else proposal.id)
        _check_correction(correction)
        if not same_solution(correction.path[0], shown.solution):
            raise ValueError(
                f"the correction does not start from proposal {shown.id}; edit the solution shown."
            )
        ends_only = self.learner.reads == "ends" and self.candidate == "final"
        first = max(1, len(correction.path) - 1) if ends_only else 1  # the proposal itself has been checked
        for z in correction.path[first:]:
            search.check_solution(self.domain, shown.problem, z)
        feedback = search.feedback(
            self.domain, shown.problem, correction, self.learner.reads, self.candidate, weights
        )
        self.learner.update(feedback)
        if moves is not None:
            self.acceptance.learn(moves, accepted=not correction.costs)
        del self._open[shown.id]
        effort = correction.effort
        self.efforts.append(effort)
        self.costs.append(feedback.cost)
        return Round(shown, correction, feedback.cost, effort, feedback.delta)

    def _find(self, number: int) -> _Shown:
        if number in self._open:
            return self._open[number]
        if 0 <= number < self._asked:
            raise ValueError(f"proposal {number} has been told already; ask again for a new one.")
        raise ValueError(f"there is no proposal {number}; this session has made {self._asked}.")


class _Shown(NamedTuple):
    """A proposal that waits for its correction, and what it was made with."""

    proposal: Proposal
    weights: Vector
    expected_moves: float | None


def _check_correction(correction: Correction) -> None:
    steps = len(correction.path) - 1
    if steps < 0 or len(correction.costs) != steps or len(correction.moves) not in (0, steps):
        raise ValueError(
            f"the correction has {len(correction.path)} solutions, {len(correction.moves)} moves and "
            f"{len(correction.costs)} costs; expected one move and one cost between neighbours."
        )
    if correction.costs and not (min(correction.costs) >= 0 and math.isfinite(sum(correction.costs))):
        raise ValueError(f"a step costs {list(correction.costs)}; every cost must be finite, 0 or more.")

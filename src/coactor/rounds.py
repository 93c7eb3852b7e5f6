"""One round of learning: propose, observe, learn.

    propose   solves a problem for a person with what has been learned
    observe   validates a correction and reduces it to vectors
    learn     updates what has been learned; nothing else calls `learner.update`

`Session` and `coactor.studies` both consist of these three functions and a memory. An observation is plain
data, so a log of observations can be replayed without the domain.

Arithmetic. BLAS with several threads adds up in an order that depends on their number, so the last bits of
the weights would too. `Knowledge` and `learn` therefore limit BLAS to one thread, for the whole process: a
limit per call is neither safe with threads nor free.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from coactor.corrections import edit_distance, feedback
from coactor.habits import Memory, habit_features, past_case, recall
from coactor.proposals.acceptance import Acceptance
from coactor.proposals.guard import LEARNER, Guard
from coactor.proposals.strategies import Outlook, Strategy, expected_moves
from coactor.protocol import (
    Candidate,
    Correction,
    CountsEdits,
    Domain,
    Feedback,
    Invalid,
    Learner,
    PastCase,
    Problem,
    Proposal,
    Reads,
    State,
    Vector,
    has,
    learner_for,
    uses_habits,
)
from coactor.search import check_solution, landscape
from coactor.solutions import same_solution


@dataclass(slots=True, eq=False)
class Knowledge:
    """What has been learned.

    Attributes
    ----------
    learner
        The weights, and how they are learned.
    acceptance
        How the expected number of moves predicts that a proposal is accepted.
    memory
        What people chose; None if the domain has no features of habits.
    guard
        What the learner and a few alternatives would have left to edit; None proposes with the learner.
    """

    learner: Learner
    acceptance: Acceptance = field(default_factory=Acceptance)
    memory: Memory | None = None
    guard: Guard | None = None

    def __post_init__(self) -> None:
        _limit_blas_threads()

    def copy(self) -> Knowledge:
        """An independent copy."""
        return deepcopy(self)

    def state(self) -> State:
        """Everything that has been learned, as JSON-able data."""
        state = {"learner": self.learner.state(), "acceptance": self.acceptance.state()}
        parts = {"memory": self.memory, "guard": self.guard}
        return {**state, **{name: part.state() for name, part in parts.items() if part is not None}}

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError, and changes nothing, if it is invalid."""
        try:
            parts = state["learner"], state["acceptance"]
        except (KeyError, TypeError):
            raise Invalid(
                "This is not a state of what was learned; expected what state() returned."
            ) from None
        acceptance, memory = Acceptance(), None if self.memory is None else Memory()
        acceptance.restore(parts[1])
        if memory is not None and "memory" in state:
            memory.restore(state["memory"])
        guard = deepcopy(self.guard)
        if guard is not None and "guard" in state:
            guard.restore(state["guard"])
        self.learner.restore(parts[0])
        self.acceptance, self.memory, self.guard = acceptance, memory, guard


def make_guard(domain: Domain, learner: Learner) -> Guard | None:
    """A guard for a learner that takes a start, in a domain that counts edits; else None."""
    if has(domain, CountsEdits) and hasattr(learner, "start"):
        return Guard(domain.dim, learner.start, habit_features(domain))
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One correction, reduced to what can be learned from it.

    Attributes
    ----------
    feedback
        What the learner sees.
    accepted
        True if the correction has no step.
    expected_moves
        The number of moves expected when the proposal was made; None if it was not predicted.
    case
        What a memory keeps of the final solution; None if the domain has no features of habits.
    left
        What each alternative of the guard would have left to edit: the result of `edits_left`.
    """

    feedback: Feedback
    accepted: bool
    expected_moves: float | None = None
    case: PastCase | None = None
    left: Mapping[str, float] | None = None

    @property
    def cut(self) -> bool:
        """True if the expert ran out of time."""
        return self.feedback.cut


def propose(
    domain: Domain,
    strategy: Strategy,
    knowledge: Knowledge,
    problem: Problem,
    *,
    id: int,
    version: int,
    seed: int = 0,
    person: str = "",
    validate: bool = True,
) -> Proposal:
    """Solve a problem with what has been learned, and predict whether the expert accepts the solution.

    Parameters
    ----------
    domain, strategy, knowledge, problem
        What to solve, and how.
    id, version
        The proposal's number, and the version of the weights.
    seed
        The strategy draws from the stream (seed, version), so the same problem under the same weights gets
        the same proposal.
    person
        For whom: solved with their weights if the learner keeps weights for each person.
    validate
        Whether to check the solution: needed unless solver and strategy are the domain's and ours.
    """
    recalled = None
    if knowledge.memory is not None and uses_habits(domain):
        recalled = recall(knowledge.memory, domain, problem)
        problem = domain.extend(problem, recalled)
    outlook, guard = Outlook.of(learner_for(knowledge.learner, person)), knowledge.guard
    fixed = None if guard is None else guard.weights
    solution = strategy(problem, outlook if fixed is None else Outlook(fixed), (seed, version))
    if validate:
        check_solution(domain, problem, solution)
    chance = moves = None
    if outlook.threshold is not None and math.isfinite(outlook.threshold):
        gains = landscape(domain, problem, outlook.weights).gains(solution)
        expected = expected_moves(gains, outlook.threshold)
        if math.isfinite(expected):
            moves, chance = expected, knowledge.acceptance.chance(expected)
    proposer, reason = (LEARNER, "") if guard is None else (guard.proposer, guard.reason)
    return Proposal(id, problem, solution, version, chance, moves, recalled, person, proposer, reason)


def observe(
    domain: Domain,
    proposal: Proposal,
    correction: Correction,
    reads: Reads,
    candidate: Candidate = "final",
    weights: Vector | None = None,
    person: str = "",
) -> Observation:
    """Validate a correction of a proposal and compute what can be learned from it.

    Parameters
    ----------
    domain, proposal, correction
        What was edited, and how.
    reads
        How much of the correction the learner uses.
    candidate, weights
        What to learn from, and the weights the proposal was made with (for "disagreement").
    person
        Whose correction it is.

    Raises
    ------
    Invalid
        If the correction is inconsistent, does not start with the proposal or contains an invalid solution.
    """
    _check_correction(correction)
    if not same_solution(correction.path[0], proposal.solution):
        raise Invalid(
            f"The correction does not start from proposal {proposal.id}; edit the solution that was proposed."
        )
    ends_only = reads == "ends" and candidate == "final"
    first = max(1, len(correction.path) - 1) if ends_only else 1  # the proposal itself is valid
    try:
        for z in correction.path[first:]:
            check_solution(domain, proposal.problem, z)
        vectors = feedback(domain, proposal.problem, correction, reads, candidate, weights, person)
        case = past_case(domain, proposal.problem, correction.final) if uses_habits(domain) else None
    except Invalid:
        raise
    except (ValueError, IndexError) as error:
        raise Invalid(str(error)) from error
    return Observation(vectors, not correction.costs, proposal.expected_moves, case)


def edits_left(
    domain: Domain,
    strategy: Strategy,
    knowledge: Knowledge,
    proposal: Proposal,
    correction: Correction,
    seed: int = 0,
) -> dict[str, float] | None:
    """What each alternative of the guard would have left to edit to the final solution.

    None without a guard, if the guard has decided, or if the expert ran out of time: then the final solution
    is not what they wanted. `knowledge` is that before the correction.
    """
    guard = knowledge.guard
    if guard is None or not guard.undecided or correction.cut:
        return None
    learned = Outlook.of(learner_for(knowledge.learner, proposal.person))
    x, left = proposal.problem, {}
    try:
        for name in guard.undecided:
            y = proposal.solution
            if name != proposal.proposer:
                outlook = Outlook(guard.fixed[name]) if name in guard.fixed else learned
                y = strategy(x, outlook, (seed, proposal.version))
            left[name] = edit_distance(domain, x, y, correction.final)
    except (ValueError, IndexError):  # a solver may fail for weights of an alternative
        return None
    return left


def learn(knowledge: Knowledge, observation: Observation) -> None:
    """Update the learner, the acceptance, the memory and the guard. If one fails, nothing has changed.

    A correction that was cut before its first step says nothing about acceptance.

    Raises
    ------
    Invalid
        If the learner refuses the feedback: it contains NaN or infinity, or the weights would.
    """
    _limit_blas_threads()
    parts = knowledge.acceptance, knowledge.memory, knowledge.guard
    known = Knowledge(knowledge.learner, *deepcopy(parts))
    if observation.expected_moves is not None and not (observation.cut and observation.accepted):
        known.acceptance.learn(observation.expected_moves, observation.accepted)
    if known.memory is not None and observation.case is not None:
        known.memory.add(observation.case)
    if known.guard is not None and observation.left is not None:
        known.guard.learn(observation.left)
    with np.errstate(all="ignore"):
        try:
            knowledge.learner.update(observation.feedback)  # the last step: it changes everything or nothing
        except ValueError as error:
            raise Invalid(str(error)) from error
    knowledge.acceptance, knowledge.memory, knowledge.guard = known.acceptance, known.memory, known.guard


def _check_correction(correction: Correction) -> None:
    steps = len(correction.path) - 1
    if steps < 0 or len(correction.costs) != steps or len(correction.moves) not in (0, steps):
        raise Invalid(
            f"The correction has {len(correction.path)} solutions, {len(correction.moves)} moves and "
            f"{len(correction.costs)} costs; expected one move and one cost between neighbours."
        )
    if correction.costs and not (min(correction.costs) >= 0 and math.isfinite(sum(correction.costs))):
        raise Invalid(f"The steps cost {list(correction.costs)}; a cost is a finite number of at least 0.")


@cache
def _blas() -> list[Any]:
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _limit_blas_threads() -> None:
    """Limit BLAS to one thread: see the module's docstring."""
    for library in _blas():
        if library.get_num_threads() != 1:
            library.set_num_threads(1)

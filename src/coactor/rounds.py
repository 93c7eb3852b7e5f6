"""One round of learning: propose, observe, learn.

    propose    solves a problem with what has been learned
    compare    solves it with the guard's alternatives too, so that no tell needs a solver
    observe    validates a correction and reduces it to vectors
    learn      updates what has been learned; nothing else calls `learner.update`
    statement  what an expert says about a feature, as evidence
    conclude   the result of the tell

`Session` and `coactor.studies` both consist of these functions and a memory. An observation is plain data, so
a log of observations can be replayed without the domain.

Arithmetic. BLAS with several threads adds up in an order that depends on their number, so the last bits of
the weights would too. `Knowledge` and `learn` therefore limit BLAS to one thread, for the whole process: a
limit per call is neither safe with threads nor free.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from coactor.corrections import continued, correction, edit_distance, feedback, replanned
from coactor.explanations import Known, lesson
from coactor.explanations.words import without_unit
from coactor.habits import Memory, past_case, recall, usage_of
from coactor.keeping import own_parts, replan
from coactor.proposals.outcomes import CONTROL, LEARNER, OUTSIDE, Acceptance, Guard
from coactor.proposals.strategies import Outlook, Strategy, expected_moves
from coactor.protocol import (
    Basis,
    Candidate,
    Codes,
    Correction,
    CountsEdits,
    Domain,
    Feedback,
    Invalid,
    Learner,
    Move,
    MoveCosts,
    Part,
    Parts,
    PastCase,
    Preferences,
    Problem,
    Proposal,
    Reads,
    Round,
    Solution,
    Solver,
    State,
    Usage,
    Vector,
    Wish,
    Work,
    feature_names,
    feature_signs,
    has,
    learner_for,
    uses_habits,
)
from coactor.search import check_solution, landscape
from coactor.solutions import same_solution, short

logger = logging.getLogger("coactor")

STRENGTH = 3.0  # of a statement: log-odds by which a weight one prior deviation higher makes it likelier
SHARE = 4  # if there is no time, one alternative is solved with one in so many proposals


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
        What other weights would have left to edit; None proposes with the learner.
    """

    learner: Learner
    acceptance: Acceptance = field(default_factory=Acceptance)
    memory: Memory | None = None
    guard: Guard | None = None

    def __post_init__(self) -> None:
        _limit_blas_threads()

    @classmethod
    def fresh(cls, domain: Domain, learner: Learner) -> Knowledge:
        """What is known before the first round.

        There is a guard if the learner takes a start and the domain counts edits.
        """
        knowledge = cls(learner, memory=Memory() if uses_habits(domain) else None)
        if has(domain, CountsEdits) and hasattr(learner, "start"):
            knowledge.guard = Guard(domain.dim, learner.start)
        return knowledge

    @property
    def fixed(self) -> Mapping[str, Vector]:
        """The weights that the learner is compared with, by name; none without a guard."""
        return {} if self.guard is None else self.guard.fixed

    def copy(self) -> Knowledge:
        """An independent copy; `learn` replaces the other parts and never changes them."""
        return replace(self, learner=deepcopy(self.learner))

    def state(self) -> State:
        """Everything that has been learned, as JSON-able data."""
        state = {"learner": self.learner.state(), "acceptance": self.acceptance.state()}
        parts = {"memory": self.memory, "guard": self.guard}
        return {**state, **{name: part.state() for name, part in parts.items() if part is not None}}

    def restore(self, state: State) -> None:
        """Return to an earlier state, of the same parts or of more.

        Raises ValueError, and changes nothing, if it is invalid.
        """
        try:
            parts = state["learner"], state["acceptance"]
        except (KeyError, TypeError):
            raise Invalid(
                "This is not a state of what was learned; expected what state() returned."
            ) from None
        acceptance, guard = Acceptance(), deepcopy(self.guard)
        acceptance.restore(parts[1])
        memory = None if self.memory is None and "memory" not in state else Memory()
        if memory is not None and "memory" in state:
            memory.restore(state["memory"])
        if "guard" in state:
            guard = Guard(len(self.learner.weights))
            guard.restore(state["guard"])
        self.learner.restore(parts[0])
        self.acceptance, self.memory, self.guard = acceptance, memory, guard


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
        How many edits what each alternative of the guard proposed is away from the final solution.
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


@dataclass(frozen=True, slots=True)
class Demands:
    """What a caller asks of a proposal beyond the best solution.

    Attributes
    ----------
    solution
        What another system proposes; then nothing is solved.
    keep
        Parts that the solution must have, see `coactor.keeping`.
    near
        A solution to stay near: of the feature of habits, its parts cost nothing and all others 1.
    """

    solution: Solution | None = None
    keep: frozenset[Part] = frozenset()
    near: Solution | None = None

    def __bool__(self) -> bool:
        return self.solution is not None or self.near is not None or bool(self.keep)

    def recalled(self, domain: Domain, memory: Memory | None, problem: Problem) -> Usage | None:
        """How usual parts are: by the plan to stay near, or else by the memory."""
        if self.near is not None and not uses_habits(domain):
            raise Invalid(
                "Staying near a plan needs the feature of habits; open the session with habits=True."
            )
        if not uses_habits(domain):
            return None
        if self.near is not None:
            check_solution(domain, problem, self.near)
            return usage_of(past_case(domain, problem, self.near))
        return None if memory is None else recall(memory, domain, problem)

    def strategy(self, domain: Domain, strategy: Strategy) -> Strategy:
        """The strategy, then a re-plan around the parts to keep."""
        if not self.keep:
            return strategy

        def keeping(x: Problem, outlook: Outlook, stream: Sequence[int]) -> Solution:
            return replan(domain, x, outlook.weights, strategy(x, outlook, stream), self.keep)

        return keeping


NOTHING = Demands()


def as_problem(domain: Domain, problem: Any) -> Problem:
    """The problem itself, or what the domain's JSON methods make of a dictionary."""
    return domain.decode_problem(problem) if isinstance(problem, dict) and has(domain, Codes) else problem


def propose(
    domain: Domain,
    strategy: Strategy,
    knowledge: Knowledge,
    problem: Problem,
    *,
    version: int,
    seed: int = 0,
    asked_for: str = "",
    solved_for: str = "",
    demands: Demands = NOTHING,
    validate: bool = True,
) -> Proposal:
    """Solve a problem with what has been learned, and predict whether the expert accepts the solution.

    Parameters
    ----------
    domain, strategy, knowledge, problem
        What to solve, and how.
    version
        The version of the weights.
    seed
        The strategy draws from the stream (seed, version), so the same problem under the same weights gets
        the same proposal.
    asked_for, solved_for
        For whom it is asked, and with whose weights it is solved if the learner keeps weights for each
        expert.
    demands
        What the caller asks of the solution.
    validate
        Whether to check the solution: needed unless solver and strategy are the domain's and ours.
    """
    recalled = demands.recalled(domain, knowledge.memory, problem)
    if recalled is not None and uses_habits(domain):
        problem = domain.extend(problem, recalled)
    outlook, guard = Outlook.of(learner_for(knowledge.learner, solved_for)), knowledge.guard
    proposer, reason = (LEARNER, "") if guard is None else (guard.proposer, guard.reason)
    solution = demands.solution
    if solution is not None:
        proposer, reason = OUTSIDE, ""
    else:
        chosen = _outlook(knowledge, proposer, solved_for)
        solution = demands.strategy(domain, strategy)(problem, chosen, (seed, version))
    if validate:
        check_solution(domain, problem, solution)
    basis = Basis(version, proposer, reason, *_predicted(domain, knowledge, problem, solution, outlook))
    return Proposal(0, problem, solution, asked_for, solved_for, basis, recalled=recalled, domain=domain)


def as_control(domain: Domain, knowledge: Knowledge, proposal: Proposal) -> Proposal:
    """A proposal that was made without what was learned, with the prediction of what was."""
    outlook = Outlook.of(learner_for(knowledge.learner, proposal.solved_for))
    predicted = _predicted(domain, knowledge, proposal.problem, proposal.solution, outlook)
    return replace(proposal, basis=Basis(proposal.version, CONTROL, "", *predicted))


def _predicted(
    domain: Domain, knowledge: Knowledge, problem: Problem, solution: Solution, outlook: Outlook
) -> tuple[float | None, float | None]:
    """The chance that a solution is accepted, and the expected number of moves; None if unknown."""
    if outlook.threshold is None or not math.isfinite(outlook.threshold):
        return None, None
    gains = landscape(domain, problem, outlook.weights).gains(solution)
    expected = expected_moves(gains, outlook.threshold)
    return (knowledge.acceptance.chance(expected), expected) if math.isfinite(expected) else (None, None)


def compare(
    domain: Domain,
    strategy: Strategy,
    knowledge: Knowledge,
    proposal: Proposal,
    *,
    seed: int = 0,
    seconds: float = math.inf,
    demands: Demands = NOTHING,
) -> Proposal:
    """The proposal with what the guard's alternatives propose; a tell only counts the edits from each.

    Parameters
    ----------
    domain, strategy, knowledge, seed
        As in `propose`.
    proposal
        The result of `propose`.
    seconds
        The time for all of them; the last one may exceed it. If there is none, one in `SHARE` proposals is
        compared, with one alternative: a case that was not compared says nothing.
    demands
        As in `propose`.
    """
    strategy = demands.strategy(domain, strategy)
    fixed, basis, began = knowledge.fixed, proposal.basis, time.monotonic()
    if not fixed or basis.proposer in (OUTSIDE, CONTROL):
        return proposal
    names = [name for name in (LEARNER, *fixed) if name != basis.proposer]
    if seconds <= 0:
        turn, rest = divmod(basis.version, SHARE)
        if rest:
            return proposal
        # The learner is part of every comparison.
        names = [LEARNER] if basis.proposer != LEARNER else [names[turn % len(names)]]
    solutions = {basis.proposer: proposal.solution}
    for name in names:
        if len(solutions) > 1 and time.monotonic() - began > seconds:
            break
        outlook = _outlook(knowledge, name, proposal.solved_for)
        try:
            solution = strategy(proposal.problem, outlook, (seed, basis.version))
            check_solution(domain, proposal.problem, solution)
        except Exception as error:  # of a solver, for weights that it cannot take; the proposal is good
            logger.warning("The alternative %r was not solved: %s", name, error)
        else:
            solutions[name] = solution
    return replace(proposal, alternatives=solutions)


def draft_of(
    domain: Domain,
    proposal: Proposal,
    solution: Solution | None,
    moves: Iterable[Move] | None,
    costs: MoveCosts | None = None,
) -> Correction:
    """What was done so far: the edits that lead to a draft, or to its solution; by default none."""
    moves = [] if solution is None and moves is None else moves
    x, y = proposal.problem, proposal.solution
    done = correction(domain, x, y, moves=moves, solution=solution, costs=costs)
    return done if proposal.before is None else continued(proposal.before, done)


def resume(
    domain: Domain,
    proposal: Proposal,
    done: Correction,
    weights: Vector,
    keep: Parts | None = None,
    solver: Solver | None = None,
    costs: MoveCosts | None = None,
) -> Proposal:
    """The proposal with the rest of a draft solved again, see `Session.replan`.

    Parameters
    ----------
    domain, proposal, done
        What is edited, and what was done so far (`draft_of`).
    weights
        Those that the proposal was made with.
    keep
        Parts that must stay; by default those that the edits so far brought about.
    solver, costs
        A solver that takes parts to keep, and the costs of moves.
    """
    x = proposal.problem
    if keep is None:
        keep = own_parts(domain, x, done.path, done.replans)
    solution = replan(domain, x, weights, done.final, keep, solver)
    if not same_solution(solution, done.final):
        done = replanned(done, solution, costs)
    return replace(proposal, solution=solution, before=done)


def _outlook(knowledge: Knowledge, proposer: str, solved_for: str) -> Outlook:
    if proposer in knowledge.fixed:
        return Outlook(knowledge.fixed[proposer])
    return Outlook.of(learner_for(knowledge.learner, solved_for))


def check_own(asked: Proposal, given: Proposal, plain: Callable[[Any], Any] = lambda data: data) -> None:
    """Raise Invalid if a proposal is not the one that was asked here under its number.

    `plain` says what of a problem is compared.
    """
    first = given.solution if given.before is None else given.before.path[0]
    alike = given.problem is asked.problem or same_solution(plain(given.problem), plain(asked.problem))
    if not (alike and same_solution(first, asked.solution)):
        raise Invalid(
            f"Proposal {given.id} was made by another session or study; give it to the one that made it."
        )


def weights_of(knowledge: Knowledge, proposal: Proposal) -> Vector:
    """The weights that a proposal was made with; `knowledge` is that of its version."""
    return _outlook(knowledge, proposal.basis.proposer, proposal.solved_for).weights


def observe(
    domain: Domain,
    proposal: Proposal,
    correction: Correction,
    reads: Reads,
    candidate: Candidate = "final",
    weights: Vector | None = None,
    learned_for: str = "",
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
    learned_for
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
        vectors = feedback(domain, proposal.problem, correction, reads, candidate, weights, learned_for)
        case = past_case(domain, proposal.problem, correction.final) if uses_habits(domain) else None
    except Invalid:
        raise
    except (ValueError, IndexError) as error:
        raise Invalid(str(error)) from error
    left = None if correction.cut or correction.replans else _edits_left(domain, proposal, correction.final)
    return Observation(vectors, not correction.costs, proposal.basis.expected_moves, case, left)


def _edits_left(domain: Domain, proposal: Proposal, final: Solution) -> dict[str, float] | None:
    if not proposal.alternatives:
        return None
    x, solutions = proposal.problem, proposal.alternatives.items()
    try:
        return {name: edit_distance(domain, x, y, final) for name, y in solutions}
    except Exception as error:  # of a domain's own method; the correction itself is good
        logger.warning("Proposal %d was not compared: %s", proposal.id, error)
        return None


def learn(knowledge: Knowledge, observation: Observation) -> None:
    """Update the learner, the acceptance, the memory and the guard. If one raises, nothing has changed.

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


def statement(domain: Domain, learner: Learner, feature: str, wish: Wish, learned_for: str) -> Feedback:
    """What an expert says about a feature, as evidence: that they want more or less of it than now.

    It is as if of two solutions that the weights hold equally good, the expert took the one that differs in
    this feature. How far the two differ is the strength of the evidence.

    Raises
    ------
    Invalid
        If there is no such feature or wish, the learner does not know how sure it is, or no move has changed
        the feature yet.
    """
    names = feature_names(domain)
    plain = [feature in (name, without_unit(name)) for name in names]
    if not any(plain):
        raise Invalid(f"There is no feature {short(feature)}; the features are {', '.join(names)}.")
    if wish not in ("more", "less"):
        raise Invalid(f"The wish is {short(wish)}; expected 'more' or 'less'.")
    one, k = learner_for(learner, learned_for), plain.index(True)
    if not has(one, Preferences):
        raise Invalid(f"The learner {learner.name!r} cannot weigh what people say; use the default learner.")
    met = one.known() > 0.0  # features that an edit has concerned: only these have units
    if not met[k]:
        raise Invalid(
            f"No edit has concerned {names[k]!r} yet. Correct a proposal in which it matters first."
        )
    deviations = one.prior_deviations()
    w = np.where(met, one.weights, 0.0) * deviations.min() / deviations  # without overflow
    towards = np.eye(len(w))[k] - w[k] / (w @ w or 1.0) * w  # orthogonal to the weights
    if not np.linalg.norm(towards) > 1e-6:
        raise Invalid(f"Nothing but {names[k]!r} has mattered so far. Correct a proposal first.")
    sign = feature_signs(domain)[k] * (1.0 if wish == "more" else -1.0)
    return Feedback(
        np.vstack([0.0 * w, sign * STRENGTH * towards / deviations]), 1.0, None, False, learned_for
    )


def conclude(
    domain: Domain,
    proposal: Proposal,
    correction: Correction,
    observation: Observation,
    work: Work,
    *,
    before: tuple[Vector, Known],
    after: Learner,
    version: int,
    learn: bool,
    key: str | None = None,
) -> Round:
    """The result of a tell.

    Parameters
    ----------
    domain, proposal, correction, observation, work
        What was proposed, what the expert did, and what `observe` made of it.
    before, after
        The weights of the one whose correction it is and what was known before the tell, see `known_of`,
        and the learner after it.
    version
        The version of the weights after the tell.
    learn
        False if the correction was only recorded.
    key
        The caller's key for the proposal.
    """
    vectors = observation.feedback
    weights, known = known_of(after, vectors.learned_for)
    return Round(
        proposal=proposal.id,
        key=key,
        basis=proposal.basis,
        effort=correction.effort,
        estimated=correction.estimated,
        accepted=observation.accepted,
        work=work,
        learn=learn,
        learned_for=vectors.learned_for,
        cost=vectors.cost,
        version=version,
        lesson=lesson(
            feature_names(domain),
            feature_signs(domain),
            before[1],
            known,
            learn=learn,
            accepted=observation.accepted,
        ),
        delta=vectors.delta,
        change=weights - before[0],
    )


def known_of(learner: Learner, person: str) -> tuple[Vector, Known]:
    """The weights of a person, and what is known about them."""
    one = learner_for(learner, person)
    return one.weights.copy(), Known.of(one)


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

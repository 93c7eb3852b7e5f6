"""Ask and tell in memory: the paper's protocol.

for each problem:  proposal = ask(x)             solve with the current weights
                   tell(proposal, correction)    the expert's path and effort; learn

`coactor.open_study` and `coactor.connect` have the same methods for a store and for a server.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from coactor import corrections, learners, rounds
from coactor.explanations import PeopleView, compare_people, lesson
from coactor.habits import Memory, start_weights, with_habits
from coactor.proposals import strategies
from coactor.proposals.acceptance import Acceptance
from coactor.proposals.strategies import Strategy
from coactor.protocol import (
    Candidate,
    Conflict,
    Correction,
    Domain,
    EffortRow,
    Invalid,
    Learner,
    Move,
    MoveCosts,
    NotFound,
    Problem,
    Proposal,
    Round,
    Solution,
    Solver,
    State,
    Vector,
    feature_names,
    feature_signs,
    uses_habits,
)
from coactor.protocol.abilities import Preferences, has, learner_for, whose
from coactor.rounds import Knowledge
from coactor.solutions import same_solution
from coactor.validation import text, validate_actor

MOST_OPEN = 1000  # proposals that wait for a tell, and keys
MOST_VERSIONS = 1000  # whose weights are remembered


class _Open(NamedTuple):
    """A proposal that waits for a tell: for whom it was asked, and the weights it was made with if needed."""

    proposal: Proposal
    key: str | None
    person: str
    weights: Vector | None


class Session:
    """Proposes solutions and learns from their corrections.

    A session remembers the last 1000 proposals that were not told, the last 1000 keys and the weights of the
    last 1000 versions. A study (`coactor.open_study`) keeps everything.

    Parameters
    ----------
    domain
        What problems, solutions and edits are.
    learner
        What learns the weights: a learner, or its name, such as "default".
    solver
        Replaces the domain's own solver.
    proposals
        Which of the solver's local optima to propose: "paper", "polish", "effort-aware", your own
        strategy, or "default": effort-aware if the learner models the expert's threshold, else as in the
        paper.
    budget
        The time limit of an ask in seconds: a slow solver is then called once, and others as often as there
        is time. None counts candidates instead, so that the results do not depend on the machine.
    costs
        The cost of each move for `tell(moves=...)`; 1 by default.
    candidate
        What to learn from: the expert's "final" solution, or the last one on which learner and expert
        still disagree ("disagreement", Assumption 3, which the theorems need).
    seed
        Of the search for proposals. A proposal depends on the problem, the seed and the version of the
        weights alone.
    habits
        Whether to remember what people chose, and to add how unusual the parts of a solution are to its
        features, see `coactor.habits`. Then `session.domain` has one more feature, and the problem of a
        proposal holds what was recalled for it.
    guard
        Whether to propose with the start or with all features alike while the learner would have left more
        to edit, see `coactor.proposals.guard`; by default if the learner is named "default".
    start, trust
        The weights in use today, with which a learner given by its name starts: a list, or numbers by the
        names of the features, in their own units; and how far to trust them, see `ChoiceLearner`.

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
    ...     result = session.tell(proposal, expert(x, proposal.solution))
    >>> sum(session.efforts[:10]) > sum(session.efforts[-10:])
    True
    """

    def __init__(
        self,
        domain: Domain,
        learner: Learner | str,
        *,
        solver: Solver | None = None,
        proposals: str | Strategy = "default",
        budget: float | None = None,
        costs: MoveCosts | None = None,
        candidate: Candidate = "final",
        seed: int = 0,
        habits: bool = False,
        guard: bool | None = None,
        start: Sequence[float] | Vector | Mapping[str, float] | None = None,
        trust: float | None = None,
    ) -> None:
        domain = with_habits(domain) if habits else domain
        guarded = learner == "default" if guard is None else guard
        if isinstance(learner, str):
            first = start_weights(domain, start)
            learner = learners.make(learner, domain.dim, start=first, trust=trust)
        elif start is not None or trust is not None:
            raise Invalid("The learner is given as an object; give its name, or make it with the start.")
        if learner.weights.shape != (domain.dim,):
            raise Invalid(
                f"The learner has {learner.weights.size} weights and the domain {domain.dim} features; "
                f"make it with dim={domain.dim}."
            )
        if candidate not in ("final", "disagreement"):
            raise Invalid(f"The candidate is {candidate!r}; expected 'final' or 'disagreement'.")
        self.domain = domain
        self.knowledge = Knowledge(
            learner,
            memory=Memory() if uses_habits(domain) else None,
            guard=rounds.make_guard(domain, learner) if guarded else None,
        )
        self.strategy: Strategy = (
            strategies.strategy(proposals, domain, solver, strategies.limits(budget))
            if isinstance(proposals, str)
            else proposals
        )
        self._validate = solver is not None or not isinstance(proposals, str)
        self.move_costs, self.candidate, self.seed = costs, candidate, seed
        self.version = 0
        self._names = feature_names(domain)
        self._signs = feature_signs(domain)
        self.efforts: list[float] = []  # the total effort of each finished proposal
        self.costs: list[float] = []  # the C that the learner was given for it
        self._told: list[tuple[Any, ...]] = []  # the values of an `EffortRow` each
        self._asked = 0
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._keys: OrderedDict[str, tuple[Proposal, Problem, str]] = OrderedDict()
        self._weights = deque([learner.weights.copy()], MOST_VERSIONS)  # the last one is the current one

    @property
    def learner(self) -> Learner:
        """The learner."""
        return self.knowledge.learner

    @property
    def acceptance(self) -> Acceptance:
        """The prediction of whether proposals are accepted."""
        return self.knowledge.acceptance

    def ask(
        self, problem: Problem, *, key: str | None = None, label: str = "", actor: str = "", person: str = ""
    ) -> Proposal:
        """Propose a solution with the current weights.

        Parameters
        ----------
        problem
            The problem.
        key
            An idempotency key: the same key returns the same proposal again.
        label, actor
            A name for the proposal (kept by a study, unused in memory), and who asks.
        person
            Whose weights to solve with, if the learner keeps weights for each person: a name, a role or a
            depot. By default the actor; the weights of the population for a newcomer and without a name.

        Raises
        ------
        Conflict
            If the key was used for another problem or person.
        """
        validate_actor(actor, person=person)
        known = None if key is None else self._keys.get(key)
        if known is not None:
            proposal, asked, asked_for = known
            if not same_solution(asked, problem) or person not in ("", asked_for):
                raise Conflict(f"The key {key!r} was used for another problem or person; choose a new key.")
            return proposal
        proposal = rounds.propose(
            self.domain,
            self.strategy,
            self.knowledge,
            problem,
            id=self._asked + 1,
            version=self.version,
            seed=self.seed,
            person=person or actor,
            validate=self._validate,
        )
        self._asked += 1
        weights = self.weights(person=proposal.person) if self.candidate == "disagreement" else None
        self._open[proposal.id] = _Open(proposal, key, person, weights)
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        if key is not None:
            self._keys[key] = proposal, problem, person
            if len(self._keys) > MOST_OPEN:
                self._keys.popitem(last=False)
        return proposal

    def tell(
        self,
        proposal: Proposal | int,
        correction: Correction | None = None,
        *,
        moves: Iterable[Move] | None = None,
        path: Sequence[Solution] | None = None,
        solution: Solution | None = None,
        effort: float | None = None,
        cut: bool = False,
        learn: bool = True,
        note: str = "",
        actor: str = "",
        seconds: float | None = None,
        person: str = "",
    ) -> Round:
        """Learn from the expert's correction of a proposal. If it raises, nothing has changed.

        Parameters
        ----------
        proposal
            The proposal or its number.
        correction, moves, path, solution
            Exactly one: a correction; the edits (an empty list accepts the proposal); every solution from the
            proposal to the final one; or the final solution, whose effort is then estimated.
        effort, cut
            The total effort if it is known, and whether the expert ran out of time; only without a
            `correction`, which contains both.
        learn
            False only records the effort.
        note, actor, seconds
            A remark, the expert's name, and the active time.
        person
            Whose weights to learn; by default the person of `ask`, or else the actor.

        Raises
        ------
        Invalid
            If the correction is invalid.
        NotFound, Conflict
            If there is no such proposal, or it was already told.
        """
        validate_actor(actor, person=person)
        asked, key, asked_for, weights = self._find(proposal if isinstance(proposal, int) else proposal.id)
        if correction is not None:
            corrections.check_alone(moves, path, solution, effort, cut)
        else:
            correction = corrections.correction(
                self.domain,
                asked.problem,
                asked.solution,
                moves=moves,
                path=path,
                solution=solution,
                effort=effort,
                cut=cut,
                costs=self.move_costs,
            )
        learner, person = self.knowledge.learner, person or asked_for or actor
        observation = rounds.observe(
            self.domain, asked, correction, learner.reads, self.candidate, weights, person
        )
        before = self.weights(person=person)
        if learn:
            left = rounds.edits_left(self.domain, self.strategy, self.knowledge, asked, correction, self.seed)
            rounds.learn(self.knowledge, replace(observation, left=left))
            self.version += 1
            self._weights.append(learner.weights.copy())
        after = self.weights(person=person)
        del self._open[asked.id]
        vectors, accepted = observation.feedback, observation.accepted
        units = learner.prior_deviations() if has(learner, Preferences) else None
        effort, cost, steps = correction.effort, vectors.cost, len(correction.costs)
        self.efforts.append(effort)
        self.costs.append(cost)
        seq = len(self.efforts)
        row = seq, 0.0, asked.id, key, actor, effort, correction.estimated, steps, seconds
        self._told.append((*row, learn, asked.version, self.version, asked.chance, person))
        return Round(
            proposal=asked.id,
            effort=effort,
            cost=cost,
            delta=vectors.delta,
            change=after - before,
            version=self.version,
            accepted=accepted,
            estimated=correction.estimated,
            learn=learn,
            lesson=lesson(
                self._names, before, after, units, signs=self._signs, learn=learn, accepted=accepted
            ),
            seq=seq,
            actor=actor,
            gross=steps,
            seconds=seconds,
            asked_with=asked.version,
            note=note,
        )

    def effort(self, after: int = 0) -> list[EffortRow]:
        """What each finished proposal cost, in the order of the tells; those with `seq` above `after`."""
        return [EffortRow(*values) for values in self._told[max(0, after) :]]

    def weights(self, version: int | None = None, *, person: str = "") -> Vector:
        """The current weights, or those of an earlier version; of a person, or of the population.

        Raises
        ------
        NotFound
            If there is no such version, or it is no longer remembered. Of people who have weights of their
            own, only the current ones are.
        """
        text(person, "person", 100)
        if version is None or (version == self.version and person):
            return learner_for(self.learner, person).weights.copy()
        if whose(self.learner, person):
            raise NotFound(f"A session remembers only the current weights of {person!r}; use a study.")
        first = self.version - len(self._weights) + 1
        if not first <= version <= self.version:
            raise NotFound(
                f"The weights of version {version} are not available; "
                f"this session has versions {first} to {self.version}."
            )
        return self._weights[version - first].copy()

    def people(self, *, hide: bool = False) -> PeopleView:
        """What people share, how they differ and who goes together; `hide` leaves out their names."""
        return compare_people(self._names, self._signs, self.learner, hide)

    def state(self) -> State:
        """What was learned, and the version, as JSON-able data; open proposals are not included."""
        return {"version": self.version, "asked": self._asked, **self.knowledge.state()}

    def restore(self, state: State) -> None:
        """Continue from a state. Efforts and open proposals are not part of it, so they are dropped."""
        numbers = [state.get(key) for key in ("version", "asked")]
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise Invalid("This is not the state of a session; expected what state() returned.")
        self.knowledge.restore(state)
        self.version, self._asked = state["version"], state["asked"]
        self.efforts, self.costs, self._told = [], [], []
        self._open.clear()
        self._keys.clear()
        self._weights = deque([self.learner.weights.copy()], MOST_VERSIONS)

    def __repr__(self) -> str:
        last = self.efforts[-10:]
        mean = f", mean effort of the last {len(last)}: {np.mean(last):.3g}" if last else ""
        names = f"{type(self.domain).__name__} with learner {self.learner.name}"
        return f"<Session of {names}: {self._asked} asked, {len(self.efforts)} told{mean}>"

    def _find(self, number: int) -> _Open:
        if number in self._open:
            return self._open[number]
        if not 1 <= number <= self._asked:
            raise NotFound(f"There is no proposal {number}; this session has made {self._asked}.")
        if any(row.proposal == number for row in self.effort()):
            raise Conflict(f"Proposal {number} was already told; ask again for a new one.")
        raise NotFound(f"Proposal {number} was forgotten; a session remembers {MOST_OPEN} open proposals.")

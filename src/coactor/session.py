"""Ask and tell in memory: the paper's protocol.

for each problem:  proposal = ask(x)             solve with the current weights
                   tell(proposal, correction)    the expert's path and effort; learn

`coactor.open_study` and `coactor.connect` have the same methods for a store and for a server.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from coactor import corrections, learners, records, rounds
from coactor.corrections import check_costs
from coactor.explanations import Belief, PeopleView, beliefs, compare_people
from coactor.habits import start_weights, with_habits
from coactor.keeping import named_parts
from coactor.proposals import strategies
from coactor.proposals.strategies import Strategy
from coactor.protocol import (
    Candidate,
    Conflict,
    Correction,
    Domain,
    Invalid,
    Learner,
    Move,
    MoveCosts,
    NotFound,
    Parts,
    Problem,
    Proposal,
    Round,
    Solution,
    Solver,
    State,
    Vector,
    Wish,
    Work,
    feature_names,
    feature_signs,
)
from coactor.protocol.abilities import learner_for, whose
from coactor.rounds import Knowledge, as_problem
from coactor.solutions import same_solution
from coactor.validation import (
    checked_domain,
    checked_learner,
    checked_type,
    positive,
    proposal_number,
    text,
    validate_actor,
    validate_label,
)

MOST_OPEN = 1000  # proposals that wait for a tell, and keys
MOST_VERSIONS = 1000  # whose weights are remembered


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
        paper. A learner that takes a start is guarded: the start, or all features alike, propose while they
        are ahead of it, see `coactor.proposals.outcomes`. That costs a call of the domain's solver for each
        of them; a solver of your own is called for one of them, with one in four proposals.
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
        start: Sequence[float] | Vector | Mapping[str, float] | None = None,
        trust: float | None = None,
    ) -> None:
        checked_domain(domain)
        if not isinstance(learner, str):
            checked_learner(learner)
        checked_type(solver or domain.solve, Callable, "The solver")
        check_costs(costs)
        domain = with_habits(domain) if checked_type(habits, bool, "'habits'") else domain
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
        self.knowledge = Knowledge.fresh(domain, learner)
        reserve = len(self.knowledge.fixed) if solver is None else 0
        self.strategy: Strategy = (
            strategies.strategy(proposals, domain, solver, strategies.limits(budget, reserve))
            if isinstance(proposals, str)
            else checked_type(proposals, Callable, "The strategy")
        )
        self._own, self._solver = solver is None and isinstance(proposals, str), solver
        self._budget = math.inf if budget is None else budget
        self.move_costs, self.candidate, self.seed = costs, candidate, positive(seed, 0, "seed")
        self.version = 0
        self.efforts: list[float] = []  # the total effort of each finished proposal
        self.costs: list[float] = []  # the C that the learner was given for it
        self._told: list[Round] = []
        self._asked = 0
        self._open: OrderedDict[int, tuple[Proposal, str | None, Vector]] = OrderedDict()  # key, weights
        self._keys: OrderedDict[str, tuple[Proposal, Problem]] = OrderedDict()
        self._weights = deque([learner.weights.copy()], MOST_VERSIONS)  # the last one is the current one

    @property
    def learner(self) -> Learner:
        """The learner."""
        return self.knowledge.learner

    def ask(
        self,
        problem: Problem,
        *,
        key: str | None = None,
        label: str = "",
        actor: str = "",
        asked_for: str = "",
        keep: Parts = (),
        near: Solution | None = None,
    ) -> Proposal:
        """Propose a solution with the current weights.

        Parameters
        ----------
        problem
            The problem; or, of a domain with JSON methods, its data.
        key
            An idempotency key: the same key returns the same proposal again.
        label, actor
            A name for the proposal (kept by a study, unused in memory), and who asks.
        asked_for
            Whose weights to solve with, if the learner keeps weights for each expert: a name, a role or a
            depot. By default the actor; the weights of all for a newcomer and without a name.
        keep
            Parts that the solution must have, as `domain.parts` names them, see `coactor.keeping`.
        near
            A solution to stay near, such as yesterday's plan, if the session has habits: how much a changed
            part costs is learned like every other weight.

        Raises
        ------
        Conflict
            If the key was used for another problem or expert.
        """
        validate_actor(actor, expert=asked_for)
        validate_label(label, key)
        problem = as_problem(self.domain, problem)
        known = None if key is None else self._keys.get(key)
        if known is not None:
            proposal, asked = known
            if not same_solution(asked, problem) or asked_for not in ("", proposal.asked_for):
                raise Conflict(f"The key {key!r} was used for another problem or expert; choose a new key.")
            return proposal
        began, setting = time.monotonic(), (self.domain, self.strategy, self.knowledge)
        demands = rounds.Demands(keep=named_parts(keep), near=near)
        proposal = rounds.propose(
            *setting,
            problem,
            version=self.version,
            seed=self.seed,
            asked_for=asked_for,
            solved_for=asked_for or actor,
            demands=demands,
            validate=not self._own,
        )
        left = self._budget - (time.monotonic() - began) if self._own else 0.0
        proposal = rounds.compare(*setting, proposal, seed=self.seed, seconds=left, demands=demands)
        self._asked += 1
        proposal = replace(proposal, id=self._asked)
        weights = rounds.weights_of(self.knowledge, proposal).copy()
        self._open[proposal.id] = proposal, key, weights
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        if key is not None:
            self._keys[key] = proposal, problem
            if len(self._keys) > MOST_OPEN:
                self._keys.popitem(last=False)
        return proposal

    def replan(
        self,
        proposal: Proposal | int,
        solution: Solution | None = None,
        *,
        moves: Iterable[Move] | None = None,
        keep: Parts | None = None,
    ) -> Proposal:
        """Solve the rest of a draft again, around what stays. Nothing is learned.

        It changes only what gains under the weights that the proposal was made with. What the expert did
        before is remembered with the proposal that it returns; a tell of that proposal continues it, and
        learns from the expert's own edits alone. The cost of the move "replan" counts, 1 by default.

        Parameters
        ----------
        proposal
            The proposal, or its number.
        solution, moves
            The draft: at most one of a solution, and the edits that lead to it. By default the proposal.
        keep
            Parts that must stay, as `domain.parts` names them; by default those that the edits brought about.

        Raises
        ------
        Invalid
            If the draft is invalid, or the parts cannot be kept together.
        NotFound, Conflict
            If there is no such proposal, or it was already told.
        """
        asked, _, weights = self._find(proposal)
        start = proposal if isinstance(proposal, Proposal) else asked
        done = rounds.draft_of(self.domain, start, solution, moves, self.move_costs)
        return rounds.resume(self.domain, start, done, weights, keep, self._solver, self.move_costs)

    def tell(
        self,
        proposal: Proposal | int,
        correction: Correction | None = None,
        *,
        moves: Iterable[Move] | None = None,
        solution: Solution | None = None,
        effort: float | None = None,
        cut: bool = False,
        learn: bool = True,
        actor: str = "",
        learned_for: str = "",
        work: Work | None = None,
    ) -> Round:
        """Learn from the expert's correction of a proposal. If it raises, nothing has changed.

        It calls no solver.

        Parameters
        ----------
        proposal
            The proposal or its number.
        correction, moves, solution
            Exactly one: a correction, which `coactor.correction` also makes of a path; the edits (an empty
            list accepts the proposal); or the final solution, whose effort is then estimated.
        effort, cut
            The total effort if it is known, and whether the expert ran out of time; only without a
            `correction`, which contains both.
        learn
            False only records the effort.
        actor
            The expert's name.
        learned_for
            Whose weights to learn; by default the one the proposal was asked for, or else the actor.
        work
            The active time, the number of gestures and a remark; its `actor` is the actor.

        Raises
        ------
        Invalid
            If the correction is invalid.
        NotFound, Conflict
            If there is no such proposal, or it was already told.
        """
        validate_actor(actor, expert=learned_for)
        work = corrections.check_told(correction, (moves, solution, effort, cut), work, learn)
        work = replace(work, actor=actor or work.actor)
        asked, key, weights = self._find(proposal)
        earlier = proposal.before if isinstance(proposal, Proposal) else None
        if correction is None:
            correction = corrections.correction(
                self.domain,
                asked.problem,
                asked.solution if earlier is None else earlier.final,
                moves=moves,
                solution=solution,
                effort=effort,
                cut=cut,
                costs=self.move_costs,
            )
        if earlier is not None:
            correction = corrections.continued(earlier, correction)
        learner, learned_for = self.knowledge.learner, learned_for or asked.asked_for or work.actor
        observation = rounds.observe(
            self.domain, asked, correction, learner.reads, self.candidate, weights, learned_for
        )
        before = rounds.known_of(learner, learned_for)
        if learn:
            rounds.learn(self.knowledge, observation)
            self.version += 1
            self._weights.append(learner.weights.copy())
        del self._open[asked.id]
        result = rounds.conclude(
            self.domain,
            asked,
            correction,
            observation,
            work if work.gestures else replace(work, gestures=len(correction.costs)),
            before=before,
            after=learner,
            version=self.version,
            learn=learn,
            key=key,
        )
        result.seq = len(self._told) + 1
        self.efforts.append(result.effort)
        self.costs.append(result.cost)
        self._told.append(result)
        return result

    def say(self, feature: str, wish: Wish, *, learned_for: str = "", actor: str = "") -> int:
        """Learn that an expert wants more or less of a feature than what is proposed now.

        It is evidence, worth about one edit. Returns the version of the weights.

        Raises
        ------
        Invalid
            If there is no such feature, or no edit has concerned it yet.
        """
        validate_actor(actor, expert=learned_for)
        who = learned_for or actor
        said = rounds.statement(self.domain, self.learner, feature, wish, who)
        rounds.learn(self.knowledge, rounds.Observation(said, accepted=False))
        self.version += 1
        self._weights.append(self.learner.weights.copy())
        return self.version

    def effort(self, after: int = 0) -> list[Round]:
        """What each finished proposal cost, in the order of the tells; those with `seq` above `after`."""
        return self._told[max(0, after) :]

    def weights(self, version: int | None = None, *, learned_for: str = "") -> Vector:
        """The current weights, or those of an earlier version; of one expert, or of all.

        Raises
        ------
        NotFound
            If there is no such version, or it is no longer remembered. Of experts who have weights of their
            own, only the current ones are.
        """
        text(learned_for, "expert", 100)
        if version is None or (version == self.version and learned_for):
            return learner_for(self.learner, learned_for).weights.copy()
        if whose(self.learner, learned_for):
            raise NotFound(f"A session remembers only the current weights of {learned_for!r}; use a study.")
        first = self.version - len(self._weights) + 1
        if not first <= version <= self.version:
            raise NotFound(
                f"The weights of version {version} are not available; "
                f"this session has versions {first} to {self.version}."
            )
        return self._weights[version - first].copy()

    def people(self, *, hide: bool = False) -> PeopleView:
        """What people share, how they differ and who goes together; `hide` leaves out their names."""
        return compare_people(feature_names(self.domain), feature_signs(self.domain), self.learner, hide)

    def beliefs(self, *, learned_for: str = "") -> list[Belief]:
        """What is known about each feature: by one expert's corrections, or by those of all."""
        learner = learner_for(self.learner, text(learned_for, "expert", 100))
        rounds = [row for row in self._told if row.learn and learned_for in ("", row.learned_for)]
        return beliefs(feature_names(self.domain), feature_signs(self.domain), learner, rounds)

    to_frame, plot, _repr_html_ = records.to_frame, records.plot, records.html

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

    def _find(self, proposal: Proposal | int) -> tuple[Proposal, str | None, Vector]:
        number = proposal_number(proposal)
        if number in self._open:
            if isinstance(proposal, Proposal):
                rounds.check_own(self._open[number][0], proposal)
            return self._open[number]
        if not 1 <= number <= self._asked:
            raise NotFound(f"There is no proposal {number}; this session has made {self._asked}.")
        if any(told.proposal == number for told in self._told):
            raise Conflict(f"Proposal {number} was already told; ask again for a new one.")
        raise NotFound(f"Proposal {number} was forgotten; a session remembers {MOST_OPEN} open proposals.")

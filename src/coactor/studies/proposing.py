"""The proposals of a study: solved when they are asked for, and solved again when they have waited.

A proposal that waits while others are finished was made with old weights. Solving it again as soon as the
weights change would waste work, and would change a proposal that its caller already holds. So it is solved
again when a person opens it to edit, and only if

    it is untouched and not held, or its holder has undone all edits and asks for it,
    the weights have changed since (a rollback changes them too), or it was solved with another person's,
    the domain's own solver made it in the study's own way, which every process can repeat,
    and `ask` was not told to keep it.

Every solving stays in the log. A correction is learned from the one that was corrected: the desk knows which
one it showed; a caller of `tell` says so (`asked_with`, or the proposal itself) if there are several.

If the learner keeps weights for each expert, a proposal is solved for the one it was asked for, or else for
the one who asks and again for the one who opens it. So a solving is identified by its version and by whom it
was solved for.

What the guard compares is solved within the same ask, see `rounds.compare`, and stored with the proposal.

With the setting `control`, some proposals are made with what version 0 knew, and stay so: the stream of the
study and the proposal's number says which. Their corrections are learned from as others.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import orjson

from coactor.proposals.outcomes import CONTROL
from coactor.proposals.strategies import Strategy
from coactor.protocol import Domain, Move, Problem, Proposal, Solution, Usage, Vector, uses_habits
from coactor.protocol.abilities import whose
from coactor.rounds import Knowledge, as_control, compare, propose
from coactor.solutions import same_solution
from coactor.studies.codec import Codec
from coactor.studies.drafts import Draft, draft_path
from coactor.studies.errors import Conflict, Invalid, NotFound, SolverFailed
from coactor.studies.log.chain import Entry, canonical, content_hash
from coactor.studies.log.facts import Asked, Told
from coactor.studies.log.ledger import Ledger, Writer
from coactor.studies.log.projection import Projection
from coactor.studies.log.store import KeyLocks
from coactor.studies.log.transactions import Transaction

logger = logging.getLogger("coactor.studies")
CACHED = 256  # proposals kept in memory, with their problems


class Proposer:
    """Solves problems for a study, and finds its proposals again.

    Parameters
    ----------
    domain, codec, strategy
        What is solved, how it is written down, and how it is solved under the study's settings.
    ledger
        The study's log.
    seed
        Of the search for proposals.
    repeatable
        Whether every process that opens the study would solve as this one does.
    """

    def __init__(
        self,
        domain: Domain,
        codec: Codec,
        strategy: Callable[[dict[str, Any]], Strategy],
        ledger: Ledger,
        seed: int,
        repeatable: bool,
    ) -> None:
        self._domain, self._codec, self._strategy = domain, codec, strategy
        self._ledger = ledger
        self._seed = seed
        self._repeatable = repeatable
        self._cache: OrderedDict[tuple[int, int, int, str], Proposal] = OrderedDict()
        self._paths: OrderedDict[tuple[int, int, int, str], tuple[list[Move], list[Solution]]] = OrderedDict()
        self._caching = threading.Lock()  # not the ledger's, which is held while others commit
        self.keys = KeyLocks()
        self.seconds = math.inf  # that the last solving took; unknown before the first

    # -- new proposals -----------------------------------------------------------------------------------

    def ask(
        self,
        problem: Problem,
        key: str | None,
        label: str,
        renew: bool,
        asked_for: str,
        actor: str,
        via: str,
        solution: Any = None,
    ) -> Proposal:
        """Solve a problem, or take the `solution` given, and store the proposal.

        The caller holds the key (`keys`), so that one solver runs for it.
        """
        data = canonical(self._codec.plain_problem(problem))
        hash = content_hash(data)
        ledger, study = self._ledger, self._ledger.head.id
        with ledger.lock, ledger.store.reading() as sql:
            projection = ledger.refresh_in(sql)
            knowledge, version = projection.knowledge, projection.version
            share, number = projection.config["control"] * (solution is None), projection.asked + 1
            earlier = sql.by_key(study, key) if key is not None else None
        if earlier is not None:
            return self._asked_before(earlier, hash, problem, asked_for)
        drawn = np.random.default_rng([int(ledger.first.uid[:12], 16), self._seed, number]).random() < share
        proposal = self._solve(problem, knowledge, version, asked_for, actor, solution, control=drawn)
        proposal = replace(proposal, basis=replace(proposal.basis, control=share))
        fact = self._fact(proposal, hash)
        # The solver ran outside the lock, so another caller may be first. A tell of the proposal is synced,
        # and with it every commit before.
        with ledger.writing(synced=False) as log:
            earlier = log.sql.by_key(study, key) if key is not None else None
            if earlier is None:
                proposal = replace(proposal, id=log.projection.asked + 1)
                fact = replace(
                    fact,
                    proposal=proposal.id,
                    key=key,
                    label=label,
                    renewable=renew and self._repeatable and solution is None,
                )
                log.sql.add_problem(hash, data)
                self._add(log, fact, proposal, actor, via)
        if earlier is not None:
            return self._asked_before(earlier, hash, problem, asked_for)
        self._keep(proposal)
        return proposal

    def _solve(
        self,
        problem: Problem,
        knowledge: Knowledge,
        version: int,
        asked_for: str,
        actor: str,
        solution: Any = None,
        control: bool = False,
    ) -> Proposal:
        config, began = self._ledger.projection.config, time.monotonic()
        strategy = self._strategy(config)
        if solution is not None:
            solution = self._codec.solution(problem, self._codec.plain(solution))
        try:
            proposal = propose(
                self._domain,
                strategy,
                self._ledger.knowledge(0) if control else knowledge,
                problem,
                version=version,
                seed=self._seed,
                asked_for=asked_for,
                solved_for=asked_for or actor,
                solution=solution,
            )
        except ValueError as error:
            raise Invalid(f"No proposal could be made: {error}") from error
        except TimeoutError as error:
            raise SolverFailed(f"The solver ran out of time: {error}", timeout=True) from error
        except Exception as error:
            raise SolverFailed(f"The solver failed with {type(error).__name__}: {error}") from error
        finally:
            self.seconds = time.monotonic() - began
        if control:
            return as_control(self._domain, knowledge, proposal)
        budget = math.inf if config["budget"] is None else config["budget"]
        left = budget - self.seconds if self._repeatable else 0.0
        return compare(self._domain, strategy, knowledge, proposal, seed=self._seed, seconds=left)

    def _fact(self, proposal: Proposal, hash: str) -> Asked:
        """The fact that a proposal was made; `hash` is that of its problem."""
        plain = self._codec.plain_solution
        _, recalled = _encoded(proposal)
        return Asked(
            proposal=proposal.id,
            problem=hash,
            solution=plain(proposal.solution),
            basis=proposal.basis,
            asked_for=proposal.asked_for,
            solved_for=proposal.solved_for,
            alternatives={name: plain(y) for name, y in proposal.alternatives.items()},
            recalled=recalled,
        )

    def _add(self, log: Writer, fact: Asked, proposal: Proposal, actor: str, via: str) -> None:
        usage, recalled = _encoded(proposal)
        if recalled is not None:
            log.sql.add_problem(recalled, usage)
        log.add(fact, actor=actor, via=via)

    def solution(self, problem: Problem, data: Any) -> Any:
        """A recorded solution."""
        return self._codec.solution(problem, data)

    def _asked_before(self, entry: Entry, hash: str, problem: Problem, asked_for: str) -> Proposal:
        fact = entry.fact
        if not isinstance(fact, Asked) or fact.problem != hash or asked_for not in ("", fact.asked_for):
            raise Conflict(
                f"The key {entry.key!r} was used for another request; choose a new key for a new problem."
            )
        with self._ledger.store.reading() as sql:
            return self._proposal(problem, fact, sql)

    # -- proposals in the log ----------------------------------------------------------------------------

    def find(self, id: int, version: int | None = None, solved_for: str | None = None) -> Proposal:
        """A proposal as it was solved with a version of the weights; by default, as it is or was edited.

        `solved_for` is needed if it was solved for several experts with that version. Raises NotFound if
        there is no such proposal.
        """
        if version is None or solved_for is None:
            with self._ledger.lock:
                draft = self._ledger.refresh().drafts.get(id)
            if draft is not None and version in (None, draft.basis.version) and solved_for is None:
                version, solved_for = draft.basis.version, draft.solved_for
        if version is not None and solved_for is not None:
            with self._caching:
                cached = self._cache.get((self._ledger.loads, id, version, solved_for))
            if cached is not None:
                return cached
        with self._ledger.store.reading() as sql:
            solvings, told = self._read(sql, id)
        if version is None and told is not None:
            version, solved_for = told.round.basis.version, told.solved_for
        elif version is None:
            version = solvings[-1].version
        same = [one for one in solvings if one.version == version]
        if not same:
            raise NotFound(f"Proposal {id} was not solved with version {version} of the weights.")
        proposal = next((one for one in same if one.solved_for == solved_for), same[-1])
        self._keep(proposal)
        return proposal

    def of(self, draft: Draft) -> Proposal:
        """The proposal that a draft is about."""
        return self.find(draft.id, draft.basis.version, draft.solved_for)

    def path(self, proposal: Proposal, moves: list[Move]) -> list[Solution]:
        """Every solution from a proposal to its draft; only moves that are new since the last call are made.

        Raises Invalid if a move cannot be applied.
        """
        key = self._ledger.loads, proposal.id, proposal.version, proposal.solved_for
        with self._caching:
            known, path = self._paths.get(key, ([], [proposal.solution]))
        shared = 0
        while shared < min(len(known), len(moves)) and known[shared] == moves[shared]:
            shared += 1
        path = draft_path(self._domain, proposal.problem, path[: shared + 1], moves[shared:])
        with self._caching:
            self._paths[key] = list(moves), path
            while len(self._paths) > CACHED:
                self._paths.popitem(last=False)
        return path

    def weights(self, proposal: Proposal) -> Vector:
        """The weights that a proposal was made with."""
        guard = self._ledger.refresh().knowledge.guard
        if guard is not None and proposal.basis.proposer in guard.fixed:
            return guard.fixed[proposal.basis.proposer]
        return self._ledger.weights(proposal.version, proposal.solved_for)

    def corrected(self, id: int, version: int | None, solved_for: str, path: Any) -> Proposal:
        """The solving that a tell is about.

        Raises Conflict if there are several and the caller does not say which, Invalid if there is none with
        the weights of `version`.
        """
        with self._ledger.lock:
            draft = self._ledger.projection.drafts.get(id)
        if draft is not None and not draft.base and version in (None, draft.basis.version):
            return self.of(draft)  # never solved again
        with self._ledger.store.reading() as sql:
            solvings, _ = self._read(sql, id)
        versions = [one.version for one in solvings]
        if version is not None:
            if version not in versions:
                known = " and ".join(map(str, versions))
                raise Invalid(f"Proposal {id} was solved with version {known} of the weights, not {version}.")
            solvings = [one for one in solvings if one.version == version]
            solvings = [one for one in solvings if one.solved_for == solved_for] or solvings
            if len(solvings) == 1:
                return solvings[0]
        if path:  # it starts with the solution that was corrected
            first = self._codec.solution(solvings[0].problem, self._codec.plain(path[0]))
            for one in reversed(solvings):
                if same_solution(one.solution, first):
                    return one
        if all(same_solution(one.solution, solvings[0].solution) for one in solvings):
            return solvings[-1]
        choices = " or ".join(map(str, versions))
        raise Conflict(
            f"Proposal {id} was solved again since it was asked; say which version was corrected: {choices}.",
            {"state": "open", "version": versions[-1], "versions": versions},
        )

    def _read(self, sql: Transaction, id: int) -> tuple[list[Proposal], Told | None]:
        """Every solving of a proposal, the first one first, and its newest tell."""
        entries = sql.of_proposal(self._ledger.head.id, id)
        if not entries or not isinstance(entries[0].fact, Asked):
            raise NotFound(f"There is no proposal {id} in study {self._ledger.head.name!r}.")
        problem = self._codec.problem(orjson.loads(sql.problem(entries[0].fact.problem)))
        facts = [entry.fact for entry in entries]
        solvings = [self._proposal(problem, fact, sql) for fact in facts if isinstance(fact, Asked)]
        told = next((fact for fact in reversed(facts) if isinstance(fact, Told)), None)
        return solvings, told

    def _proposal(self, problem: Problem, fact: Asked, sql: Transaction) -> Proposal:
        usage = None
        if fact.recalled is not None and uses_habits(self._domain):
            usage = _decoded(sql.problem(fact.recalled))
            problem = self._domain.extend(problem, usage)
        solution = self._codec.solution(problem, fact.solution)
        alternatives = {
            name: self._codec.solution(problem, data, solution) for name, data in fact.alternatives.items()
        }
        return Proposal(
            fact.proposal, problem, solution, fact.asked_for, fact.solved_for, fact.basis, alternatives, usage
        )

    def _keep(self, proposal: Proposal) -> None:
        with self._caching:
            self._cache[self._ledger.loads, proposal.id, proposal.version, proposal.solved_for] = proposal
            while len(self._cache) > CACHED:
                self._cache.popitem(last=False)

    # -- proposals that have waited ----------------------------------------------------------------------

    def due(
        self, projection: Projection, draft: Draft, now: float, actor: str | None = None, holder: str = ""
    ) -> bool:
        """Whether to solve a proposal again before it is edited, by this actor, and held by this holder."""
        held = draft.held_by(now)
        return (
            self._repeatable
            and draft.renewable
            and draft.basis.proposer != CONTROL
            and not (draft.moves if held else draft.touched)
            and held in ("", holder)
            and (draft.basis.version != projection.version or self.for_another(projection, draft, actor))
        )

    def for_another(self, projection: Projection, draft: Draft, actor: str | None) -> bool:
        """Whether the proposal was solved with other weights than the actor's."""
        learner = projection.knowledge.learner
        wanted = draft.solved_for if actor is None else draft.asked_for or actor
        return whose(learner, wanted) != whose(learner, draft.solved_for)

    def renew_ahead(self, count: int) -> int:
        """Solve those of the `count` oldest waiting proposals again that are due; return how many were."""
        with self._ledger.lock:
            projection, now = self._ledger.refresh(), self._ledger.clock()
            waiting = [d for d in projection.drafts.values() if not d.touched and not d.held_by(now)]
            due = [(d.id, d.solved_for) for d in waiting[:count] if self.due(projection, d, now)]
        for id, solved_for in due:
            self.renew(id, "", solve_for=solved_for)
        return len(due)

    def renew(self, id: int, actor: str, via: str = "", solve_for: str | None = None) -> None:
        """Solve a proposal without edits again with the newest weights, unless another caller was faster.

        For whom it was asked, else `solve_for`, else the actor; outside the store's lock. If the solver
        fails, the proposal stays as it is.
        """
        ledger = self._ledger
        with ledger.lock:
            projection = ledger.refresh()
            draft, knowledge, version = projection.drafts.get(id), projection.knowledge, projection.version
            if draft is None or draft.moves:
                return
            solve_for = actor if solve_for is None else solve_for
            if draft.basis.version == version and not self.for_another(projection, draft, solve_for):
                return
        problem, revision = self.of(draft).problem, draft.revision
        try:
            proposal = self._solve(problem, knowledge, version, draft.asked_for, solve_for)
        except (Invalid, SolverFailed) as error:
            logger.warning("Proposal %d of study %r stays as it is: %s", id, ledger.head.name, error)
            return
        proposal = replace(proposal, id=id)
        fact = self._fact(proposal, content_hash(canonical(self._codec.plain_problem(problem))))
        with ledger.writing() as log:
            draft = log.projection.drafts.get(id)
            if draft is None or draft.revision != revision or draft.held_by(log.now) not in ("", actor):
                return
            self._add(log, replace(fact, revision=revision + 1), proposal, actor, via)
        self._keep(proposal)


def _encoded(proposal: Proposal) -> tuple[bytes, str | None]:
    """What the memory recalled for a proposal as bytes, and their content hash; None if it has no memory."""
    usage = proposal.recalled
    if usage is None:
        return b"", None
    parts = {"given": list(usage.given), "choice": list(usage.choice)}
    data = canonical({**parts, "costs": usage.costs.tolist()})
    return data, content_hash(data)


def _decoded(data: bytes) -> Usage:
    """The inverse of `_encoded`."""
    usage = orjson.loads(data)
    return Usage(tuple(usage["given"]), tuple(usage["choice"]), np.array(usage["costs"], np.float64))

"""The proposals of a study: solved when they are asked for, and solved again when they have waited.

A proposal that waits while others are finished was made with old weights. Solving it again as soon as the
weights change would waste work, and would change a proposal that its caller already holds. So it is solved
again when a person opens it to edit, and only if

    it is untouched and not held, or its holder has undone all edits and asks for it,
    the weights have changed since (a rollback changes them too), or it was solved with another person's,
    the domain's own solver made it in the study's own way, which every process can repeat,
    and `ask` was not told to keep it.

Every solving stays in the log. A correction is learned from the one that was corrected: the desk knows which
one it showed; a caller of `tell` says so (`version`, or the proposal itself) if there are several.

If the learner keeps weights for each expert, a proposal is solved for the one it was asked for, or else for
the one who asks and again for the one who opens it. So a solving is identified by its version and by whom it
was solved for.

The alternatives are solved within the same ask, see `rounds.compare`, and stored with the proposal.

With the setting `control`, some proposals are made with what version 0 knew, and stay so: the stream of the
study and the proposal's number says which. Their corrections are learned from as others. The first proposals,
with nearly nothing learned, and those of which the caller demands something are never among them.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import orjson

from coactor.keeping import plain_parts
from coactor.proposals.outcomes import CONTROL
from coactor.proposals.strategies import Strategy
from coactor.protocol import Domain, Move, Problem, Proposal, Solution, Solver, Usage, Vector, uses_habits
from coactor.protocol.abilities import whose
from coactor.rounds import NOTHING, Demands, Knowledge, as_control, check_own, compare, propose
from coactor.solutions import same_solution
from coactor.studies.codec import Codec, read
from coactor.studies.drafts import Draft, draft_path
from coactor.studies.errors import Conflict, Invalid, NotFound, SolverFailed
from coactor.studies.evidence import START
from coactor.studies.log.chain import Entry, canonical, content_hash, stored
from coactor.studies.log.facts import Asked, Told
from coactor.studies.log.ledger import Ledger, Writer
from coactor.studies.log.projection import Projection
from coactor.studies.log.store import KeyLocks
from coactor.studies.log.transactions import Transaction
from coactor.validation import proposal_number

logger = logging.getLogger("coactor.studies")
CACHED = 256  # proposals kept in memory, with their problems, moves and paths
_Cached: TypeAlias = tuple[Proposal, list[Move], list[Solution]]


class Proposer:
    """Solves problems for a study, and finds its proposals again.

    Parameters
    ----------
    domain, strategy
        What is solved, and how it is solved under the study's settings.
    ledger
        The study's log.
    repeatable
        Whether every process that opens the study would solve as this one does.
    solver
        Replaces the domain's own solver.
    """

    def __init__(
        self,
        domain: Domain,
        strategy: Callable[[dict[str, Any]], Strategy],
        ledger: Ledger,
        repeatable: bool,
        solver: Solver | None = None,
    ) -> None:
        self.domain, self.codec, self.ledger = domain, Codec(domain), ledger
        self._strategy, self._repeatable, self.solver = strategy, repeatable, solver
        self._cache: OrderedDict[tuple[int, int, int, str], _Cached] = OrderedDict()
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
        demands: Demands = NOTHING,
    ) -> Proposal:
        """Solve a problem under these demands, and store the proposal.

        The caller holds the key (`keys`), so that one solver runs for it.
        """
        data = canonical(self.codec.plain_problem(problem))
        hash = content_hash(data)
        ledger, study = self.ledger, self.ledger.head.id
        with ledger.lock, ledger.store.reading() as sql:
            projection = ledger.refresh_in(sql)
            knowledge, version = projection.knowledge, projection.version
            compared = version > START and not demands
            share, number = projection.config["control"] * compared, projection.asked + 1
            earlier = sql.by_key(study, key) if key is not None else None
        if earlier is not None:
            return self._asked_before(earlier, hash, problem, asked_for)
        seed = [int(ledger.first.uid[:12], 16), projection.config["seed"], number]
        drawn = share > 0.0 and np.random.default_rng(seed).random() < share
        proposal = self._solve(problem, knowledge, version, asked_for, actor, demands, control=drawn)
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
                    renewable=renew and self._repeatable and not demands,
                    keep=plain_parts(demands.keep),
                )
                log.sql.add_problem(hash, data)
                self._add(log, fact, proposal, actor, via)
        if earlier is not None:
            return self._asked_before(earlier, hash, problem, asked_for)
        self._keep(proposal, [], [proposal.solution])
        return proposal

    def _solve(
        self,
        problem: Problem,
        knowledge: Knowledge,
        version: int,
        asked_for: str,
        actor: str,
        demands: Demands = NOTHING,
        control: bool = False,
    ) -> Proposal:
        config, began = self.ledger.projection.config, time.monotonic()
        strategy = self._strategy(config)
        demands = replace(
            demands, solution=self._given(problem, demands.solution), near=self._given(problem, demands.near)
        )
        try:
            proposal = propose(
                self.domain,
                strategy,
                self.ledger.knowledge(0) if control else knowledge,
                problem,
                version=version,
                seed=config["seed"],
                asked_for=asked_for,
                solved_for=asked_for or actor,
                demands=demands,
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
            return as_control(self.domain, knowledge, proposal)
        budget = math.inf if config["budget"] is None else config["budget"]
        left = budget - self.seconds if self._repeatable else 0.0
        return compare(
            self.domain, strategy, knowledge, proposal, seed=config["seed"], seconds=left, demands=demands
        )

    def _given(self, problem: Problem, y: Any) -> Solution | None:
        """A solution from the caller, as an object or as JSON-able data."""
        return None if y is None else self.codec.solution(problem, self.codec.plain(y))

    def _fact(self, proposal: Proposal, hash: str) -> Asked:
        """The fact that a proposal was made; `hash` is that of its problem."""
        plain = self.codec.plain_solution
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

    def _asked_before(self, entry: Entry, hash: str, problem: Problem, asked_for: str) -> Proposal:
        fact = entry.fact
        if not isinstance(fact, Asked) or fact.problem != hash or asked_for not in ("", fact.asked_for):
            raise Conflict(
                f"The key {entry.key!r} was used for another request; choose a new key for a new problem."
            )
        with self.ledger.store.reading() as sql:
            return self._proposal(problem, fact, sql)

    # -- proposals in the log ----------------------------------------------------------------------------

    def find(self, id: int, version: int | None = None, solved_for: str | None = None) -> Proposal:
        """A proposal as it was solved with a version of the weights; by default, as it is or was edited.

        `solved_for` is needed if it was solved for several experts with that version. Raises NotFound if
        there is no such proposal.
        """
        if version is None or solved_for is None:
            with self.ledger.lock:
                draft = self.ledger.refresh().drafts.get(id)
            if draft is not None and version in (None, draft.basis.version) and solved_for is None:
                version, solved_for = draft.basis.version, draft.solved_for
        if version is not None and solved_for is not None:
            with self._caching:
                cached = self._cache.get((self.ledger.loads, id, version, solved_for))
            if cached is not None:
                return cached[0]
        with self.ledger.store.reading() as sql:
            solvings, told = self._read(sql, id)
        if version is None and told is not None:
            version, solved_for = told.round.basis.version, told.solved_for
        elif version is None:
            version = solvings[-1].version
        same = [one for one in solvings if one.version == version]
        if not same:
            raise NotFound(f"Proposal {id} was not solved with version {version} of the weights.")
        proposal = next((one for one in same if one.solved_for == solved_for), same[-1])
        self._keep(proposal, [], [proposal.solution])
        return proposal

    def given(self, proposal: Proposal | int) -> Proposal:
        """A proposal that a caller gives, or its number. Raises Invalid if another study made it."""
        number = proposal_number(proposal)
        if not isinstance(proposal, Proposal):
            return self.find(number)
        asked = self.find(number, proposal.version, proposal.solved_for)
        check_own(asked, proposal, self.codec.plain_problem)
        return proposal

    def of(self, draft: Draft) -> Proposal:
        """The proposal that a draft is about."""
        return self.find(draft.id, draft.basis.version, draft.solved_for)

    def path(self, proposal: Proposal, moves: list[Move]) -> list[Solution]:
        """Every solution from a proposal to its draft; only moves that are new since the last call are made.

        Raises Invalid if a move cannot be applied.
        """
        key = self.ledger.loads, proposal.id, proposal.version, proposal.solved_for
        with self._caching:
            _, known, path = self._cache.get(key, (proposal, [], [proposal.solution]))
        shared = 0
        while shared < min(len(known), len(moves)) and known[shared] == moves[shared]:
            shared += 1
        path = draft_path(self.codec, proposal.problem, path[: shared + 1], moves[shared:])
        self._keep(proposal, list(moves), path)
        return path

    def weights(self, proposal: Proposal, reader: str | None = None) -> Vector:
        """The weights that a proposal was made with; those of all, if they are not the reader's own.

        Without a reader they may be any expert's.
        """
        fixed = self.ledger.refresh().knowledge.fixed
        if proposal.basis.proposer in fixed:
            return fixed[proposal.basis.proposer]
        owner = proposal.solved_for if reader in (None, proposal.solved_for) else ""
        return self.ledger.weights(proposal.version, owner)

    def corrected(self, id: int, version: int | None, solved_for: str, path: Any) -> Proposal:
        """The solving that a tell is about.

        Raises Conflict if there are several and the caller does not say which, Invalid if there is none with
        the weights of `version`.
        """
        with self.ledger.lock:
            draft = self.ledger.projection.drafts.get(id)
        if draft is not None and not draft.base and version in (None, draft.basis.version):
            return self.of(draft)  # never solved again
        with self.ledger.store.reading() as sql:
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
            first = self.codec.solution(solvings[0].problem, self.codec.plain(path[0]))
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
        entries = sql.of_proposal(self.ledger.head.id, id)
        if not entries or not isinstance(entries[0].fact, Asked):
            raise NotFound(f"There is no proposal {id} in study {self.ledger.head.name!r}.")
        problem = self.codec.problem(orjson.loads(sql.problem(entries[0].fact.problem)))
        facts = [entry.fact for entry in entries]
        solvings = [self._proposal(problem, fact, sql) for fact in facts if isinstance(fact, Asked)]
        told = next((fact for fact in reversed(facts) if isinstance(fact, Told)), None)
        return solvings, told

    def _proposal(self, problem: Problem, fact: Asked, sql: Transaction) -> Proposal:
        usage = None
        if fact.recalled is not None and uses_habits(self.domain):
            usage = read(Usage, orjson.loads(sql.problem(fact.recalled)))
            problem = self.domain.extend(problem, usage)
        solution = self.codec.solution(problem, fact.solution)
        alternatives = {
            name: self.codec.solution(problem, data, solution) for name, data in fact.alternatives.items()
        }
        return Proposal(
            fact.proposal,
            problem,
            solution,
            fact.asked_for,
            fact.solved_for,
            fact.basis,
            alternatives,
            usage,
            domain=self.domain,
        )

    def _keep(self, proposal: Proposal, moves: list[Move], path: list[Solution]) -> None:
        key = self.ledger.loads, proposal.id, proposal.version, proposal.solved_for
        with self._caching:
            self._cache[key] = proposal, moves, path
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
        with self.ledger.lock:
            projection, now = self.ledger.refresh(), self.ledger.clock()
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
        ledger = self.ledger
        with ledger.lock:
            projection = ledger.refresh()
            draft, knowledge, version = projection.drafts.get(id), projection.knowledge, projection.version
            if draft is None or draft.moves:
                return
            solve_for = actor if solve_for is None else solve_for
            if draft.basis.version == version and not self.for_another(projection, draft, solve_for):
                return
        problem, revision, share = self.of(draft).problem, draft.revision, draft.basis.control
        try:
            proposal = self._solve(problem, knowledge, version, draft.asked_for, solve_for)
        except (Invalid, SolverFailed) as error:
            logger.warning("Proposal %d of study %r stays as it is: %s", id, ledger.head.name, error)
            return
        proposal = replace(proposal, id=id, basis=replace(proposal.basis, control=share))
        fact = self._fact(proposal, content_hash(canonical(self.codec.plain_problem(problem))))
        with ledger.writing() as log:
            draft = log.projection.drafts.get(id)
            if draft is None or draft.revision != revision or draft.held_by(log.now) not in ("", actor):
                return
            self._add(log, replace(fact, revision=revision + 1), proposal, actor, via)
        self._keep(proposal, [], [proposal.solution])


def _encoded(proposal: Proposal) -> tuple[bytes, str | None]:
    """What the memory recalled for a proposal as bytes, and their content hash; None if it has no memory."""
    if proposal.recalled is None:
        return b"", None
    data = canonical(stored(proposal.recalled))
    return data, content_hash(data)

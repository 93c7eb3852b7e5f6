"""Durable ask and tell: the methods of a session, in any process, on any day.

CONTRIBUTING, "The walk of one correction", lists the modules between `Study.tell` and the log.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import orjson

from coactor import rounds
from coactor.corrections import MOST_STEPS, check_told, continued, report_of
from coactor.habits import with_habits
from coactor.keeping import named_parts
from coactor.proposals.strategies import Strategy
from coactor.protocol import (
    Correction,
    Domain,
    Learner,
    Move,
    Parts,
    Problem,
    Proposal,
    Round,
    Solution,
    Solver,
    Wish,
    Work,
)
from coactor.rounds import Demands, as_problem
from coactor.solutions import short
from coactor.studies import catalog
from coactor.studies.desk import LEASE, Desk
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound
from coactor.studies.log import transfer
from coactor.studies.log.facts import Config, Configured, RolledBack, Said
from coactor.studies.log.ledger import Ledger
from coactor.studies.log.projection import observation, set_back
from coactor.studies.log.store import Store
from coactor.studies.log.vectors import digest, pack, pack_weights
from coactor.studies.processes import Processes
from coactor.studies.proposing import Proposer
from coactor.studies.reports import Reports, version_row
from coactor.studies.results import Version
from coactor.studies.settings import CHANGEABLE, Settings, named_solver, strategies, validated
from coactor.studies.telling import Request, Teller
from coactor.validation import listed, proposal_number, text, validate_actor, validate_label


class Study(Reports):
    """A durable study. Open it with `open_study`; close it, or use it in a `with` block.

    Attributes
    ----------
    name
        Its name in the store.
    config
        Its domain, learner, names of the features, candidate, seed, and what `configure` changes.
    uid
        A unique id, kept by exports and copies.
    domain, codec
        What is proposed and edited, and its encoding as JSON-able data.
    store
        Where it is stored.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        domain: Domain | None = None,
        learner: Learner | None = None,
        solver: Solver | None = None,
        proposals: Strategy | None = None,
        processes: Processes | None = None,
    ) -> None:
        ledger = Ledger(store, name, learner)
        config = ledger.first.config
        if domain is None:
            domain = _installed_domain(store, name, config)
        domain = with_habits(domain) if config["habits"] else domain
        if domain.dim != config["dim"]:
            raise Invalid(
                f"Study {name!r} has {config['dim']} features, this domain has {domain.dim}; "
                "open it with the domain it was created with."
            )
        catalog.check_same(name, config["domain"], domain)
        if solver is None and "solver" in config:
            solver = named_solver(domain, config["solver"], processes)
        repeatable = solver is None and proposals is None
        compared = len(ledger.projection.knowledge.fixed) if repeatable else 0
        current = strategies(domain, solver, proposals, reserve=compared)
        super().__init__(name, Teller(Proposer(domain, current, ledger, repeatable, solver)))
        self.uid, self.store, self.codec = ledger.first.uid, store, self._proposer.codec
        self.closes_store = False
        self._example: Problem | None = None

    def __repr__(self) -> str:
        if self.store.closed:
            return f"<Study {self.name!r}, closed>"
        about = self.summary()
        kind = self.config["domain"]["name"] or type(self.domain).__name__
        counts = f"{about['asked']} asked, {about['told']} told, version {about['version']}"
        return f"<Study {self.name!r} of {kind} with learner {self.config['learner']}: {counts}>"

    # -- ask and tell ------------------------------------------------------------------------------------

    def ask(
        self,
        problem: Problem,
        *,
        key: str | None = None,
        label: str = "",
        actor: str = "",
        asked_for: str = "",
        renew: bool = True,
        via: str = "",
        solution: Solution | None = None,
        keep: Parts = (),
        near: Solution | None = None,
    ) -> Proposal:
        """Propose a solution with the current weights, and store the proposal.

        Parameters
        ----------
        problem
            The problem.
        key
            An idempotency key: the same key returns the same proposal again, from every process.
        label, actor
            Names for people: of the proposal, and of who asks.
        asked_for
            For whom to solve: a name, a role or a depot. The proposal stays theirs if another expert opens
            it. By default it is solved for the actor, and again for the one who opens it.
        renew
            Whether the proposal may be solved again if it waits while the weights change. It is then solved
            when an expert opens it at a desk (see `renew`). False is for plans that are already printed.
        via
            The account that asks on behalf of the actor.
        solution
            What another system proposes for the problem. It is stored and learned from in place of a solution
            of the study's own, and is never renewed.
        keep, near
            As in `Session.ask`; such a proposal is never renewed.

        Raises
        ------
        Conflict
            If the key was used for another problem or expert.
        SolverFailed
            If the solver raises an exception other than ValueError.
        """
        validate_actor(actor, via, asked_for)
        validate_label(label, key)
        demands = Demands(solution, named_parts(keep), near)
        with self._proposer.keys.holding(key):
            problem = as_problem(self.domain, problem)
            return self._proposer.ask(problem, key, label, renew, asked_for, actor, via, demands)

    def read_problem(self, data: Any) -> Problem:
        """A problem from JSON: as the domain encodes it, or in natural JSON if it has no JSON methods.

        Lists in natural JSON are arrays or tuples where a problem that the domain samples, or else the first
        problem of the study, has them. Raises Invalid if it is not a problem.
        """
        if self._example is None and self.codec.needs_example:
            self._example = self.codec.sampled()
            if self._example is None:
                with self.store.reading() as sql:
                    for entry in sql.of_kind(self._ledger.head.id, "asked", limit=1):
                        self._example = self.codec.problem(orjson.loads(sql.problem(entry.needs[0])))
        return self.codec.problem(data, self._example)

    def renew(self, proposal: Proposal | int, *, actor: str = "", via: str = "") -> Proposal:
        """The proposal as it should be shown now: solved again if it waits untouched and the weights changed.

        A desk does this when a proposal is claimed; this is for callers that show proposals themselves, and
        for a holder who wants the newer solution of an untouched proposal.
        """
        validate_actor(actor, via)
        id = proposal_number(proposal)
        with self._ledger.lock:
            projection, now = self._ledger.refresh(), self._ledger.clock()
            draft = projection.drafts.get(id)
            due = draft is not None and self._proposer.due(projection, draft, now, actor, holder=actor)
        if due:
            self._proposer.renew(id, actor, via)
        return self._proposer.find(id)

    def renew_ahead(self, count: int = 3) -> int:
        """Solve the oldest waiting proposals again if the weights changed; return how many were due.

        A server calls this in the background, so that opening a proposal does not wait for a solver.
        """
        return self._proposer.renew_ahead(count)

    def replan(
        self,
        proposal: Proposal | int,
        solution: Solution | None = None,
        *,
        moves: Iterable[Move] | None = None,
        keep: Parts | None = None,
    ) -> Proposal:
        """Solve the rest of a draft again, around what stays, as `Session.replan`. Nothing is recorded.

        At a desk, `Desk.replan` does this for a draft that several people see.
        """
        asked = self._proposer.given(proposal)
        moves = [] if solution is None and moves is None else moves
        about = self._report(asked, None, moves, solution)
        asked = replace(asked, solution=asked.solution if asked.before is None else asked.before.path[0])
        return self.resumed(asked, Request(**about), keep)

    def resumed(self, asked: Proposal, request: Request, keep: Parts | None) -> Proposal:
        """A proposal with the rest of a draft solved again; the request says what was done so far."""
        weights, costs = self._proposer.weights(asked), self.config["costs"]
        done = self._teller.correction(asked, request)
        return rounds.resume(self.domain, asked, done, weights, keep, self._proposer.solver, costs)

    def _report(
        self,
        proposal: Proposal | int,
        correction: Correction | None,
        moves: Iterable[Move] | None,
        solution: Solution | None,
        **more: Any,
    ) -> dict[str, Any]:
        """What was done to a proposal, before a re-plan and after it, as arguments of a request."""
        steps = None if moves is None else listed(moves, "moves", MOST_STEPS + 1)
        about: dict[str, Any] = {"moves": steps, "solution": solution, **more}
        if isinstance(proposal, Proposal) and proposal.before is not None:
            correction = correction or self._teller.correction(proposal, Request(**about))
            correction = continued(proposal.before, correction)
        return about if correction is None else report_of(correction)

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

        It calls no solver. A repeated tell returns the same round again.

        Parameters
        ----------
        proposal
            The proposal or its number.
        correction, moves, solution
            Exactly one: a correction, which `coactor.correction` also makes of a path; the edits (an empty
            list accepts the proposal); or the final solution, whose effort is then estimated. The solution
            may be JSON-able data.
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
            If there is no such proposal; or it was told something else, is held by another actor, or was
            solved again and its number does not say which solution was corrected: pass the proposal then.
        """
        id = proposal_number(proposal)
        work = check_told(correction, (moves, solution, effort, cut), work, learn)
        about: dict[str, Any] = {"learn": learn, "learned_for": learned_for, "work": work}
        if isinstance(proposal, Proposal):
            about["version"] = self._proposer.given(proposal).version
        about |= self._report(proposal, correction, moves, solution, effort=effort, cut=cut)
        solved_for = proposal.solved_for if isinstance(proposal, Proposal) else ""
        return self.receive(id, Request(**about), actor or work.actor, solved_for=solved_for)

    def receive(
        self, id: int, request: Request, actor: str = "", via: str = "", *, solved_for: str = ""
    ) -> Round:
        """A tell as it arrives from outside, see `tell`; `via` is the account that tells for the actor.

        `solved_for` says which solution was corrected, if it was solved for several experts.
        """
        validate_actor(actor, via, request.learned_for)
        text(request.work.note, "note", 2000)
        solved_for = solved_for or request.learned_for or actor
        while True:  # again if the proposal was solved anew, or the settings were changed, in between
            with self._ledger.lock:
                draft = self._ledger.projection.drafts.get(id) or self._ledger.refresh().drafts.get(id)
                config, loads = self._ledger.projection.config, self._ledger.loads
            if draft is None:
                return self._teller.repeated(id, request, actor)
            corrected = self._proposer.corrected(id, request.version, solved_for, request.path)
            trial = self._teller.prepare(corrected, request, request.learned_for or draft.asked_for or actor)
            with self._ledger.writing() as log:
                now = log.projection.drafts.get(id)
                if now is None or loads != self._ledger.loads or log.projection.config is not config:
                    continue
                if (now.basis, now.solved_for) == (draft.basis, draft.solved_for):
                    holder = now.held_by(log.now)
                    if holder not in ("", actor):
                        raise Conflict(f"Proposal {id} is held by {holder}; wait until it is released.")
                    return self._teller.write(log, trial, actor, via)

    def say(self, feature: str, wish: Wish, *, learned_for: str = "", actor: str = "", via: str = "") -> int:
        """Learn that an expert wants more or less of a feature than what is proposed now.

        It is evidence, worth about one edit, and changes the weights of the one who says it, or of the
        one for whom the actor says it. A rollback takes it back. The same said again at once changes nothing.

        Returns the version of the weights. Raises Invalid if there is no such feature, or if no edit has
        concerned it yet.
        """
        validate_actor(actor, via, learned_for)
        who = learned_for or actor
        with self._ledger.writing() as log:
            before, version = log.projection.knowledge, log.projection.version
            for last in log.sql.of_versions(log.study, version - 1, 1):
                fact = last.fact
                if isinstance(fact, Said) and (fact.feature, fact.wish, fact.learned_for) == (
                    feature,
                    wish,
                    who,
                ):
                    return version
            packed = pack(rounds.statement(self.domain, before.learner, feature, wish, who))
            said = Said(feature=feature, wish=wish, version=version + 1, digest="", learned_for=who)
            after, (weights, _) = before.copy(), rounds.known_of(before.learner, who)
            rounds.learn(after, observation(replace(said, vectors=packed + pack_weights(0.0 * weights))))
            change = rounds.known_of(after.learner, who)[0] - weights
            said = replace(said, digest=digest(after.learner.weights), vectors=packed + pack_weights(change))
            log.add(said, actor=actor, via=via, knowledge=after)
        return version + 1

    # -- the whole study ---------------------------------------------------------------------------------

    def desk(self, lease: float = LEASE, *, patience: float = math.inf) -> Desk:
        """Where people edit the proposals.

        Parameters
        ----------
        lease
            Seconds until an untouched proposal is free again.
        patience
            Taking a proposal that waited while the weights changed solves it again first, if the last solving
            took at most so many seconds; else its last solution is shown at once. See `renew_ahead`.
        """
        return Desk(self._teller, lease, patience)

    def configure(self, settings: Settings, *, actor: str = "", via: str = "") -> dict[str, Any]:
        """Change settings of the study, for every process from now on; return all that can be changed.

        Parameters
        ----------
        settings
            Those to change: proposals, budget, costs, grace or control.
        actor, via
            Who changes them, and the account that does so on their behalf.

        Raises Invalid if a setting is invalid, or cannot be changed.
        """
        validate_actor(actor, via)
        given = validated(settings)
        fixed = min(given.keys() - set(CHANGEABLE), default=None)
        if fixed is not None:
            raise Invalid(f"The setting {fixed!r} is fixed when a study is created.")
        with self._ledger.writing() as log:
            known = log.projection.config
            changed = {name: value for name, value in given.items() if known.get(name) != value}
            if changed:
                log.add(Configured(settings=changed), actor=actor, via=via)
        return self.settings

    def rollback(
        self, to: int, reason: str, *, learned_for: str | None = None, actor: str = "", via: str = ""
    ) -> Version:
        """Set the weights back to an earlier version; this creates a new version.

        With `learned_for`, only what that expert has shown is set back: the others keep what they have shown
        since. A repetition of the last rollback returns the version that it created.

        Raises NotFound if there is no such version or expert, Invalid if the reason or the name is empty.
        """
        validate_actor(actor, via)
        if learned_for is not None and not text(learned_for, "expert", 100):
            raise Invalid("The name of the expert is empty; name one, or leave it out to set all back.")
        if not text(reason, "reason", 2000).strip():
            raise Invalid("A rollback needs a reason, for the people who read the log later.")
        if isinstance(to, bool) or not isinstance(to, int | np.integer):
            raise Invalid(f"The version must be a whole number; found {short(to)}.")
        to = int(to)
        newest = self.version
        if not 0 <= to <= newest:
            raise NotFound(f"Study {self.name!r} has versions 0 to {newest}; there is no version {to}.")
        earlier = self._ledger.knowledge(to)
        with self._ledger.writing() as log:
            for last in log.sql.of_versions(log.study, log.projection.version - 1, 1):
                fact, given = last.fact, (to, reason, learned_for or "", actor)
                if isinstance(fact, RolledBack):
                    before = fact.to, fact.reason, fact.learned_for, last.actor
                    if before == given:
                        return version_row(last)  # asked again, as after a broken connection
            knowledge = earlier.copy()
            if learned_for is not None:
                knowledge = set_back(log.projection.knowledge, earlier, learned_for)
            rolled_back = RolledBack(
                to=to,
                reason=reason,
                version=log.projection.version + 1,
                state=knowledge.state(),
                digest=digest(knowledge.learner.weights),
                learned_for=learned_for or "",
            )
            entry = log.add(rolled_back, actor=actor, via=via, knowledge=knowledge)
        return version_row(entry)

    def export(self) -> Iterator[dict[str, Any]]:
        """The whole study as JSON-able lines: a header, then problems and facts in order."""
        return transfer.export(self.store, self.name)

    def close(self) -> None:
        """Close the store, if this study opened it."""
        if self.closes_store:
            self.store.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _installed_domain(store: Store, name: str, config: Config) -> Domain:
    about = config["domain"]
    kind = about["name"] or catalog.name_of_type(about["type"])
    if kind is None:
        raise Forbidden(
            f"Study {name!r} is about {about['type']}, which is not an installed domain; name it with "
            f"--domain FILE.py:DOMAIN, or `coactor serve --study {name}=FILE.py:DOMAIN`, announce it in the "
            "entry point group coactor.domains, or pass it to open_study."
        )
    with store.reading() as sql:
        return catalog.make(kind, catalog.whole(about["parameters"], sql.problem), limits=False)

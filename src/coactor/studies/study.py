"""Durable ask and tell: the same two verbs as a session, in any process, on any day."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coactor.proposals.strategies import Strategy, strategy
from coactor.protocol import Domain, Learner, Problem, Proposal, Solution, Solver, Vector
from coactor.studies import catalog, proposing, reports, telling
from coactor.studies.calibration import Calibration, calibration
from coactor.studies.codec import Codec, text
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound
from coactor.studies.lessons import lesson
from coactor.studies.log.facts import Asked, Entry, RolledBack, Told, content_hash, digest
from coactor.studies.log.ledger import Ledger, Writer, created, learner_of
from coactor.studies.log.model import try_update
from coactor.studies.log.store import Store
from coactor.studies.proposing import Known, Shown
from coactor.studies.results import EffortRow, Explanation, Outcome, Ticket, Version

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
KEPT = 256  # problems and solutions kept at hand


class Study:
    """A durable study. Open it with `open_study`."""

    def __init__(
        self,
        store: Store,
        name: str,
        domain: Domain | None = None,
        learner: Learner | None = None,
        solver: Solver | None = None,
        proposals: str | Strategy | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        with store.reading() as sql:
            head = sql.find(name)
            first = created(next(sql.after(head.id, 0, 1)))
        self.name = name
        self.store = store
        self.owns_store = False
        self.config = first.config
        self.domain = domain if domain is not None else _domain_of(store, name, first.config)
        if self.domain.dim != first.config["dim"]:
            raise Invalid(
                f"Study {name!r} has {first.config['dim']} features, this domain has {self.domain.dim}; "
                "open it with the domain it was created with."
            )
        if domain is not None:
            catalog.check_same(name, first.config["domain"], domain)
        self.codec = Codec(self.domain)
        self.ledger = Ledger(store, head, learner_of(first, learner), clock)
        how = proposals or first.config["proposals"]
        self.propose: Strategy = strategy(how, self.domain, solver) if isinstance(how, str) else how
        # Whether any process that opens the study would solve as this one does.
        self.repeatable = solver is None and how == first.config["proposals"]
        self._kept: OrderedDict[tuple[int, int], Shown] = OrderedDict()

    # -- ask and tell --------------------------------------------------------------------------------

    def ask(
        self,
        problem: Problem,
        *,
        key: str | None = None,
        label: str = "",
        renew: bool = True,
        actor: str = "",
        via: str = "",
    ) -> Proposal:
        """Solve a problem with the current weights and keep the proposal.

        The same key gives the same proposal, however often and from wherever it is asked. If it waits while
        the weights change, it is solved again for whoever opens it at a desk (see `renew`), unless `renew` is
        False: for plans that are already printed.
        """
        check_who(actor, via, key)
        text(label, "label", 200)
        data = self.codec.problem_bytes(problem)
        name = content_hash(data)
        with self.ledger.lock, self.store.reading() as sql:
            model = self.ledger.refresh_in(sql)
            known = Known.of(model)
            found = sql.by_key(self.ledger.head.id, key) if key is not None else None
        if found is not None:
            return self._asked_before(found, name, problem)
        shown = proposing.solve(self, name, problem, known)
        with self.ledger.writing() as log:  # the solver has run outside the lock; others may have been faster
            found = log.sql.by_key(self.ledger.head.id, key) if key is not None else None
            if found is None:
                fact = Asked(
                    proposal=log.model.asked + 1,
                    problem=name,
                    solution=self.codec.plain_solution(shown.solution),
                    version=shown.version,
                    key=key,
                    label=label,
                    chance=shown.chance,
                    expected=shown.expected,
                    renewable=renew and self.repeatable,
                )
                log.sql.add_problem(name, data)
                log.add(fact, actor=actor, via=via)
        if found is not None:
            return self._asked_before(found, name, problem)
        self.keep(fact.proposal, shown)
        return shown.proposal(fact.proposal)

    def _asked_before(self, entry: Entry, name: str, problem: Problem) -> Proposal:
        fact = entry.fact
        if not isinstance(fact, Asked) or fact.problem != name:
            raise Conflict(
                f"The key {entry.key!r} was used for something else; choose a new key for a new problem."
            )
        solution = self.codec.solution(problem, fact.solution)
        return Proposal(fact.proposal, problem, solution, fact.version, fact.chance)

    def renew(self, id: int, *, actor: str = "", via: str = "") -> Proposal:
        """The proposal as it should be shown now: solved again if it waits untouched and the weights changed.

        Whoever takes a proposal at a desk gets it so; this is for those who show proposals themselves.
        """
        check_who(actor, via, None)
        with self.ledger.lock:
            model = self.ledger.refresh()
            draft = model.open.get(id)
            again = draft is not None and proposing.due(self, model, draft, self.ledger.clock())
        if again:
            proposing.renew(self, id, actor, via)
        return self.shown(id).proposal(id)

    def tell(
        self,
        id: int | Proposal,
        *,
        moves: Any = None,
        path: Any = None,
        solution: Any = None,
        effort: float | None = None,
        actor: str = "",
        learn: bool = True,
        note: str = "",
        cut: bool = False,
        seconds: float | None = None,
        asked_with: int | None = None,
        via: str = "",
    ) -> Outcome:
        """Say what the expert made of a proposal, and learn from it.

        Parameters
        ----------
        id
            Of the proposal, or the proposal itself.
        moves, path, solution
            One of them: the edits (an empty list accepts the proposal), every solution from the proposal to
            the final one, or the final solution alone; its effort is then estimated and marked so.
        effort
            What it cost, where the caller knows better.
        actor
            Who did it.
        learn
            False records it "just today".
        note, cut, seconds
            A remark; whether he stopped for want of time; active time.
        asked_with
            The version of the weights that the corrected solution was made with; needed only with a number,
            and only where the proposal has been solved again since.
        """
        if isinstance(id, Proposal):
            return self.tell(
                id.id,
                moves=moves,
                path=path,
                solution=solution,
                effort=effort,
                actor=actor,
                learn=learn,
                note=note,
                cut=cut,
                seconds=seconds,
                asked_with=id.version,
                via=via,
            )
        check_who(actor, via, None)
        given = telling.Given(moves, path, solution, effort, learn, text(note, "note", 2000), cut, seconds)
        with self.ledger.lock:  # looked at again under the store's lock, before anything is written
            if id not in self.ledger.model.open and id not in self.ledger.refresh().open:
                return self.told_before(id, given.name(self.codec))
        shown = proposing.corrected(self, id, asked_with, path)
        prepared = telling.prepare(self, shown, given)
        with self.ledger.writing() as log:
            if id in log.model.open:
                holder = log.model.open[id].held_by(log.now)
                if holder not in ("", actor):
                    raise Conflict(f"Proposal {id} is held by {holder}; wait until it is released.")
                if log.model.open[id].version != shown.version:  # solved again meanwhile, or long ago
                    shown = proposing.corrected(self, id, asked_with, path)
                    prepared = telling.prepare(self, shown, given)
                return self.write_tell(log, id, prepared, actor, via)
        return self.told_before(id, given.name(self.codec))

    def write_tell(self, log: Writer, id: int, prepared: telling.Prepared, actor: str, via: str) -> Outcome:
        """Check, write, apply: the one place where a study learns."""
        draft, before = log.model.open[id], log.model.learner
        learner = try_update(before, prepared.feedback) if prepared.learn else before
        fact = prepared.fact(
            id,
            version=log.model.version + prepared.learn,
            gross=draft.gross or len(prepared.moves),
            digest=digest(learner.weights),
            asked_key=draft.key,
        )
        entry = log.add(fact, actor=actor, via=via, learner=learner)
        return self._outcome(entry, fact, before, learner)

    def told_before(self, id: int, request: str) -> Outcome:
        """The answer to a tell that arrives again; refuses a tell that says something else."""
        entry = self.last_tell(id)
        if entry is None:
            raise NotFound(f"Study {self.name!r} has no proposal {id}; see its proposals.")
        fact = entry.fact
        assert isinstance(fact, Told)  # last_tell looks for nothing else
        if fact.request != request:
            raise Conflict(
                f"Proposal {id} was already told by {entry.actor or 'somebody'}; reopen it to change that.",
                {"state": "done", "effort": fact.effort, "actor": entry.actor, "version": fact.version},
            )
        return self.outcome(entry)

    def outcome(self, entry: Entry) -> Outcome:
        """What became of a tell that is in the log."""
        fact = entry.fact
        if not isinstance(fact, Told):
            raise Invalid(f"Fact {entry.seq} is no tell.")
        if not fact.learn:
            return self._outcome(entry, fact, self.ledger.model.learner, self.ledger.model.learner)
        with self.store.reading() as sql:
            before = self.ledger.load(sql, entry.seq - 1).learner
            return self._outcome(entry, fact, before, self.ledger.load(sql, entry.seq).learner)

    def _outcome(self, entry: Entry, fact: Told, before: Learner, after: Learner) -> Outcome:
        moved = [float(c) for c in np.asarray(after.weights) - np.asarray(before.weights)]
        return Outcome(
            fact.proposal,
            entry.seq,
            entry.time,
            entry.actor,
            fact.effort,
            fact.gross,
            fact.seconds,
            fact.estimated,
            fact.learn,
            fact.asked_with,
            fact.version,
            moved,
            lesson(self.config["features"], before, after, fact.learn, fact.effort),
        )

    # -- what is there ---------------------------------------------------------------------------------

    def proposals(self, state: str | None = None, after: int = 0, limit: int = 100) -> list[Ticket]:
        """Proposals by number: all of them, or those in one state."""
        return reports.tickets(self, state, after, limit)

    def effort(self, after: int = 0) -> list[EffortRow]:
        """What each finished proposal cost, in the order of the log."""
        return reports.effort(self, after)

    def calibration(self) -> Calibration:
        """Whether proposals were accepted untouched as often as was said beforehand."""
        return calibration(self.effort())

    def weights(self, version: int | None = None) -> Vector:
        """The weights now, or those of an earlier version."""
        if version is None:
            return np.array(self.ledger.refresh().learner.weights)
        return np.array(self.ledger.learner_at(version).weights)

    @property
    def version(self) -> int:
        """How often the weights have changed."""
        return self.ledger.refresh().version

    def explain(self, id: int) -> Explanation:
        """Each feature's share of the proposal's utility, and of each edit's."""
        return reports.explain(self, id)

    def versions(self, after: int = -1, limit: int = 1000) -> list[Version]:
        """Every state of the weights, and what made it."""
        return reports.versions(self, after, limit)

    def rollback(self, to: int, reason: str, *, actor: str = "", via: str = "") -> Version:
        """Take the weights back to an earlier version; that is a new version, and a fact like any other."""
        check_who(actor, via, None)
        if not text(reason, "reason", 2000).strip():
            raise Invalid("A rollback needs a reason; those who come later will ask for it.")
        with self.ledger.writing() as log:
            if not 0 <= to <= log.model.version:
                raise NotFound(
                    f"Study {self.name!r} has versions 0 to {log.model.version}; {to} is none of them."
                )
            then = self.ledger.model_at(to)
            fact = RolledBack(
                to=to,
                reason=reason,
                version=log.model.version + 1,
                state=then.learner.state(),
                digest=digest(then.learner.weights),
                acceptance=then.acceptance.state(),
            )
            entry = log.add(fact, actor=actor, via=via)
        return reports.version_row(entry)

    def export(self) -> Iterator[dict[str, Any]]:
        """The whole study as JSON-able lines: a header, then problems and facts in order."""
        from coactor.studies.log import transfer

        return transfer.export(self.store, self.name)

    # -- used by the drafts and the reports ----------------------------------------------------------

    def material(self, id: int) -> tuple[Problem, Solution]:
        """The problem, and the solution that is, or was, edited."""
        shown = self.shown(id)
        return shown.problem, shown.solution

    def shown(self, id: int, version: int | None = None) -> Shown:
        """One solving of a proposal: the one made with a version, or the one that is, or was, edited."""
        if version is None:
            version = reports.ticket(self, id).version
        kept = self._kept.get((id, version))
        if kept is not None:
            return kept
        found = next((s for s in proposing.solvings(self, id) if s.version == version), None)
        if found is None:
            raise NotFound(f"Proposal {id} was never solved with version {version} of the weights.")
        self.keep(id, found)
        return found

    def keep(self, id: int, shown: Shown) -> None:
        """Have a solving at hand."""
        with self.ledger.lock:
            self._kept[id, shown.version] = shown
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def last_tell(self, id: int) -> Entry | None:
        """The newest tell of a proposal, if there is one."""
        with self.store.reading() as sql:
            entries = sql.of_proposal(self.ledger.head.id, id)
        return next((e for e in reversed(entries) if isinstance(e.fact, Told)), None)

    def close(self) -> None:
        """Let go of the store, if this study opened it."""
        if self.owns_store:
            self.store.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _domain_of(store: Store, name: str, config: dict[str, Any]) -> Domain:
    said = config["domain"]
    if said["name"] is None:
        raise Forbidden(
            f"Study {name!r} is about {said['type']}, which has no name here; pass the domain itself."
        )
    with store.reading() as sql:
        return catalog.make(said["name"], catalog.whole(said["parameters"], sql.problem))


def check_who(actor: str, via: str, key: str | None) -> None:
    """Refuse names and keys that are too long to be some."""
    text(actor, "actor", 100)
    text(via, "account", 100)
    if key is not None and not text(key, "key", 200):
        raise Invalid("An empty key names nothing; leave it out or give it a name.")

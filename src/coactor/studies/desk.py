"""A person at work on proposals: leases, edits with revisions, undo and redo, submit and reopen.

Drafts live in the log, so a reload, another tab or another server finds them. Nobody overwrites anybody:
an edit names the revision it was made on, and is refused with the current state when that is not the newest.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from coactor.protocol import Move, Problem, Solution
from coactor.search import features_along
from coactor.studies import proposing, reports, telling
from coactor.studies.codec import plain_move, text
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound
from coactor.studies.log.facts import (
    Asked,
    Claimed,
    Edited,
    Entry,
    Released,
    Reopened,
    Told,
    canonical,
    digest,
)
from coactor.studies.log.ledger import Writer
from coactor.studies.log.model import Open
from coactor.studies.results import Draft, Outcome, Ticket
from coactor.studies.study import Study, check_who

LEASE = 900.0  # seconds somebody keeps a proposal without touching it


class Desk:
    """Where people edit a study's proposals.

    Parameters
    ----------
    study
        The study.
    lease
        Seconds until a proposal that nobody touches is free again.
    """

    def __init__(self, study: Study, lease: float = LEASE) -> None:
        self.study = study
        self.lease = lease

    # -- who has what ----------------------------------------------------------------------------------

    def next(self, actor: str) -> Draft | None:
        """Hand somebody the next proposal: his own first, then drafts left behind, then the oldest."""
        _named(actor)
        with self.study.ledger.writing() as log:
            rank = {"held": 0, "draft": 1, "waiting": 2}
            free = [
                (rank[reports.state_of(d, log.now)], d.id)
                for d in log.model.open.values()
                if d.held_by(log.now) in ("", actor)
            ]
            if not free:
                return None
            id = min(free)[1]
            again = proposing.due(self.study, log.model, log.model.open[id], log.now)
            log.add(Claimed(proposal=id, until=log.now + self.lease), actor=actor)
        return self._taken(id, actor, again)

    def claim(self, id: int, actor: str) -> Draft:
        """Take a proposal, or keep it for longer."""
        _named(actor)
        with self.study.ledger.writing() as log:
            again = proposing.due(self.study, log.model, self._mine(log, id, actor), log.now)
            log.add(Claimed(proposal=id, until=log.now + self.lease), actor=actor)
        return self._taken(id, actor, again)

    def _taken(self, id: int, actor: str, again: bool) -> Draft:
        """What somebody holds now; solved again first where it had waited too long (see `solving`)."""
        if again:  # under his own lease: nobody else can take it meanwhile
            proposing.renew(self.study, id, actor)
        return self.view(id)

    def release(self, id: int, actor: str, *, force: bool = False) -> Ticket:
        """Give a proposal back; its draft stays. A lead may release what somebody else holds."""
        _named(actor)
        with self.study.ledger.writing() as log:
            draft = self._open(log, id)
            if draft.held_by(log.now) not in ("", actor) and not force:
                raise self._held(log, draft)
            if draft.holder:
                log.add(Released(proposal=id), actor=actor)
        return reports.ticket(self.study, id)

    # -- editing ---------------------------------------------------------------------------------------

    def edit(self, id: int, moves: list[Any], *, revision: int, actor: str, key: str | None = None) -> Draft:
        """Apply moves to the draft as one edit: all of them or none."""
        return self._gesture(id, "move", [plain_move(move) for move in moves], revision, actor, key)

    def undo(self, id: int, *, revision: int, actor: str, key: str | None = None, count: int = 1) -> Draft:
        """Take the last edits back."""
        return self._gesture(id, "undo", [None] * count, revision, actor, key)

    def redo(self, id: int, *, revision: int, actor: str, key: str | None = None, count: int = 1) -> Draft:
        """Make the edits again that were taken back last."""
        return self._gesture(id, "redo", [None] * count, revision, actor, key)

    def _gesture(
        self, id: int, action: str, steps: list[Move] | list[None], revision: int, actor: str, key: str | None
    ) -> Draft:
        _named(actor)
        check_who(actor, "", key)
        with self.study.ledger.writing() as log:
            if not steps:
                raise Invalid("An edit needs at least one move.")
            if key is not None and self._done_before(log, key, id, action, steps[0]):
                return self.view(id)
            draft = self._mine(log, id, actor)
            self._current(log, draft, revision)
            if action == "undo" and len(draft.moves) < len(steps):
                raise Invalid("There is nothing to undo.")
            if action == "redo" and len(draft.undone) < len(steps):
                raise Invalid("There is nothing to redo.")
            if action == "move":
                self._try(id, [*draft.moves, *(step for step in steps if step is not None)])
            for number, move in enumerate(steps):
                log.add(
                    Edited(
                        proposal=id,
                        action=action,
                        revision=revision + 1 + number,
                        until=log.now + self.lease,
                        move=move,
                        key=None if number else key,
                    ),
                    actor=actor,
                )
        return self.view(id)

    def _try(self, id: int, moves: list[Move]) -> None:
        """Refuse a draft that cannot be."""
        if len(moves) > telling.MOST_STEPS:
            raise Invalid(f"A draft holds at most {telling.MOST_STEPS} edits; submit it.")
        self._path(*self.study.material(id), moves)  # raises where a move cannot be made

    def _done_before(self, log: Writer, key: str, id: int, action: str, move: Move | None) -> bool:
        entry = log.sql.by_key(self.study.ledger.head.id, key)
        if entry is None:
            return False
        fact = entry.fact
        if not isinstance(fact, Edited) or (fact.proposal, fact.action, fact.move) != (id, action, move):
            raise Conflict(f"The key {key!r} was used for something else; choose a new key for a new edit.")
        return True

    def view(self, id: int) -> Draft:
        """The proposal as it is now; nothing is claimed or changed."""
        study = self.study
        ticket = reports.ticket(study, id)
        shown = study.shown(id, ticket.version)
        problem, proposed = shown.problem, shown.solution
        undone: list[Move] = []
        entry = study.last_tell(id) if ticket.state == "done" else None
        if entry is not None and isinstance(entry.fact, Told):
            moves = list(entry.fact.moves)
            solution = study.codec.solution(problem, entry.fact.solution)
        else:
            with study.ledger.lock:
                draft = study.ledger.model.open.get(id)
                moves, undone = (list(draft.moves), list(draft.undone)) if draft else ([], [])
            path = self._path(problem, proposed, moves)
            solution, counted = path[-1], self._net(path, moves)[1]
            ticket = _with_effort(study, ticket, counted)
        rows = features_along(study.domain, problem, [proposed, solution])
        return Draft(
            ticket, problem, proposed, solution, moves, undone, rows[1].tolist(), (rows[1] - rows[0]).tolist()
        )

    # -- done, and not done after all ------------------------------------------------------------------

    def submit(
        self,
        id: int,
        *,
        revision: int,
        actor: str,
        learn: bool = True,
        note: str = "",
        cut: bool = False,
        seconds: float | None = None,
    ) -> Outcome:
        """Tell the study what the draft has become. A second time answers the same."""
        _named(actor)
        study = self.study
        text(note, "note", 2000)
        with study.ledger.writing() as log:
            if id in log.model.open:
                draft = self._mine(log, id, actor)
                self._current(log, draft, revision)
                shown = study.shown(id, draft.version)
                _, net = self._net(self._path(shown.problem, shown.solution, draft.moves), draft.moves)
                given = telling.Given(net, None, None, None, learn, note, cut, seconds, submit=revision)
                prepared = telling.prepare(study, shown, given)
                return study.write_tell(log, id, prepared, actor, "")
        given = telling.Given(None, None, None, None, learn, note, cut, seconds, submit=revision)
        return study.told_before(id, given.name(study.codec))

    def reopen(self, id: int, *, actor: str, force: bool = False) -> Draft:
        """Take a tell back within the grace period: the learner forgets it, the draft is as it was."""
        _named(actor)
        study = self.study
        with study.ledger.writing() as log:
            if id in log.model.open:
                self._mine(log, id, actor)
                return self.view(id)  # it is open already; asking twice does no harm
            entries = log.sql.of_proposal(study.ledger.head.id, id)
            told = next((e for e in reversed(entries) if isinstance(e.fact, Told)), None)
            if told is None:
                raise NotFound(f"Study {study.name!r} has no proposal {id}; see its proposals.")
            self._may_reopen(log, told, actor, force)
            log.add(self._reopened(log, entries, told), actor=actor)
        return self.view(id)

    def _may_reopen(self, log: Writer, told: Entry, actor: str, force: bool) -> None:
        study, grace = self.study, float(self.study.config["grace"])
        if told.actor != actor and not force:
            raise Forbidden(
                f"Proposal {told.proposal} was told by {told.actor or 'somebody'}; ask a lead to reopen it."
            )
        if log.now - told.time > grace:
            raise Conflict(
                f"Proposal {told.proposal} was told over {grace:g} seconds ago; roll the weights back."
            )
        if log.sql.of_kind(study.ledger.head.id, "rolled back", after=told.seq, limit=1):
            raise Conflict(
                f"The weights were rolled back since proposal {told.proposal} was told; it stays as it is."
            )

    def _reopened(self, log: Writer, entries: list[Entry], told: Entry) -> Reopened:
        tell, asked = told.fact, entries[0].fact
        if not isinstance(tell, Told) or not isinstance(asked, Asked):
            raise NotFound(f"Study {self.study.name!r} has no proposal {told.proposal}.")
        last = max(getattr(e.fact, "revision", 0) for e in entries)
        learner, acceptance = log.model.learner, log.model.acceptance
        if tell.learn:
            learner, acceptance = self.study.ledger.without(told, log.sql)
        if not np.isfinite(learner.weights).all():
            raise Conflict(
                f"Without proposal {tell.proposal} the weights would be infinite; roll back instead."
            )
        return Reopened(
            proposal=tell.proposal,
            told=told.seq,
            effort=tell.effort,
            moves=tell.moves,
            revision=last + 1,
            until=log.now + self.lease,
            version=log.model.version + tell.learn,
            asked_with=tell.asked_with,
            asked=entries[0].time,
            gross=tell.gross,
            asked_key=asked.key,
            label=asked.label,
            state=learner.state() if tell.learn else None,
            acceptance=acceptance.state() if tell.learn else None,
            digest=digest(learner.weights),
            chance=tell.chance,
            expected=tell.expected,
        )

    # -- checks ----------------------------------------------------------------------------------------

    def _open(self, log: Writer, id: int) -> Open:
        draft = log.model.open.get(id)
        if draft is None:
            if not 1 <= id <= log.model.asked:
                raise NotFound(f"Study {self.study.name!r} has no proposal {id}; see its proposals.")
            raise Conflict(f"Proposal {id} is done already; reopen it to change it.", self.state(id))
        return draft

    def _mine(self, log: Writer, id: int, actor: str) -> Open:
        draft = self._open(log, id)
        if draft.held_by(log.now) not in ("", actor):
            raise self._held(log, draft)
        return draft

    def _held(self, log: Writer, draft: Open) -> Conflict:
        left = max(1, round(draft.until - log.now))
        said = f"Proposal {draft.id} is held by {draft.holder} for {left} more seconds; take another one."
        return Conflict(said, self.state(draft.id))

    def _current(self, log: Writer, draft: Open, revision: int) -> None:
        if draft.revision != revision:
            raise Conflict(
                f"Proposal {draft.id} is at revision {draft.revision}, not {revision}: "
                "it was changed elsewhere. Look at it as it is now and try again.",
                self.state(draft.id),
            )

    def state(self, id: int) -> dict[str, Any]:
        """The proposal as JSON-able data."""
        return plain_draft(self.study, self.view(id))

    def _path(self, x: Problem, y: Solution, moves: list[Move]) -> list[Solution]:
        path = [y]
        for move in moves:
            path.append(self.study.codec.apply(x, path[-1], move))
        return path

    def _net(self, path: list[Solution], moves: list[Move]) -> tuple[list[Solution], list[Move]]:
        """The path without its loops: what was done and undone by hand did not count."""
        kept = [path[0]]
        steps: list[Move] = []
        names = [canonical(self.study.codec.plain_solution(path[0]))]
        for solution, move in zip(path[1:], moves, strict=True):
            name = canonical(self.study.codec.plain_solution(solution))
            if name in names:
                back = names.index(name)
                del kept[back + 1 :], names[back + 1 :], steps[back:]
            else:
                kept.append(solution)
                names.append(name)
                steps.append(move)
        return kept, steps


def plain_draft(study: Study, draft: Draft) -> dict[str, Any]:
    """A draft as JSON-able data, without the problem."""
    code = study.codec.plain_solution
    return {
        **asdict(draft.ticket),
        "proposed": code(draft.proposed),
        "solution": code(draft.solution),
        "moves": draft.moves,
        "undone": draft.undone,
        "features": draft.features,
        "change": draft.change,
    }


def _with_effort(study: Study, ticket: Ticket, moves: list[Move]) -> Ticket:
    data = asdict(ticket)
    data["steps"] = len(moves)
    data["effort"] = float(sum(telling.cost_of(study.config, move) for move in moves))
    return Ticket(**data)


def _named(actor: str) -> None:
    if not text(actor, "actor", 100):
        raise Invalid("Editing needs a name; say who you are (actor).")

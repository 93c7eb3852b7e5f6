"""People at work on proposals: leases, edits with revisions, undo and redo, submit and reopen.

Drafts live in the log, so a reload, another tab or another server shows them. Edits use optimistic locking:
an edit names the revision it was made on, and raises Conflict with the current state if there is a newer one.
Solutions are computed before the store's lock is taken; under the lock the revision is checked again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from coactor.corrections import MOST_STEPS, plain_move, replans_of
from coactor.keeping import REPLAN, named_parts, parts_of, replan
from coactor.protocol import Correction, Move, Parts, Round, Work
from coactor.rounds import Knowledge
from coactor.solutions import same_solution
from coactor.studies.codec import read
from coactor.studies.drafts import LONGEST_LEASE, Draft, plain_draft, step_costs, with_path, without_loops
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound
from coactor.studies.log.chain import Entry, stored
from coactor.studies.log.facts import Asked, Claimed, Edited, Fact, Released, Reopened, Told
from coactor.studies.log.ledger import Writer
from coactor.studies.log.projection import Projection
from coactor.studies.log.vectors import digest
from coactor.studies.queue import QueueQuery, done_draft, last_revision, rank_for
from coactor.studies.telling import Request, Teller, last_told
from coactor.validation import number, person_name, text

LEASE = 300.0  # seconds until an untouched proposal is free again


class Desk:
    """Where people edit a study's proposals. Get it from `Study.desk`.

    Parameters
    ----------
    teller
        Makes rounds of the study's proposals.
    lease
        Seconds until a proposal that its holder does not touch is free again.
    patience
        Taking a proposal that is due solves it again first, if the last solving took at most so many seconds;
        else its last solution is shown at once.
    """

    def __init__(self, teller: Teller, lease: float = LEASE, patience: float = math.inf) -> None:
        self._teller, self._proposer = teller, teller.proposer
        self._domain, self._codec = self._proposer.domain, self._proposer.codec
        self._ledger = self._proposer.ledger
        if not 0 <= lease <= LONGEST_LEASE:
            raise Invalid(f"A lease of {lease:g} s is not possible; it may last up to {LONGEST_LEASE:g} s.")
        self.lease, self._patience = lease, patience

    def __repr__(self) -> str:
        return f"<Desk of study {self._ledger.head.name!r}, lease {self.lease:g} s>"

    # -- leases ------------------------------------------------------------------------------------------

    def next(self, actor: str, query: QueueQuery | None = None) -> Draft | None:
        """Claim the next proposal: one the actor holds, their drafts, the oldest, then drafts of others.

        With a query only those that match, in its order.
        """
        _validate_editor(actor)
        with self._ledger.writing(synced=False) as log:
            drafts = (query or QueueQuery()).select(log.projection.drafts.values(), log.now)
            free = [draft for draft in drafts if draft.held_by(log.now) in ("", actor)]
            if not free:
                return None
            id = min(free, key=lambda draft: rank_for(draft, actor, log.now)).id
            due = self._claim(log, log.projection.drafts[id], actor)
        return self._claimed(id, actor, due)

    def claim(self, id: int, actor: str) -> Draft:
        """Claim a proposal, or extend the lease. Raises Conflict if another actor holds it."""
        _validate_editor(actor)
        with self._writing(id, synced=False) as log:
            due = self._claim(log, self._held_draft(log.projection, id, actor, log.now), actor)
        return self._claimed(id, actor, due)

    def _claim(self, log: Writer, draft: Draft, actor: str) -> bool:
        due = self._proposer.due(log.projection, draft, log.now, actor)
        log.add(Claimed(proposal=draft.id, until=log.now + self.lease), actor=actor)
        return due

    def _claimed(self, id: int, actor: str, due: bool) -> Draft:
        # Under the actor's lease, so that no other one can claim it meanwhile.
        seconds = self._proposer.seconds
        if due and (0.0 if math.isinf(seconds) else seconds) <= self._patience:  # unknown: short
            self._proposer.renew(id, actor)
        return self.view(id)

    def release(self, id: int, actor: str, *, force: bool = False, seconds: float = 0.0) -> Draft:
        """End the lease after so many seconds of active work; the draft stays.

        A lead may end another actor's lease with `force`.
        """
        _validate_editor(actor)
        with self._writing(id, synced=False) as log:
            draft = self._open_draft(log.projection, id)
            if not force:
                self._check_holder(draft, actor, log.now)
            if draft.holder:
                log.add(Released(proposal=id, seconds=number(seconds, "seconds", 1e9)), actor=actor)
        return self.view(id)

    # -- editing -----------------------------------------------------------------------------------------

    def edit(self, id: int, moves: list[Any], *, revision: int, actor: str, key: str | None = None) -> Draft:
        """Apply moves to the draft as one edit: all of them or none."""
        made = [plain_move(move) for move in moves]
        return self._edit(id, "move", len(made), made, revision, actor, key)

    def undo(self, id: int, *, revision: int, actor: str, key: str | None = None, count: int = 1) -> Draft:
        """Undo the last edits."""
        return self._edit(id, "undo", count, [], revision, actor, key)

    def redo(self, id: int, *, revision: int, actor: str, key: str | None = None, count: int = 1) -> Draft:
        """Redo the edits that were undone last."""
        return self._edit(id, "redo", count, [], revision, actor, key)

    def _edit(
        self, id: int, action: str, steps: int, moves: list[Move], revision: int, actor: str, key: str | None
    ) -> Draft:
        _validate_editor(actor)
        if key is not None and not text(key, "key", 200):
            raise Invalid("The idempotency key is empty; omit it or pass a non-empty string.")
        if not steps:
            raise Invalid("An edit needs at least one move.")
        with self._ledger.lock:
            draft = self._ledger.projection.drafts.get(id)
            if draft is None or draft.revision != revision:  # another process may have changed it
                draft = self._ledger.refresh().drafts.get(id)
        if draft is not None and draft.revision == revision and moves:  # else it is refused below
            if len(draft.moves) + len(moves) > MOST_STEPS:
                raise Invalid(f"A draft has at most {MOST_STEPS} edits; submit it.")
            proposal = self._proposer.of(draft)
            # Both raise Invalid: an edit that could not be shown is not recorded.
            path = self._proposer.path(proposal, [*draft.moves, *moves])
            with_path(self._domain, draft, proposal, path)
        with self._writing(id) as log:
            fact = Edited(
                proposal=id,
                action=action,
                revision=revision + steps,
                until=log.now + self.lease,
                steps=steps,
                moves=moves,
                key=key,
            )
            earlier = None if key is None else log.sql.by_key(log.study, key)
            if earlier is None:
                draft = self._held_draft(log.projection, id, actor, log.now)
                self._check_revision(draft, revision)
                if steps > {"undo": len(draft.moves), "redo": len(draft.undone)}.get(action, steps):
                    raise Invalid(f"There is nothing to {action}.")
                log.add(fact, actor=actor)
            elif not _repeats(fact, earlier.fact):
                raise Conflict(
                    f"The key {key!r} was used for another request; choose a new key for a new edit."
                )
        return self.view(id)

    def replan(self, id: int, *, keep: Parts | None = None, only: Parts | None = None) -> Draft:
        """The draft as it would be with the rest solved again: its last move, which `edit` takes, says how.

        Nothing is recorded. If nothing gains, the draft is as it was.

        Parameters
        ----------
        id
            The number of the proposal.
        keep
            Parts that must stay, besides those that are locked; by default those that edits brought about.
        only
            Parts of the draft that may change; then everything else must stay.

        Raises Invalid if the parts cannot be kept together.
        """
        draft, domain = self.view(id), self._domain
        if draft.proposal is None or draft.state == "done":
            raise Invalid(f"Proposal {id} is done already; reopen it to change it.")
        x, y = draft.problem, draft.solution
        if only is not None:
            keep = parts_of(domain, x, y) - named_parts(only)
        wanted = named_parts(draft.locked) | named_parts(draft.own if keep is None else keep)
        weights, solver = self._proposer.weights(draft.proposal), self._proposer.solver
        z = replan(domain, x, weights, y, wanted, solver)
        if same_solution(y, z):
            return draft
        move: Move = {"op": REPLAN, "args": [], "to": self._codec.plain_solution(z)}
        longer = replace(draft, moves=[*draft.moves, move])
        return with_path(domain, longer, draft.proposal, [*draft.path, z])

    def view(self, id: int) -> Draft:
        """The proposal as it is now; nothing is claimed or changed."""
        ledger = self._ledger
        with ledger.lock, ledger.store.reading() as sql:  # draft and costs at the same moment
            projection, now = ledger.refresh_in(sql), ledger.clock()
            costs = projection.config["costs"]
            draft, told = projection.drafts.get(id), None
            if draft is not None:
                holder = draft.held_by(now)
                due = self._proposer.due(projection, draft, now, holder or None, holder)
                another = self._proposer.for_another(projection, draft, holder or None)
                draft = draft.at(now, costs, due, another)
            else:
                entries = sql.of_proposal(ledger.head.id, id)
                if not entries:
                    raise self._no_proposal(id)
                draft, told = done_draft(entries), last_told(entries)
        proposal = self._proposer.of(draft)
        if told is not None and isinstance(told.fact, Told):
            final = self._codec.solution(proposal.problem, told.fact.solution, proposal.solution)
            return with_path(self._domain, draft, proposal, [proposal.solution, final])
        path = self._proposer.path(proposal, draft.moves)
        steps = step_costs(self._domain, proposal.problem, *without_loops(path, draft.moves), costs)
        draft = replace(draft, steps=len(steps), effort=float(sum(steps)))
        return with_path(self._domain, draft, proposal, path)

    def state(self, id: int) -> dict[str, Any]:
        """The proposal as it is now, as JSON-able data without the problem."""
        return plain_draft(self._codec, self.view(id))

    # -- finishing ---------------------------------------------------------------------------------------

    def submit(
        self,
        id: int,
        *,
        revision: int,
        actor: str,
        learn: bool = True,
        unsure: bool = False,
        cut: bool = False,
        work: Work | None = None,
    ) -> Round:
        """Tell the study the draft as it is; `work` has the active time and a remark.

        With `unsure` it counts half: it was very unlikely, and may be for today only.

        A repeated submit returns the same round.
        """
        _validate_editor(actor)
        work = work or Work()
        text(work.note, "note", 2000)
        request = Request(moves=[], learn=learn, unsure=unsure, cut=cut, work=work, revision=revision)
        with self._ledger.lock:
            draft = self._ledger.refresh().drafts.get(id)
        if draft is None:
            return self._teller.repeated(id, request, actor)
        prepared = None
        if draft.revision == revision:  # else it is refused below
            proposal = self._proposer.of(draft)
            path, edits = without_loops(
                self._proposer.path(proposal, draft.moves), list(zip(draft.moves, draft.authors, strict=True))
            )
            moves = [move for move, _ in edits]
            work = replace(work, authors=[author for _, author in edits])
            costs = self._ledger.projection.config["costs"]
            spent = step_costs(self._domain, proposal.problem, path, moves, costs)
            done = Correction(path, moves, spent, cut, replans=replans_of(moves))
            prepared = self._teller.prepare(
                proposal, replace(request, work=work), draft.asked_for or actor, done
            )
        with self._writing(id) as log:
            if id in log.projection.drafts:
                draft = self._held_draft(log.projection, id, actor, log.now)
                self._check_revision(draft, revision)
                if prepared is None:  # the draft reached this revision after it was looked at
                    raise Conflict(f"Proposal {id} was changed while it was submitted; try again.", {})
                return self._teller.write(log, prepared, actor)
        return self._teller.repeated(id, request, actor)

    def reopen(self, id: int, *, actor: str, force: bool = False) -> Draft:
        """Withdraw a tell within the grace period: the learner forgets it, the draft is as it was.

        Raises Forbidden if another actor told it and `force` is false, Conflict if the grace period is over
        or the weights were rolled back since.
        """
        _validate_editor(actor)
        ledger = self._ledger
        with ledger.lock, ledger.store.reading() as sql:
            projection = ledger.refresh_in(sql)
            told = None if id in projection.drafts else last_told(sql.of_proposal(ledger.head.id, id))
            known, seq = projection.knowledge, projection.seq
        without = None
        if told is not None and isinstance(told.fact, Told) and told.fact.round.learn:
            with ledger.store.reading() as sql:
                without = ledger.without(told, sql, seq)
        with self._writing(id) as log:
            if id in log.projection.drafts:
                self._held_draft(log.projection, id, actor, log.now)  # reopening twice changes nothing
            else:
                entries = log.sql.of_proposal(log.study, id)
                again = last_told(entries)
                if again is None:
                    raise self._no_proposal(id)
                self._may_reopen(log, again, actor, force)
                if told is None or again.seq != told.seq or log.projection.knowledge is not known:
                    without = ledger.without(again, log.sql)  # others learned meanwhile
                self._reopen(log, entries, again, without, actor)
        return self.view(id)

    def _may_reopen(self, log: Writer, told: Entry, actor: str, force: bool) -> None:
        if told.actor != actor and not force:
            raise Forbidden(
                f"Proposal {told.proposal} was told by {told.actor or 'someone'}; ask a lead to reopen it."
            )
        grace = float(log.projection.config["grace"])
        if log.now - told.time > grace:
            raise Conflict(
                f"Proposal {told.proposal} was told over {grace:g} seconds ago; roll the weights back."
            )
        if any(log.sql.of_kind(log.study, "rolled back", after=told.seq, limit=1)):
            raise Conflict(
                f"The weights were rolled back since proposal {told.proposal} was told; it stays as it is."
            )

    def _reopen(
        self, log: Writer, entries: list[Entry], told: Entry, without: Knowledge | None, actor: str
    ) -> None:
        tell, asked = told.fact, entries[0].fact
        if not isinstance(tell, Told) or not isinstance(asked, Asked):
            raise self._no_proposal(told.proposal)
        result = tell.round
        known = without if result.learn and without is not None else None
        draft = replace(
            done_draft(entries),
            revision=last_revision(entries) + 1,
            holder=actor,
            editor=actor,
            until=log.now + self.lease,
        )
        fact = Reopened(
            draft=read(Draft, stored(draft)),  # without what says that it is done
            told=told.seq,
            effort=result.effort,
            accepted=result.accepted,
            version=log.projection.version + result.learn,
            digest=digest((known or log.projection.knowledge).learner.weights),
            state=None if known is None else known.state(),
            learned_for=result.learned_for,
        )
        log.add(fact, actor=actor, knowledge=known)

    # -- checks ------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self, id: int, synced: bool = True) -> Iterator[Writer]:
        """The right to append; a conflict about this proposal gets its current state after the lock."""
        try:
            with self._ledger.writing(synced) as log:
                yield log
        except _StateConflictError as error:
            raise Conflict(str(error), self.state(id)) from None

    def _no_proposal(self, id: int | None) -> NotFound:
        return NotFound(f"There is no proposal {id} in study {self._ledger.head.name!r}.")

    def _open_draft(self, projection: Projection, id: int) -> Draft:
        draft = projection.drafts.get(id)
        if draft is None:
            if not 1 <= id <= projection.asked:
                raise self._no_proposal(id)
            raise _StateConflictError(f"Proposal {id} is done already; reopen it to change it.")
        return draft

    def _held_draft(self, projection: Projection, id: int, actor: str, now: float) -> Draft:
        draft = self._open_draft(projection, id)
        self._check_holder(draft, actor, now)
        return draft

    def _check_holder(self, draft: Draft, actor: str, now: float) -> None:
        if draft.held_by(now) not in ("", actor):
            left = max(1, round(draft.until - now))
            raise _StateConflictError(
                f"Proposal {draft.id} is held by {draft.holder} for another {left} s; take another one."
            )

    def _check_revision(self, draft: Draft, revision: int) -> None:
        if draft.revision != revision:
            raise _StateConflictError(
                f"Proposal {draft.id} is at revision {draft.revision}, not {revision}: "
                "it was changed elsewhere. Look at it as it is now and try again."
            )


class _StateConflictError(Exception):
    """A conflict that will report the current state, which is read after the lock is released."""


def _validate_editor(actor: str) -> None:
    if not person_name(actor, "actor"):
        raise Invalid("Editing needs a name; say who you are (actor).")


def _repeats(fact: Edited, earlier: Fact) -> bool:
    """Whether an edit is the one that was recorded earlier under its key."""
    return isinstance(earlier, Edited) and fact == replace(earlier, revision=fact.revision, until=fact.until)

"""What a study can be asked about itself; nothing here changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coactor.protocol import Vector
from coactor.search import features_along
from coactor.studies.errors import Invalid, NotFound
from coactor.studies.log.facts import Asked, Entry, Reopened, RolledBack, Told
from coactor.studies.log.model import Open
from coactor.studies.proposing import due
from coactor.studies.results import EffortRow, Explanation, Share, Ticket, Version
from coactor.studies.telling import cost_of

if TYPE_CHECKING:
    from coactor.studies.study import Study

STATES = ("waiting", "held", "draft", "done", "open")


def state_of(draft: Open, now: float) -> str:
    """Where an open proposal stands."""
    if draft.held_by(now):
        return "held"
    return "draft" if draft.touched else "waiting"


def open_ticket(study: Study, draft: Open) -> Ticket:
    """The ticket of a proposal nobody has finished."""
    now = study.ledger.clock()
    holder = draft.held_by(now)
    return Ticket(
        draft.id,
        state_of(draft, now),
        draft.version,
        draft.key,
        draft.label,
        draft.time,
        draft.revision,
        len(draft.moves),
        sum(cost_of(study.config, move) for move in draft.moves),
        holder,
        draft.until if holder else 0.0,
        None,
        holder,
        draft.chance,
        due(study, study.ledger.model, draft, now),
    )


def done_ticket(asked: Entry, told: Entry, revision: int) -> Ticket:
    """The ticket of a finished proposal."""
    fact, tell = asked.fact, told.fact
    if not isinstance(fact, Asked) or not isinstance(tell, Told):
        raise Invalid("That is no finished proposal.")
    return Ticket(
        fact.proposal,
        "done",
        tell.asked_with,
        fact.key,
        fact.label,
        asked.time,
        revision,
        len(tell.moves),
        tell.effort,
        "",
        0.0,
        told.time,
        told.actor,
        tell.chance,
    )


def tickets(study: Study, state: str | None, after: int, limit: int) -> list[Ticket]:
    """Proposals by number, from the one after `after` on."""
    if state is not None and state not in STATES:
        raise Invalid(f"There is no state {state!r}; there are {', '.join(STATES)}.")
    with study.ledger.lock, study.store.reading() as sql:
        model = study.ledger.refresh_in(sql)
        if state is None or state == "done":
            return _all(study, sql, model.asked, state, after, limit)
        rows = [open_ticket(study, model.draft(id)) for id in sorted(model.open) if id > after]
    return [row for row in rows if state in ("open", row.state)][:limit]


def _all(study: Study, sql: Any, last: int, state: str | None, after: int, limit: int) -> list[Ticket]:
    found: list[Ticket] = []
    while len(found) < limit and after < last:
        first, after = after + 1, min(last, after + max(limit, 50))
        told: dict[int, Entry] = {}
        asked: dict[int, Entry] = {}
        revision: dict[int, int] = {}
        for entry in sql.of_proposals(study.ledger.head.id, first, after):
            number = entry.proposal
            if isinstance(entry.fact, Asked):
                asked[number] = entry
            elif isinstance(entry.fact, Told):
                told[number] = entry
            revision[number] = getattr(entry.fact, "revision", revision.get(number, 0))
        for number in range(first, after + 1):
            draft = study.ledger.model.open.get(number)
            if draft is None:
                found.append(done_ticket(asked[number], told[number], revision[number]))
            elif state is None:
                found.append(open_ticket(study, draft))
    return found[:limit]


def ticket(study: Study, id: int) -> Ticket:
    """Where one proposal stands."""
    with study.ledger.lock:
        draft = study.ledger.refresh().open.get(id)
        if draft is not None:
            return open_ticket(study, draft)
    rows = tickets(study, None, id - 1, 1) if id > 0 else []
    if not rows or rows[0].id != id:
        raise NotFound(f"Study {study.name!r} has no proposal {id}; see its proposals.")
    return rows[0]


def effort(study: Study, after: int = 0) -> list[EffortRow]:
    """What each finished proposal cost; a tell that was taken back is left out."""
    with study.store.reading() as sql:
        entries = sql.of_kind(study.ledger.head.id, "told", "reopened", after=after)
    gone = {entry.fact.told for entry in entries if isinstance(entry.fact, Reopened)}
    return [
        EffortRow(
            entry.seq,
            entry.time,
            fact.proposal,
            fact.asked_key,
            entry.actor,
            fact.effort,
            fact.estimated,
            fact.gross,
            fact.seconds,
            fact.learn,
            fact.asked_with,
            fact.version,
            fact.chance,
        )
        for entry in entries
        if isinstance(fact := entry.fact, Told) and entry.seq not in gone
    ]


def version_row(entry: Entry) -> Version:
    """The version a fact made."""
    fact = entry.fact
    to, reason = (fact.to, fact.reason) if isinstance(fact, RolledBack) else (None, "")
    return Version(
        entry.made or 0,
        entry.seq,
        entry.time,
        entry.actor,
        fact.kind,
        entry.proposal,
        to,
        reason,
        getattr(fact, "digest", ""),
    )


def versions(study: Study, after: int, limit: int) -> list[Version]:
    """The versions numbered above `after`."""
    with study.store.reading() as sql:
        return [version_row(entry) for entry in sql.of_versions(study.ledger.head.id, after, limit)]


def explain(study: Study, id: int) -> Explanation:
    """Shares of the utility under the weights the proposal was made with."""
    where = ticket(study, id)
    shown = study.shown(id, where.version)
    problem, path = shown.problem, [shown.solution]
    moves = draft_moves(study, id)
    for move in moves:
        path.append(study.codec.apply(problem, path[-1], move))
    w, rows = study.weights(where.version), features_along(study.domain, problem, path)
    edits = [
        {"move": move, "gain": float(w @ step), "shares": shares(study, w, step)}
        for move, step in zip(moves, np.diff(rows, axis=0), strict=True)
    ]
    return Explanation(id, where.version, float(w @ rows[0]), shares(study, w, rows[0]), edits)


def shares(study: Study, w: Vector, phi: Vector) -> list[Share]:
    """weight * value, feature by feature."""
    names = study.config["features"]
    return [
        Share(name, float(weight), float(value), float(weight * value))
        for name, weight, value in zip(names, w, phi, strict=True)
    ]


def draft_moves(study: Study, id: int) -> list[Any]:
    """The edits of a draft, or of the correction that was told."""
    with study.ledger.lock:
        if id in study.ledger.model.open:
            return list(study.ledger.model.open[id].moves)
    entry = study.last_tell(id)
    return list(entry.fact.moves) if entry is not None and isinstance(entry.fact, Told) else []

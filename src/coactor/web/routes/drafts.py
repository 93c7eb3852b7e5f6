"""The routes for people at work: the queue, leases, edits, submit and reopen."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Header, Response

from coactor.search import move_features
from coactor.studies import Outcome, Ticket
from coactor.web.auth.middleware import MAY, Me, need
from coactor.web.errors import Refused
from coactor.web.open_studies import Site
from coactor.web.routes.requests import EditBody, SubmitBody
from coactor.web.routes.responses import ERRORS, ProposalAnswer
from coactor.web.routes.studies import Id, Key, Limit, Name, answer, proposal

IfMatch = Annotated[str | None, Header(alias="If-Match", max_length=30)]
PROPOSAL = "/studies/{study}/proposals/{id}"
STALE = {**ERRORS, 428: {**ERRORS[422], "description": "If-Match is missing"}}


def revision(said: str | None) -> int:
    """The revision an edit was made on."""
    if said is None:
        raise Refused(428, "Say which revision you edit: send the ETag you were given as If-Match.")
    found = re.fullmatch(r'(?:W/)?"?([0-9]{1,9})"?', said.strip())
    if found is None or not said.isascii():
        raise Refused(422, 'If-Match must be the revision you were given, such as "3".')
    return int(found.group(1))


def add_routes(router: APIRouter, site: Site) -> None:
    """Everything that changes a draft."""

    @router.post(
        "/studies/{study}/queue/next",
        tags=["queue"],
        response_model=ProposalAnswer,
        responses={**ERRORS, 204: {"description": "Nothing waits"}},
    )
    def next_proposal(study: Name, account: Me) -> Response:
        """Lease the next proposal to me: what I hold already, then drafts left behind, then the oldest."""
        need(account, "edit", study)
        draft = site.desk(study).next(account.name)
        return Response(status_code=204) if draft is None else proposal(site.study(study), draft, whole=True)

    @router.post(f"{PROPOSAL}/claim", tags=["queue"], response_model=ProposalAnswer, responses=ERRORS)
    def claim(study: Name, id: Id, account: Me) -> Response:
        """Lease this proposal to me, or renew my lease."""
        need(account, "edit", study)
        return proposal(site.study(study), site.desk(study).claim(id, account.name), whole=True)

    @router.post(f"{PROPOSAL}/release", tags=["queue"], response_model=Ticket, responses=ERRORS)
    def release(study: Name, id: Id, account: Me) -> Response:
        """Give a proposal back; its draft stays."""
        need(account, "edit", study)
        lead = account.role in MAY["lead"]
        return answer(asdict(site.desk(study).release(id, account.name, force=lead)))

    @router.post(f"{PROPOSAL}/edits", tags=["editing"], response_model=ProposalAnswer, responses=STALE)
    def edit(
        study: Name, id: Id, body: EditBody, account: Me, if_match: IfMatch = None, key: Key = None
    ) -> Response:
        """Apply moves to the draft, or undo or redo the last ones: all of them or none.

        If-Match names the revision the edit was made on; another revision is a 409 with the current draft.
        """
        need(account, "edit", study)
        desk, at = site.desk(study), revision(if_match)
        if body.action == "move":
            moves = [{"op": move.op, "args": move.args} for move in body.moves]
            draft = desk.edit(id, moves, revision=at, actor=account.name, key=key)
        else:
            act = desk.undo if body.action == "undo" else desk.redo
            draft = act(id, revision=at, actor=account.name, key=key, count=body.count)
        return proposal(site.study(study), draft)

    @router.get(f"{PROPOSAL}/moves", tags=["editing"], response_model=list[dict[str, Any]], responses=ERRORS)
    def moves(study: Name, id: Id, account: Me, limit: Limit = 200) -> Response:
        """The moves the draft allows, in scan order: the change of the features and the gain in utility."""
        need(account, "read", study)
        opened = site.study(study)
        draft = site.desk(study).view(id)
        options = list(islice(opened.domain.moves(draft.problem, draft.solution), limit))
        rows = move_features(opened.domain, draft.problem, draft.solution)[: len(options)]
        gains = rows @ np.asarray(opened.weights())
        return answer(
            [
                {"move": move, "change": row, "gain": gain}
                for move, row, gain in zip(options, rows.tolist(), gains.tolist(), strict=True)
            ]
        )

    @router.post(f"{PROPOSAL}/submit", tags=["editing"], response_model=Outcome, responses=STALE)
    def submit(study: Name, id: Id, body: SubmitBody, account: Me, if_match: IfMatch = None) -> Response:
        """Hand the draft in and let the study learn from it."""
        need(account, "edit", study)
        outcome = site.desk(study).submit(
            id,
            revision=revision(if_match),
            actor=account.name,
            learn=body.learn,
            note=body.note,
            cut=body.cut,
            seconds=body.seconds,
        )
        return answer(asdict(outcome))

    @router.post(f"{PROPOSAL}/reopen", tags=["editing"], response_model=ProposalAnswer, responses=ERRORS)
    def reopen(study: Name, id: Id, account: Me) -> Response:
        """Take a submit back within the grace period."""
        need(account, "edit", study)
        lead = account.role in MAY["lead"]
        draft = site.desk(study).reopen(id, actor=account.name, force=lead)
        return proposal(site.study(study), draft, whole=True)

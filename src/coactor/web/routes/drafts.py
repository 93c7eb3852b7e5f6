"""The routes for people at work: the queue, leases, edits, submit and reopen."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Header, Response

from coactor.studies import Outcome, Ticket
from coactor.web.auth.middleware import MAY, Me, need
from coactor.web.errors import Refused
from coactor.web.open_studies import Site
from coactor.web.routes.requests import MoveBody, SubmitBody
from coactor.web.routes.responses import ERRORS, ProposalAnswer
from coactor.web.routes.studies import Id, Key, Name, answer, proposal

IfMatch = Annotated[str | None, Header(alias="If-Match", max_length=30)]
_PLACE = "/studies/{study}/proposals/{id}"
_STALE = {**ERRORS, 428: {**ERRORS[422], "description": "If-Match is missing"}}


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

    @router.post(f"{_PLACE}/claim", tags=["queue"], response_model=ProposalAnswer, responses=ERRORS)
    def claim(study: Name, id: Id, account: Me) -> Response:
        """Lease this proposal to me, or renew my lease."""
        need(account, "edit", study)
        return proposal(site.study(study), site.desk(study).claim(id, account.name), whole=True)

    @router.post(f"{_PLACE}/release", tags=["queue"], response_model=Ticket, responses=ERRORS)
    def release(study: Name, id: Id, account: Me) -> Response:
        """Give a proposal back; its draft stays."""
        need(account, "edit", study)
        lead = account.role in MAY["lead"]
        return answer(asdict(site.desk(study).release(id, account.name, force=lead)))

    @router.post(f"{_PLACE}/edits", tags=["editing"], response_model=ProposalAnswer, responses=_STALE)
    def edit(
        study: Name, id: Id, body: MoveBody, account: Me, if_match: IfMatch = None, key: Key = None
    ) -> Response:
        """Apply one operator to the draft."""
        need(account, "edit", study)
        move = {"op": body.op, "args": body.args}
        draft = site.desk(study).edit(id, move, revision=revision(if_match), actor=account.name, key=key)
        return proposal(site.study(study), draft)

    @router.post(f"{_PLACE}/undo", tags=["editing"], response_model=ProposalAnswer, responses=_STALE)
    def undo(study: Name, id: Id, account: Me, if_match: IfMatch = None, key: Key = None) -> Response:
        """Take the last edit back."""
        need(account, "edit", study)
        draft = site.desk(study).undo(id, revision=revision(if_match), actor=account.name, key=key)
        return proposal(site.study(study), draft)

    @router.post(f"{_PLACE}/redo", tags=["editing"], response_model=ProposalAnswer, responses=_STALE)
    def redo(study: Name, id: Id, account: Me, if_match: IfMatch = None, key: Key = None) -> Response:
        """Make the edit again that was taken back last."""
        need(account, "edit", study)
        draft = site.desk(study).redo(id, revision=revision(if_match), actor=account.name, key=key)
        return proposal(site.study(study), draft)

    @router.post(f"{_PLACE}/submit", tags=["editing"], response_model=Outcome, responses=_STALE)
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

    @router.post(f"{_PLACE}/reopen", tags=["editing"], response_model=ProposalAnswer, responses=ERRORS)
    def reopen(study: Name, id: Id, account: Me) -> Response:
        """Take a submit back within the grace period."""
        need(account, "edit", study)
        lead = account.role in MAY["lead"]
        draft = site.desk(study).reopen(id, actor=account.name, force=lead)
        return proposal(site.study(study), draft, whole=True)

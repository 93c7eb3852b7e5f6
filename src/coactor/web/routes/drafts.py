"""Routes of people at work: the queue, leases, edits, submit and reopen."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi import Query as Parameter

from coactor.studies.drafts import plain_row
from coactor.studies.errors import Invalid
from coactor.web.auth.permissions import PERMISSIONS, Me, require
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import (
    PROPOSAL,
    After,
    Brief,
    EditBody,
    IdempotencyKey,
    IfMatch,
    Limit,
    Omit,
    ProposalId,
    Query,
    ReleaseBody,
    StudyName,
    TellBody,
    revision,
)
from coactor.web.routes.responses import (
    ERRORS,
    REVISION_ERRORS,
    DraftAnswer,
    QueueAnswer,
    RoundAnswer,
    draft_response,
    json_response,
)

SUBMITTED = {"learn", "note", "cut", "seconds"}  # fields of a tell that a submit may have


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of the queue and of drafts."""

    @router.get(
        "/studies/{study}/queue",
        tags=["queue"],
        response_model=QueueAnswer,
        responses={**ERRORS, 204: {"description": "Nothing has changed."}},
    )
    def read_queue(
        study: StudyName,
        account: Me,
        query: Query,
        offset: After = 0,
        limit: Limit = 50,
        since: Annotated[str, Parameter(max_length=40, description="The tag of an earlier page.")] = "",
    ) -> Response:
        """Return a page of the unfinished proposals, and how many there are."""
        require(account, "read", study)
        page = studies.study(study).queue(query, offset=offset, limit=limit, since=since)
        if page is None:
            return Response(status_code=204)
        return json_response(asdict(page) | {"drafts": [plain_row(draft) for draft in page.drafts]})

    @router.post(
        "/studies/{study}/queue/next",
        tags=["queue"],
        response_model=DraftAnswer,
        responses={**ERRORS, 204: {"description": "The queue is empty."}},
    )
    def next_proposal(study: StudyName, account: Me, query: Query, brief: Brief = False) -> Response:
        """Lease the next proposal: one the account holds, its drafts, the oldest, then drafts of others."""
        require(account, "edit", study)
        draft = studies.desk(study).next(account.name, query)
        if draft is None:
            return Response(status_code=204)
        return draft_response(studies.study(study), draft, whole=not brief)

    @router.post(f"{PROPOSAL}/claim", tags=["queue"], response_model=DraftAnswer, responses=ERRORS)
    def claim(study: StudyName, id: ProposalId, account: Me, omit: Omit = ()) -> Response:
        """Lease a proposal, or extend the lease."""
        require(account, "edit", study)
        draft = studies.desk(study).claim(id, account.name)
        return draft_response(studies.study(study), draft, whole=True, omit=omit)

    @router.post(f"{PROPOSAL}/release", tags=["queue"], response_model=DraftAnswer, responses=ERRORS)
    def release(study: StudyName, id: ProposalId, account: Me, body: ReleaseBody | None = None) -> Response:
        """End the lease; the draft stays. A lead may release another expert's proposal."""
        require(account, "edit", study)
        lead = account.role(study) in PERMISSIONS["lead"]
        seconds = 0.0 if body is None else body.seconds
        desk = studies.desk(study)
        return json_response(plain_row(desk.release(id, account.name, force=lead, seconds=seconds)))

    @router.post(f"{PROPOSAL}/edits", tags=["editing"], response_model=DraftAnswer, responses=REVISION_ERRORS)
    def edit(
        study: StudyName,
        id: ProposalId,
        body: EditBody,
        account: Me,
        if_match: IfMatch = None,
        key: IdempotencyKey = None,
    ) -> Response:
        """Apply moves to the draft, or undo or redo the last ones: all of them or none.

        If-Match is the revision the edit was made on; if the draft has another one, the answer is 409.
        """
        require(account, "edit", study)
        desk, at = studies.desk(study), revision(if_match)
        if body.action == "move":
            moves = [move.plain() for move in body.moves]
            draft = desk.edit(id, moves, revision=at, actor=account.name, key=key)
        else:
            act = desk.undo if body.action == "undo" else desk.redo
            draft = act(id, revision=at, actor=account.name, key=key, count=body.count)
        return draft_response(studies.study(study), draft)

    @router.post(
        f"{PROPOSAL}/submit", tags=["editing"], response_model=RoundAnswer, responses=REVISION_ERRORS
    )
    def submit(
        study: StudyName, id: ProposalId, body: TellBody, account: Me, if_match: IfMatch = None
    ) -> Response:
        """Finish a proposal with its draft and learn from it; the body describes no other correction."""
        require(account, "edit", study)
        if not body.model_fields_set <= SUBMITTED:
            raise Invalid(f"A submit takes only {', '.join(sorted(SUBMITTED))}; use tell for a correction.")
        outcome = studies.desk(study).submit(
            id,
            revision=revision(if_match),
            actor=account.name,
            learn=body.learn,
            cut=body.cut,
            work=body.work(),
        )
        return json_response(asdict(outcome))

    @router.post(f"{PROPOSAL}/reopen", tags=["editing"], response_model=DraftAnswer, responses=ERRORS)
    def reopen(study: StudyName, id: ProposalId, account: Me) -> Response:
        """Take back a submit within the grace period."""
        require(account, "edit", study)
        lead = account.role(study) in PERMISSIONS["lead"]
        draft = studies.desk(study).reopen(id, actor=account.name, force=lead)
        return draft_response(studies.study(study), draft, whole=True)

"""Routes of people at work: the queue, leases, edits, submit and reopen."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi import Query as Parameter

from coactor.protocol import Correction
from coactor.studies.codec import to_object
from coactor.studies.drafts import plain_row, with_path
from coactor.studies.errors import Invalid
from coactor.web.auth.permissions import PERMISSIONS, Me, reader_of, require_anyway
from coactor.web.open_studies import OpenStudies, ToEdit, ToRead, ToReplan
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
    ReplanBody,
    TellBody,
    plain_moves,
    revision,
)
from coactor.web.routes.responses import (
    UNREVISED,
    DraftAnswer,
    QueueAnswer,
    RoundAnswer,
    draft_response,
    json_response,
)

SUBMITTED = {"learn", "unsure", "note", "cut", "seconds"}  # fields of a tell that a submit may have


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of the queue and of drafts."""

    @router.get(
        "/studies/{study}/queue",
        tags=["queue"],
        response_model=QueueAnswer,
        responses={204: {"description": "Nothing has changed."}},
    )
    def read_queue(
        opened: ToRead,
        query: Query,
        offset: After = 0,
        limit: Limit = 50,
        since: Annotated[str, Parameter(max_length=40, description="The tag of an earlier page.")] = "",
    ) -> Response:
        """Return a page of the unfinished proposals, and how many there are.

        `state` is waiting, held, draft or open (all of them); `order` is oldest, newest, doubtful or likely
        (to be accepted unchanged); `search` is part of the label or key, or the number; `expert` edits or
        edited it, or it was solved for them; `arrived_from` and `arrived_until` are times.
        """
        page = opened.queue(query, offset=offset, limit=limit, since=since)
        if page is None:
            return Response(status_code=204)
        return json_response(to_object(page, {}) | {"drafts": [plain_row(draft) for draft in page.drafts]})

    @router.post(
        "/studies/{study}/queue/next",
        tags=["queue"],
        response_model=DraftAnswer,
        responses={204: {"description": "The queue is empty."}},
    )
    def next_proposal(opened: ToEdit, account: Me, query: Query, brief: Brief = False) -> Response:
        """Lease the next proposal: one the account holds, its drafts, the oldest, then drafts of others."""
        draft = studies.desk(opened.name).next(account.name, query)
        if draft is None:
            return Response(status_code=204)
        return draft_response(opened, draft, whole=not brief, reader=reader_of(account, opened.name))

    @router.post(f"{PROPOSAL}/claim", tags=["queue"], response_model=DraftAnswer)
    def claim(opened: ToEdit, id: ProposalId, account: Me, omit: Omit = ()) -> Response:
        """Lease a proposal, or extend the lease."""
        draft = studies.desk(opened.name).claim(id, account.name)
        return draft_response(opened, draft, whole=True, reader=reader_of(account, opened.name), omit=omit)

    @router.post(f"{PROPOSAL}/release", tags=["queue"], response_model=DraftAnswer)
    def release(opened: ToEdit, id: ProposalId, account: Me, body: ReleaseBody | None = None) -> Response:
        """End the lease; the draft stays. A lead may release another expert's proposal."""
        lead = account.role(opened.name) in PERMISSIONS["lead"]
        seconds = 0.0 if body is None else body.seconds
        draft = studies.desk(opened.name).release(id, account.name, force=lead, seconds=seconds)
        return json_response(plain_row(draft))

    @router.post(f"{PROPOSAL}/edits", tags=["editing"], response_model=DraftAnswer, responses=UNREVISED)
    def edit(
        opened: ToEdit,
        id: ProposalId,
        body: EditBody,
        account: Me,
        if_match: IfMatch = None,
        key: IdempotencyKey = None,
    ) -> Response:
        """Apply moves to the draft, or undo or redo the last ones: all of them or none.

        If-Match is the revision the edit was made on; if the draft has another one, the answer is 409.
        """
        desk, at = studies.desk(opened.name), revision(if_match)
        if body.action == "move":
            moves = plain_moves(body.moves) or []
            require_anyway(account, opened.name, moves)
            draft = desk.edit(id, moves, revision=at, actor=account.name, key=key)
        else:
            act = desk.undo if body.action == "undo" else desk.redo
            draft = act(id, revision=at, actor=account.name, key=key, count=body.count)
        return draft_response(opened, draft)

    @router.post(f"{PROPOSAL}/replan", tags=["editing"], response_model=DraftAnswer)
    def replan(opened: ToReplan, id: ProposalId, body: ReplanBody) -> Response:
        """Return the draft as it would be with the rest solved again; its last move is the edit that does it.

        Nothing is recorded: send that move as an edit to take it. Parts that are locked always stay. For
        programs that keep drafts themselves the answer also has `before`: what was done up to the new
        solution, which a tell continues.
        """
        desk = studies.desk(opened.name)
        if body.moves is None and body.path is None and body.solution is None:
            return draft_response(opened, desk.replan(id, keep=body.keep, only=body.only))
        better = opened.resumed(opened.proposal(id), body.request(), body.keep)
        done = better.before or Correction([better.solution], [], [])
        draft = replace(desk.view(id), moves=opened.codec.plain_moves(done.moves), effort=done.effort)
        draft = with_path(opened.domain, draft, better, done.path)
        return draft_response(opened, draft, before=opened.codec.report(done))

    @router.post(f"{PROPOSAL}/submit", tags=["editing"], response_model=RoundAnswer, responses=UNREVISED)
    def submit(
        opened: ToEdit, id: ProposalId, body: TellBody, account: Me, if_match: IfMatch = None
    ) -> Response:
        """Finish a proposal with its draft and learn from it; the body describes no other correction."""
        if not body.model_fields_set <= SUBMITTED:
            raise Invalid(f"A submit takes only {', '.join(sorted(SUBMITTED))}; use tell for a correction.")
        outcome = studies.desk(opened.name).submit(
            id,
            revision=revision(if_match),
            actor=account.name,
            learn=body.learn,
            unsure=body.unsure,
            cut=body.cut,
            work=body.work(),
        )
        return json_response(outcome)

    @router.post(f"{PROPOSAL}/reopen", tags=["editing"], response_model=DraftAnswer)
    def reopen(opened: ToEdit, id: ProposalId, account: Me) -> Response:
        """Take back a submit within the grace period."""
        lead = account.role(opened.name) in PERMISSIONS["lead"]
        draft = studies.desk(opened.name).reopen(id, actor=account.name, force=lead)
        return draft_response(opened, draft, whole=True, reader=reader_of(account, opened.name))

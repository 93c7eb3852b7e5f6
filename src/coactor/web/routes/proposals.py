"""Routes of proposals: ask and tell for programs, and reading."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Response

from coactor.protocol import Proposal
from coactor.studies import Draft, Explanation, Study
from coactor.studies.drafts import plain_row, with_path
from coactor.web.auth.permissions import PERMISSIONS, Me, on_behalf, reader_of, require, require_anyway
from coactor.web.open_studies import OpenStudies, ToAsk, ToRead, ToTell
from coactor.web.routes.requests import (
    PROPOSAL,
    After,
    AskBody,
    Brief,
    IdempotencyKey,
    Limit,
    Omit,
    ProposalId,
    StudyName,
    TellBody,
)
from coactor.web.routes.responses import DraftAnswer, DraftAnswers, RoundAnswer, draft_response, json_response

PROPOSALS = "/studies/{study}/proposals"
State = Annotated[
    str | None, Query(description="waiting, held, draft, done, or open: all that are not done.")
]


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of proposals."""

    @router.post(PROPOSALS, tags=["ask and tell"], status_code=201, response_model=DraftAnswer)
    def ask(opened: ToAsk, body: AskBody, account: Me, key: IdempotencyKey = None) -> Response:
        """Solve a problem and record the proposal, or record the solution that another system proposes.

        The same Idempotency-Key returns the same proposal.
        """
        problem = opened.read_problem(body.problem)
        actor, via = on_behalf(account, body.actor)
        proposal = opened.ask(
            problem,
            key=key,
            label=body.label,
            renew=body.renew,
            actor=actor,
            asked_for=body.asked_for,
            via=via,
            solution=body.solution,
            keep=map(tuple, body.keep),
            near=body.near,
        )
        draft = studies.desk(opened.name).view(proposal.id)
        if (draft.basis, draft.solved_for) != (proposal.basis, proposal.solved_for):  # solved again since
            draft = as_asked(opened, proposal, draft)
        return draft_response(opened, draft, 201)

    @router.post(f"{PROPOSAL}/tell", tags=["ask and tell"], response_model=RoundAnswer)
    def tell(opened: ToTell, id: ProposalId, body: TellBody, account: Me) -> Response:
        """Record the correction of a proposal and learn from it."""
        actor, via = on_behalf(account, body.actor)
        about = {"learn": body.learn, "learned_for": body.learned_for, "version": body.version}
        given = body.request(effort=body.effort, work=body.work(), **about)
        require_anyway(account, opened.name, given.moves or [])
        return json_response(opened.receive(id, given, actor, via))

    @router.post(f"{PROPOSAL}/renew", tags=["ask and tell"], response_model=DraftAnswer)
    def renew(study: StudyName, id: ProposalId, account: Me) -> Response:
        """Return the proposal, solved again if it is untouched and the weights have changed.

        For programs, and for an expert who opened a proposal whose solution is shown although it is `due`.
        """
        require(account, "edit" if account.role(study) in PERMISSIONS["edit"] else "ask", study)
        studies.study(study).renew(id, actor=account.name)
        return draft_response(studies.study(study), studies.desk(study).view(id))

    @router.get(PROPOSALS, tags=["queue"], response_model=DraftAnswers)
    def list_proposals(opened: ToRead, state: State = None, after: After = 0, limit: Limit = 100) -> Response:
        """List proposals by number."""
        return json_response([plain_row(row) for row in opened.proposals(state, after, limit)])

    @router.get(PROPOSAL, tags=["queue"], response_model=DraftAnswer)
    def read_proposal(
        opened: ToRead, id: ProposalId, account: Me, brief: Brief = False, omit: Omit = ()
    ) -> Response:
        """Return a proposal with its problem and its draft.

        Here and in what explains it, an expert or viewer gets the weights of all in place of those of
        another expert.
        """
        draft, reader = studies.desk(opened.name).view(id), reader_of(account, opened.name)
        return draft_response(opened, draft, whole=not brief, reader=reader, omit=omit)

    @router.get(f"{PROPOSAL}/explain", tags=["reports"], response_model=Explanation)
    def explain(opened: ToRead, id: ProposalId, account: Me) -> Response:
        """Return the share of each feature in the utility of the proposal and in the gain of each edit."""
        return json_response(opened.explain(id, reader_of(account, opened.name)))

    @router.get(f"{PROPOSAL}/outcome", tags=["reports"], response_model=RoundAnswer)
    def read_outcome(opened: ToRead, id: ProposalId, account: Me) -> Response:
        """Return the result of the tell that finished a proposal.

        For an expert or viewer without the change of the weights of another expert.
        """
        told, reader = opened.round(id), reader_of(account, opened.name)
        hidden = reader is not None and told.learned_for not in ("", reader)
        return json_response(replace(told, change=told.change[:0]) if hidden else told)


def as_asked(study: Study, proposal: Proposal, draft: Draft) -> Draft:
    """Return a draft with the proposal as it was first returned, in place of its newer solution."""
    shown = replace(draft, basis=proposal.basis, solved_for=proposal.solved_for, moves=[], undone=[])
    return with_path(study.domain, shown, proposal, [proposal.solution])

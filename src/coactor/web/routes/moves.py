"""Routes of the moves that a draft allows: all of them, by pages, or those of one part."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Response

from coactor.protocol import (
    Attributes,
    Domain,
    Move,
    OffersEdits,
    Problem,
    Shows,
    Solution,
    Vector,
    edit_text,
    has,
)
from coactor.search import move_features
from coactor.studies import Invalid, NotFound, Study
from coactor.studies.accounts import Account
from coactor.web.auth.permissions import Me, reader_of
from coactor.web.open_studies import OpenStudies, ToRead
from coactor.web.routes.requests import LARGEST, PROPOSAL, Limit, MoveBody, ProposalId
from coactor.web.routes.responses import Cause, MoveOption, MovePage, json_response

Search = Annotated[str, Query(max_length=200, description="Words that the description must contain.")]
Order = Annotated[
    Literal["scan", "gain"], Query(description="As the domain lists them, or the largest gain first.")
]
Offset = Annotated[int, Query(ge=0, le=LARGEST, description="Leave out so many.")]
Part = Annotated[int, Query(ge=0, le=LARGEST, description="Number of a part, such as a cell of a grid.")]


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of moves."""

    def seen(opened: Study, id: int, account: Account) -> tuple[Domain, Problem, Solution, Vector]:
        """A draft as its reader sees it: the domain, the problem, the solution, and the weights."""
        draft, reader = studies.desk(opened.name).view(id), reader_of(account, opened.name)
        return opened.domain, draft.problem, draft.solution, opened.weights_of(draft, reader)

    @router.get(f"{PROPOSAL}/moves", tags=["editing"], response_model=MovePage)
    def list_moves(
        opened: ToRead,
        id: ProposalId,
        account: Me,
        limit: Limit = 200,
        offset: Offset = 0,
        search: Search = "",
        order: Order = "scan",
    ) -> Response:
        """List the moves that the draft allows, and what each of them changes."""
        name = "moves", id, reader_of(account, opened.name), limit, offset, search, order

        def page() -> dict[str, Any]:
            domain, x, y, w = seen(opened, id, account)
            moves, changes = list(domain.moves(x, y)), move_features(domain, x, y)
            gains = changes @ w
            matching = np.argsort(-gains, kind="stable") if order == "gain" else np.arange(len(moves))
            words = search.lower().split()
            if words:
                texts = (edit_text(domain, x, y, moves[k]).lower() for k in matching)
                matching = matching[[all(word in text for word in words) for text in texts]]
            options = [
                _option(edit_text(domain, x, y, moves[k]), moves[k], changes[k], float(gains[k]))
                for k in matching[offset : offset + limit]
            ]
            return {"total": len(matching), "moves": options}

        return json_response(studies.computations.answer(opened, name, page))

    @router.get(f"{PROPOSAL}/causes", tags=["editing"], response_model=list[Cause])
    def list_causes(opened: ToRead, id: ProposalId, account: Me, feature: Part) -> Response:
        """List the parts of the draft that cause a feature, the largest amount first."""
        domain, x, y, _ = seen(opened, id, account)
        if not has(domain, Attributes) or feature >= domain.dim:
            raise NotFound(f"The domain of study {opened.name!r} does not say what causes feature {feature}.")
        amounts = domain.by_cell(x, y)[:, feature]
        parts = np.argsort(-np.abs(amounts), kind="stable")[: np.count_nonzero(amounts)]
        return json_response([{"part": int(k), "amount": float(amounts[k])} for k in parts])

    @router.post(f"{PROPOSAL}/preview", tags=["editing"], response_model=MoveOption)
    def preview(opened: ToRead, id: ProposalId, body: MoveBody, account: Me) -> Response:
        """Return what a move of the draft would lead to, also if rules forbid it. Nothing is recorded."""
        domain, x, y, w = seen(opened, id, account)
        move, refused = body.plain(), None
        try:
            z = domain.apply(x, y, move)
        except ValueError as error:
            refused = str(error)
            try:
                z = domain.apply(x, y, {**move, "anyway": "preview"})
            except ValueError:
                raise Invalid(refused) from error
        change = domain.features(x, z) - domain.features(x, y)
        option = _option(edit_text(domain, x, y, move), move, change, float(change @ w))
        shown = domain.show(x, z) if has(domain, Shows) else None
        return json_response({**option, "refused": refused, "shown": shown})

    @router.get(f"{PROPOSAL}/part", tags=["editing"], response_model=list[MoveOption])
    def list_edits_of_part(opened: ToRead, id: ProposalId, account: Me, part: Part) -> Response:
        """List the edits of one part of the draft, with the rules that some of them would break."""
        domain, x, y, w = seen(opened, id, account)
        if not has(domain, OffersEdits):
            raise NotFound(f"The domain of study {opened.name!r} does not list the edits of a part.")
        try:
            offers = domain.edits_of(x, y, part)
        except ValueError as error:
            raise Invalid(str(error)) from error
        return json_response(
            [
                {
                    **_option(edit_text(domain, x, y, move), move, change, float(change @ w)),
                    "refused": refused or None,
                }
                for move, change, refused in offers
            ]
        )


def _option(text: str, move: Move, change: np.ndarray, gain: float) -> dict[str, Any]:
    return {"move": move, "text": text, "change": change.tolist(), "gain": gain}

"""The routes behind gestures: several edits at once, and what each possible edit would change."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Response
from pydantic import Field

from coactor.search import move_features
from coactor.web.auth.middleware import Me, need
from coactor.web.open_studies import Site
from coactor.web.routes.drafts import IfMatch, revision
from coactor.web.routes.requests import Body, MoveBody
from coactor.web.routes.responses import ERRORS, ProposalAnswer
from coactor.web.routes.studies import Id, Key, Limit, Name, answer, proposal

PLACE = "/studies/{study}/proposals/{id}"
STALE = {**ERRORS, 428: {**ERRORS[422], "description": "If-Match is missing"}}

Steps = Annotated[list[MoveBody], Field(min_length=1, max_length=10_000)]
Count = Annotated[int, Field(ge=1, le=10_000)]


class GestureBody(Body):
    """One gesture: edits to make, or how many to take back or make again."""

    action: Literal["move", "undo", "redo"] = "move"
    moves: Steps | None = None
    count: Count = 1


def add_routes(router: APIRouter, site: Site) -> None:
    """Gestures, and the edits to choose from."""

    @router.post(f"{PLACE}/gesture", tags=["editing"], response_model=ProposalAnswer, responses=STALE)
    def gesture(
        study: Name, id: Id, body: GestureBody, account: Me, if_match: IfMatch = None, key: Key = None
    ) -> Response:
        """Several edits that were one gesture: all of them or none."""
        need(account, "edit", study)
        desk, at = site.desk(study), revision(if_match)
        if body.action == "move":
            moves = [{"op": move.op, "args": move.args} for move in body.moves or []]
            draft = desk.edits(id, moves, revision=at, actor=account.name, key=key)
        else:
            act = desk.undo if body.action == "undo" else desk.redo
            draft = act(id, revision=at, actor=account.name, key=key, count=body.count)
        return proposal(site.study(study), draft)

    @router.get(f"{PLACE}/moves", tags=["editing"], response_model=list[dict[str, Any]], responses=ERRORS)
    def moves(study: Name, id: Id, account: Me, limit: Limit = 200) -> Response:
        """The edits the draft allows now, in scan order: what each changes, and its gain by the weights."""
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

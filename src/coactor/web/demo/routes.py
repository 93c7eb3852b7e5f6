"""Routes of the demo studies: let the simulated colleague work, reveal the taste."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from coactor.web.auth.permissions import Me, require
from coactor.web.demo import studies as demos
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import Body, StudyName
from coactor.web.routes.responses import ERRORS, RoundAnswer, json_response


class PlayBody(Body):
    """How many proposals the simulated colleague corrects."""

    rounds: Annotated[int, Field(ge=1, le=demos.MOST_ROUNDS)] = 10


class PlayAnswer(BaseModel):
    """What the colleague corrected, and what was learned from all of it."""

    rounds: list[RoundAnswer]
    lesson: str


class DemoAnswer(BaseModel):
    """A demo study; `actor` is the name under which the colleague corrects."""

    study: str
    title: str
    story: str
    colleague: str
    actor: str
    weeks: int


class Taste(BaseModel):
    """The colleague's weights, one per feature."""

    colleague: str
    weights: list[float]
    feature_names: list[str]


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes below /try."""

    @router.get("/try", tags=["demo"], response_model=list[DemoAnswer], responses=ERRORS)
    def list_demos(account: Me) -> Response:
        """List the demo studies of the store."""
        names = studies.names()
        visible = [name for name in demos.DEMOS if name in names and account.role(name)]
        kinds = [kind for name in visible if (kind := demos.demo_of(studies.study(name))) is not None]
        ada = {"colleague": demos.COLLEAGUE, "actor": demos.ACTOR}
        return json_response(
            [{"study": k.name, "title": k.title, "story": k.story, "weeks": k.weeks, **ada} for k in kinds]
        )

    @router.post("/try/{study}/play", tags=["demo"], response_model=PlayAnswer, responses=ERRORS)
    def play(study: StudyName, body: PlayBody, account: Me) -> Response:
        """Let the colleague correct some proposals, then put a new one into the queue."""
        require(account, "tell", study)
        opened = studies.study(study)
        rounds, lesson = demos.play(opened, body.rounds, account.name)
        demos.fill(opened, account.name)
        return json_response({"rounds": [asdict(row) for row in rounds], "lesson": lesson})

    @router.post("/try/{study}/fill", tags=["demo"], response_model=dict[str, int], responses=ERRORS)
    def fill(study: StudyName, account: Me) -> Response:
        """Put a proposal into the queue if it is empty."""
        require(account, "edit", study)
        return json_response({"open": demos.fill(studies.study(study), account.name)})

    @router.get("/try/{study}/taste", tags=["demo"], response_model=Taste, responses=ERRORS)
    def taste(study: StudyName, account: Me) -> Response:
        """Reveal the colleague's taste."""
        require(account, "read", study)
        opened = studies.study(study)
        weights, names = demos.taste(opened), opened.config["features"]
        return json_response(
            {"colleague": demos.COLLEAGUE, "weights": weights.tolist(), "feature_names": names}
        )

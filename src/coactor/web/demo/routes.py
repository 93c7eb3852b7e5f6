"""Routes of the demo studies: let the simulated colleague work, reveal the taste."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from coactor.web.auth.permissions import Me
from coactor.web.demo import studies as demos
from coactor.web.open_studies import OpenStudies, ToEdit, ToRead, ToTell
from coactor.web.routes.requests import Body
from coactor.web.routes.responses import RoundAnswers, Weights, json_response


class PlayBody(Body):
    """How many proposals the simulated colleague corrects."""

    rounds: Annotated[int, Field(ge=1, le=demos.MOST_ROUNDS)] = 10


class DemoAnswer(BaseModel):
    """A demo study; `actor` is the name under which the colleague corrects."""

    study: str
    title: str
    story: str
    colleague: str
    actor: str


class Taste(Weights):
    """The colleague's weights, one per feature."""

    colleague: str


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes below /try."""

    @router.get("/try", tags=["demo"], response_model=list[DemoAnswer])
    def list_demos(account: Me) -> Response:
        """List the demo studies of the store."""
        names = studies.names()
        visible = [name for name in demos.DEMOS if name in names and account.role(name)]
        kinds = [kind for name in visible if (kind := demos.demo_of(studies.study(name))) is not None]
        ada = {"colleague": demos.COLLEAGUE, "actor": demos.ACTOR}
        return json_response([{"study": k.name, "title": k.title, "story": k.story, **ada} for k in kinds])

    @router.post("/try/{study}/play", tags=["demo"], response_model=RoundAnswers)
    def play(opened: ToTell, body: PlayBody, account: Me) -> Response:
        """Let the colleague correct some proposals, then put a new one into the queue."""
        outcomes = demos.play(opened, body.rounds, account.name)
        demos.fill(opened, account.name)
        return json_response(outcomes)

    @router.post("/try/{study}/fill", tags=["demo"], response_model=dict[str, int])
    def fill(opened: ToEdit, account: Me) -> Response:
        """Put a proposal into the queue if it is empty."""
        return json_response({"open": demos.fill(opened, account.name)})

    @router.get("/try/{study}/taste", tags=["demo"], response_model=Taste)
    def taste(opened: ToRead) -> Response:
        """Reveal the colleague's taste."""
        about = {"colleague": demos.COLLEAGUE, "version": opened.version}
        weights, names = demos.taste(opened).tolist(), opened.config["features"]
        return json_response({**about, "weights": weights, "feature_names": names})

"""Routes of the demo studies: let the simulated colleague work, ask for advice, reveal the taste."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from coactor.web.auth.permissions import Me, require
from coactor.web.demo import studies as demos
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import Body, ProposalId, StudyName
from coactor.web.routes.responses import ERRORS, RoundAnswer, json_response, list_response


class PlayBody(Body):
    """How many proposals the simulated colleague corrects."""

    rounds: Annotated[int, Field(ge=1, le=demos.MOST_ROUNDS)] = 10


class DemoAnswer(BaseModel):
    """A demo study; `person` is the name under which the colleague corrects."""

    study: str
    title: str
    story: str
    colleague: str
    person: str
    background: list[dict[str, Any]]


class Advice(BaseModel):
    """The moves that the colleague would make; none if the draft is to their taste."""

    colleague: str
    moves: list[dict[str, Any]]


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
        known = [*demos.DEMOS, demos.EXAMPLE.name]
        visible = [name for name in known if name in names and account.role(name)]
        existing = (demos.demo_of(studies.study(name)) for name in visible)
        return json_response([demos.describe(demo) for demo in existing if demo is not None])

    @router.post("/try/{study}/play", tags=["demo"], response_model=list[RoundAnswer], responses=ERRORS)
    def play(study: StudyName, body: PlayBody, account: Me) -> Response:
        """Let the colleague correct some proposals, then put a new one into the queue."""
        require(account, "tell", study)
        opened = studies.study(study)
        outcomes = demos.play(opened, body.rounds, account.name)
        demos.fill(opened, account.name)
        return list_response(outcomes)

    @router.post("/try/example", tags=["demo"], response_model=dict[str, str], responses=ERRORS)
    def example(account: Me) -> Response:
        """Create a study that the colleague has corrected for a while; its report is an example of one."""
        require(account, "create", demos.EXAMPLE.name)
        return json_response({"study": demos.create_example(studies.store, account.name).name})

    @router.post("/try/{study}/fill", tags=["demo"], response_model=dict[str, int], responses=ERRORS)
    def fill(study: StudyName, account: Me) -> Response:
        """Put a proposal into the queue if it is empty."""
        require(account, "edit", study)
        return json_response({"open": demos.fill(studies.study(study), account.name)})

    @router.get("/try/{study}/advice/{id}", tags=["demo"], response_model=Advice, responses=ERRORS)
    def advice(study: StudyName, id: ProposalId, account: Me) -> Response:
        """Return the moves that the colleague would make to a draft."""
        require(account, "read", study)
        opened = studies.study(study)
        demos.require_demo(opened)
        moves = list(demos.advice(opened, id).moves)
        return json_response({"colleague": demos.COLLEAGUE, "moves": moves})

    @router.get("/try/{study}/taste", tags=["demo"], response_model=Taste, responses=ERRORS)
    def taste(study: StudyName, account: Me) -> Response:
        """Reveal the colleague's taste."""
        require(account, "read", study)
        opened = studies.study(study)
        weights, names = demos.taste(opened), opened.config["features"]
        return json_response(
            {"colleague": demos.COLLEAGUE, "weights": weights.tolist(), "feature_names": names}
        )

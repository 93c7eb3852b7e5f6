"""The routes of the studies to try: let the simulated colleague work, ask her advice, reveal her taste."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from coactor.web.auth.middleware import Me, need
from coactor.web.demo import studies
from coactor.web.open_studies import Site
from coactor.web.routes.requests import Body
from coactor.web.routes.responses import ERRORS
from coactor.web.routes.studies import Id, Name, answer, rows

Rounds = Annotated[int, Field(ge=1, le=studies.MOST)]


class PlayBody(Body):
    """How many proposals the simulated colleague takes."""

    rounds: Rounds = 10


def add_routes(router: APIRouter, site: Site) -> None:
    """Everything under /api/try."""

    @router.get("/try", tags=["try it"])
    def trials(account: Me) -> list[dict[str, Any]]:
        """The studies of this store that can be tried."""
        found = []
        for name in site.names():
            if name in studies.KINDS and account.sees(name):
                kind = studies.kind_of(site.study(name))
                if kind is not None:
                    found.append(studies.about(kind))
        return sorted(found, key=lambda about: list(studies.KINDS).index(about["study"]))

    @router.post("/try/{study}/play", tags=["try it"], response_model=list[dict[str, Any]], responses=ERRORS)
    def play(study: Name, body: PlayBody, account: Me) -> Response:
        """Let the simulated colleague correct some proposals, then put a fresh one into the queue."""
        need(account, "tell", study)
        opened = site.study(study)
        done = studies.play(opened, body.rounds, account.name)
        studies.fill(opened, account.name)
        return rows(done)

    @router.post("/try/{study}/fill", tags=["try it"], response_model=dict[str, int], responses=ERRORS)
    def fill(study: Name, account: Me) -> Response:
        """Put a fresh proposal into an empty queue."""
        need(account, "ask", study)
        return answer({"open": studies.fill(site.study(study), account.name)})

    @router.get("/try/{study}/advice/{id}", tags=["try it"], response_model=dict[str, Any], responses=ERRORS)
    def advice(study: Name, id: Id, account: Me) -> Response:
        """What the colleague would do with this draft, edit by edit; nothing when it suits her."""
        need(account, "read", study)
        opened = site.study(study)
        studies.trial(opened)
        moves = list(studies.would_do(opened, id).moves)
        return answer({"colleague": studies.COLLEAGUE, "moves": moves})

    @router.get("/try/{study}/taste", tags=["try it"], response_model=dict[str, Any], responses=ERRORS)
    def taste(study: Name, account: Me) -> Response:
        """What the colleague likes: the answer to the riddle."""
        need(account, "read", study)
        opened = site.study(study)
        weights = studies.taste(opened)
        names = opened.config["features"]
        return answer({"colleague": studies.COLLEAGUE, "weights": weights.tolist(), "feature_names": names})

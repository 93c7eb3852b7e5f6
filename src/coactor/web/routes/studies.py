"""Routes of studies: list, create, read, configure; versions, rollback and export."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import islice
from typing import Annotated, Any

import orjson
from anyio import to_thread
from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from coactor.studies import Conflict, Version, catalog, open_study
from coactor.studies.log import transfer
from coactor.studies.settings import Settings
from coactor.web.auth.permissions import PERMISSIONS, Me, on_behalf, require
from coactor.web.open_studies import OpenStudies, ToLead, ToRead
from coactor.web.routes.requests import (
    LARGEST,
    EraseBody,
    Limit,
    RollbackBody,
    SayBody,
    SettingsBody,
    StudyBody,
    StudyName,
)
from coactor.web.routes.responses import StudySummary, json_response

LINES = 50  # of an export that are sent at a time


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of studies."""

    @router.get("/me", tags=["accounts"])
    async def me(account: Me) -> dict[str, Any]:
        """Return the account of the credential: its name, and its role in each study."""
        return {"name": account.name, "studies": account.studies}

    @router.get("/studies", tags=["studies"], response_model=list[StudySummary])
    def list_studies(account: Me) -> Response:
        """List the studies in the scope of the account."""
        return json_response([studies.summary(name) for name in studies.names() if account.role(name)])

    @router.post("/studies", tags=["studies"], status_code=201, response_model=StudySummary)
    def create_study(body: StudyBody, account: Me) -> Response:
        """Create a study of an installed domain."""
        require(account, "create", body.name)
        if body.name in studies.names():
            raise Conflict(f"There is already a study called {body.name!r}; choose another name.")
        settings: Any = body.model_dump(include=set(Settings.__annotations__))
        open_study(
            studies.store,
            body.name,
            catalog.make(body.domain.name, body.domain.parameters),
            body.learner,
            create=True,
            start=body.start,
            settings=settings,
            actor=account.name,
        )
        return json_response(studies.summary(body.name), 201)

    @router.patch("/studies/{study}", tags=["studies"], response_model=StudySummary)
    def configure(opened: ToLead, body: SettingsBody, account: Me) -> Response:
        """Change settings of a study; those that are left out stay as they are."""
        changed: Any = body.model_dump(include=body.model_fields_set)
        opened.configure(changed, actor=account.name)
        return json_response(studies.summary(opened.name))

    @router.get("/studies/{study}", tags=["studies"], response_model=StudySummary)
    def read_study(study: StudyName, account: Me) -> Response:
        """Return the totals and the settings of a study."""
        require(account, "read", study)
        return json_response(studies.summary(study))

    @router.delete("/studies/{study}", tags=["studies"], status_code=204)
    def delete_study(study: StudyName, account: Me) -> Response:
        """Delete a study, the roles in it, and tokens that are for nothing else; only for an admin."""
        require(account, "create", study)
        transfer.delete(studies.store, study)
        studies.forget(study)
        return Response(status_code=204)

    @router.post("/studies/{study}/erase", tags=["studies"], response_model=transfer.Erasure)
    def erase_name(study: StudyName, body: EraseBody, account: Me) -> Response:
        """Replace a name in every fact of a study by a random one; only for an admin."""
        require(account, "create", study)
        return json_response(transfer.erase(studies.store, study, body.name, actor=account.name))

    @router.get("/studies/{study}/versions", tags=["studies"], response_model=list[Version])
    def list_versions(
        opened: ToRead, after: Annotated[int, Query(ge=-1, le=LARGEST)] = -1, limit: Limit = 1000
    ) -> Response:
        """List the versions of the weights and the fact that made each of them."""
        return json_response(opened.versions(after, limit))

    @router.post("/studies/{study}/say", tags=["ask and tell"])
    def say(study: StudyName, body: SayBody, account: Me) -> dict[str, int]:
        """Learn that an expert wants more or less of a feature than what is proposed now.

        Experts say it for themselves. Returns the version of the weights.
        """
        own = body.actor is None and body.learned_for in ("", account.name)
        require(account, "edit" if own and account.role(study) in PERMISSIONS["edit"] else "tell", study)
        actor, via = on_behalf(account, body.actor)
        opened = studies.study(study)
        version = opened.say(body.feature, body.wish, learned_for=body.learned_for, actor=actor, via=via)
        return {"version": version}

    @router.post("/studies/{study}/rollback", tags=["studies"], response_model=Version)
    def rollback(opened: ToLead, body: RollbackBody, account: Me) -> Response:
        """Restore the weights of an earlier version, as a new version."""
        actor, via = on_behalf(account, body.actor)
        version = opened.rollback(body.to, body.reason, learned_for=body.learned_for, actor=actor, via=via)
        return json_response(version)

    @router.get("/studies/{study}/export", tags=["studies"], response_class=StreamingResponse)
    async def export(opened: ToLead, account: Me) -> Response:
        """Export the whole study as JSON lines."""
        studies.streams.check(account.name)
        lines = (orjson.dumps(line) + b"\n" for line in opened.export())

        async def content() -> AsyncIterator[bytes]:
            with studies.streams.counted(account.name):
                while part := await to_thread.run_sync(lambda: b"".join(islice(lines, LINES))):
                    yield part

        return StreamingResponse(content(), media_type="application/jsonl")

"""Routes of studies: list, create, read, configure; versions, rollback and export."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from coactor import learners
from coactor.studies import Conflict, Version, catalog, open_study
from coactor.studies.log import transfer
from coactor.web.auth.permissions import Me, on_behalf, require
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import (
    LARGEST,
    EraseBody,
    Limit,
    RollbackBody,
    SettingsBody,
    StudyBody,
    StudyName,
)
from coactor.web.routes.responses import ERRORS, StudySummary, json_response, list_response


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the routes of studies."""

    @router.get("/me", tags=["accounts"])
    def me(account: Me) -> dict[str, Any]:
        """Return the account of the credential: its name, and its role in each study."""
        return {"name": account.name, "studies": account.studies}

    @router.get("/domains", tags=["studies"])
    def domains(account: Me) -> list[dict[str, Any]]:
        """List the installed domains and their parameters."""
        return [{"name": name, "parameters": catalog.parameters(name)} for name, _ in catalog.installed()]

    @router.get("/learners", tags=["studies"])
    def learner_names(account: Me) -> list[str]:
        """List the installed learners."""
        return list(learners.names())

    @router.get("/studies", tags=["studies"], response_model=list[StudySummary])
    def list_studies(account: Me) -> Response:
        """List the studies in the scope of the account."""
        return json_response([studies.summary(name) for name in studies.names() if account.role(name)])

    @router.post("/studies", tags=["studies"], status_code=201, response_model=StudySummary, responses=ERRORS)
    def create_study(body: StudyBody, account: Me) -> Response:
        """Create a study of an installed domain."""
        require(account, "create", body.name)
        if body.name in studies.names():
            raise Conflict(f"There is already a study called {body.name!r}; choose another name.")
        open_study(
            studies.store,
            body.name,
            catalog.make(body.domain.name, body.domain.parameters),
            body.learner,
            create=True,
            start=body.start,
            settings={
                "costs": body.costs,
                "grace": body.grace,
                "control": body.control,
                "proposals": body.proposals,
                "budget": math.inf if body.budget is None else body.budget,
                "habits": body.habits,
                "trust": body.trust,
            },
            actor=account.name,
        )
        return json_response(studies.summary(body.name), 201)

    @router.patch("/studies/{study}", tags=["studies"], response_model=StudySummary, responses=ERRORS)
    def configure(study: StudyName, body: SettingsBody, account: Me) -> Response:
        """Change settings of a study; those that are left out stay as they are."""
        require(account, "lead", study)
        changed = body.model_dump(include=body.model_fields_set)
        if changed.get("budget", 0.0) is None:
            changed["budget"] = math.inf
        studies.study(study).configure(**changed, actor=account.name)
        return json_response(studies.summary(study))

    @router.get("/studies/{study}", tags=["studies"], response_model=StudySummary, responses=ERRORS)
    def read_study(study: StudyName, account: Me) -> Response:
        """Return the totals and the settings of a study."""
        require(account, "read", study)
        return json_response(studies.summary(study))

    @router.delete("/studies/{study}", tags=["studies"], status_code=204, responses=ERRORS)
    def delete_study(study: StudyName, account: Me) -> Response:
        """Delete a study, the roles in it, and tokens that are for nothing else; only for an admin."""
        require(account, "create", study)
        transfer.delete(studies.store, study)
        studies.forget(study)
        return Response(status_code=204)

    @router.post(
        "/studies/{study}/erase", tags=["studies"], response_model=transfer.Erasure, responses=ERRORS
    )
    def erase_name(study: StudyName, body: EraseBody, account: Me) -> Response:
        """Replace a name in every fact of a study by a random one; only for an admin."""
        require(account, "create", study)
        return json_response(asdict(transfer.erase(studies.store, study, body.name, actor=account.name)))

    @router.get("/studies/{study}/versions", tags=["studies"], response_model=list[Version], responses=ERRORS)
    def list_versions(
        study: StudyName,
        account: Me,
        after: Annotated[int, Query(ge=-1, le=LARGEST)] = -1,
        limit: Limit = 1000,
    ) -> Response:
        """List the versions of the weights and the fact that made each of them."""
        require(account, "read", study)
        return list_response(studies.study(study).versions(after, limit))

    @router.post("/studies/{study}/rollback", tags=["studies"], response_model=Version, responses=ERRORS)
    def rollback(study: StudyName, body: RollbackBody, account: Me) -> Response:
        """Restore the weights of an earlier version, as a new version."""
        require(account, "lead", study)
        actor, via = on_behalf(account, body.actor)
        opened = studies.study(study)
        version = opened.rollback(body.to, body.reason, learned_for=body.learned_for, actor=actor, via=via)
        return json_response(asdict(version))

    @router.get(
        "/studies/{study}/export", tags=["studies"], response_class=StreamingResponse, responses=ERRORS
    )
    def export(study: StudyName, account: Me) -> Response:
        """Export the whole study as JSON lines."""
        require(account, "lead", study)
        lines = studies.study(study).export()
        return StreamingResponse(
            (orjson.dumps(line) + b"\n" for line in lines), media_type="application/jsonl"
        )

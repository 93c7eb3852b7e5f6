"""Every error leaves as problem+json: a sentence that says what to do, never a trace of our insides."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from coactor.studies import Conflict, Forbidden, Invalid, NotFound, Tampered, Unavailable

log = logging.getLogger("coactor.web")
RETRY = {"Retry-After": "5"}


class Refused(Exception):  # noqa: N818  (an answer, not a mistake of ours)
    """An answer other than success, decided outside the studies."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, current: dict[str, Any] | None = None
) -> Response:
    """One problem+json answer (RFC 9457)."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if current:
        body["current"] = current
    data = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(data, status, dict(headers or {}), "application/problem+json")


def add_handlers(app: FastAPI) -> None:
    """Teach the app to answer our exceptions."""

    @app.exception_handler(Refused)
    async def refused(_: Request, error: Refused) -> Response:
        return problem(error.status, error.detail, error.headers)

    @app.exception_handler(Invalid)
    async def invalid(_: Request, error: Invalid) -> Response:
        return problem(422, str(error))

    @app.exception_handler(NotFound)
    async def missing(_: Request, error: NotFound) -> Response:
        return problem(404, error.args[0])

    @app.exception_handler(Forbidden)
    async def forbidden(_: Request, error: Forbidden) -> Response:
        return problem(403, str(error))

    @app.exception_handler(Conflict)
    async def conflict(_: Request, error: Conflict) -> Response:
        return problem(409, str(error), current=error.current)

    @app.exception_handler(Unavailable)
    async def unavailable(_: Request, error: Unavailable) -> Response:
        log.error("%s", error)
        return problem(
            503, "The store cannot be used now; nothing was recorded. Try again in a moment.", RETRY
        )

    @app.exception_handler(Tampered)
    async def tampered(_: Request, error: Tampered) -> Response:
        log.error("%s", error)
        return problem(503, "The log of this study is damaged; an operator must run `coactor study verify`.")

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = " ".join(str(part) for part in first["loc"][1:])[:100] or str(first["loc"][0])
        return problem(422, f"{place}: {str(first['msg'])[:200]}. See /api/docs for what is expected.")

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> Response:
        said = {404: "There is nothing at this address.", 405: "This address does not answer that verb."}
        detail = said.get(error.status_code, f"{error.detail}")
        return problem(error.status_code, detail, error.headers)

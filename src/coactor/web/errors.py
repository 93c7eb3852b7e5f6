"""Maps exceptions to problem+json responses (RFC 9457): one sentence for people, no internals."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from coactor.studies import Conflict, Forbidden, Invalid, NotFound, SolverFailed, Tampered, Unavailable

log = logging.getLogger("coactor.web")
RETRY = {"Retry-After": "5"}
NO_ADDRESS = "There is nothing at this address."
WRONG_METHOD = "This address does not answer this method."


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, current: dict[str, Any] | None = None
) -> Response:
    """Return a problem+json response; `current` is the state that a conflict was found with."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if current:
        body["current"] = current
    data = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(data, status, headers, "application/problem+json")


def unavailable(method: str, error: Unavailable) -> Response:
    """Return the 503 of a store that failed; it may have failed after it had committed."""
    log.error("%s", error)
    if method in ("GET", "HEAD"):
        detail = "The store is unavailable; try again in a moment."
    else:
        detail = (
            "The store is unavailable, and your change may or may not have been recorded. "
            "Check, then try again."
        )
    return problem(503, detail, RETRY)


async def _sentence(status: int, _: Request, error: Exception) -> Response:
    return problem(status, error.args[0])


def add_handlers(app: FastAPI) -> None:
    """Register a handler for each exception that routes raise."""

    for kind, status in ((Invalid, 422), (NotFound, 404), (Forbidden, 403)):
        app.add_exception_handler(kind, partial(_sentence, status))

    @app.exception_handler(Conflict)
    async def conflict(_: Request, error: Conflict) -> Response:
        return problem(409, str(error), current=error.current)

    @app.exception_handler(Unavailable)
    async def store_unavailable(request: Request, error: Unavailable) -> Response:
        return unavailable(request.method, error)

    @app.exception_handler(Tampered)
    async def tampered(_: Request, error: Tampered) -> Response:
        log.error("%s", error)
        return problem(503, "The log of this study is damaged; an operator must run `coactor study verify`.")

    @app.exception_handler(SolverFailed)
    async def solver_failed(_: Request, error: SolverFailed) -> Response:
        error_id = secrets.token_hex(4)
        log.error("Error %s: %s", error_id, error, exc_info=error)
        what = "ran out of time" if error.timeout else "failed"
        return problem(
            504 if error.timeout else 502,
            f"The solver {what}; nothing was recorded. The cause is logged as error {error_id}.",
        )

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = " ".join(str(part) for part in first["loc"][1:])[:100] or str(first["loc"][0])
        return problem(
            422, f"{place}: {str(first['msg'])[:200]}. See /api/openapi.json for what is expected."
        )

    @app.exception_handler(HTTPException)
    async def http_error(_: Request, error: HTTPException) -> Response:
        details = {404: NO_ADDRESS, 405: WRONG_METHOD}
        return problem(error.status_code, details.get(error.status_code, f"{error.detail}"), error.headers)

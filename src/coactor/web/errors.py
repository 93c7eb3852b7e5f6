"""Maps exceptions to problem+json (RFC 9457) or a page: one sentence for people, no internals."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Scope

from coactor.studies import Conflict, Forbidden, Invalid, NotFound, SolverFailed, Tampered, Unavailable
from coactor.web.rendering import render

log = logging.getLogger("coactor.web")
RETRY = {"Retry-After": "5"}
BELOW_STUDY = re.compile(r"(/s/[^/]+)/.")
FIELDS = "valid dictionary or object to extract fields from"  # pydantic's words
NO_ADDRESS = "There is nothing at this address."
WRONG_METHOD = "This address does not answer this method."


def error_response(
    scope: Scope,
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    current: dict[str, Any] | None = None,
) -> Response:
    """Return a page where a browser navigates, else problem+json.

    `current` is the state that a conflict was found with.
    """
    title = HTTPStatus(status).phrase
    if is_navigation(scope):
        study, files = BELOW_STUDY.match(scope["path"]), scope["app"].state.assets.base
        queue = study.group(1) if study else ""
        page = render("error.html", title=title, message=detail, queue=queue, files=files)
        return HTMLResponse(page, status, headers)
    body: dict[str, Any] = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    if current:
        body["current"] = current
    data = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(data, status, headers, "application/problem+json")


def is_navigation(scope: Scope) -> bool:
    """Whether a browser asks for a page, and not a program or a script of a page."""
    headers = Headers(scope=scope)
    if scope["method"] != "GET" or "text/html" not in headers.get("accept", ""):
        return False
    return headers.get("sec-fetch-mode") == "navigate" or not scope["path"].startswith("/api/")


def unavailable(scope: Scope, error: Unavailable) -> Response:
    """Return the 503 of a store that failed; it may have failed after it had committed."""
    log.error("%s", error)
    if scope["method"] in ("GET", "HEAD"):
        detail = "The store is unavailable; try again in a moment."
    else:
        detail = (
            "The store is unavailable, and your change may or may not have been recorded. "
            "Check, then try again."
        )
    return error_response(scope, 503, detail, RETRY)


async def _sentence(status: int, request: Request, error: Exception) -> Response:
    return error_response(request.scope, status, error.args[0])


def add_handlers(app: FastAPI) -> None:
    """Register a handler for each exception that routes raise."""

    for kind, status in ((Invalid, 422), (NotFound, 404), (Forbidden, 403)):
        app.add_exception_handler(kind, partial(_sentence, status))

    @app.exception_handler(Conflict)
    async def conflict(request: Request, error: Conflict) -> Response:
        return error_response(request.scope, 409, str(error), current=error.current)

    @app.exception_handler(Unavailable)
    async def store_unavailable(request: Request, error: Unavailable) -> Response:
        return unavailable(request.scope, error)

    @app.exception_handler(Tampered)
    async def tampered(request: Request, error: Tampered) -> Response:
        log.error("%s", error)
        detail = "The log of this study is damaged; an operator must run `coactor study verify`."
        return error_response(request.scope, 503, detail)

    @app.exception_handler(SolverFailed)
    async def solver_failed(request: Request, error: SolverFailed) -> Response:
        error_id = secrets.token_hex(4)
        log.error("Error %s: %s", error_id, error, exc_info=error)
        what = "ran out of time" if error.timeout else "failed"
        return error_response(
            request.scope,
            504 if error.timeout else 502,
            f"The solver {what}; nothing was recorded. The cause is logged as error {error_id}.",
        )

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = " ".join(str(part) for part in first["loc"][1:])[:100] or str(first["loc"][0])
        wrong = str(first["msg"]).replace("Input should", "this must").replace(FIELDS, "JSON object")[:200]
        detail = f"{place}: {wrong}. See /api/openapi.json for what is expected."
        return error_response(request.scope, 422, detail)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        detail = {404: NO_ADDRESS, 405: WRONG_METHOD}.get(error.status_code, f"{error.detail}")
        return error_response(request.scope, error.status_code, detail, error.headers)

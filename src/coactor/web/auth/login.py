"""Logging in and out."""

from __future__ import annotations

from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import parse_qs

import orjson
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from coactor.studies.accounts import SESSION_LASTS
from coactor.web.auth.middleware import COOKIE, Guard
from coactor.web.open_studies import Site


def add_routes(app: FastAPI, site: Site, guard: Guard, secure: bool) -> None:
    """The way in and the way out."""
    form = Template(files("coactor.web").joinpath("templates/login.html").read_text("utf-8"))

    def enter(request: Request, answer: Response, cookie: str) -> Response:
        answer.set_cookie(COOKIE, cookie, int(SESSION_LASTS), httponly=True, samesite="lax", secure=secure)
        return answer

    def door(message: str = "", status: int = 200) -> Response:
        said = f'<p id="message" class="banner trouble" role="alert">{message}</p>' if message else ""
        return HTMLResponse(form.substitute(message=said, files=site.assets.base), status)

    def refused(request: Request, message: str) -> Response:
        """The answer to a wrong credential: a sentence on the page for people, data for programs."""
        answer = guard.failed(request.scope)
        if answer.status_code != 401 or "text/html" not in request.headers.get("accept", ""):
            return answer
        return door(message, 401)

    @app.get("/login", include_in_schema=False)
    def page(request: Request, code: str = "") -> Response:
        """The page to log in on; with a one-time code, straight in."""
        if code:
            opened = site.accounts.open_session(code=code)
            if opened is None:
                return refused(request, "This link has been used or is too old; a link works once.")
            return enter(request, RedirectResponse("/", 303), opened[0])
        return door()

    @app.post("/login", include_in_schema=False)
    async def login(request: Request) -> Response:
        """A session in return for a token or a one-time code, as JSON or from the form."""
        by_form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
        said = _said(await request.body(), by_form)
        opened = await run_in_threadpool(
            lambda: site.accounts.open_session(code=said.get("code", ""), token=said.get("token", ""))
        )
        if opened is None:
            return refused(request, "This token is not good; is it all there? Else ask for another.")
        cookie, account = opened
        me = {"name": account.name, "role": account.role, "study": account.study}
        return enter(request, RedirectResponse("/", 303) if by_form else JSONResponse(me), cookie)

    @app.post("/logout", status_code=204, include_in_schema=False)
    def logout(request: Request) -> Response:
        """End the session."""
        cookie = request.cookies.get(COOKIE, "")
        site.accounts.close_session(cookie)
        guard.forget(cookie)
        answer = Response(status_code=204)
        answer.delete_cookie(COOKIE)
        return answer


def _said(body: bytes, form: bool) -> dict[str, str]:
    """What was sent, as far as it is text."""
    try:
        data: Any = (
            {name: values[0] for name, values in parse_qs(body.decode(), max_num_fields=10).items()}
            if form
            else orjson.loads(body)
        )
    except ValueError as error:
        raise HTTPException(422, "Send a token or a code, as JSON or as a form.") from error
    if not isinstance(data, dict):
        raise HTTPException(422, "Send a token or a code, as JSON or as a form.")
    return {name: value.strip() for name, value in data.items() if isinstance(value, str)}

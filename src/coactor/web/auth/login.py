"""Login and logout routes."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse

from coactor.studies.accounts import SESSION_LASTS, Accounts
from coactor.web.assets import Assets
from coactor.web.auth.middleware import COOKIE, OIDC, Authenticator, safe_path
from coactor.web.rendering import render

ENDED = "Your session ended; your draft is saved. Log in to go on where you were."
MALFORMED = "Send a token or a code, as a form."
USED_LINK = "This link has been used or has expired; a link works once."
WRONG_TOKEN = "This token does not work. Check that you copied all of it, or ask for a new one."


def add_routes(
    app: FastAPI, accounts: Accounts, assets: Assets, authenticator: Authenticator, secure: bool, oidc: bool
) -> None:
    """Add the login page, login and logout; the page leads to an identity provider if there is one."""

    def with_session(response: Response, cookie: str) -> Response:
        response.set_cookie(COOKIE, cookie, int(SESSION_LASTS), httponly=True, samesite="lax", secure=secure)
        return response

    def login_page(message: str = "", status: int = 200, path: str = "/") -> Response:
        html = render("login.html", message=message, path=path, files=assets.base, oidc=OIDC if oidc else "")
        return HTMLResponse(html, status)

    def refuse(request: Request, message: str, path: str) -> Response:
        """Answer a wrong credential: the login page with a message for browsers, JSON for programs."""
        refusal = authenticator.failed(request.scope)
        if refusal.status_code != 401 or "text/html" not in request.headers.get("accept", ""):
            return refusal
        return login_page(message, 401, path)

    @app.get("/login", include_in_schema=False)
    def show_login(request: Request, code: str = "", next: str = "/", ended: bool = False) -> Response:
        """Show the login page, or log in with a one-time code; then go on at `next`."""
        path = safe_path(next)
        if not code:
            return login_page(ENDED if ended else "", path=path)
        session = accounts.open_session(code=code)
        if session is None:
            return refuse(request, USED_LINK, path)
        return with_session(RedirectResponse(path, 303), session[0])

    @app.post("/login", include_in_schema=False)
    async def login(request: Request) -> Response:
        """Open a session with a token or a one-time code, sent as a form; then go on at `next`."""
        fields = _text_fields(await request.body())
        session = await run_in_threadpool(
            lambda: accounts.open_session(code=fields.get("code", ""), token=fields.get("token", ""))
        )
        path = safe_path(fields.get("next", "/"))
        if session is None:
            return refuse(request, WRONG_TOKEN, path)
        return with_session(RedirectResponse(path, 303), session[0])

    @app.post("/logout", status_code=204, include_in_schema=False)
    def logout(request: Request) -> Response:
        """Close the session."""
        accounts.close_session(request.cookies.get(COOKIE, ""))
        response = Response(status_code=204)
        response.delete_cookie(COOKIE)
        return response


def _text_fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form."""
    try:
        fields = parse_qs(body.decode(), max_num_fields=10)
    except ValueError as error:
        raise HTTPException(422, MALFORMED) from error
    return {name: values[0].strip() for name, values in fields.items()}

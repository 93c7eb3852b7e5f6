"""The gate every request passes: host, size, who it is, where it comes from. Deny by default.

The gate stands in front of the routes, so a route nobody thought of is closed, not open.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from typing import Annotated
from urllib.parse import urlsplit

from anyio import to_thread
from fastapi import Depends, HTTPException, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coactor.studies import Forbidden, NotFound, Unavailable
from coactor.studies.accounts import Account, Accounts
from coactor.web.auth import limits
from coactor.web.errors import RETRY, problem
from coactor.web.metrics import Metrics

log = logging.getLogger("coactor.access")
errors = logging.getLogger("coactor.web")

COOKIE = "coactor_session"
OPEN = ("/health", "/login")  # and /static/; nothing else
SAFE = ("GET", "HEAD", "OPTIONS")
LOCAL = ("localhost", "127.0.0.1", "[::1]")
FAILURES, WINDOW = 10, 60.0  # wrong credentials an address may send, within so many seconds
TRUSTED = 1.0  # seconds a good credential is remembered; a revoked one works no longer than that

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # "no-referrer" would hide a form's origin
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}

MAY = {
    "read": {"expert", "solver", "lead", "admin"},
    "ask": {"solver", "lead", "admin"},
    "tell": {"solver", "lead", "admin"},
    "edit": {"expert", "lead", "admin"},
    "lead": {"lead", "admin"},
    "create": {"admin"},
}


class Guard:
    """Decides who comes in, and remembers good and bad credentials for a while.

    Parameters
    ----------
    accounts
        Who may come in.
    hosts
        Names this server answers to, besides this machine's own.
    metrics
        Counts what passes.
    clock
        For the memory of credentials.
    """

    def __init__(
        self,
        accounts: Accounts,
        hosts: Iterable[str],
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.accounts = accounts
        self.hosts = {*LOCAL, *(host.lower() for host in hosts)}
        self.metrics = metrics
        self.clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._known: OrderedDict[tuple[str, str], tuple[float, Account]] = OrderedDict()

    async def refuse(self, scope: Scope) -> Response | None:
        """The answer to a request that may not pass; None for one that may."""
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        if self._wrong_host(headers):
            return problem(400, "This server does not answer to that name; start it with --allow-host NAME.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > limits.BODY:
            return problem(413, f"A request may have at most {limits.BODY} bytes; send less.")
        if path in OPEN or path.startswith("/static/"):
            return self._wrong_origin(headers, scope) if method not in SAFE else None
        try:
            return await self._who(scope, headers)
        except Unavailable:
            return problem(
                503, "The store cannot be used now; nothing was recorded. Try again in a moment.", RETRY
            )

    async def _who(self, scope: Scope, headers: Headers) -> Response | None:
        said, cookie = headers.get("authorization"), cookie_parser(headers.get("cookie", "")).get(COOKIE)
        if said is not None:
            kind, _, secret = said.partition(" ")
            account = await self._account("token", secret.strip()) if kind.lower() == "bearer" else None
        elif cookie:
            account = await self._account("session", cookie)
        elif "text/html" in headers.get("accept", "") and scope["method"] == "GET":
            return RedirectResponse("/login", 303)
        else:
            return _unknown("Say who you are: send a token as `Authorization: Bearer ...`, or log in.")
        if account is None:
            refusal, page = self.failed(scope), said is None and not scope["path"].startswith("/api/")
            ended = (
                page
                and scope["method"] == "GET"
                and refusal.status_code == 401
                and "text/html" in headers.get("accept", "")
            )
            return RedirectResponse("/login", 303) if ended else refusal
        if said is None and scope["method"] not in SAFE:
            wrong = self._wrong_origin(headers, scope)
            if wrong is not None:
                return wrong
        scope["account"] = account
        return None

    async def _account(self, kind: str, secret: str) -> Account | None:
        known = self._known.get((kind, secret))
        if known is not None and self.clock() - known[0] < TRUSTED:
            return known[1]
        check = self.accounts.by_token if kind == "token" else self.accounts.by_session
        account = await to_thread.run_sync(check, secret)
        if account is not None:
            self._known[kind, secret] = self.clock(), account
            while len(self._known) > 1000:
                self._known.popitem(last=False)
        return account

    def forget(self, secret: str) -> None:
        """Stop trusting a credential at once."""
        self._known.pop(("session", secret), None)

    def failed(self, scope: Scope) -> Response:
        """The answer to a wrong credential; too many from one address are slowed down."""
        address, now = (scope.get("client") or ("?", 0))[0], self.clock()
        times = self._failures.setdefault(address, deque(maxlen=FAILURES))
        while times and now - times[0] > WINDOW:
            times.popleft()
        if len(times) == FAILURES:
            wait = {"Retry-After": str(int(WINDOW - (now - times[0])) + 1)}
            return problem(429, "Too many wrong credentials from this address; wait a minute.", wait)
        times.append(now)
        while len(self._failures) > 10_000:
            self._failures.popitem(last=False)
        return _unknown("This token or session is not good (any more); get a new one, or log in again.")

    def _wrong_host(self, headers: Headers) -> bool:
        said = headers.getlist("host")
        if len(said) != 1:
            return True
        name, _, port = (
            said[0].rpartition(":") if said[0].rfind(":") > said[0].rfind("]") else (said[0], "", "")
        )
        return name.lower() not in self.hosts or not (port == "" or port.isdigit())

    def _wrong_origin(self, headers: Headers, scope: Scope) -> Response | None:
        origin = headers.get("origin")
        own = origin is not None and urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        if own or (origin is None and headers.get("sec-fetch-site") is None and scope["path"] in OPEN):
            return None  # a log-in by a program has no origin, and no cookie to abuse
        return problem(403, "This request comes from another site; use the page of this server.")


class Gate:
    """The one door; an ASGI middleware."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app = app
        self.guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no websockets here
        began, status = self.guard.clock(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if "cache-control" not in headers:  # static files may be kept, if asked about each time
                    headers["cache-control"] = (
                        "no-cache" if scope["path"].startswith("/static/") else "no-store"
                    )
            await send(message)

        try:
            refusal = await self.guard.refuse(scope)
            if refusal is not None:
                await refusal(scope, receive, answer)
            else:
                await self.app(scope, _bounded(receive), answer)
        except Exception:
            errors.error("%s %s failed", scope["method"][:20], ascii(scope["path"][:200]), exc_info=True)
            if status:
                raise  # the answer has begun; all that is left is to break it off
            ours = problem(
                500, "Something went wrong on our side. Look whether it was recorded; tell the operator."
            )
            await ours(scope, receive, answer)
        finally:
            took = self.guard.clock() - began
            route = getattr(scope.get("route"), "path", "other")
            self.guard.metrics.request(scope["method"], route, status, took)
            name = scope["account"].name if "account" in scope else "-"
            # The path only: a query may hold a one-time code.
            log.info(
                "%s %s %d %.1fms %s",
                scope["method"][:20],
                ascii(scope["path"][:200]),
                status,
                took * 1e3,
                ascii(name),
            )


def _unknown(detail: str) -> Response:
    return problem(401, detail, {"WWW-Authenticate": "Bearer"})


def _bounded(receive: Receive) -> Receive:
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limits.BODY:
            raise HTTPException(413, f"A request may have at most {limits.BODY} bytes; send less.")
        return message

    return bounded


def current(request: Request) -> Account:
    """Whose request it is. The gate has made sure that there is somebody."""
    account: Account = request.scope["account"]
    return account


Me = Annotated[Account, Depends(current)]
page_user = current  # what a page's route depends on; whoever is not logged in was sent to /login by the gate


def need(account: Account, verb: str, study: str) -> None:
    """Refuse unless this account may do this in this study."""
    if not account.sees(study):
        raise NotFound(f"There is no study {study!r} in this store; create it first.")
    if account.role not in MAY[verb]:
        able = ", ".join(sorted(MAY[verb]))
        raise Forbidden(f"The role {account.role} may not do that; it takes one of: {able}.")

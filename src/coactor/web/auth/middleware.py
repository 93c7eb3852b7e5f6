"""The ASGI middleware in front of every route: host, size, credential, origin, headers, access log.

It denies by default: only the paths in `PUBLIC` and static files need no credential.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from urllib.parse import urlencode, urlsplit

from anyio import to_thread
from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

try:
    from opentelemetry import trace
except ImportError:  # then there are no traces
    trace = None  # type: ignore[assignment]

from coactor.studies import Unavailable
from coactor.studies.accounts import Account, Accounts
from coactor.web.auth.turns import Turns
from coactor.web.errors import error_response, unavailable
from coactor.web.metrics import Metrics
from coactor.web.routes.requests import BODY

access_log = logging.getLogger("coactor.access")
error_log = logging.getLogger("coactor.web")

COOKIE = "coactor_session"
LOGIN = "/login"
OIDC, OIDC_BACK = "/login/oidc", "/login/oidc/back"
PUBLIC = ("/health", "/ready", LOGIN, OIDC, OIDC_BACK)
STATIC = "/static/"
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
LOGIN_BODY = 4096  # bytes of a login: the client is not known yet
FAILURES, WINDOW = 10, 60.0  # failed credentials allowed per address, within this many seconds

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # "no-referrer" would remove the origin of a form
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


class Authenticator:
    """Authenticates requests; throttles addresses that send wrong ones.

    Parameters
    ----------
    accounts
        The accounts of the store.
    hosts
        Host names this server answers to, besides loopback.
    clock
        Monotonic seconds, for the throttle.
    body_limit
        Bytes of the largest body.
    """

    def __init__(
        self,
        accounts: Accounts,
        hosts: Iterable[str],
        clock: Callable[[], float] = time.monotonic,
        body_limit: int = BODY,
    ) -> None:
        self.accounts, self.body_limit = accounts, body_limit
        self.hosts = {*LOOPBACK, *(host.lower() for host in hosts)}
        self.clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    async def check(self, scope: Scope) -> Response | None:
        """Return the refusal of a request, or None and set the account of `scope`."""
        headers, path = Headers(scope=scope), scope["path"]
        if not self._valid_host(headers):
            return error_response(
                scope, 400, "This server does not answer to this host name; start it with --allow-host NAME."
            )
        length, login = headers.get("content-length", "0"), path == LOGIN
        limit = scope["body_limit"] = LOGIN_BODY if login else self.body_limit
        if not length.isdigit() or int(length) > limit:
            return error_response(scope, 413, _too_large(limit))
        if login and scope["method"] == "POST" and (throttled := self._throttled(scope)) is not None:
            return throttled
        if path in PUBLIC or path.startswith(STATIC):
            return None if scope["method"] in SAFE_METHODS else self._check_origin(headers, scope)
        try:
            return await self._authenticate(scope, headers)
        except Unavailable as error:
            return unavailable(scope, error)

    async def _authenticate(self, scope: Scope, headers: Headers) -> Response | None:
        if "account" in scope:  # a caller in this process; no request from outside can say so
            return None
        authorization = headers.get("authorization")
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        page = scope["method"] == "GET" and "text/html" in headers.get("accept", "")
        if authorization is not None:
            scheme, _, secret = authorization.partition(" ")
            account = None
            if scheme.lower() == "bearer":
                account = await self._find(self.accounts.by_token, secret.strip())
        elif cookie:
            account = await self._find(self.accounts.by_session, cookie)
        elif page:
            return RedirectResponse(login_path(scope), 303)
        else:
            return _unauthorized(scope, "Send a token as `Authorization: Bearer TOKEN`, or log in.")
        if account is None:
            refusal = self.failed(scope)
            expired = (
                page
                and authorization is None
                and refusal.status_code == 401
                and not scope["path"].startswith("/api/")
            )
            return RedirectResponse(login_path(scope, ended=True), 303) if expired else refusal
        if authorization is None and scope["method"] not in SAFE_METHODS:
            refusal_of_origin = self._check_origin(headers, scope)
            if refusal_of_origin is not None:
                return refusal_of_origin
        scope["account"] = account
        return None

    async def _find(self, find: Callable[[str], Account | None], secret: str) -> Account | None:
        """Look a credential up; in a file without a thread, whose wake-up would take longer."""
        local = self.accounts.store.engine.name == "sqlite"
        return find(secret) if local else await to_thread.run_sync(find, secret)

    def failed(self, scope: Scope) -> Response:
        """Return 401 for a wrong credential, or 429 after too many from one address."""
        throttled = self._throttled(scope)
        if throttled is not None:
            return throttled
        self._failures.setdefault(_address(scope), deque(maxlen=FAILURES)).append(self.clock())
        while len(self._failures) > 10_000:
            self._failures.popitem(last=False)
        return _unauthorized(scope, "The token or session is invalid or has expired; log in again.")

    def _throttled(self, scope: Scope) -> Response | None:
        """Return 429 if the last wrong credentials of an address came within the window."""
        times = self._failures.get(_address(scope), deque())
        seconds = int(WINDOW - (self.clock() - times[0])) + 1 if len(times) == FAILURES else 0
        if seconds <= 0:
            return None
        return error_response(
            scope,
            429,
            f"Too many wrong credentials from this address; try again in {seconds} s.",
            {"Retry-After": str(seconds)},
        )

    def _valid_host(self, headers: Headers) -> bool:
        values = headers.getlist("host")
        if len(values) != 1:
            return False
        host = values[0]
        name, _, port = host.rpartition(":") if host.rfind(":") > host.rfind("]") else (host, "", "")
        return name.lower() in self.hosts and (port == "" or port.isdigit())

    def _check_origin(self, headers: Headers, scope: Scope) -> Response | None:
        """Refuse requests from other sites (CSRF); a program that logs in sends neither header."""
        origin = headers.get("origin")
        same = origin is not None and urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
        program = origin is None and headers.get("sec-fetch-site") is None
        if same or (program and scope["path"] in PUBLIC):
            return None
        return error_response(
            scope, 403, "This request comes from another site; use the pages of this server."
        )


class AuthMiddleware:
    """Runs `Authenticator.check`, adds the security headers, counts and logs every request."""

    def __init__(
        self, app: ASGIApp, authenticator: Authenticator, metrics: Metrics, images: str = ""
    ) -> None:
        self.app = app
        self.authenticator = authenticator
        self.metrics = metrics
        self.turns = Turns()
        self.headers = dict(HEADERS)
        if images:  # the host of map tiles
            policy = HEADERS["content-security-policy"]
            self.headers["content-security-policy"] = policy.replace("data:;", f"data: {images};")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # there are no websockets
        began, status = time.monotonic(), 0
        method, path = scope["method"][:20], ascii(scope["path"][:200])
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        context = {"request": request_id}  # every record of this request has it
        if trace is not None:
            trace.get_current_span().set_attribute("coactor.request_id", request_id)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in self.headers.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["cache-control"] = "no-cache" if scope["path"].startswith(STATIC) else "no-store"
            await send(message)

        try:
            refusal = await self.authenticator.check(scope)
            receive = _limited(receive, scope.get("body_limit", BODY))
            if refusal is not None:
                await refusal(scope, receive, send_with_headers)
            elif "account" in scope:
                await self.turns.run(scope["account"].name, self.app, scope, receive, send_with_headers)
            else:
                await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            pass  # nobody is left to answer
        except Exception:
            error_id = secrets.token_hex(4)
            error_log.exception("Error %s: %s %s failed", error_id, method, path, extra=context)
            if status:
                raise  # the response has started; all that is left is to abort it
            failure = error_response(
                scope,
                500,
                f"Something went wrong on the server; it is logged as error {error_id}. "
                "Check whether your change was recorded before you try again.",
            )
            await failure(scope, receive, send_with_headers)
        finally:
            seconds = time.monotonic() - began
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.request(scope["method"], route, status, seconds)
            name = scope["account"].name if "account" in scope else "-"
            # Without the query string: it may hold a one-time login code.
            access_log.info(
                "%s %s %d %.1fms %s %s",
                method,
                path,
                status,
                seconds * 1e3,
                ascii(name),
                request_id,
                extra=context,
            )


def login_path(scope: Scope, *, ended: bool = False) -> str:
    """Return the path of the login page that leads back to the page that was asked for."""
    query = scope["query_string"].decode("latin-1")
    path = scope["path"] + (f"?{query}" if query else "")
    fields = {"next": path} if path != "/" else {}
    if ended:
        fields["ended"] = "1"
    return "/login" + (f"?{urlencode(fields)}" if fields else "")


def safe_path(path: str) -> str:
    """Return a path on this site, or "/" if it could lead to another site."""
    local = path.startswith("/") and not path.startswith(("//", "/login", "/api/"))
    return path if local and "\\" not in path and path.isprintable() else "/"


def _address(scope: Scope) -> str:
    address: str = (scope.get("client") or ("?", 0))[0]
    return address


def _unauthorized(scope: Scope, detail: str) -> Response:
    return error_response(scope, 401, detail, {"WWW-Authenticate": "Bearer"})


def _too_large(limit: int) -> str:
    return f"The request is too large; the limit is {limit} bytes."


def _limited(receive: Receive, limit: int) -> Receive:
    """Enforce the size limit on bodies without a Content-Length."""
    size = 0

    async def limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            raise HTTPException(413, _too_large(limit))
        return message

    return limited

"""Errors as pages where an expert would see them: problem+json is for programs."""

from __future__ import annotations

import re

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coactor.web.assets import Assets
from coactor.web.rendering import render

BELOW_STUDY = re.compile(r"(/s/[^/]+)/.")
PROBLEM = "application/problem+json"


class ErrorPages:
    """Answers with a page in place of problem+json if a browser navigates to an address."""

    def __init__(self, app: ASGIApp, assets: Assets) -> None:
        self.app = app
        self.assets = assets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_navigation(scope):
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        body = b""

        async def send_page(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_problem(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    page = self._page(scope["path"], body)
                    headers = MutableHeaders(scope=start)
                    headers["content-type"] = "text/html; charset=utf-8"
                    headers["content-length"] = str(len(page))
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        await self.app(scope, receive, send_page)

    def _page(self, path: str, body: bytes) -> bytes:
        error, study = orjson.loads(body), BELOW_STUDY.match(path)
        html = render(
            "error.html",
            title=error["title"],
            message=error["detail"],
            queue=study.group(1) if study else "",
            files=self.assets.base,
        )
        return html.encode()


def is_navigation(scope: Scope) -> bool:
    """Whether a browser asks for a page, and not a program or a script of a page."""
    headers = Headers(scope=scope)
    if scope["method"] != "GET" or "text/html" not in headers.get("accept", ""):
        return False
    return headers.get("sec-fetch-mode") == "navigate" or not scope["path"].startswith("/api/")


def _is_problem(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith(PROBLEM)

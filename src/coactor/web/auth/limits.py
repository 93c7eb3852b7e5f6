"""How much a request may say: bytes, depth, count, length of text, size of numbers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

BODY = 8 * 2**20  # bytes
DEPTH = 24
COUNT = 1_000_000
TEXT = 20_000
NUMBER = 1e15


def check(data: Any) -> None:
    """Raise ValueError with a sentence where parsed JSON is beyond the limits."""
    left, layer = COUNT, [data]
    for _ in range(DEPTH):
        following: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                for name in item:
                    _text(name)
                following.extend(item.values())
                left -= len(item)
            elif isinstance(item, list):
                left -= len(item)
                if not _all_numbers(item):
                    following.extend(item)
            elif isinstance(item, str):
                _text(item)
            elif isinstance(item, int | float) and abs(item) > NUMBER:
                raise ValueError(f"numbers may not be beyond {NUMBER:g}")
        if left < 0:
            raise ValueError(f"at most {COUNT} values fit into one request")
        if not following:
            return
        layer = following
    raise ValueError(f"lists and objects may be nested {DEPTH} deep at most")


def _all_numbers(items: list[Any]) -> bool:
    """Whether these are numbers within the limit; long lists of them are the usual case, so this is quick."""
    if not items or not isinstance(items[0], int | float):
        return False
    try:
        low, high = min(items), max(items)
    except TypeError:
        return False
    return isinstance(low, int | float) and low >= -NUMBER and high <= NUMBER


def _text(value: str) -> None:
    if len(value) > TEXT:
        raise ValueError(f"a text may have {TEXT} characters at most")


class CheckedRequest(Request):
    """A request whose JSON is strict (no NaN, no infinity) and within the limits."""

    async def json(self) -> Any:
        if not hasattr(self, "_checked"):
            data = orjson.loads(await self.body())  # its error is a JSONDecodeError, which FastAPI answers
            try:
                check(data)
            except ValueError as error:
                raise HTTPException(422, f"The body is too much: {error}.") from error
            self._checked = data
        return self._checked


class CheckedRoute(APIRoute):
    """A route that reads its body through `CheckedRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def checked(request: Request) -> Response:
            return await handler(CheckedRequest(request.scope, request.receive))

        return checked

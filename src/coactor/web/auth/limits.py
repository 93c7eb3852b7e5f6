"""Limits on request bodies: bytes, depth, number of values, length of text, size of numbers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi import HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

BODY = 8 * 2**20  # bytes, by default
SMALL = 2**15  # bytes that are parsed faster than a thread is started
DEPTH = 24
COUNT = 1_000_000  # of a body of that size; more in proportion if larger bodies are allowed
TEXT = 20_000
NUMBER = 1e15


def check(data: Any, count: int = COUNT) -> None:
    """Raise ValueError if parsed JSON exceeds the limits."""
    left, layer = count, [data]
    for _ in range(DEPTH):
        next_layer: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                for name in item:
                    _check_text(name)
                next_layer.extend(item.values())
                left -= len(item)
            elif isinstance(item, list):
                left -= len(item)
                if not _all_numbers(item):
                    next_layer.extend(item)
            elif isinstance(item, str):
                _check_text(item)
            elif isinstance(item, int | float) and abs(item) > NUMBER:
                raise ValueError(f"Numbers may not exceed {NUMBER:g} in size.")
        if left < 0:
            raise ValueError(f"A request may hold at most {count} values.")
        if not next_layer:
            return
        layer = next_layer
    raise ValueError(f"Lists and objects may be nested at most {DEPTH} deep.")


def _all_numbers(items: list[Any]) -> bool:
    """Whether all items are numbers within the limit; a fast path for long vectors."""
    if not items or not isinstance(items[0], int | float):
        return False
    try:
        low, high = min(items), max(items)
    except TypeError:
        return False
    return isinstance(low, int | float) and low >= -NUMBER and high <= NUMBER


def _check_text(value: str) -> None:
    if len(value) > TEXT:
        raise ValueError(f"Text may have at most {TEXT} characters.")


def _parse(body: bytes, limit: int) -> Any:
    data = orjson.loads(body)  # strict: refuses NaN and infinity
    try:
        check(data, COUNT * limit // BODY)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    return data


class LimitedRequest(Request):
    """A request whose JSON is strict and within the limits; large bodies are parsed off the event loop."""

    async def json(self) -> Any:
        if not hasattr(self, "_data"):
            body = await self.body()
            limit = self.scope.get("body_limit", BODY)
            small = len(body) < SMALL
            self._data = _parse(body, limit) if small else await run_in_threadpool(_parse, body, limit)
        return self._data


class LimitedRoute(APIRoute):
    """A route that reads its body through `LimitedRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def limited(request: Request) -> Response:
            return await handler(LimitedRequest(request.scope, request.receive))

        return limited

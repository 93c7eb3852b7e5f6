"""Responses that stay open: few of each account."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fastapi import HTTPException

MOST_STREAMS = 10  # of one account in this process


class Streams:
    """The open streams of this process: of events, and exports."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.stopped = False
        self._open: Counter[str] = Counter()

    def stop(self) -> None:
        """Let every stream end, so that the server can stop."""
        self.stopped = True

    def check(self, account: str) -> None:
        """Answer 429 if an account has too many streams."""
        if self._open[account] >= MOST_STREAMS:
            raise HTTPException(429, f"This account has {MOST_STREAMS} streams open; close one of them.")

    @contextmanager
    def counted(self, account: str) -> Iterator[None]:
        """Count a stream of an account."""
        self._open[account] += 1
        try:
            yield
        finally:
            self._open[account] -= 1

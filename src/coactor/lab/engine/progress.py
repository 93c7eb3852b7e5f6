"""Progress of a long command on standard error: one changing line on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
import time
from typing import TextIO

_LINES = 20  # in a log


class Progress:
    """Counts finished tasks and estimates the time left.

    Parameters
    ----------
    total
        The number of tasks.
    done
        Tasks that an earlier, interrupted command finished.
    silent
        Write nothing.
    stream
        Where to write; standard error by default.
    """

    def __init__(
        self, total: int, done: int = 0, *, silent: bool = False, stream: TextIO | None = None
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._silent = silent or done == total
        self._total, self._done, self._before, self._began = total, done, done, time.monotonic()
        if not self._silent and not self._stream.isatty():
            self._stream.write(f"{total - done} tasks to do\n")

    def step(self, task: str) -> None:
        """Count one more finished task."""
        self._done += 1
        new = self._done - self._before
        left = int((time.monotonic() - self._began) / new * (self._total - self._done))
        line = f"{self._done}/{self._total} done, {left // 60:02}:{left % 60:02} left ({task})"
        if self._silent:
            return
        if self._stream.isatty():
            self._stream.write(f"\r\x1b[K{line}")
        elif new % max(1, self._total // _LINES) == 0 or self._done == self._total:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def close(self) -> None:
        """Remove the line on a terminal."""
        if not self._silent and self._stream.isatty():
            self._stream.write("\r\x1b[K")

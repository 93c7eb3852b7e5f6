"""Says how far a long command is: a bar on a terminal, plain lines elsewhere, nothing when silent."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO


def duration(seconds: float) -> str:
    """Seconds as a person says them: 9 s, 2 min 05 s, 1 h 10 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Progress:
    """Counts finished units of work and estimates the time left from their pace.

    Parameters
    ----------
    total
        Units in all.
    done
        Units that were finished by an earlier, interrupted command; they do not count for the pace.
    silent
        Write nothing.
    stream, clock
        Where to write (standard error) and what time it is.
    """

    def __init__(
        self,
        total: int,
        done: int = 0,
        *,
        silent: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.done = done
        self._resumed = done
        self._silent = silent
        self._stream = sys.stderr if stream is None else stream
        self._live = not silent and self._stream.isatty()
        self._clock = clock
        self._start = clock()
        self._first: float | None = None
        self._said = -1.0
        if self._live and done < total:
            self._draw("starting")

    def say(self, sentence: str) -> None:
        """A line of its own, between two pictures of the bar."""
        if not self._silent:
            self._wipe()
            print(sentence, file=self._stream, flush=True)

    def step(self, what: str) -> None:
        """One more unit is finished."""
        self.done += 1
        if self._first is None:
            self._first = self._clock()
        if self._silent:
            return
        if self._live:
            self._draw(what)
        else:
            self._line(what)

    def left(self) -> float | None:
        """Seconds to go at the pace so far; None before the first unit."""
        fresh = self.done - self._resumed
        if self._first is None:
            return None
        # The first unit also waited for processes to start and loops to compile.
        since, units = (self._start, 1) if fresh == 1 else (self._first, fresh - 1)
        pace = (self._clock() - since) / units
        return pace * (self.total - self.done)

    def close(self) -> None:
        """Take the bar away."""
        self._wipe()

    def _wipe(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=self._stream, flush=True)

    def _draw(self, what: str) -> None:
        remaining = self.left()
        left = "" if remaining is None else f"{duration(remaining)} left  "
        tail = f" {self.done}/{self.total}  {left}{what}"
        columns = shutil.get_terminal_size().columns
        width = max(8, min(40, columns - len(tail) - 2))
        filled = round(width * self.done / max(1, self.total))
        text = "█" * filled + "░" * (width - filled) + tail
        print(f"\r\x1b[K{text[: columns - 1]}", end="", file=self._stream, flush=True)

    def _line(self, what: str) -> None:
        # In a log twenty lines are news, two hundred are noise.
        share = self.done / max(1, self.total)
        if share - self._said < 0.05 and self.done < self.total:
            return
        self._said = share
        remaining = self.left()
        print(
            f"{self.done}/{self.total} done, {duration(remaining or 0)} left ({what})",
            file=self._stream,
            flush=True,
        )

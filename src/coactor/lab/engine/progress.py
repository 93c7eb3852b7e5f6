"""Progress of a long command on standard error: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
from typing import Any, TextIO

_LINES = 20  # in a log


class Progress:
    """Counts finished tasks and estimates the time left (with tqdm).

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
        from tqdm import tqdm

        stream = sys.stderr if stream is None else stream
        options: dict[str, Any] = {"total": total, "initial": done, "disable": silent or done == total}
        if stream.isatty():
            options |= {"file": stream, "dynamic_ncols": True, "leave": False, "unit": "task"}
        else:
            options |= {
                "file": _PlainLines(stream),
                "bar_format": "{n_fmt}/{total_fmt} done, {remaining} left ({desc})",
                "delay": 1e-9,  # tqdm's own first line has nothing but question marks
                "mininterval": 0.0,
                "miniters": max(1, total // _LINES),
                "maxinterval": float("inf"),  # otherwise tqdm writes more lines when tasks are slow
            }
            if not options["disable"]:
                stream.write(f"{total - done} tasks to do\n")
        self._bar = tqdm(**options)

    def step(self, task: str) -> None:
        """Count one more finished task."""
        self._bar.set_description_str(task, refresh=False)
        self._bar.update()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()


class _PlainLines:
    """A file for tqdm that starts a new line where tqdm would overwrite the last one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._last = stream, ""

    def write(self, text: str) -> None:
        line = text.strip()
        if line and line != self._last:
            self._last = line
            self._stream.write(f"{line}\n")

    def flush(self) -> None:
        self._stream.flush()

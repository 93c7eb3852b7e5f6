"""Progress of a long command on standard error: one changing line on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

LINES = 20  # in a log


@contextmanager
def progress(total: int, done: int = 0, *, silent: bool = False) -> Iterator[Callable[[str], None]]:
    """A function that counts one more finished task.

    Parameters
    ----------
    total
        The number of tasks.
    done
        Tasks that an earlier, interrupted command finished.
    silent
        Write nothing.
    """
    if silent or done == total:
        yield lambda task: None
        return
    bar: Any = click.progressbar(length=total - done, file=sys.stderr, show_eta=False)
    bar.label = f"{total - done} tasks to do"
    with bar:

        def step(task: str) -> None:
            bar.make_step(1)
            now = done + bar.pos
            if sys.stderr.isatty() or now % max(1, total // LINES) == 0 or now == total:
                left = f", {bar.format_eta()} left" if bar.eta_known else ""  # after a second
                bar.label = f"{now}/{total} done{left} ({task})"
            bar.render_progress()

        yield step

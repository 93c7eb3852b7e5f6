"""Processes for solvers in Python: in a thread they would take turns with every request of the server."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Any

from coactor.plugins import load_class


class Processes:
    """Calls functions by name in other processes, which start with the first call and keep what they import.

    Parameters
    ----------
    count
        How many calls run at the same time; others wait.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._count, multiprocessing.get_context("spawn"), _end_with_parent)

    def __call__(self, place: str, *arguments: Any) -> Any:
        """Call the function ``module:name``. If its process dies, the next call starts new ones."""
        pool = self._pool
        try:
            return pool.submit(_call, place, arguments).result()
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = self._started()
            raise

    def close(self) -> None:
        """End the processes; what waits is not called."""
        self._pool.shutdown(wait=False, cancel_futures=True)


@cache
def _function(place: str) -> Any:
    return load_class(place, "solver")


def _end_with_parent() -> None:
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()  # also if it was killed
        os._exit(1)


def _call(place: str, arguments: tuple[Any, ...]) -> Any:
    return _function(place)(*arguments)

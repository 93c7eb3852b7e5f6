"""Answers that take long to compute: one at a time for each study, and the last ones are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from fastapi import HTTPException

from coactor.studies import Study

KEPT = 32  # answers; the least recently used go first
BUSY = "Other reports of this study are being computed; try again in a few seconds."


class Computations:
    """Lets few threads of a server compute, so that the others stay free.

    Parameters
    ----------
    patience
        Seconds that a request waits for another computation of its study.
    places
        Requests that may compute or wait at the same time.
    """

    def __init__(self, patience: float = 2.0, places: int = 8) -> None:
        self.patience = patience
        self._places = threading.BoundedSemaphore(places)
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def answer(self, study: Study, name: Hashable, compute: Callable[[], Any], keep: bool = True) -> Any:
        """Return an answer about a study, computed now unless nothing has changed since it was last kept.

        The request is answered 429 if another computation of the study takes longer than the patience.
        """
        key = study.uid, study.summary()["facts"], name
        kept = self._find(key)
        if kept is not None:
            return kept
        if not self._places.acquire(blocking=False):
            raise HTTPException(429, BUSY, {"Retry-After": "2"})
        try:
            with self._lock:
                turn = self._turns.setdefault(study.uid, threading.Lock())
            if not turn.acquire(timeout=self.patience):
                raise HTTPException(429, BUSY, {"Retry-After": "2"})
            try:
                found = self._find(key)
                answer = compute() if found is None else found
                return self._keep(key, answer) if keep else answer
            finally:
                turn.release()
        finally:
            self._places.release()

    def _find(self, key: Hashable) -> Any:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def _keep(self, key: Hashable, answer: Any) -> Any:
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return answer

"""Five-line domains and other small things to test studies with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from coactor.domains import Tour
from coactor.protocol import Move
from coactor.studies import Store, Study, open_study
from coactor.studies.log.facts import Finished


class Switches:
    """Three switches; an edit flips one. Problems are three prices, solutions three booleans as 0 or 1."""

    dim = 3

    def features(self, x: Any, y: Any) -> np.ndarray:
        return np.asarray(x, float) * np.asarray(y, float)

    def solve(self, x: Any, w: np.ndarray) -> list[int]:
        return [int(price * weight > 0) for price, weight in zip(x, w, strict=True)]

    def moves(self, x: Any, y: Any) -> Iterator[Move]:
        return ({"op": "flip", "args": [i]} for i in range(3))

    def apply(self, x: Any, y: Any, move: Move) -> list[int]:
        return [1 - v if i == move["args"][0] else v for i, v in enumerate(y)]


def flip(*which: int) -> list[Move]:
    return [{"op": "flip", "args": [i]} for i in which]


def tours(n: int, seed: int = 0, points: int = 8, features: int = 3) -> tuple[Tour, list[Any]]:
    domain = Tour(points=points, features=features)
    return domain, list(domain.sample(np.random.default_rng(seed), n))


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def change_row(store: Any, statement: str) -> None:
    """Change a stored row, as an attacker or a defect would."""
    with store.writing() as sql:
        assert sql.connection.exec_driver_sql(statement).rowcount > 0


def open_at(clock: Callable[[], float], url: str, *args: Any, **more: Any) -> Study:
    """Open a study on a store with this clock; closing the study closes the store."""
    study = open_study(Store(url, clock=clock), *args, **more)
    study.closes_store = True
    return study


def make(url: Any, name: str = "desk", learner: Any = "CSPER", clock: Any = None, **more: Any) -> Study:
    """A study of switches, created if there is none."""
    if clock is not None:
        return open_at(clock, url, name, Switches(), learner, create=True, **more)
    return open_study(url, name, Switches(), learner, create=True, **more)


def a_row(
    seq: int, effort: float, seconds: float | None = None, actor: str = "ana", time: float = 0.0
) -> Finished:
    """A finished proposal as a report reads it."""
    return Finished(
        seq=seq,
        time=time,
        proposal=seq,
        actor=actor,
        learned_for=actor,
        learned=True,
        effort=effort,
        accepted=effort == 0,
        seconds=seconds,
        version=seq + 1,
        proposed_with=seq,
        proposer="learner",
        control=0.0,
        chance=None,
        unlearned=None,
    )

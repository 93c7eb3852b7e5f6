"""Durable studies: ask and tell over an append-only log of facts.

The errors and results are imported at once, and need numpy only; the rest on first use, because it needs
SQLAlchemy and orjson.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coactor.protocol import Round
from coactor.studies.drafts import Draft
from coactor.studies.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    SolverFailed,
    Tampered,
    Unavailable,
)
from coactor.studies.results import Explanation, QueuePage, Share, Version

if TYPE_CHECKING:
    from coactor.studies.desk import Desk
    from coactor.studies.log.store import Store
    from coactor.studies.opening import open_study
    from coactor.studies.settings import Settings
    from coactor.studies.study import Study

_ON_FIRST_USE = {
    "Desk": "coactor.studies.desk",
    "Settings": "coactor.studies.settings",
    "Store": "coactor.studies.log.store",
    "Study": "coactor.studies.study",
    "open_study": "coactor.studies.opening",
}

__all__ = [
    "Conflict",
    "Desk",
    "Draft",
    "Explanation",
    "Forbidden",
    "Invalid",
    "NotFound",
    "QueuePage",
    "RateLimited",
    "Round",
    "Settings",
    "Share",
    "SolverFailed",
    "Store",
    "Study",
    "Tampered",
    "Unavailable",
    "Version",
    "open_study",
]


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_ON_FIRST_USE[name]), name)
    globals()[name] = value
    return value

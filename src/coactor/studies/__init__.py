"""Studies that last: durable ask and tell over an append-only log of facts."""

from __future__ import annotations

from coactor.studies.calibration import Calibration
from coactor.studies.desk import Desk
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound, Tampered, Unavailable
from coactor.studies.log import connections  # noqa: F401  (first: it says what to install)
from coactor.studies.log.store import Store
from coactor.studies.opening import open_study
from coactor.studies.results import Draft, EffortRow, Explanation, Outcome, Share, Ticket, Version
from coactor.studies.study import Study

__all__ = [
    "Calibration",
    "Conflict",
    "Desk",
    "Draft",
    "EffortRow",
    "Explanation",
    "Forbidden",
    "Invalid",
    "NotFound",
    "Outcome",
    "Share",
    "Store",
    "Study",
    "Tampered",
    "Ticket",
    "Unavailable",
    "Version",
    "open_study",
]

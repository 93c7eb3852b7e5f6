"""Studies that last: durable ask and tell over an append-only log of facts."""

from __future__ import annotations

from coactor.studies import engines  # noqa: F401  (first: it says what to install)
from coactor.studies.calibration import Calibration
from coactor.studies.client import connect
from coactor.studies.drafts import Desk
from coactor.studies.errors import Conflict, Forbidden, Invalid, NotFound, Tampered, Unavailable
from coactor.studies.opening import open_study
from coactor.studies.store import Store
from coactor.studies.study import Study
from coactor.studies.values import Draft, EffortRow, Explanation, Outcome, Share, Ticket, Version

__all__ = [
    "Calibration", "Conflict", "Desk", "Draft", "EffortRow", "Explanation", "Forbidden", "Invalid",
    "NotFound", "Outcome", "Share", "Store", "Study", "Tampered", "Ticket", "Unavailable", "Version",
    "connect", "open_study",
]  # fmt: skip

"""Errors that a caller of a study or of the client may want to catch. Each message says what to do."""

# ruff: noqa: N818  (the names are those of the HTTP states they become)

from __future__ import annotations

from coactor.protocol import Conflict, Invalid, NotFound

__all__ = [
    "Conflict",
    "Deleted",
    "Forbidden",
    "Invalid",
    "NotFound",
    "RateLimited",
    "SolverFailed",
    "Tampered",
    "Unavailable",
]


class Deleted(NotFound):
    """A study was deleted while it was open."""


class Forbidden(PermissionError):
    """The account's role or scope does not allow this."""


class RateLimited(Exception):
    """The server received too many requests from this client.

    Attributes
    ----------
    retry_after
        Seconds to wait before the next request; None if the server does not say.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(Exception):
    """The store or the server cannot be reached now; nothing was acknowledged."""


class SolverFailed(RuntimeError):
    """The solver raised an exception, which is the cause of this one, or ran out of time.

    Attributes
    ----------
    timeout
        Whether it ran out of time.
    """

    def __init__(self, message: str, timeout: bool = False) -> None:
        super().__init__(message)
        self.timeout = timeout


class Tampered(Exception):
    """Stored data is not what was written: a fact was changed, removed or inserted."""

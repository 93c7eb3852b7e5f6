"""What a caller may have to catch; each message is a sentence with the remedy."""

# ruff: noqa: N818  (these are read by people; "Conflict" is the word they know)

from __future__ import annotations

from typing import Any


class Invalid(ValueError):
    """Something from outside is not what it must be; nothing was changed."""


class NotFound(LookupError):
    """There is no such study, proposal, version or token."""


class Forbidden(PermissionError):
    """Somebody asked for what his role does not allow."""


class Conflict(Exception):
    """Somebody else was faster, or the proposal is in another state than the caller thinks.

    Attributes
    ----------
    current
        The state as it is now, JSON-able, so that the caller can show it instead of overwriting it.
    """

    def __init__(self, message: str, current: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.current = current or {}


class Unavailable(Exception):
    """The store cannot be read or written now; nothing was acknowledged."""


class Tampered(Exception):
    """The log is not what was written: a fact was changed, removed or put in by hand."""

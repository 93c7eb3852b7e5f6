"""What a caller may have to catch; each message is a sentence with the remedy."""

# ruff: noqa: N818  (these are read by people; "Conflict" is the word they know)

from __future__ import annotations

from coactor.protocol import Conflict, Invalid, NotFound

__all__ = ["Conflict", "Forbidden", "Invalid", "NotFound", "Tampered", "Unavailable"]


class Forbidden(PermissionError):
    """Somebody asked for what his role does not allow."""


class Unavailable(Exception):
    """The store cannot be read or written now; nothing was acknowledged."""


class Tampered(Exception):
    """The log is not what was written: a fact was changed, removed or put in by hand."""

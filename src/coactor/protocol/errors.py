"""Errors that a caller of a session, a study or a client may want to catch."""

# ruff: noqa: N818  (the names are those of the HTTP states they become)

from __future__ import annotations

from typing import Any


class Invalid(ValueError):
    """An argument is invalid. Nothing was changed."""


class NotFound(LookupError):
    """There is no such study, proposal, version or token."""


class Conflict(Exception):
    """The proposal is in another state than the caller assumed, or another caller was faster.

    Attributes
    ----------
    current
        The current state as JSON-able data.
    """

    def __init__(self, message: str, current: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.current = current or {}

"""What every check raises."""

from __future__ import annotations

from collections.abc import Iterable


class CheckError(ValueError):
    """A class does not satisfy its protocol; the message says what is wrong and what to do."""


def check_methods(thing: object, names: Iterable[str]) -> None:
    """Raises CheckError if a method is missing."""
    for name in names:
        if not callable(getattr(thing, name, None)):
            raise CheckError(f"{type(thing).__name__} has no method {name!r}; see coactor.protocol.")

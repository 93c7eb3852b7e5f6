"""What every check raises."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class CheckError(ValueError):
    """A class does not satisfy its protocol; the message says what is wrong and what to do."""


def expect(good: object, message: str) -> None:
    """Raises CheckError with this message unless it is good."""
    if not good:
        raise CheckError(message)


@contextmanager
def naming_errors(where: str) -> Iterator[None]:
    """Raises CheckError, which names the method and the line, in place of every other exception."""
    try:
        yield
    except CheckError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise CheckError(
            f"{frame.name} in line {frame.lineno} of {Path(frame.filename).name} raised "
            f"{type(error).__name__} {where}: {error}"
        ) from error


def check_methods(thing: object, names: Iterable[str]) -> None:
    """Raises CheckError if a method is missing."""
    for name in names:
        there = callable(getattr(thing, name, None))
        expect(there, f"{type(thing).__name__} has no method {name!r}; see coactor.protocol.")

"""Write files atomically, and find out before the work whether they can be written."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_PROBE = 4096


class CannotWriteError(OSError):
    """A folder cannot be written to; the message says why and what to do."""


@contextmanager
def translate_errors(folder: Path) -> Iterator[None]:
    """Re-raise OSError as a CannotWriteError that names the folder."""
    try:
        yield
    except OSError as error:
        raise CannotWriteError(_explain(folder, error)) from error


def _explain(folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk of {folder} is full. Free some space, or choose another folder with --out."
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"{folder} is not a folder. Choose another name with --out."
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"{folder} cannot be written to ({reason}). Choose another folder with --out."


def prepare(folder: Path) -> None:
    """Create the folder, and raise CannotWriteError unless it can be written to."""
    with translate_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * _PROBE)
            probe.flush()
            os.fsync(probe.fileno())


def write(path: Path, content: bytes | str | Iterable[str]) -> None:
    """Write a file; it appears under its name only when all of it is on disk."""
    pieces = [content] if isinstance(content, bytes | str) else content
    with translate_errors(path.parent):
        temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        try:
            # Unlike the files of tempfile, this one gets the permissions that the process's umask allows.
            with temporary.open("xb") as file:
                for piece in pieces:
                    file.write(piece if isinstance(piece, bytes) else piece.encode())
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Write files atomically, and find out before the work whether they can be written."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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


def prepare(folder: Path, size: int) -> None:
    """Create the folder, and raise CannotWriteError unless it can be written to and `size` bytes fit."""
    with translate_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{secrets.token_hex(8)}"
        try:
            with _create(probe) as file:
                file.write(b"\0" * _PROBE)
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)
        free = shutil.disk_usage(folder).free
    if free < size:
        raise CannotWriteError(
            f"The disk of {folder} has {free / 1e6:.0f} MB left, but about {size / 1e6:.0f} MB are needed. "
            "Free some space, or choose another folder with --out."
        )


def write(path: Path, content: bytes | str | Iterable[str]) -> None:
    """Write a file; it appears under its name only when all of it is on disk."""
    pieces = [content] if isinstance(content, bytes | str) else content
    with translate_errors(path.parent):
        temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
        try:
            with _create(temporary) as file:
                for piece in pieces:
                    file.write(piece if isinstance(piece, bytes) else piece.encode())
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _create(path: Path) -> IO[bytes]:
    # Unlike the files of tempfile, this one gets the permissions that the process's umask allows.
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb")


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

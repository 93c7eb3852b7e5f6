"""Writing files whole or not at all, and finding out before the work whether they can be written."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class CannotWriteError(Exception):
    """The folder refuses our files; the sentence says why and what to do."""


def _sentence(folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {folder} is full: make room, or choose another folder with --out"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{folder} cannot be written to ({os.strerror(error.errno)}): choose another folder with --out"
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return f"{folder} is not a folder: choose another name with --out"
    return f"{folder} cannot be written to ({error.strerror or error}): choose another folder with --out"


@contextmanager
def saying_why(folder: Path) -> Iterator[None]:
    """Turn the system's error numbers into a sentence about the folder."""
    try:
        yield
    except OSError as error:
        raise CannotWriteError(_sentence(folder, error)) from error


def prepare(folder: Path, need: int) -> None:
    """Make the folder, write a probe into it, and see that `need` bytes will fit; or say why not."""
    with saying_why(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle, probe = tempfile.mkstemp(prefix=".probe-", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(b"\0" * 4096)
                file.flush()
                os.fsync(file.fileno())
        finally:
            os.unlink(probe)
        free = shutil.disk_usage(folder).free
    if free < need:
        raise CannotWriteError(
            f"the disk of {folder} has {free / 1e6:.0f} MB left and this needs about {need / 1e6:.0f} MB: "
            "make room, or choose another folder with --out"
        )


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when everything was written."""
    with saying_why(path.parent):
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _umask() -> int:
    # There is no way to read the mask but to set it.
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write(path: Path, content: bytes | str | Iterable[str]) -> None:
    """Write a whole file from bytes, text, or pieces of text."""
    with whole(path) as file:
        if isinstance(content, bytes):
            file.write(content)
        elif isinstance(content, str):
            file.write(content.encode())
        else:
            for piece in content:
                file.write(piece.encode())


def digest(path: Path) -> str:
    """sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Write files atomically, and find out before the work whether they can be written."""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

_PROBE = 4096


def prepare(folder: Path) -> None:
    """Create the folder. Raises OSError unless it can be written to."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; name a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as probe:
        probe.write(b"\0" * _PROBE)
        probe.flush()
        os.fsync(probe.fileno())


def write(path: Path, content: bytes | str) -> None:
    """Write a file; it appears under its name only when all of it is on disk."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    try:
        # Unlike the files of tempfile, this one gets the permissions that the process's umask allows.
        with temporary.open("xb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
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

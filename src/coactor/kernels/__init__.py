"""The inner loops, compiled by numba: arrays in, arrays out; no objects, no random numbers.

Every kernel is also plain Python (`kernel.py_func`, or NUMBA_DISABLE_JIT=1), and gives the same answer.
Compiled code is cached beside the package or in the user's cache folder; where neither can be written, as in
a container without a home, in a folder of the user's own under the system's temporary folder.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(package: Path, home: Path, user: str) -> str | None:
    """Where compiled code must be cached; None if one of numba's own places can be written."""
    if os.access(package, os.W_OK):
        return None
    while not home.exists() and home != home.parent:
        home = home.parent
    return None if os.access(home, os.W_OK) else str(Path(tempfile.gettempdir()) / f"coactor-{user}")


if "NUMBA_CACHE_DIR" not in os.environ:
    _folder = cache_folder(
        Path(__file__).parent,
        Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache"),
        str(os.getuid()) if hasattr(os, "getuid") else "user",
    )
    if _folder is not None:
        os.makedirs(_folder, mode=0o700, exist_ok=True)
        os.environ["NUMBA_CACHE_DIR"] = _folder

"""Static files, below addresses that change with their content.

Every page refers to its files as ``/static/vHASH/...``, where the hash is of the content of all files. A
browser may cache them for ever, and after an upgrade the pages refer to new addresses, so that no old code
runs. Modules import each other by relative addresses: no build step, no import map.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
FOREVER = "public, max-age=31536000, immutable"
_VERSIONED = re.compile(r"v([0-9a-f]{16})[/\\](.+)")
_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"(\.[^"]+)";', re.MULTILINE)


class Assets(StaticFiles):
    """Serves the static files and knows their current address."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(directory=folder)
        self._folder = folder
        self._state: tuple[object, ...] = ()
        self._hash = ""

    @property
    def base(self) -> str:
        """The address of the files; it changes as soon as any of them changes."""
        files = sorted(path for path in self._folder.rglob("*") if path.is_file())
        stats = [(path, path.stat()) for path in files]
        state = tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in stats)
        if state != self._state:  # hash the content, so that two servers of one version agree
            content = hashlib.sha256()
            for path in files:
                data = path.read_bytes()
                content.update(f"{path.relative_to(self._folder).as_posix()} {len(data)} ".encode() + data)
            self._hash, self._state = content.hexdigest()[:16], state
        return f"/static/v{self._hash}"

    def imports(self, *scripts: str) -> list[str]:
        """Return every module that these modules import, directly or indirectly, for preloading."""
        modules: list[str] = []
        queue = list(scripts)
        while queue:
            script = queue.pop(0)
            for name in _IMPORT.findall((self._folder / script).read_text("utf-8")):
                module = posixpath.normpath(f"{posixpath.dirname(script)}/{name}")
                if module not in modules:
                    modules.append(module)
                    queue.append(module)
        return modules

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve a file. Only the current hash may be cached for ever.

        A stale hash comes from a page loaded before an upgrade, or from another server during one. It gets
        the current file with no-store.
        """
        if "\0" in path:  # older versions of Starlette fail on it
            raise HTTPException(404)
        versioned = _VERSIONED.fullmatch(path)
        response = await super().get_response(versioned.group(2) if versioned else path, scope)
        if versioned is None:
            caching = "no-cache"
        else:
            caching = FOREVER if self.base.endswith(versioned.group(1)) else "no-store"
        response.headers["cache-control"] = caching
        return response

"""The files behind the pages, under addresses that change with their content.

Every page names its files below ``/static/STAMP/``, where the stamp is a hash of them all. A browser may
then keep them for good and ask for nothing on the next visit, and after an upgrade the pages name other
addresses, so that no old code runs. Modules import each other by relative addresses and stay below the same
stamp: no build step, no import map.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
FOREVER = "public, max-age=31536000, immutable"
_STAMPED = re.compile(r"v([0-9a-f]{16})[/\\](.+)")
_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?"(\.[^"]+)";', re.MULTILINE)


class Assets(StaticFiles):
    """Serves the files, and says where they are."""

    def __init__(self, folder: Path = FOLDER) -> None:
        super().__init__(directory=folder)
        self._folder = folder
        self._seen: tuple[object, ...] = ()
        self._stamp = ""

    @property
    def base(self) -> str:
        """The address the files are below; a new one as soon as any of them is changed."""
        files = sorted(path for path in self._folder.rglob("*") if path.is_file())
        seen = tuple((path, (about := path.stat()).st_mtime_ns, about.st_size) for path in files)
        if seen != self._seen:  # of the content, so that two servers of one version agree
            content = hashlib.sha256()
            for path in files:
                data = path.read_bytes()
                content.update(f"{path.relative_to(self._folder).as_posix()} {len(data)} ".encode() + data)
            self._stamp, self._seen = content.hexdigest()[:16], seen
        return f"/static/v{self._stamp}"

    def imports(self, *scripts: str) -> list[str]:
        """Every module that these modules import, directly or not: what a page preloads."""
        found: list[str] = []
        waiting = list(scripts)
        while waiting:
            script = waiting.pop(0)
            for name in _IMPORT.findall((self._folder / script).read_text("utf-8")):
                module = posixpath.normpath(f"{posixpath.dirname(script)}/{name}")
                if module not in found:
                    found.append(module)
                    waiting.append(module)
        return found

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file; to be kept only under the stamp of what is here now.

        Another stamp is that of a page from before an upgrade, or of another server in the middle of one. It
        gets what is here, and may not keep it: under that address there belongs something else.
        """
        found = _STAMPED.fullmatch(path)
        answer = await super().get_response(found.group(2) if found else path, scope)
        current = found is not None and self.base.endswith(found.group(1))
        answer.headers["cache-control"] = FOREVER if current else "no-cache" if found is None else "no-store"
        return answer

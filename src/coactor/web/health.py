"""Whether the server works: the event loop answers, from probes of the store that it waits for briefly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI

from coactor.studies import Store, Unavailable
from coactor.studies.log import schema
from coactor.version import __version__
from coactor.web.routes.responses import ERRORS

FRESH = 1.0  # seconds for which the result of a probe is used again
PATIENCE = 1.0  # seconds to wait for a probe; then the result before it counts
STALE = 30.0  # seconds after which it no longer does


class Probe:
    """Looks whether something works, one look at a time.

    Parameters
    ----------
    look
        Raises Unavailable if it does not work; runs in a thread of its own.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._thread = CapacityLimiter(1)  # not of those that requests may occupy
        self._at = float("-inf")
        self._error: Unavailable | None = None
        self._running: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raise Unavailable if it did not work, or has not answered for too long."""
        if time.monotonic() - self._at > FRESH:
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
            await asyncio.wait({self._running}, timeout=PATIENCE)
        if self._error is not None:
            raise self._error
        if time.monotonic() - self._at > STALE:
            raise Unavailable("The store does not answer.")

    async def _run(self) -> None:
        try:
            await to_thread.run_sync(self._look, limiter=self._thread, abandon_on_cancel=True)
            self._error = None
        except Unavailable as error:
            self._error = error
        self._at = time.monotonic()


def add_routes(app: FastAPI, store: Store) -> None:
    """Add the routes that say whether the server is alive, and whether it can work."""

    def read() -> None:
        with store.reading() as sql:
            sql.connection.exec_driver_sql("SELECT 1")

    def write() -> None:
        with store.writing(synced=False) as sql:
            if not schema.is_current(sql.connection):
                raise Unavailable("The store has no tables.")
            meta = schema.meta
            sql.connection.execute(meta.update().where(meta.c.name == "schema").values(value=meta.c.value))

    reads, writes = Probe(read), Probe(write)

    @app.get("/health", tags=["operation"], responses={503: ERRORS[503]})
    async def health() -> dict[str, str]:
        """Say whether the process is alive and its store answers. Needs no credential."""
        await reads.check()
        return {"status": "ok", "version": __version__}

    @app.get("/ready", tags=["operation"], responses={503: ERRORS[503]})
    async def ready() -> dict[str, str]:
        """Say whether this server can work: the store has the tables of this version and can be written."""
        await writes.check()
        return {"status": "ready", "version": __version__}

"""Few requests of one account at a time, so that it cannot occupy every thread of the server."""

from __future__ import annotations

from weakref import WeakValueDictionary

from anyio import Semaphore
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coactor.web.errors import error_response

RUNNING = 8  # requests of an account that are computed at the same time
WAITING = 100  # those that wait for their turn; more are answered 429
BUSY = "This account has too many requests running; try again in a few seconds."


class Turns:
    """The turns of each account. A turn ends when the response begins."""

    def __init__(self) -> None:
        self._of = WeakValueDictionary[str, Semaphore]()

    async def run(self, account: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app in a turn of the account."""
        turns = self._of.setdefault(account, Semaphore(RUNNING, fast_acquire=True))
        if turns.statistics().tasks_waiting >= WAITING:
            await error_response(scope, 429, BUSY, {"Retry-After": "2"})(scope, receive, send)
            return
        await turns.acquire()
        ended = False

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                turns.release()

        async def send_and_end(message: Message) -> None:
            end()  # what is still to be sent occupies no thread
            await send(message)

        try:
            await app(scope, receive, send_and_end)
        finally:
            end()

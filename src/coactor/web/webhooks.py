"""Tells another system which proposals were finished or reopened, by signed requests.

The requests are those of the Standard Webhooks specification 1.0: an id, a time, and an HMAC with SHA-256
over both and the body. Each event is sent until it is accepted, in the order of its study's log. How far that
is stands in the store, so that a restart neither loses events nor begins again. An event may arrive twice.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import time
from collections.abc import Callable

import httpx
import orjson
import sqlalchemy as sa

from coactor.studies import Store
from coactor.studies.log import schema
from coactor.studies.log.transactions import Head
from coactor.web.routes.events import brief

logger = logging.getLogger("coactor.webhooks")
KINDS = ("told", "reopened")
MARK = "webhook "  # in the table of metadata, before the id of a study
TIMEOUT = 10.0  # seconds for the other system to answer
PAUSE, LONGEST = 1.0, 300.0  # seconds after the first failure, which double up to the longest
AT_A_TIME = 100


class Webhook:
    """Sends events of every study in a store to an address.

    Parameters
    ----------
    store, url
        The store, and the address.
    secret
        The key of the signatures, which the other system has too.
    clock
        Monotonic seconds, for the pauses after failures.
    """

    def __init__(
        self, store: Store, url: str, secret: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.store, self.url, self._secret, self._clock = store, url, secret.encode(), clock
        self._pause = self._until = 0.0
        self._client = httpx.Client(timeout=TIMEOUT)  # one, because each reads the certificate authorities
        self._sent = self._positions()

    def _positions(self) -> dict[int, int]:
        """The last event sent of each study. The first time, what is in the log already is left out."""
        table = schema.meta
        with self.store.writing() as sql:
            rows = sql.connection.execute(sa.select(table).where(table.c.name.startswith(MARK))).all()
            if rows:
                return {int(row.name.removeprefix(MARK)): int(row.value) for row in rows}
            positions = {0: 0} | {head.id: head.seq for head in sql.studies()}
            values = [{"name": f"{MARK}{id}", "value": str(seq)} for id, seq in positions.items()]
            sql.connection.execute(table.insert(), values)
        return positions

    def deliver(self) -> None:
        """Send what is new; after a failure, only when its pause is over."""
        if self._clock() < self._until:
            return
        with self.store.reading() as sql:
            heads = sql.studies()
        for head in heads:
            if head.seq > self._sent.get(head.id, 0) and not self._deliver(head):
                return

    def _deliver(self, head: Head) -> bool:
        """Send the events of a study; return whether all that were tried were accepted."""
        with self.store.reading() as sql:
            new = sql.of_kind(head.id, *KINDS, after=self._sent.get(head.id, 0), limit=AT_A_TIME)
            events = [brief(entry.body) for entry in new]
        for event in events:
            id = f"{head.id}-{event['seq']}"
            error = self._send(id, orjson.dumps({"study": head.name, **event}))
            if error:
                self._pause = min(LONGEST, 2 * self._pause or PAUSE)
                self._until = self._clock() + self._pause
                logger.warning("Event %s was not accepted (%s); again in %g s", id, error, self._pause)
                return False
            self._pause = 0.0
            self._remember(head.id, event["seq"])
            logger.info("Event %s was accepted", id)
        if len(events) < AT_A_TIME:
            self._sent[head.id] = max(head.seq, self._sent.get(head.id, 0))
        return True

    def _send(self, id: str, body: bytes) -> str:
        """Send one event; return what went wrong."""
        now = str(int(time.time()))
        signed = hmac.digest(self._secret, f"{id}.{now}.".encode() + body, hashlib.sha256)
        headers = {
            "content-type": "application/json",
            "webhook-id": id,
            "webhook-timestamp": now,
            "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
        }
        try:
            answer = self._client.post(self.url, content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"{type(error).__name__}: {error}"
        return "" if answer.is_success else f"status {answer.status_code}"

    def _remember(self, study: int, seq: int) -> None:
        self._sent[study] = seq
        table, name = schema.meta, f"{MARK}{study}"
        with self.store.writing(synced=False) as sql:
            sql.connection.execute(table.delete().where(table.c.name == name))
            sql.connection.execute(table.insert(), {"name": name, "value": str(seq)})

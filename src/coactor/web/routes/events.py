"""Routes of the log: a list of facts, or server-sent events as they are written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

import anyio
import orjson
from anyio import to_thread
from fastapi import APIRouter, Header, Request, Response
from fastapi import Query as Parameter
from fastapi.responses import StreamingResponse

from coactor.studies import NotFound, Store, Unavailable
from coactor.studies.log.chain import outline
from coactor.web.auth.permissions import Me, require
from coactor.web.open_studies import OpenStudies
from coactor.web.routes.requests import LARGEST, Limit, StudyName
from coactor.web.routes.responses import Events, json_response
from coactor.web.streams import Streams

KINDS = ("created", "asked", "told", "said", "reopened", "rolled back", "configured", "erased")  # in a stream
BRIEF = (
    *("seq", "time", "kind", "actor", "via", "proposal", "version", "key", "label", "asked_for"),
    *("learned_for", "effort", "accepted", "learn", "cut", "note", "to", "reason", "settings"),
    *("feature", "wish"),
)
POLL = 0.5  # seconds between two looks at the store
SILENCE = 15.0  # seconds after which a comment is sent, so that no proxy closes the connection
LASTS = 60.0  # seconds of a stream; its client connects again, with a credential that is checked again
MEDIA_TYPE = "text/event-stream"

Since = Annotated[
    int | None,
    Parameter(
        ge=0,
        le=LARGEST,
        description="Return what comes after this number; by default all, in a stream what is new.",
    ),
]
LastEventId = Annotated[
    int | None,
    Header(alias="Last-Event-ID", ge=0, le=LARGEST, description="Of a stream: go on after this event."),
]


def frames(streams: Streams, store: Store, study: int, after: int) -> Iterator[bytes]:
    """What to send after each look at the store; nothing if there is nothing new."""
    began = spoke = streams.clock()
    while not streams.stopped and streams.clock() - began < LASTS:
        try:
            with store.reading() as sql:
                newest, _ = sql.head(study)
                entries = list(sql.of_kind(study, *KINDS, after=after, limit=100)) if newest > after else []
        except (NotFound, Unavailable):
            return  # the client connects again and is told why
        after = entries[-1].seq if len(entries) == 100 else newest
        text = b"".join(_event(entry.body) for entry in entries)
        if not text and streams.clock() - spoke > SILENCE:
            text = b": nothing new\n\n"
        spoke = streams.clock() if text else spoke
        yield text


def brief(body: bytes) -> dict[str, Any]:
    """Return a stored fact as an event."""
    fact = outline(body)
    return {name: fact[name] for name in BRIEF if name in fact}


def _event(body: bytes) -> bytes:
    fact = brief(body)
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (fact["seq"], fact["kind"].encode(), orjson.dumps(fact))


def add_routes(router: APIRouter, studies: OpenStudies) -> None:
    """Add the route of the log."""
    streams = studies.streams

    @router.get(
        "/studies/{study}/events",
        tags=["studies"],
        response_model=Events,
        responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
    )
    async def list_events(
        request: Request,
        study: StudyName,
        account: Me,
        after: Since = None,
        limit: Limit = 100,
        last_event_id: LastEventId = None,
    ) -> Response:
        """List the facts of the log after a sequence number; continue from `next`.

        With `Accept: text/event-stream` the answer is a stream of server-sent events: proposals, tells and
        versions as they are written, by whichever server. Edits and leases are left out.
        """
        require(account, "read", study)
        if MEDIA_TYPE not in request.headers.get("accept", ""):
            return await to_thread.run_sync(_list, studies.store, study, after or 0, limit)
        id, newest = await to_thread.run_sync(_head, studies.store, study)
        start = next((number for number in (last_event_id, after) if number is not None), newest)
        streams.check(account.name)

        async def content() -> AsyncIterator[bytes]:
            with streams.counted(account.name):
                yield b"retry: 1000\n\n"
                looks = frames(streams, studies.store, id, start)
                while (text := await to_thread.run_sync(next, looks, None)) is not None:
                    if text:
                        yield text
                    else:
                        await anyio.sleep(POLL)

        headers = {"X-Accel-Buffering": "no", "Content-Encoding": "identity"}  # no proxy may buffer it
        return StreamingResponse(content(), media_type=MEDIA_TYPE, headers=headers)


def _list(store: Store, study: str, after: int, limit: int) -> Response:
    with store.reading() as sql:
        events = [outline(body) for body in sql.bodies(sql.find(study).id, after, limit)]
    return json_response({"events": events, "next": events[-1]["seq"] if events else after})


def _head(store: Store, study: str) -> tuple[int, int]:
    with store.reading() as sql:
        head = sql.find(study)
    return head.id, head.seq

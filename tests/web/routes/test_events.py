"""The log as a list, and as server-sent events."""

from __future__ import annotations

import json

from coactor.studies import Store, Study, open_study
from coactor.web import streams
from coactor.web.routes import events
from coactor.web.streams import Streams
from tests.studies.stubs import Clock, tours
from tests.web.conftest import MOVE, PROPOSALS, ask

EVENTS = "/api/studies/tours/events"
STREAM = {"accept": "text/event-stream"}


class Listener:
    """A client that reads server-sent events, one at a time."""

    def __init__(self, client, path=EVENTS, **headers):
        self._stream = client.stream("GET", path, headers=STREAM | headers)

    def __enter__(self):
        self.answer = self._stream.__enter__()
        self._lines = self.answer.iter_lines()
        return self

    def __exit__(self, *error):
        self._stream.__exit__(*error)

    def next(self):
        """The next event: its fields."""
        fields = {}
        for line in self._lines:
            if not line and "data" in fields:
                return fields | {"data": json.loads(fields["data"])}
            name, _, value = line.partition(": ")
            fields |= {name: value} if name else {}
        return None


def test_a_stream_has_proposals_tells_and_versions_and_no_leases(admin, server):
    admin.post(f"{PROPOSALS}/1/claim")
    admin.post(f"{PROPOSALS}/1/edits", json={"moves": [MOVE]}, headers={"If-Match": '"0"'})
    admin.post(f"{PROPOSALS}/1/submit", json={"note": "late"}, headers={"If-Match": '"1"'})
    admin.post("/api/studies/tours/rollback", json={"to": 0, "reason": "a test"})
    with Listener(server.client("viewer"), f"{EVENTS}?after=0") as stream:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        seen = [stream.next() for _ in range(4)]
    assert [event["event"] for event in seen] == ["created", "asked", "told", "rolled back"]
    assert [event["id"] for event in seen] == ["1", "2", "5", "6"]
    told = seen[2]["data"]
    assert (told["proposal"], told["version"], told["effort"], told["learn"]) == (1, 1, 1.0, True)
    assert (told["actor"], told["note"]) == ("admin-*", "late")
    assert not {"state", "solution", "config", "moves", "case"} & {key for e in seen for key in e["data"]}


def test_a_stream_starts_at_the_end_of_the_log_and_goes_on_after_the_last_event(admin, server):
    with Listener(admin) as stream:
        ask(server.client("solver"), server, 1)
        first = stream.next()
    assert (first["id"], first["data"]["proposal"], first["data"]["label"]) == ("3", 2, "t1")
    ask(server.client("solver"), server, 2)
    with Listener(admin, **{"last-event-id": first["id"]}) as stream:  # as browsers do when they reconnect
        assert stream.next()["data"]["proposal"] == 3
    for wrong in ("x", "-1", "9" * 12):
        assert admin.get(EVENTS, headers=STREAM | {"last-event-id": wrong}).status_code == 422


def test_a_stream_has_what_another_process_writes(admin, server, store):
    with Store(store.engine.url.render_as_string()) as other, Listener(admin) as stream:
        study = Study(other, "tours")
        study.tell(study.proposals()[0].id, moves=[], actor="elsewhere")
        assert stream.next()["data"]["actor"] == "elsewhere"


def test_a_stream_ends_after_its_time_and_when_the_server_stops(store):
    open_study(store, "tours", tours(1)[0], "CSPER", create=True).close()
    open_streams = Streams(Clock())
    with store.reading() as sql:
        study = sql.find("tours")
    frames = events.frames(open_streams, store, study.id, 0)
    assert b"event: created" in next(frames)
    assert next(frames) == b""  # nothing new
    open_streams.clock.now += events.SILENCE + 1
    assert next(frames).startswith(b":")
    open_streams.clock.now += events.LASTS
    assert list(frames) == []
    frames = events.frames(open_streams, store, study.id, 1)
    assert next(frames) == b""
    open_streams.stop()
    assert list(frames) == []


def test_an_account_may_open_so_many_streams(server, monkeypatch):
    monkeypatch.setattr(streams, "MOST_STREAMS", 2)
    client, export = server.client("lead"), "/api/studies/tours/export"
    with Listener(client), Listener(client):
        for path in (EVENTS, export):
            refused = client.get(path, headers=STREAM)
            assert refused.status_code == 429
            assert "2 streams" in refused.json()["detail"]
        with Listener(server.client("viewer", name="other")) as stream:
            assert stream.answer.status_code == 200

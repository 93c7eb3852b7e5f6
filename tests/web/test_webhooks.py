"""Another system is told of finished proposals: signed, in order, and again until it accepts."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import sqlalchemy as sa

from coactor.cli.serve import variable
from coactor.studies import Invalid, Store, open_study
from coactor.studies.log import schema
from coactor.studies.log.transfer import copy
from coactor.web import webhooks
from coactor.web.webhooks import Webhook
from tests.studies.stubs import Clock, flip, make

SECRET = "shared"


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/desk.db"


@contextmanager
def receiving():
    """Another system: what it accepted, and the statuses that it answers next."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            signed = b".".join(self.headers[f"webhook-{name}"].encode() for name in ("id", "timestamp"))
            expected = hmac.digest(SECRET.encode(), signed + b"." + body, hashlib.sha256)
            kind, _, signature = self.headers["webhook-signature"].partition(",")
            assert (kind, base64.b64decode(signature)) == ("v1", expected)
            status = server.statuses.pop(0) if server.statuses else 204
            if status == 204:
                server.accepted.append((self.headers["webhook-id"], json.loads(body)))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.accepted, server.statuses = [], []
    server.address = f"http://127.0.0.1:{server.server_port}/done"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


def test_finished_proposals_are_sent_once_and_in_order(url, receiver, monkeypatch):
    monkeypatch.setattr(webhooks, "AT_A_TIME", 2)
    with make(url) as study:
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=[])  # before there was a webhook
        hook = Webhook(study.store, receiver.address, SECRET)
        for k in range(5):
            study.tell(study.ask([1.0, 2.0, 3.0], key=f"order {k}"), moves=flip(0), actor="ana")
        with open_study(study.store, "new", study.domain, "PER", create=True) as new:
            new.tell(new.ask([1.0, 2.0, 3.0]), moves=[])
        study.desk().reopen(2, actor="ana")
        for _ in range(4):
            hook.deliver()
        Webhook(study.store, receiver.address, SECRET).deliver()  # after a restart
        events = [event for _, event in receiver.accepted]
        sent = [(event["study"], event["kind"], event["proposal"]) for event in events]
        assert [one for one in sent if one[0] == "new"] == [("new", "told", 1)]
        tells = [("desk", "told", id) for id in range(2, 7)]
        assert [one for one in sent if one[0] == "desk"] == [*tells, ("desk", "reopened", 2)]
        assert len({id for id, _ in receiver.accepted}) == len(events)
        first = next(event for event in events if event["study"] == "desk")
        assert (first["actor"], first["effort"], first["accepted"]) == ("ana", 1.0, False)


def test_failed_event_is_sent_again_after_growing_pauses(url, receiver, caplog):
    clock = Clock()
    with make(url) as study:
        hook = Webhook(study.store, receiver.address, SECRET, lambda: clock.now)
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=[])
        receiver.statuses[:] = [500, 302]
        for pause in (1.0, 2.0):
            hook.deliver()
            hook.deliver()  # too early
            clock.now += pause
        assert receiver.accepted == receiver.statuses == []
        hook.deliver()
        assert [event["proposal"] for _, event in receiver.accepted] == [1]
        assert "(status 500); again in 1 s" in caplog.text
        assert "(status 302); again in 2 s" in caplog.text


def test_event_that_was_not_accepted_is_sent_from_a_copy_of_the_store(url, receiver, tmp_path):
    receiver.statuses[:] = [500]
    with make(url) as study, Store(f"sqlite:///{tmp_path}/copy.db") as target:
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=[])  # before there was a webhook
        hook = Webhook(study.store, receiver.address, SECRET)
        study.tell(study.ask([1.0, 2.0, 3.0], key="late"), moves=[])
        hook.deliver()
        assert receiver.accepted == []
        copy(study.store, target)
        Webhook(target, receiver.address, SECRET).deliver()
    assert [event["proposal"] for _, event in receiver.accepted] == [2]


def test_marks_of_other_studies_are_not_copied(url, receiver, tmp_path):
    with make(url) as study, Store(f"sqlite:///{tmp_path}/copy.db") as target:
        Webhook(study.store, receiver.address, SECRET)
        open_study(target, "other", study.domain, "PER", create=True).close()
        copy(study.store, target)
        with target.reading() as sql:
            assert sql.connection.execute(sa.select(sa.func.count()).select_from(schema.meta)).scalar() == 1


def test_unreachable_system_is_logged(url, caplog):
    with make(url) as study:
        hook = Webhook(study.store, "http://127.0.0.1:9/", SECRET)
        study.tell(study.ask([1.0, 2.0, 3.0]), moves=[])
        hook.deliver()
        assert "ConnectError" in caplog.text


def test_webhook_needs_a_secret(monkeypatch):
    monkeypatch.delenv("COACTOR_WEBHOOK_SECRET", raising=False)
    with pytest.raises(Invalid, match="is not set"):
        variable("COACTOR_WEBHOOK_SECRET")
    monkeypatch.setenv("COACTOR_WEBHOOK_SECRET", SECRET)
    assert variable("COACTOR_WEBHOOK_SECRET") == SECRET

"""The app as a whole: health, metrics, two servers on one store, no demo in production."""

from __future__ import annotations

import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx
import pytest
import sqlalchemy as sa

from coactor.cli.serve import load_demo
from coactor.domains import Tour
from coactor.studies import Store, open_study
from coactor.studies.log import schema
from coactor.web import demo, health
from coactor.web.app import create_app
from tests.web.conftest import EDIT, PROPOSALS, ask, serving


def test_two_servers_on_one_store_act_as_one(server, store):
    solver, ana = server.client("solver"), server.client("expert", name="ana")
    with serving(create_app(store, lease=60.0)) as second:
        ana.base_url, there = second, server.client("expert", name="ben")
        ask(solver, server)
        assert ana.post("/api/studies/tours/queue/next").json()["id"] == 1
        assert there.post("/api/studies/tours/queue/next").status_code == 204
        assert ana.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 200
        assert there.get(f"{PROPOSALS}/1").json()["revision"] == 1
        ana.post(f"{PROPOSALS}/1/submit", json={}, headers={"If-Match": '"1"'})
        assert ask(solver, server, 1)["basis"]["version"] == 1


def test_health_metrics_and_openapi(server):
    solver = server.client("solver")
    ask(solver, server)
    health = server.client().get("/health").json()
    assert (health["status"], sorted(health)) == ("ok", ["status", "version"])  # and nothing about studies
    text = solver.get("/metrics").text
    assert 'coactor_open{study="tours"} 1.0' in text
    assert 'route="/api/studies/{study}/proposals",status="201"} 1.0' in text
    assert server.client("solver", study="tours", name="small").get("/metrics").status_code == 403
    assert solver.get("/api/openapi.json").json()["openapi"].startswith("3.1")


def test_serve_loads_the_demo_only_for_demo_studies(store):
    assert load_demo(store, create=False) is None
    with open_study(store, "try-something", Tour(5, 2), "PER", create=True):
        assert load_demo(store, create=False) is demo


def test_metrics_have_the_last_solving_and_forget_deleted_studies(server):
    admin = server.client("admin")
    assert 'coactor_solve_seconds{study="tours"}' not in admin.get("/metrics").text
    ask(admin, server)
    solved = re.search(r'coactor_solve_seconds{study="tours"} (.*)', admin.get("/metrics").text)
    assert 0 < float(solved.group(1)) < 60
    admin.delete("/api/studies/tours")
    assert 'study="tours"' not in admin.get("/metrics").text


def test_ready_needs_the_tables_of_this_version_and_a_store_that_can_be_written(server, monkeypatch):
    monkeypatch.setattr(health, "FRESH", 0.0)
    client = server.client()
    assert client.get("/ready").json()["status"] == "ready"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "is_current", lambda connection: False)
        assert client.get("/ready").status_code == 503
    assert client.get("/ready").status_code == 200

    def on_a_full_disk(connection, _):
        connection.execute("PRAGMA query_only = ON")

    sa.event.listen(server.store.engine, "connect", on_a_full_disk)
    server.store.engine.dispose()  # the next connections cannot write
    assert [client.get(path).status_code for path in ("/ready", "/health")] == [503, 200]


def test_health_and_ready_answer_while_the_store_hangs(server, monkeypatch):
    monkeypatch.setattr(health, "FRESH", 0.0)
    go_on, client = threading.Event(), server.client()
    assert [client.get(path).status_code for path in ("/ready", "/health")] == [200, 200]
    monkeypatch.setattr(health, "PATIENCE", 0.01)
    monkeypatch.setattr(Store, "_connected", lambda store: go_on.wait(60))
    paths = ["/ready", "/health"] * 3
    assert [client.get(path).status_code for path in paths] == [200] * 6  # as they were a moment ago
    monkeypatch.setattr(health, "STALE", 0.0)
    assert [client.get(path).status_code for path in paths] == [503] * 6
    go_on.set()


def test_requests_have_an_id_in_the_response_and_in_the_log(server, caplog):
    caplog.set_level(logging.INFO, "coactor.access")
    admin = server.client("admin")
    assert admin.get("/api/me", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    made = admin.get("/api/me", headers={"X-Request-ID": "<b>"}).headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{16}", made)
    logged = list[str]()
    while made not in logged:  # a record is written after its response
        logged = [r.request for r in caplog.records if hasattr(r, "request")]
    assert logged == ["abc-1", made]


def test_span_of_a_request_has_its_id(store):
    trace = pytest.importorskip("opentelemetry.trace")
    attributes = {}

    class Span(trace.NonRecordingSpan):
        def set_attribute(self, key, value):
            attributes[key] = value

    app = create_app(store)

    async def traced(*asgi):
        with trace.use_span(Span(trace.INVALID_SPAN_CONTEXT)):
            await app(*asgi)

    async def ask():
        transport = httpx.ASGITransport(traced)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.get("/health", headers={"X-Request-ID": "abc-1"})

    with ThreadPoolExecutor() as pool:  # a browser of other tests may run a loop in this thread
        pool.submit(anyio.run, ask).result()
    assert attributes == {"coactor.request_id": "abc-1"}

"""The app as a whole: health, metrics, two servers on one store, no demo in production."""

from __future__ import annotations

from coactor.web.app import create_app
from tests.web.conftest import EDIT, PROPOSALS, ask, serving


def test_two_servers_on_one_store_act_as_one(server, store):
    solver, ana = server.client("solver"), server.client("expert", name="ana")
    with serving(create_app(store, clock=server.clock, lease=60.0)) as second:
        ana.base_url, there = second, server.client("expert", name="ben")
        ask(solver, server)
        assert ana.post("/api/studies/tours/queue/next").json()["id"] == 1
        assert there.post("/api/studies/tours/queue/next").status_code == 204
        assert ana.post(f"{PROPOSALS}/1/edits", json=EDIT, headers={"If-Match": '"0"'}).status_code == 200
        assert there.get(f"{PROPOSALS}/1").json()["revision"] == 1
        ana.post(f"{PROPOSALS}/1/submit", json={}, headers={"If-Match": '"1"'})
        assert ask(solver, server, 1)["version"] == 1


def test_health_metrics_and_docs(server):
    solver = server.client("solver")
    ask(solver, server)
    assert server.client().get("/health").json()["status"] == "ok"
    text = solver.get("/metrics").text
    assert 'coactor_open{study="tours"} 1.0' in text
    assert 'route="/api/studies/{study}/proposals",status="201"} 1.0' in text
    assert server.client("solver", study="tours", name="small").get("/metrics").status_code == 403
    page = solver.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text.replace(server.address, "")
    assert "https://" not in page.text
    assert solver.get("/api/openapi.json").json()["openapi"].startswith("3.1")

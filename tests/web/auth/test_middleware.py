"""The middleware denies by default; a walk over every route, and what must stay outside."""

from __future__ import annotations

import logging
import re

import httpx
import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute

from coactor.studies.log import schema
from coactor.web.app import create_app
from coactor.web.routes.requests import BODY
from tests.web.conftest import BROWSER, PROPOSALS, serving

PUBLIC = {("GET", "/health"), ("GET", "/ready"), ("GET", "/login"), ("POST", "/login")}


def walk(found):
    """Routes, and those of routers that were included."""
    for route in found:
        inner = getattr(route, "original_router", None)
        if inner is None:
            yield route
        else:
            yield from walk(inner.routes)


def routes(store):
    """Every verb and address the app knows, with the gaps filled in."""
    for route in walk(create_app(store).routes):
        path = re.sub(r"{id(:\w+)?}", "1", getattr(route, "path", "")).replace("{study}", "tours")
        methods = route.methods if isinstance(route, APIRoute) else {"GET"}
        for method in sorted(methods or {"GET"}):
            yield method, path.replace("{path:path}", "x")


def test_every_route_needs_a_credential(server, store):
    client, seen = server.client(), 0
    for method, path in routes(store):
        if path.startswith("/static"):
            continue
        seen += 1
        answer = client.request(method, path, json={} if method == "POST" else None)
        if (method, path) in PUBLIC:
            assert answer.status_code != 401 or path == "/login", (method, path)
        else:
            assert answer.status_code == 401, (method, path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert "www-authenticate" in answer.headers
    assert seen > 25
    others = "GET /, GET /nowhere, GET /docs, GET /openapi.json, GET /redoc, GET /health/, GET //health"
    others += f", GET /static, PUT {PROPOSALS}, DELETE {PROPOSALS}, OPTIONS /api/me"
    for method, path in (line.split() for line in others.split(", ")):
        answer = client.request(method, path)
        assert answer.status_code in (401, 404, 405), (method, path, answer.status_code)
        assert answer.status_code == 401 or path.startswith("/static")


def test_session_cookie_is_refused_from_another_origin(server):
    browser = server.client()
    browser.get("/login", params={"code": server.accounts.login_link()})
    body = {"problem": server.problem(0)}
    for origin in (
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": server.address + ".evil.example"},
    ):
        answer = browser.post(PROPOSALS, json=body, headers=origin)
        assert answer.status_code == 403, origin
    assert browser.post(PROPOSALS, json=body, headers={"Origin": server.address}).status_code == 201
    assert (
        browser.get(PROPOSALS, headers={"Origin": "http://evil.example"}).headers.get(
            "access-control-allow-origin"
        )
        is None
    )
    evil = server.client().post("/login", data={"token": "x"}, headers={"Origin": "http://evil.example"})
    assert evil.status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1:x", "[::1", "a b"]
)
def test_unknown_host_is_refused(shared_server, host):
    answer = shared_server.client("admin").get("/health", headers={"Host": host})
    assert answer.status_code == 400, answer.text
    assert "--allow-host" in answer.json()["detail"] if host else True


def test_allowed_host_is_accepted(store):
    with (
        serving(create_app(store, hosts=["plan.example"])) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        assert client.get("/health", headers={"Host": "Plan.Example:443"}).status_code == 200
        assert client.get("/health", headers={"Host": "localhost"}).status_code == 200
        assert client.get("/health", headers={"Host": "other.example"}).status_code == 400


@pytest.mark.parametrize(
    "path", ["../app.py", "%2e%2e/app.py", "..%2f..%2fcli.py", "/etc/passwd", "%00", "a" * 5000, ".", ""]
)
def test_static_files_stay_in_their_folder(shared_server, path):
    answer = shared_server.client().get(f"/static/{path}")
    assert 400 <= answer.status_code < 500, answer.status_code


@pytest.mark.parametrize(
    "study", ["..", "%2e%2e", "a%2fb", "a%00", "x" * 65, "%F0%9F%92%A5", "' OR 1=1 --", "tours%0a"]
)
def test_invalid_study_name_is_refused(shared_server, study):
    admin = shared_server.client("admin")
    for method, path in (("GET", ""), ("GET", "/effort"), ("POST", "/queue/next")):
        assert admin.request(method, f"/api/studies/{study}{path}").status_code in (404, 405, 422)


def test_wrong_credentials_are_throttled(server):
    good, bad = server.client("admin"), server.client(Authorization="Bearer coactor_nobody_nothing")
    answers = [bad.get("/api/me").status_code for _ in range(14)]
    assert answers == [401] * 10 + [429] * 4
    assert int(bad.get("/api/me").headers["retry-after"]) > 0
    assert good.get("/api/me").status_code == 200
    for wrong in ("Basic eDp5", "Bearer", "", "Bearer a b c"):
        assert server.client(Authorization=wrong).get("/api/me").status_code in (401, 429)


def test_revoked_token_is_refused_at_once(server):
    client = server.client("expert", name="ana")
    assert client.get("/api/me").status_code == 200
    server.accounts.revoke("ana")
    assert client.get("/api/me").status_code == 401


def test_every_response_has_security_headers(server):
    client = server.client("admin")
    for answer in (
        client.get("/health"),
        client.get("/nowhere"),
        client.get("/api/openapi.json"),
        client.get("/static/styles/base.css"),
        server.client().get("/api/me"),
        client.get("/health", headers={"Host": "evil"}),
        client.get("/login"),
        client.post(PROPOSALS, content=b"x" * (BODY + 1)),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store" or answer.url.path.startswith("/static")
        assert "server" not in answer.headers


def test_secrets_are_in_no_log_and_no_table(server, caplog):
    caplog.set_level(logging.DEBUG)
    code = server.accounts.login_link()
    browser = server.client(**BROWSER)
    cookie = re.search(
        r"coactor_session=([^;]+)", browser.get("/login", params={"code": code}).headers["set-cookie"]
    )[1]
    server.client().get("/login", params={"code": code})
    expert = server.client("expert", name="ana")
    expert.get("/api/me")
    expert.get("/api/nowhere")
    server.client().post("/login", data={"token": server.tokens["ana"]})
    wrong = server.client(Authorization="Bearer " + server.tokens["ana"] + "x")
    assert wrong.get("/api/me").status_code == 401
    # The client in this process logs what it sends; that is not the server's log.
    logged = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("http"))
    secrets = [code, cookie, server.tokens["ana"], server.tokens["ana"].split("_", 2)[2]]
    with server.store.reading() as sql:
        tables = "".join(
            repr(sql.connection.execute(sa.select(t)).all()) for t in schema.tables.sorted_tables
        )
    assert "/api/me" in logged  # the log is there, and says who
    assert "ana" in logged
    for secret in secrets:
        assert secret not in logged
        assert secret not in tables

"""Who may come in: a walk over every route, role and study; and what must stay outside."""

from __future__ import annotations

import logging
import re

import httpx
import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute

from coactor.studies.log import schema
from coactor.web.app import create_app
from coactor.web.auth.limits import BODY, COUNT, DEPTH

PLACE = "/api/studies/tours/proposals"
OPEN = {("GET", "/health"), ("GET", "/login"), ("POST", "/login")}
LOGIN = {"accept": "text/html"}


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


def test_every_route_is_closed_to_strangers(desk, store):
    client, seen = desk.client(), 0
    for method, path in routes(store):
        if path.startswith("/static"):
            continue
        seen += 1
        answer = client.request(method, path, json={} if method == "POST" else None)
        if (method, path) in OPEN:
            assert answer.status_code != 401 or path == "/login", (method, path)
        else:
            assert answer.status_code == 401, (method, path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert "www-authenticate" in answer.headers
    assert seen > 25
    others = "GET /, GET /nowhere, GET /docs, GET /openapi.json, GET /redoc, GET /health/, GET //health"
    others += f", GET /static, PUT {PLACE}, DELETE {PLACE}, OPTIONS /api/me"
    for method, path in (line.split() for line in others.split(", ")):
        answer = client.request(method, path)
        assert answer.status_code in (401, 404, 405), (method, path, answer.status_code)
        assert answer.status_code == 401 or path.startswith("/static")


VERBS = {
    "read": ("GET", f"{PLACE}/1", None),
    "list": ("GET", PLACE, None),
    "effort": ("GET", "/api/studies/tours/effort", None),
    "weights": ("GET", "/api/studies/tours/weights", None),
    "events": ("GET", "/api/studies/tours/events", None),
    "ask": ("POST", PLACE, {"problem": None}),
    "tell": ("POST", f"{PLACE}/1/tell", {}),
    "next": ("POST", "/api/studies/tours/queue/next", None),
    "claim": ("POST", f"{PLACE}/1/claim", None),
    "edit": ("POST", f"{PLACE}/1/edits", {}),
    "submit": ("POST", f"{PLACE}/1/submit", {}),
    "release": ("POST", f"{PLACE}/1/release", None),
    "reopen": ("POST", f"{PLACE}/9/reopen", None),
    "rollback": ("POST", "/api/studies/tours/rollback", {"to": 99, "reason": "x"}),
    "export": ("GET", "/api/studies/tours/export", None),
}
READ = {"read", "list", "effort", "weights", "events"}
EDIT = {"next", "claim", "edit", "submit", "release", "reopen"}
MAY = {"expert": READ | EDIT, "solver": READ | {"ask", "tell"}, "lead": set(VERBS), "admin": set(VERBS)}


@pytest.mark.parametrize("role", MAY)
def test_role_by_study_by_verb(desk, role):
    desk.client("admin").post(PLACE, json={"problem": desk.problem(0)})
    inside, everywhere = desk.client(role, "tours"), desk.client(role, "*")
    outside = desk.client(role, "elsewhere")
    for verb, (method, path, body) in VERBS.items():
        for client in (inside, everywhere):
            status = client.request(method, path, json=body).status_code
            # Allowed calls may fail for another reason (these bodies are half empty), but not with 403.
            assert (status != 403) == (verb in MAY[role]), (role, verb, status)
            assert status not in (401, 500)
        assert outside.request(method, path, json=body).status_code == 404, verb
    assert outside.get("/api/studies").json() == []
    create = {"name": f"new-{role}", "domain": {"name": "tour"}, "learner": "PER"}
    assert everywhere.post("/api/studies", json=create).status_code == (201 if role == "admin" else 403)
    assert inside.post("/api/studies", json=create).status_code == 404


def test_log_in_by_link_once_and_out_again(desk):
    code = desk.accounts.login_link()
    browser = desk.client(**LOGIN)
    assert browser.get("/").headers["location"] == "/login"
    first = browser.get("/login", params={"code": code})
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert browser.get("/api/me").json()["role"] == "admin"
    assert desk.client().get("/login", params={"code": code}).status_code == 401
    assert browser.post("/logout", headers={"Origin": desk.address}).status_code == 204
    browser.cookies.set(
        "coactor_session", re.search(r"coactor_session=([^;]+)", first.headers["set-cookie"])[1]
    )
    assert browser.get("/api/me").status_code == 401


def test_log_in_by_token(desk):
    desk.client("expert", "tours", "ana")
    browser = desk.client()
    assert "Log in" in browser.get("/login").text
    assert browser.post("/login", json={"token": "coactor_x_y"}).status_code == 401
    for nonsense in (b"", b"[]", b"{", b"null", b'{"token": 5}', b"\xff"):
        assert browser.post("/login", content=nonsense).status_code in (401, 422)
    form = browser.post("/login", data={"token": desk.tokens["ana"]}, headers={"Origin": desk.address})
    assert (form.status_code, form.headers["location"]) == (303, "/")
    assert browser.get("/api/me").json() == {"name": "ana", "role": "expert", "study": "tours"}


def test_another_site_cannot_use_somebodys_cookie(desk):
    browser = desk.client()
    browser.get("/login", params={"code": desk.accounts.login_link()})
    body = {"problem": desk.problem(0)}
    for origin in (
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": desk.address + ".evil.example"},
    ):
        answer = browser.post(PLACE, json=body, headers=origin)
        assert answer.status_code == 403, origin
    assert browser.post(PLACE, json=body, headers={"Origin": desk.address}).status_code == 201
    assert (
        browser.get(PLACE, headers={"Origin": "http://evil.example"}).headers.get(
            "access-control-allow-origin"
        )
        is None
    )
    evil = desk.client().post("/login", data={"token": "x"}, headers={"Origin": "http://evil.example"})
    assert evil.status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1:x", "[::1", "a b"]
)
def test_hostile_hosts(still_desk, host):
    answer = still_desk.client("admin").get("/health", headers={"Host": host})
    assert answer.status_code == 400, answer.text
    assert "--allow-host" in answer.json()["detail"] if host else True


def test_a_name_may_be_allowed(store):
    from tests.web.conftest import serving

    with (
        serving(create_app(store, hosts=["plan.example"])) as address,
        httpx.Client(base_url=address) as client,
    ):
        assert client.get("/health", headers={"Host": "Plan.Example:443"}).status_code == 200
        assert client.get("/health", headers={"Host": "localhost"}).status_code == 200
        assert client.get("/health", headers={"Host": "other.example"}).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fcli.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/styles/reference.css%00.txt",
        "/static/" + "a" * 5000,
        "/static/.",
        "/static/",
    ],
)
def test_traversal(still_desk, path):
    answer = still_desk.client().get(path)
    assert 400 <= answer.status_code < 500, answer.status_code


@pytest.mark.parametrize(
    "study", ["..", "%2e%2e", "a%2fb", "a%00", "x" * 65, "%F0%9F%92%A5", "' OR 1=1 --", "tours%0a"]
)
def test_odd_names_of_studies(still_desk, study):
    admin = still_desk.client("admin")
    for method, path in (("GET", ""), ("GET", "/effort"), ("POST", "/queue/next")):
        assert admin.request(method, f"/api/studies/{study}{path}").status_code in (404, 405, 422)


def deep(levels):
    return b'{"problem": ' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"problem": NaN}', 422),
        (b'{"problem": Infinity}', 422),
        (b'{"problem": -Infinity}', 422),
        (b'{"problem": 1e999}', 422),
        (b'{"problem": 1e300}', 422),
        (b'{"problem": [1, 2, 1e300]}', 422),
        (b'{"problem": ' + b"9" * 5000 + b"}", 422),
        (deep(DEPTH + 1), 422),
        (deep(900), 422),
        (deep(200_000), 422),
        (b'{"problem": "' + b"x" * 30_000 + b'"}', 422),
        (b'{"' + b"x" * 30_000 + b'": 1}', 422),
        (b'{"problem": [' + b"0," * COUNT + b"0]}", 422),
        (b"\xff\xfe", 422),
        (b"", 422),
        (b"null", 422),
        (b"[]", 422),
        (b'{"problem": 1', 422),
        (b'{"problem": "\\ud800"}', 422),
        (b'{"problem": "' + b"x" * (BODY + 1) + b'"}', 413),
    ],
    ids=lambda value: None if isinstance(value, int) else f"{value[:24]!r}-{len(value)}",
)
def test_hostile_bodies(still_desk, body, status):
    answer = still_desk.client("admin").post(
        PLACE, content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.json()["detail"]) < 600


def test_oversize_without_a_length(still_desk):
    def stream():
        for _ in range(BODY // 2**16 + 2):
            yield b" " * 2**16

    answer = still_desk.client("admin").post(
        PLACE, content=stream(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413


def test_only_json_is_read(still_desk):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = still_desk.client("admin").post(
            PLACE, content=b'{"problem": {}}', headers={"Content-Type": kind}
        )
        assert answer.status_code == 422, (kind, answer.text)


def test_wrong_credentials_are_slowed_down_and_good_ones_are_not(desk):
    good, bad = desk.client("admin"), desk.client(Authorization="Bearer coactor_nobody_nothing")
    answers = [bad.get("/api/me").status_code for _ in range(14)]
    assert answers == [401] * 10 + [429] * 4
    assert int(bad.get("/api/me").headers["retry-after"]) > 0
    assert good.get("/api/me").status_code == 200
    for wrong in ("Basic eDp5", "Bearer", "", "Bearer a b c"):
        assert desk.client(Authorization=wrong).get("/api/me").status_code in (401, 429)


def test_a_revoked_token_is_out_within_a_moment(desk, monkeypatch):
    import coactor.web.auth.middleware as security

    monkeypatch.setattr(security, "CACHE_SECONDS", 0.0)
    client = desk.client("expert", name="ana")
    assert client.get("/api/me").status_code == 200
    desk.accounts.revoke("ana")
    assert client.get("/api/me").status_code == 401


def test_every_answer_carries_the_headers(desk):
    client = desk.client("admin")
    for answer in (
        client.get("/health"),
        client.get("/nowhere"),
        client.get("/api/docs"),
        client.get("/static/styles/reference.css"),
        desk.client().get("/api/me"),
        client.get("/health", headers={"Host": "evil"}),
        client.get("/login"),
        client.post(PLACE, content=b"x" * (BODY + 1)),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store" or answer.url.path.startswith("/static")
        assert "server" not in answer.headers


def test_secrets_are_in_no_log_and_no_table(desk, caplog):
    caplog.set_level(logging.DEBUG)
    code = desk.accounts.login_link()
    browser = desk.client(**LOGIN)
    cookie = re.search(
        r"coactor_session=([^;]+)", browser.get("/login", params={"code": code}).headers["set-cookie"]
    )[1]
    desk.client().get("/login", params={"code": code})
    expert = desk.client("expert", name="ana")
    expert.get("/api/me")
    expert.get("/api/nowhere")
    desk.client().post("/login", json={"token": desk.tokens["ana"]})
    wrong = desk.client(Authorization="Bearer " + desk.tokens["ana"] + "x")
    assert wrong.get("/api/me").status_code == 401
    # The client in this process logs what it sends; that is not the server's log.
    logged = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("http"))
    secrets = [code, cookie, desk.tokens["ana"], desk.tokens["ana"].split("_", 2)[2]]
    with desk.store.reading() as sql:
        tables = "".join(repr(sql.sql.execute(sa.select(t)).all()) for t in schema.tables.sorted_tables)
    assert "/api/me" in logged  # the log is there, and says who
    assert "ana" in logged
    for secret in secrets:
        assert secret not in logged
        assert secret not in tables


def test_markup_stays_text(desk):
    admin = desk.client("admin")
    nasty = "<img src=x onerror=alert(1)>"
    admin.post(PLACE, json={"problem": desk.problem(0), "label": nasty})
    for path in ("/api/docs", PLACE, f"{PLACE}/1", "/api/studies/tours/events"):
        answer = admin.get(path)
        assert answer.headers["content-type"].startswith("application/json") or nasty not in answer.text


def test_a_bug_of_ours_is_a_plain_500(desk, monkeypatch):
    from coactor.studies.study import Study

    def broken(self, *args, **kwargs):
        raise RuntimeError("secret inside")

    monkeypatch.setattr(Study, "effort", broken)
    answer = desk.client("admin").get("/api/studies/tours/effort")
    assert answer.status_code == 500
    assert "secret inside" not in answer.text
    assert "content-security-policy" in answer.headers

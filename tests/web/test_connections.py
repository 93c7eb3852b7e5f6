"""Clients that send slowly, and many of them: the others are answered."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

from coactor.web.auth import turns
from coactor.web.auth.middleware import FAILURES, LOGIN_BODY
from tests.web.conftest import Server

HALF = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Half: "
BODY = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ntoken="


def connected(server: Server, sent: bytes) -> socket.socket:
    """A connection of a client that has sent something."""
    url = urlsplit(server.address)
    client = socket.create_connection((url.hostname, url.port), timeout=30)
    client.sendall(sent)
    return client


def test_half_open_connections_leave_the_server_to_others(server):
    with ExitStack() as stack:
        for k in range(300):
            stack.enter_context(connected(server, (HALF, BODY)[k % 2]))
        assert all(server.client().get("/health").status_code == 200 for _ in range(10))


def test_headers_have_a_limit(server):
    with connected(server, HALF) as client:
        client.settimeout(10)
        with suppress(ConnectionError):  # it closes the connection while more is sent
            client.sendall(b"a" * 2**22)
            assert b" 400 " in client.recv(65536).partition(b"\r\n")[0]


def test_login_takes_a_small_body_and_is_throttled_before_it_is_read(server):
    client = server.client()
    assert client.post("/login", content=b"a" * (LOGIN_BODY + 1)).status_code == 413
    assert client.post("/login", content=iter([b"a" * LOGIN_BODY, b"a"])).status_code == 413
    for _ in range(FAILURES):
        assert client.post("/login", data={"token": "wrong"}).status_code == 401
    with connected(server, BODY) as half:  # is answered before its body has come
        assert b" 429 " in half.recv(65536).partition(b"\r\n")[0]
    assert client.get("/login").status_code == 200


def test_account_runs_few_requests_at_a_time(server, monkeypatch):
    monkeypatch.setattr(turns, "RUNNING", 2)
    monkeypatch.setattr(turns, "WAITING", 3)
    begun, go_on = threading.Semaphore(0), threading.Event()

    def slow() -> None:
        begun.release()
        assert go_on.wait(60)

    server.app.get("/slow")(slow)
    ana, others = server.client("viewer", name="ana"), server.client("viewer")
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(ana.get, "/slow") for _ in range(6)]
        assert next(as_completed(asked)).result().status_code == 429
        assert others.get("/api/me").status_code == 200
        assert [begun.acquire(timeout=60) for _ in range(2)] == [True, True]
        assert not begun.acquire(blocking=False)
        go_on.set()
        assert sorted(one.result().status_code for one in asked) == [200] * 5 + [429]

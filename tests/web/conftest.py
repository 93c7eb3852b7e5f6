"""A real server in this process, on a free port, with a study of small tours."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from coactor.studies import Store, open_study
from coactor.studies.accounts import Accounts
from coactor.web.app import create_app, server_config
from tests.studies.stubs import Clock, tours

PROPOSALS = "/api/studies/tours/proposals"
MOVE = {"op": "reverse", "args": [2, 4]}
EDIT = {"moves": [MOVE]}
BROWSER = {"accept": "text/html"}
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # httpx reads the certificate authorities for each client


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Run an app on a free port; yield its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(server_config(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        limit = time.monotonic() + 30
        while not server.started and thread.is_alive() and time.monotonic() < limit:
            time.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class Server:
    """A running server, and a client for each role."""

    def __init__(self, store: Store, address: str, clock: Clock, app: Any) -> None:
        self.store = store
        self.app = app
        self.address = address
        self.clock = clock
        self.accounts = Accounts(store)
        self.domain, self.problems = tours(20)
        self.tokens: dict[str, str] = {}
        self._clients: list[httpx.Client] = []

    def client(self, role: str = "", study: str = "*", name: str = "", **headers: str) -> httpx.Client:
        """Return a client with a token of this role, or without a token."""
        if role:
            name = name or f"{role}-{study}"
            if name not in self.tokens:
                self.tokens[name] = self.accounts.create(name, study, role)
            headers["Authorization"] = f"Bearer {self.tokens[name]}"
        client = httpx.Client(base_url=self.address, headers=headers, timeout=30, verify=NO_TLS)
        self._clients.append(client)
        return client

    def problem(self, number: int) -> Any:
        """Return a problem as JSON."""
        return self.domain.encode_problem(self.problems[number])

    def close(self) -> None:
        """Close all clients."""
        for client in self._clients:
            client.close()


def ask(client: httpx.Client, server: Server, number: int = 0, **headers: str) -> Any:
    """Ask for a problem; return the proposal."""
    body = {"problem": server.problem(number), "label": f"t{number}"}
    response = client.post(PROPOSALS, json=body, headers=headers)
    assert response.status_code == 201, response.text
    return response.json()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/desk.db", wait=5) as store:
        yield store


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for tests that change nothing."""
    with Store(f"sqlite:///{tmp_path_factory.mktemp('shared')}/desk.db") as store, running(store) as server:
        yield server


@pytest.fixture
def server(store: Store) -> Iterator[Server]:
    """A server for one test."""
    with running(store) as server:
        yield server


@pytest.fixture
def admin(server: Server) -> httpx.Client:
    """The client of an admin; one proposal waits."""
    client = server.client("admin")
    ask(client, server)
    return client


@contextmanager
def running(store: Store) -> Iterator[Server]:
    clock = store.clock = Clock()
    app = create_app(store, lease=60.0)
    with serving(app) as address:
        server = Server(store, address, clock, app)
        open_study(store, "tours", server.domain, "CSPER", create=True, settings={"grace": 100.0}).close()
        yield server
        server.close()

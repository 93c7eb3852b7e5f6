"""A real server in this process, on a free port, for each test that wants one."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from coactor.domains import Tour
from coactor.studies import Store, open_study
from coactor.studies.accounts import Accounts
from coactor.web.app import create_app
from tests.studies.stubs import Clock, tours


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Run an app on a free port; give its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(
            uvicorn.Config(app, access_log=False, log_level="warning", server_header=False)
        )
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


class Desk:
    """A server with a study of small tours, and a client for each role."""

    def __init__(self, store: Store, address: str, clock: Clock) -> None:
        self.store = store
        self.address = address
        self.clock = clock
        self.accounts = Accounts(store, clock)
        self.domain, self.problems = tours(20)
        self.tokens: dict[str, str] = {}
        self._clients: list[httpx.Client] = []

    def client(self, role: str = "", study: str = "*", name: str = "", **headers: str) -> httpx.Client:
        """A client with a token of this role; without one when no role is named."""
        if role:
            name = name or f"{role}-{study}"
            if name not in self.tokens:
                self.tokens[name] = self.accounts.create(name, study, role)
            headers["Authorization"] = f"Bearer {self.tokens[name]}"
        client = httpx.Client(base_url=self.address, headers=headers, timeout=30)
        self._clients.append(client)
        return client

    def problem(self, number: int) -> Any:
        return self.domain.encode_problem(self.problems[number])

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/desk.db", wait=5) as store:
        yield store


@pytest.fixture(scope="session")
def still_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A server shared by the tests that leave everything as it was."""
    with Store(f"sqlite:///{tmp_path_factory.mktemp('still')}/desk.db") as store, a_desk(store) as made:
        yield made


@pytest.fixture
def desk(store: Store) -> Iterator[Desk]:
    """A server of one's own."""
    with a_desk(store) as made:
        yield made


@contextmanager
def a_desk(store: Store) -> Iterator[Desk]:
    clock = Clock()
    app = create_app(store, clock=clock, lease=60.0)
    with serving(app) as address:
        made = Desk(store, address, clock)
        study = open_study(store, "tours", made.domain, "CSPER", create=True, clock=clock, grace=100.0)
        study.close()
        yield made
        made.close()


Maker = Callable[..., httpx.Client]
__all__ = ["Desk", "Tour", "serving"]

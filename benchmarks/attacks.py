"""What one account or nobody at all can do to the others: /health and writes while a server is attacked.

    python benchmarks/attacks.py [--facts 100000] [--seconds 8] [--only exports]

Each attack runs on loopback for some seconds, beside a client that asks for /health on new connections and a
solver that asks for proposals in a study of its own. The first row is without an attack.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.web.test_failures import ServerProcess

from coactor.domains import Tour
from coactor.studies import Store, open_study
from coactor.studies.accounts import Accounts
from studies import DOMAIN, _fill

PROBLEM = json.dumps({"problem": DOMAIN.encode_problem(next(DOMAIN.sample(np.random.default_rng(0), 1)))})


class Target:
    """A server under attack, and a token for each role."""

    def __init__(self, url: str, facts: int) -> None:
        with Store(url) as store:
            open_study(store, "work", DOMAIN, "CSPER", create=True).close()
            long = open_study(store, "long", DOMAIN, "CSPER", create=True)
            _fill(long, next(DOMAIN.sample(np.random.default_rng(3), 1)), facts)
            large = Tour(points=300, features=3)
            with open_study(store, "large", large, "CSPER", create=True) as study:
                study.ask(next(large.sample(np.random.default_rng(1), 1)))
            roles = {"viewer": "*", "solver": "work", "lead": "long"}
            accounts = Accounts(store)
            self.tokens = {role: accounts.create(role, study, role) for role, study in roles.items()}
        self.server = ServerProcess(url)
        self.place = self.server.address.removeprefix("http://")

    def request(self, path: str, role: str = "", body: Any = None, timeout: float = 60) -> tuple[int, float]:
        """The status of a request on a connection of its own, 0 if there is none, and its seconds."""
        headers = {"Authorization": f"Bearer {self.tokens[role]}"} if role else {}
        headers["Content-Type"] = "application/json"
        connection, began = HTTPConnection(self.place, timeout=timeout), time.perf_counter()
        try:
            connection.request("GET" if body is None else "POST", path, body, headers)
            with connection.getresponse() as answer:
                answer.read()
            return answer.status, time.perf_counter() - began
        except (OSError, HTTPException):
            return 0, time.perf_counter() - began
        finally:
            connection.close()

    def held(self, number: int, sent: str) -> list[socket.socket]:
        """Connections that have sent something and read nothing."""
        host, port = self.place.split(":")
        sockets = [socket.create_connection((host, int(port)), timeout=30) for _ in range(number)]
        for one in sockets:
            one.sendall(sent.encode())
        return sockets


@contextmanager
def repeated(number: int, work: Callable[[], Any]) -> Iterator[None]:
    """Do something in so many threads until the end of the block."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            work()

    with ThreadPoolExecutor(number) as pool:
        running = [pool.submit(run) for _ in range(number)]
        try:
            yield
        finally:
            stop.set()
    for one in running:
        one.result()


@contextmanager
def holding(target: Target, number: int, sent: str) -> Iterator[None]:
    sockets = target.held(number, sent)
    try:
        yield
    finally:
        for one in sockets:
            one.close()


def measured(target: Target, seconds: float) -> list[str]:
    """/health and asks for some seconds: the 50th and 99th percentile, the longest, and what failed."""
    times: dict[str, list[tuple[int, float]]] = {"health": [], "ask": []}

    def look(name: str, *request: Any) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            times[name].append(target.request(*request))
            time.sleep(0.02)

    asking = threading.Thread(
        target=look, args=("ask", "/api/studies/work/proposals", "solver", PROBLEM.encode())
    )
    asking.start()
    look("health", "/health")
    asking.join()
    health, ask = ([1000 * t for _, t in times[name]] for name in ("health", "ask"))
    failed = sum(status not in (200, 201) for rows in times.values() for status, _ in rows)
    quantiles = np.quantile(health, [0.5, 0.99, 1.0])
    return [*(f"{q:.0f}" for q in quantiles), f"{np.median(ask):.0f}", f"{max(ask):.0f}", str(failed)]


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--facts", type=int, default=100_000)
    options.add_argument("--seconds", type=float, default=8.0)
    options.add_argument("--only")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(f"sqlite:///{folder}/store.db", given.facts)
        export = f"GET /api/studies/long/export HTTP/1.1\r\nHost: {target.place}\r\n"
        export += f"Authorization: Bearer {target.tokens['lead']}\r\n\r\n"
        form = b"a=%41" * 1_500_000
        search = "/api/studies/large/proposals/1/moves?search="
        attacks: dict[str, Any] = {
            "none": lambda: repeated(1, lambda: time.sleep(0.1)),
            "exports": lambda: holding(target, 75, export),
            "searches": lambda: repeated(40, lambda: target.request(f"{search}{time.time()}", "viewer")),
            "reports": lambda: repeated(10, lambda: target.request("/api/studies/long/report", "viewer")),
            "tables": lambda: repeated(10, lambda: target.request("/api/studies/long/effort.csv", "viewer")),
            "half-open": lambda: holding(target, 520, "GET /health HTTP/1.1\r\nHost: "),
            "logins": lambda: repeated(4, lambda: target.request("/login", "", form)),
        }
        print(
            "| attack | health p50 ms | p99 | longest | ask p50 ms | longest | failed |\n" + "|---" * 7 + "|"
        )
        try:
            measured(target, 2.0)  # everything is compiled
            for name, attack in attacks.items():
                if given.only in (None, name):
                    with attack():
                        print("|", " | ".join([name, *measured(target, given.seconds)]), "|", flush=True)
        finally:
            target.server.kill()


if __name__ == "__main__":
    main()

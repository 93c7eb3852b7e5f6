"""The processor time of a server for a request, requests a second, and what an open study costs.

    python benchmarks/per_request.py [--against ../older/checkout] [--rounds 10] [--studies 1000]

Two checkouts are measured in turns, each with its own server and store. Processor time is less disturbed by
other work on the machine than the clock is; the smallest of the rounds is disturbed least.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLIENTS, EACH = 8, 20  # connections, and requests of each of them in a round
KINDS = ("account", "proposal", "queue", "edit", "ask and tell")
MANY, DAYS = 50, 4  # clients of all studies at once, and what each does in a round: one day is 8 requests
PREPARE = """
import json, sys
import numpy as np
from coactor.domains import Tour
from coactor.studies import Store, open_study
from coactor.studies.accounts import Accounts

domain = Tour(points=20, features=10)
problems = list(domain.sample(np.random.default_rng(1), 20))
with Store(sys.argv[1]) as store:
    study = open_study(store, "desk", domain, "CSPER", create=True)
    for problem in problems:
        study.ask(problem)
    for k in range(int(sys.argv[2])):
        open_study(store, f"s{k}", domain, "CSPER", create=True).close()
    token, *tokens = [Accounts(store).create(f"ana{k}", "*", "lead") for k in range(11)]
problems = [domain.encode_problem(x) for x in problems]
print(json.dumps({"token": token, "tokens": tokens, "problems": problems}))
"""
OPEN = """
import gc, sys, time
import numpy as np
from coactor.domains import Tour
from coactor.studies import Store, Study, open_study

def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e3

domain, number = Tour(points=20, features=10), 200
problem = next(domain.sample(np.random.default_rng(1), 1))
with Store(sys.argv[1]) as store:
    for k in range(number):
        with open_study(store, f"s{k}", domain, create=True) as study:
            for _ in range(10):
                study.tell(study.ask(problem).id, moves=[{"op": "reverse", "args": [3, 9]}], actor="ana")
    before, began = resident(), time.process_time()
    studies = [Study(store, f"s{k}") for k in range(number)]
    for study in studies:
        study.queue()
    seconds = time.process_time() - began
    size, opening = (resident() - before) / number, 1e3 * seconds / number
    print(f"an open study: {size:.0f} kB, opened in {opening:.1f} ms")
"""


class Measured:
    """A server of a checkout, and the processor time of each kind of request in milliseconds."""

    def __init__(self, tree: Path, folder: Path, studies: int) -> None:
        self.url, env = f"sqlite:///{folder}/desk.db", {**os.environ, "PYTHONPATH": f"{tree}/src"}
        prepare = [sys.executable, "-c", PREPARE, self.url, str(studies)]
        self.about = json.loads(subprocess.run(prepare, env=env, stdout=subprocess.PIPE, check=True).stdout)
        program = [sys.executable, "-c", "from coactor.cli import main; main()", "serve", "--store", self.url]
        self.process = subprocess.Popen(
            [*program, "--port", "0", "--quiet", "--json"], env=env, stdout=subprocess.PIPE, text=True
        )
        text = ""
        while "}" not in text:
            text += self.process.stdout.readline()
        self.place = json.loads(text)["address"].removeprefix("http://")
        self.revisions = [0] * CLIENTS
        self.studies, self.rates, self.days = studies, list[float](), random.Random(1)
        self.times: dict[str, list[float]] = {kind: [] for kind in KINDS}

    def seconds(self) -> float:
        """The processor time of all threads so far."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def days_of_many(self) -> None:
        """A round of asks, looks, edits and submits by many clients in all studies: requests a second."""
        began, work = time.perf_counter(), [(k, self.days.random()) for k in range(MANY)]
        with ThreadPoolExecutor(MANY) as pool:
            list(pool.map(self._days, *zip(*work, strict=True)))
        self.rates.append(MANY * DAYS * 8 / (time.perf_counter() - began))

    def _days(self, client: int, seed: float) -> None:
        chance, tokens = random.Random(seed), self.about["tokens"]
        send = self._sender(tokens[client % len(tokens)])
        for _ in range(DAYS):
            study = f"/api/studies/s{chance.randrange(self.studies)}"
            made = send("POST", f"{study}/proposals", {"problem": chance.choice(self.about["problems"])})
            one = f"{study}/proposals/{made['id']}"
            send("GET", f"{study}/queue")
            send("GET", f"{one}?brief=true")
            for k in range(4):
                move = {"op": "reverse", "args": [3 + k, 9]}
                send("POST", f"{one}/edits", {"moves": [move]}, **{"If-Match": f'"{k}"'})
            send("POST", f"{one}/submit", {}, **{"If-Match": '"4"'})

    def round(self, kind: str) -> None:
        began = self.seconds()
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(lambda client: self._requests(kind, client), range(CLIENTS)))
        self.times[kind].append(1000 * (self.seconds() - began) / (CLIENTS * EACH))

    def _sender(self, token: str) -> Callable[..., Any]:
        connection = HTTPConnection(self.place, timeout=60)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

        def send(method: str, path: str, body: Any = None, **more: str) -> Any:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, headers | more)
            with connection.getresponse() as answer:
                content = answer.read()
                assert answer.status in (200, 201), content
                return json.loads(content)

        return send

    def _requests(self, kind: str, client: int) -> None:
        send, study = self._sender(self.about["token"]), "/api/studies/desk"
        move = {"op": "reverse", "args": [3, 9]}
        for k in range(EACH):
            if kind == "account":
                send("GET", "/api/me")
            elif kind == "proposal":
                send("GET", f"{study}/proposals/{client + 1}?brief=true")
            elif kind == "queue":
                send("GET", f"{study}/queue")
            elif kind == "edit":
                revision = self.revisions[client]
                body: Any = {"action": "undo"} if revision % 2 else {"moves": [move]}
                path = f"{study}/proposals/{client + 1}/edits"
                send("POST", path, body, **{"If-Match": f'"{revision}"'})
                self.revisions[client] += 1
            else:
                made = send("POST", f"{study}/proposals", {"problem": self.about["problems"][k]})
                send("POST", f"{study}/proposals/{made['id']}/tell", {"moves": [move]})


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--against", type=Path, help="another checkout")
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--studies", type=int, default=1000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, servers = Path(name), list[Measured]()
        try:
            for k, tree in enumerate(tree for tree in (ROOT, given.against) if tree is not None):
                (folder / str(k)).mkdir()
                servers.append(Measured(tree, folder / str(k), given.studies))
            for turn in range(given.rounds + 1):  # the first one compiles
                for kind in KINDS:
                    for server in servers[:: 1 if turn % 2 else -1]:
                        server.round(kind)
            for turn in range(given.rounds + 1):
                for server in servers[:: 1 if turn % 2 else -1]:
                    server.days_of_many()
        finally:
            for server in servers:
                server.process.kill()
                server.process.wait()
        print(
            "| request | ms of processor time, least | median | least and median / other |\n"
            + "|---" * 4
            + "|"
        )
        for kind in KINDS:
            rows = [[f(server.times[kind][1:]) for f in (min, statistics.median)] for server in servers]
            ratio = (
                " ".join(f"{a / b:.2f}" for a, b in zip(rows[0], rows[-1], strict=True)) if rows[1:] else ""
            )
            print(f"| {kind} | {rows[0][0]:.2f} | {rows[0][1]:.2f} | {ratio} |")
        best, usual = ([f(server.rates[1:]) for server in servers] for f in (max, statistics.median))
        others = f"; other {best[-1]:.0f} and {usual[-1]:.0f}" if servers[1:] else ""
        print(
            f"{MANY} clients, {given.studies} studies, requests a second: at best {best[0]:.0f}, "
            f"median {usual[0]:.0f}{others}"
        )
        subprocess.run([sys.executable, "-c", OPEN, f"sqlite:///{folder}/many.db"], check=True)


if __name__ == "__main__":
    main()

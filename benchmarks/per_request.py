"""The processor time of a server for a request that solves nothing, and what an open study costs.

    python benchmarks/per_request.py [--against ../older/checkout] [--rounds 10]

Two checkouts are measured in turns, each with its own server and store. Processor time is less disturbed by
other work on the machine than the clock is; the smallest of the rounds is disturbed least.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLIENTS, EACH = 8, 20  # connections, and requests of each of them in a round
KINDS = ("account", "proposal", "queue", "edit", "ask and tell")
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
    token = Accounts(store).create("ana", "*", "lead")
print(json.dumps({"token": token, "problems": [domain.encode_problem(x) for x in problems]}))
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

    def __init__(self, tree: Path, folder: Path) -> None:
        self.url, env = f"sqlite:///{folder}/desk.db", {**os.environ, "PYTHONPATH": f"{tree}/src"}
        prepare = [sys.executable, "-c", PREPARE, self.url]
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
        self.times: dict[str, list[float]] = {kind: [] for kind in KINDS}

    def seconds(self) -> float:
        """The processor time of all threads so far."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def round(self, kind: str) -> None:
        began = self.seconds()
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(lambda client: self._requests(kind, client), range(CLIENTS)))
        self.times[kind].append(1000 * (self.seconds() - began) / (CLIENTS * EACH))

    def _requests(self, kind: str, client: int) -> None:
        connection = HTTPConnection(self.place, timeout=60)
        headers = {"Authorization": f"Bearer {self.about['token']}", "Content-Type": "application/json"}

        def send(method: str, path: str, body: Any = None, **more: str) -> Any:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, headers | more)
            with connection.getresponse() as answer:
                content = answer.read()
                assert answer.status in (200, 201), content
                return json.loads(content)

        study = "/api/studies/desk"
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
        connection.close()


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--against", type=Path, help="another checkout")
    options.add_argument("--rounds", type=int, default=10)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, servers = Path(name), list[Measured]()
        try:
            for k, tree in enumerate(tree for tree in (ROOT, given.against) if tree is not None):
                (folder / str(k)).mkdir()
                servers.append(Measured(tree, folder / str(k)))
            for turn in range(given.rounds + 1):  # the first one compiles
                for kind in KINDS:
                    for server in servers[:: 1 if turn % 2 else -1]:
                        server.round(kind)
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
        subprocess.run([sys.executable, "-c", OPEN, f"sqlite:///{folder}/many.db"], check=True)


if __name__ == "__main__":
    main()

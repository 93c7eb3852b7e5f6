"""Long runs: many processes on one store; two servers of which one is killed again and again; memory.

    python benchmarks/soak.py [--kills 50] [--requests 20000] [--on SQLite] [--only kills]

The servers solve waiting proposals again in the background, and one of them tells another system what was
finished. The log is verified while they write, and at the end in full: no gap, every link, the weights after
every tell, every tell that was answered, and every event delivered.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.studies.stubs import Switches, tours
from tests.studies.support import postgres
from tests.web.test_failures import Load, ServerProcess
from tests.web.test_webhooks import SECRET, receiving

from coactor.studies import Store, open_study
from coactor.studies.log.verification import verify
from coactor.web.webhooks import KINDS

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = ("--share-port", "--renew-ahead")
LONG = 8  # moves of a draft that its planner submits
SILENCE = 30.0  # seconds without an event after which those that are left are lost


def many_processes(url: str, processes: int, tells: int) -> str:
    """Processes that ask and tell on one store at once."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "tests.studies.support.worker", url, "desk"]
    workers = [
        subprocess.Popen([*command, str(w), str(tells)], cwd=ROOT, stdout=subprocess.DEVNULL)
        for w in range(processes)
    ]
    failed = sum(worker.wait() != 0 for worker in workers)
    took = time.perf_counter() - began
    with open_study(url, "desk", Switches()) as study:
        good = verify(study.store, "desk")
        assert failed == 0, f"{failed} processes failed"
        assert good.facts == 1 + 2 * processes * tells, good
        assert [row.version for row in study.effort()] == list(range(1, processes * tells + 1))
    rate = processes * tells / took
    return f"{processes} x {tells} tells, {rate:.0f} a second: no error, no gap, replay equal"


class Problems:
    """What the load of the killed server needs to know."""

    def __init__(self) -> None:
        self.domain, self.problems = tours(20)

    def problem(self, number: int) -> object:
        return self.domain.encode_problem(self.problems[number])


class SharedLoad(Load):
    """The same load on two servers that share a port, and clients reconnect.

    One of the servers tells another system what was finished; that refuses one event after each kill.
    """

    kills = 0
    until = math.inf

    def kill(self, times: int, least: int) -> None:
        """Kill one of the servers again and again, and verify the log while the other one writes."""
        with receiving() as self.receiver:
            hook = ("--webhook", self.receiver.address)
            first = ServerProcess(self.url, *OPTIONS, *hook)
            port = ("--port", first.address.rpartition(":")[2])
            servers = [first, ServerProcess(self.url, *OPTIONS, *port)]
            stop = threading.Event()
            threads = [
                threading.Thread(target=self._go_on, args=(job, name, first.address, stop))
                for name, job in self.jobs().items()
            ]
            for thread in threads:
                thread.start()
            try:
                with Store(self.url) as store:
                    while self.kills < times and time.monotonic() < self.until:
                        already = len(self.told)
                        while len(self.told) < already + least:
                            threads[0].join(0.01)
                            assert all(thread.is_alive() for thread in threads)
                        killed = self.kills % 2
                        servers[killed].kill()
                        self.kills += 1
                        verify(store, "tours")
                        self.receiver.statuses.append(503)
                        servers[killed] = ServerProcess(self.url, *OPTIONS, *port, *(() if killed else hook))
                    stop.set()
                    before = -1
                    while before != (before := len(self.undelivered(store))) and before:
                        time.sleep(SILENCE)
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
                for server in servers:
                    server.kill()

    def undelivered(self, store: Store) -> set[str]:
        """The events of the log that the other system has not accepted."""
        with store.reading() as sql:
            head = sql.find("tours")
            events = {f"{head.id}-{fact.seq}" for fact in sql.of_kind(head.id, *KINDS)}
        return events - {id for id, _ in self.receiver.accepted}

    def planner(self, client: httpx.Client, name: str, key: str, turn: int) -> None:
        """As before, and submit what has become long."""
        long = [id for id, drafts in self.drafts.items() if len(drafts[-1]) >= LONG]
        for id in long:
            del self.drafts[id]
        (self.expert if long else super().planner)(client, name, key, turn)

    def check(self) -> str:
        """And every event was delivered."""
        with Store(self.url) as store:
            lost = self.undelivered(store)
        assert not lost, f"{len(lost)} events were not delivered: {sorted(lost)[:5]}"
        times = [id for id, _ in self.receiver.accepted]
        events = f"{len(set(times))} events delivered, {len(times) - len(set(times))} of them again"
        return f"{super().check()}, {self.replans} re-plans, {events}"

    def _go_on(self, job: Any, name: str, address: str, stop: threading.Event) -> None:
        turn = 0
        while not stop.is_set():
            self._run(job, name, f"{turn}", address, stop)
            turn += 1


def many_kills(url: str, kills: int, seconds: float) -> str:
    """kill -9 in the middle of load, of one of two servers."""
    problems = Problems()
    os.environ["COACTOR_WEBHOOK_SECRET"] = SECRET
    with Store(url) as store:
        open_study(store, "tours", problems.domain, "CSPER", create=True).close()
    load = SharedLoad(url, problems)
    load.until = time.monotonic() + seconds
    load.kill(kills, least=12)
    return f"{load.kills} kills, {load.check()}: nothing lost, nothing handed out twice, replay equal"


def flat_memory(url: str, requests: int) -> str:
    """The memory of a server: after a tenth of the requests, and after all of them."""
    problems = Problems()
    with Store(url) as store:
        open_study(store, "tours", problems.domain, "CSPER", create=True).close()
    load = Load(url, problems)
    server = ServerProcess(url)
    sizes: list[float] = []
    answers: list[int] = []
    hooks = {"response": [lambda answer: answers.append(answer.status_code)]}
    turn, every = 0, requests // 10
    try:
        with httpx.Client(base_url=server.address, timeout=60, event_hooks=hooks) as client:
            while len(sizes) < 11:
                for name, job in (("machine", load.machine), ("ana", load.expert), ("ben", load.expert)):
                    client.headers["Authorization"] = f"Bearer {load.tokens[name]}"
                    job(client, name, f"{turn}", turn)
                for page in ("queue", "report", "beliefs", "effort/summary"):
                    assert client.get(f"/api/studies/tours/{page}").status_code == 200
                turn += 1
                if len(answers) >= every * (len(sizes) + 1):
                    resident = Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
                    sizes.append(int(resident) * resource.getpagesize() / 1e6)
    finally:
        server.kill()
    growth = sizes[-1] / sizes[0] - 1
    course = " ".join(f"{size:.0f}" for size in sizes)
    return f"memory after every {every} requests: {course} MB, {growth:+.1%} from the first to the last"


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--tells", type=int, default=200)
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--seconds", type=float, default=math.inf, help="stop killing after so long")
    options.add_argument("--requests", type=int, default=20_000)
    options.add_argument("--on", choices=("SQLite", "PostgreSQL"), help="only on one of the stores")
    options.add_argument("--only", choices=("processes", "kills", "memory"), help="only one of the parts")
    given = options.parse_args()
    parts: dict[str, Callable[[str], str]] = {
        "processes": lambda url: many_processes(url, given.processes, given.tells),
        "kills": lambda url: many_kills(url, given.kills, given.seconds),
        "memory": lambda url: flat_memory(url, given.requests),
    }
    chosen = {name: part for name, part in parts.items() if given.only in (None, name)}
    print("| store | part | result |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="soak") as name:
        folder = Path(name)
        for part, run in chosen.items() if given.on != "PostgreSQL" else ():
            print(f"| SQLite | {part} | {run(f'sqlite:///{folder}/{part}.db')} |", flush=True)
        if given.on == "SQLite":
            return
        if postgres.binaries() is None:
            print("PostgreSQL is not installed here; its half is left out")
            return
        with postgres.running(folder) as server:
            for part, run in chosen.items():
                print(f"| PostgreSQL | {part} | {run(postgres.new_database(server, part))} |", flush=True)


if __name__ == "__main__":
    main()

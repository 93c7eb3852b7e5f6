"""Servers that are killed under load, share a port, or are stopped: nothing acknowledged is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from typing import Any

import httpx

from coactor.studies import Store
from coactor.studies.accounts import Accounts
from coactor.studies.log.verification import verify
from coactor.studies.study import Study
from tests.web.conftest import MOVE, NO_TLS, PROPOSALS

PROGRAM = "from coactor.cli import main; main()"
OPTIONS = ("--port", "0", "--json", "--quiet")


class ServerProcess:
    """`coactor serve` as its own process, to be killed and started again."""

    def __init__(self, url: str, *more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "serve", "--store", url, *OPTIONS, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        text = ""
        while "}" not in text:
            line = self.process.stdout.readline()
            assert line, "the server did not start"
            text += line
        self.started = json.loads(text)
        self.address = self.started["address"]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


class Load:
    """A machine that asks and tells, people who take what waits, one who re-plans; what they were answered.

    `told` is the version each answered tell made, `handed` who was given each proposal, `drafts` what the
    moves of a draft may be: as answered, and with the edit that is on its way.
    """

    def __init__(self, url: str, problems: Any) -> None:
        self.url = url
        self.problems = problems
        self.told: dict[int, int] = {}
        self.handed: dict[int, set[str]] = {}
        self.drafts: dict[int, list[Any]] = {}
        self.replans = 0
        with Store(url) as store:
            accounts = Accounts(store)
            self.tokens = {"machine": accounts.create("machine", "*", "solver")}
            for name in ("ana", "ben", "eve", "planner"):
                self.tokens[name] = accounts.create(name, "tours", "expert")

    def jobs(self) -> dict[str, Any]:
        """What each of them does again and again."""
        others = {"machine": self.machine, "planner": self.planner}
        return {name: others.get(name, self.expert) for name in self.tokens}

    def kill(self, times: int, least: int) -> None:
        """Kill the server again and again, each time after so many answered tells."""
        for time in range(times):
            server, stop, already = ServerProcess(self.url), threading.Event(), len(self.told)
            threads = [
                threading.Thread(target=self._run, args=(job, name, f"{time}", server.address, stop))
                for name, job in self.jobs().items()
            ]
            for thread in threads:
                thread.start()
            while (len(self.told) < already + least or not self.replans) and all(
                t.is_alive() for t in threads
            ):
                threads[0].join(0.01)
            server.kill()
            stop.set()
            for thread in threads:
                thread.join()

    def _run(self, job: Any, name: str, time: str, address: str, stop: threading.Event) -> None:
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        with httpx.Client(base_url=address, headers=headers, timeout=30, verify=NO_TLS) as client:
            turn = 0
            while not stop.is_set():
                try:
                    job(client, name, f"{time}/{turn}", turn)
                except httpx.TransportError:
                    return  # the server is gone
                turn += 1

    def machine(self, client: httpx.Client, name: str, key: str, turn: int) -> None:
        body = {"problem": self.problems.problem(turn % 20)}
        asked = client.post(PROPOSALS, json=body, headers={"Idempotency-Key": key}).json()
        made = asked["id"]
        if turn % 2:  # the rest is for the people, who may be quicker even here
            correction = {"moves": [MOVE], "version": asked["basis"]["version"]}
            told = client.post(f"{PROPOSALS}/{made}/tell", json=correction)
            if told.status_code == 200:
                self.told[made] = told.json()["version"]

    def expert(self, client: httpx.Client, name: str, key: str, turn: int) -> None:
        taken = client.post("/api/studies/tours/queue/next")
        if taken.status_code != 200:
            return
        id = taken.json()["id"]
        self.handed.setdefault(id, set()).add(name)
        done = client.post(f"{PROPOSALS}/{id}/submit", json={}, headers={"If-Match": taken.headers["etag"]})
        if done.status_code == 200:
            self.told[id] = done.json()["version"]

    def planner(self, client: httpx.Client, name: str, key: str, turn: int) -> None:
        taken = client.post("/api/studies/tours/queue/next")  # first what they hold
        if taken.status_code != 200:
            return
        draft = taken.json()
        place, old = f"{PROPOSALS}/{draft['id']}", draft["moves"]
        self.handed.setdefault(draft["id"], set()).add(name)
        self.found(draft["id"], old)
        moves = [MOVE]
        if old and old[-1]["op"] != "replan":
            moves = client.post(f"{place}/replan", json={"keep": []}).json()["moves"][len(old) :]
            moves = moves or [{"op": "replan", "args": [], "to": draft["proposed"]}]
        self.drafts[draft["id"]] = [old, old + moves]
        edited = client.post(
            f"{place}/edits", json={"moves": moves}, headers={"If-Match": taken.headers["etag"]}
        )
        self.drafts[draft["id"]] = [edited.json()["moves"]]
        self.replans += moves[0]["op"] == "replan"

    def found(self, id: int, moves: Any) -> None:
        """A draft is as it was answered, or as it was on its way to be."""
        assert moves in self.drafts.setdefault(id, [moves])

    def check(self) -> str:
        """Every answered tell is there, every replay is equal, no proposal was given to two people."""
        with Store(self.url) as store:
            good = verify(store, "tours")  # chain, gaps, weights after every tell
            study = Study(store, "tours")
            kept = {row.proposal: row.version for row in study.effort()}
            assert self.told.items() <= kept.items()
            still_open = [ticket.id for ticket in study.proposals("open", limit=10**6)]
            assert sorted([*kept, *still_open]) == list(range(1, study.summary()["asked"] + 1))
            assert all(len(people) == 1 for people in self.handed.values())
            for id in self.drafts:
                self.found(id, study.draft(id).moves)
        return f"{len(self.told)} answered tells, {len(self.handed)} proposals handed out, {good.facts} facts"


def test_killed_server_loses_no_acknowledged_tell_and_no_draft(server, tmp_path):
    load = Load(f"sqlite:///{tmp_path}/desk.db", server)
    load.kill(times=2, least=6)
    assert len(load.told) >= 12
    assert load.handed
    assert load.replans
    load.check()


def test_servers_share_a_port_and_one_may_die(server, tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    headers = {"Authorization": f"Bearer {server.accounts.create('machine', '*', 'lead')}"}
    first = ServerProcess(url, "--share-port", "--own-port", "0")
    second = ServerProcess(url, "--share-port", "--own-port", "0", "--port", first.address.rpartition(":")[2])
    try:
        assert first.address == second.address
        for own in (first, second):  # the kernel may send all requests to the other one
            place = f"http://127.0.0.1:{own.started['own_port']}"
            answers = [
                httpx.get(f"{place}/metrics", headers=headers, timeout=30, verify=NO_TLS) for _ in range(3)
            ]
            assert (
                'coactor_requests_total{method="GET",route="/metrics",status="200"} 2.0' in answers[-1].text
            )
        made = []
        for turn in range(20):  # a new connection each time: the kernel deals them out
            if turn == 10:
                first.kill()
            body = {"problem": server.problem(turn)}
            made.append(
                httpx.post(first.address + PROPOSALS, json=body, headers=headers, timeout=30, verify=NO_TLS)
            )
        assert [answer.json()["id"] for answer in made] == list(range(1, 21))
    finally:
        for process in (first, second):
            if process.process.poll() is None:
                process.kill()
    assert verify(server.store, "tours").facts == 21


def test_tidy_moves_the_write_ahead_log_into_the_file(server, tmp_path):
    server.client("lead").post(PROPOSALS, json={"problem": server.problem(0)})
    server.store.tidy()
    alone = tmp_path / "alone.db"
    alone.write_bytes((tmp_path / "desk.db").read_bytes())  # without the write-ahead log beside it
    with Store(f"sqlite:///{alone}") as copy:
        assert verify(copy, "tours").facts == 2


def test_serve_with_demo_and_login_link(tmp_path):
    server = ServerProcess(f"sqlite:///{tmp_path}/fresh.db", "--try")
    try:
        with httpx.Client(base_url=server.address, timeout=30) as browser:
            assert browser.get(server.started["login"]).status_code == 303
            names = [row["name"] for row in browser.get("/api/studies").json()]
            assert names
            origin = {"Origin": server.address}
            taken = browser.post(f"/api/studies/{names[0]}/queue/next", headers=origin)
            while taken.status_code == 204:  # the first proposals are prepared in the background
                taken = browser.post(f"/api/studies/{names[0]}/queue/next", headers=origin)
            assert taken.status_code == 200
            id, revision = taken.json()["id"], {"If-Match": taken.headers["etag"], **origin}
            place = f"/api/studies/{names[0]}/proposals/{id}"
            assert browser.post(f"{place}/submit", json={}, headers=revision).json()["effort"] == 0.0
            with httpx.Client(base_url=server.address, timeout=30) as late:
                assert late.get(server.started["login"]).status_code == 401
            stream = {"accept": "text/event-stream"}
            with browser.stream("GET", f"/api/studies/{names[0]}/events", headers=stream) as events:
                server.process.terminate()  # a stream would go on for a minute
                assert events.read().startswith(b"retry")
        assert server.process.wait(timeout=30) == 0
    finally:
        server.kill()
    with Store(f"sqlite:///{tmp_path}/fresh.db") as store, store.reading() as sql:
        for head in sql.studies():
            verify(store, head.name)

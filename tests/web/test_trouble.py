"""A full disk, a read-only file, a busy store, a killed server: nothing is acknowledged and lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import httpx
import pytest

from coactor.studies import Store
from coactor.studies.accounts import Accounts
from coactor.studies.log import transfer
from coactor.studies.study import Study

PLACE = "/api/studies/tours/proposals"
MOVE = {"op": "reverse", "args": [2, 4]}


def pragma(store, statement):
    """Say something to every connection of a store."""
    import sqlalchemy as sa

    store.engine.dispose()
    sa.event.listen(store.engine, "connect", lambda connection, _: connection.execute(statement))


def test_a_full_disk_is_a_503_and_nothing_is_lost(desk):
    lead, done = desk.client("lead"), []
    lead.post(PLACE, json={"problem": desk.problem(0)})
    with desk.store.reading() as sql:
        pages = sql.sql.exec_driver_sql("PRAGMA page_count").scalar()
    pragma(desk.store, f"PRAGMA max_page_count = {pages + 2}")  # SQLite then says: database or disk is full
    refused = None
    for number in range(1, 20):
        asked = lead.post(
            PLACE, json={"problem": desk.problem(number)}, headers={"Idempotency-Key": f"k{number}"}
        )
        if asked.status_code != 201:
            refused = asked
            break
        done.append(asked.json()["id"])
    assert refused is not None
    assert refused.status_code == 503
    assert "retry-after" in refused.headers
    assert "may or may not have been recorded" in refused.json()["detail"]
    assert lead.get(f"{PLACE}/1").status_code == 200  # reading goes on
    pragma(desk.store, "PRAGMA max_page_count = 1000000")  # somebody makes room
    assert lead.post(PLACE, json={"problem": desk.problem(19)}).json()["id"] == max(done, default=1) + 1
    assert transfer.verify(desk.store, "tours").facts == 2 + len(done) + 1


def test_a_read_only_file_is_a_503_and_nothing_is_lost(desk):
    lead = desk.client("lead")
    lead.post(PLACE, json={"problem": desk.problem(0)})
    before = lead.get("/api/studies/tours").json()
    pragma(desk.store, "PRAGMA query_only = ON")  # a file that cannot be written, also for root
    for answer in (
        lead.post(PLACE, json={"problem": desk.problem(1)}),
        lead.post(f"{PLACE}/1/tell", json={"moves": [MOVE]}),
        lead.post(f"{PLACE}/1/edits", json={"moves": [MOVE]}, headers={"If-Match": '"0"'}),
        lead.post("/api/studies/tours/queue/next"),
        lead.post("/api/studies/tours/rollback", json={"to": 0, "reason": "r"}),
    ):
        assert answer.status_code == 503, answer.text
    assert lead.get("/api/studies/tours").json() == before
    pragma(desk.store, "PRAGMA query_only = OFF")
    assert lead.post(f"{PLACE}/1/tell", json={"moves": [MOVE]}).json()["version"] == 1
    assert transfer.verify(desk.store, "tours").version == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every file")
def test_a_file_without_write_permission(desk, tmp_path):
    lead = desk.client("lead")
    (tmp_path / "desk.db").chmod(0o444)
    desk.store.engine.dispose()
    assert lead.post(PLACE, json={"problem": desk.problem(0)}).status_code == 503


def test_a_store_that_somebody_else_keeps_locked_is_a_503(desk, tmp_path):
    import sqlite3

    lead = desk.client("lead")
    lead.get("/api/studies/tours")
    desk.store.engine.dispose()
    pragma(desk.store, "PRAGMA busy_timeout = 50")
    other = sqlite3.connect(tmp_path / "desk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert lead.post(PLACE, json={"problem": desk.problem(0)}).status_code == 503
    other.execute("ROLLBACK")
    other.close()
    assert lead.post(PLACE, json={"problem": desk.problem(0)}).status_code == 201


def test_a_solver_that_fails_leaves_no_trace(desk, monkeypatch):
    lead = desk.client("lead")

    def broken(self, x, w):
        raise RuntimeError("no licence")

    monkeypatch.setattr(type(desk.domain), "solve", broken)
    assert lead.post(PLACE, json={"problem": desk.problem(0)}).status_code == 500
    assert lead.get("/api/studies/tours").json()["asked"] == 0


class Killed:
    """`coactor serve` as its own process, to be killed and started again."""

    def __init__(self, url: str, *more: str) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from coactor.cli import main; main()",
                "serve",
                "--store",
                url,
                "--port",
                "0",
                "--json",
                "--quiet",
                *more,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        text = ""
        while "}" not in text:
            line = self.process.stdout.readline()
            assert line, "the server did not start"
            text += line
        self.said = json.loads(text)
        self.address = self.said["address"]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


class Load:
    """A machine that asks and tells, and people who take what waits; everything they were answered.

    `told` is the version each answered tell made, `handed` who was given each proposal.
    """

    def __init__(self, url: str, problems: Any) -> None:
        self.url = url
        self.problems = problems
        self.told: dict[int, int] = {}
        self.handed: dict[int, set[str]] = {}
        with Store(url) as store:
            accounts = Accounts(store)
            self.tokens = {"machine": accounts.create("machine", "*", "solver")}
            for name in ("ana", "ben", "eve"):
                self.tokens[name] = accounts.create(name, "tours", "expert")

    def kill(self, times: int, least: int) -> None:
        """Kill the server again and again, each time after so many answered tells."""
        for time in range(times):
            server, stop, already = Killed(self.url), threading.Event(), len(self.told)
            jobs = [(name, self.machine if name == "machine" else self.person) for name in self.tokens]
            threads = [
                threading.Thread(target=self._run, args=(job, name, f"{time}", server.address, stop))
                for name, job in jobs
            ]
            for thread in threads:
                thread.start()
            while len(self.told) < already + least and threads[0].is_alive():
                threads[0].join(0.01)
            server.kill()
            stop.set()
            for thread in threads:
                thread.join()

    def _run(self, job: Any, name: str, time: str, address: str, stop: threading.Event) -> None:
        headers = {"Authorization": f"Bearer {self.tokens[name]}"}
        with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
            turn = 0
            while not stop.is_set():
                try:
                    job(client, name, f"{time}/{turn}", turn)
                except httpx.TransportError:
                    return  # the server is gone
                turn += 1

    def machine(self, client: httpx.Client, name: str, key: str, turn: int) -> None:
        body = {"problem": self.problems.problem(turn % 20)}
        made = client.post(PLACE, json=body, headers={"Idempotency-Key": key}).json()["id"]
        if turn % 2:  # the rest is for the people, who may be quicker even here
            told = client.post(f"{PLACE}/{made}/tell", json={"moves": [MOVE]})
            if told.status_code == 200:
                self.told[made] = told.json()["version"]

    def person(self, client: httpx.Client, name: str, key: str, turn: int) -> None:
        taken = client.post("/api/studies/tours/queue/next")
        if taken.status_code != 200:
            return
        id = taken.json()["id"]
        self.handed.setdefault(id, set()).add(name)
        done = client.post(f"{PLACE}/{id}/submit", json={}, headers={"If-Match": taken.headers["etag"]})
        if done.status_code == 200:
            self.told[id] = done.json()["version"]

    def check(self) -> str:
        """Every answered tell is there, every replay is equal, nobody was given what another holds."""
        with Store(self.url) as store:
            good = transfer.verify(store, "tours")  # chain, gaps, weights after every tell
            study = Study(store, "tours")
            kept = {row.proposal: row.version for row in study.effort()}
            assert self.told.items() <= kept.items()
            still_open = [ticket.id for ticket in study.proposals("open", limit=10**6)]
            assert sorted([*kept, *still_open]) == list(range(1, study.ledger.model.asked + 1))
            assert all(len(people) == 1 for people in self.handed.values())
        return f"{len(self.told)} answered tells, {len(self.handed)} proposals handed out, {good.facts} facts"


def test_a_server_killed_in_the_middle_of_load_loses_nothing(desk, tmp_path):
    load = Load(f"sqlite:///{tmp_path}/desk.db", desk)
    load.kill(times=2, least=6)
    assert len(load.told) >= 12
    assert load.handed
    load.check()


def test_the_command_serves_a_study_to_try_and_a_link_that_opens_it_once(tmp_path):
    server = Killed(f"sqlite:///{tmp_path}/fresh.db", "--try")
    try:
        with httpx.Client(base_url=server.address) as browser:
            assert browser.get(server.said["login"]).status_code == 303
            names = [row["name"] for row in browser.get("/api/studies").json()]
            assert names
            origin = {"Origin": server.address}
            taken = browser.post(f"/api/studies/{names[0]}/queue/next", headers=origin)
            assert taken.status_code == 200
            id, revision = taken.json()["id"], {"If-Match": taken.headers["etag"], **origin}
            place = f"/api/studies/{names[0]}/proposals/{id}"
            assert browser.post(f"{place}/submit", json={}, headers=revision).json()["effort"] == 0.0
        with httpx.Client(base_url=server.address) as late:
            assert late.get(server.said["login"]).status_code == 401
        server.process.terminate()
        server.process.wait(timeout=30)
    finally:
        server.kill()
    with Store(f"sqlite:///{tmp_path}/fresh.db") as store, store.reading() as sql:
        for head in sql.studies():
            transfer.verify(store, head.name)


def test_tidying_up_moves_everything_into_the_file(desk, tmp_path):
    lead = desk.client("lead")
    lead.post(PLACE, json={"problem": desk.problem(0)})
    desk.store.tidy()
    alone = tmp_path / "alone.db"
    alone.write_bytes((tmp_path / "desk.db").read_bytes())  # without the write-ahead log beside it
    with Store(f"sqlite:///{alone}") as copy:
        assert transfer.verify(copy, "tours").facts == 2


def test_several_servers_share_a_port_and_one_may_die(desk, tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    headers = {"Authorization": f"Bearer {desk.accounts.create('machine', '*', 'lead')}"}
    first = Killed(url, "--share-port")
    second = Killed(url, "--share-port", "--port", first.address.rpartition(":")[2])
    try:
        assert first.address == second.address
        made = []
        for turn in range(20):  # a new connection each time: the kernel deals them out
            if turn == 10:
                first.kill()
            made.append(
                httpx.post(first.address + PLACE, json={"problem": desk.problem(turn)}, headers=headers)
            )
        assert [answer.json()["id"] for answer in made] == list(range(1, 21))
    finally:
        for server in (first, second):
            if server.process.poll() is None:
                server.kill()
    assert transfer.verify(desk.store, "tours").facts == 21

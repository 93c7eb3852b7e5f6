"""A full disk, a read-only file, a busy store, a killed server: nothing is acknowledged and lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import httpx
import pytest

from coactor.studies import Store, transfer
from coactor.studies.study import Study
from coactor.studies.tokens import Accounts

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
    assert "nothing was recorded" in refused.json()["detail"]
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
        lead.post(f"{PLACE}/1/edits", json=MOVE, headers={"If-Match": '"0"'}),
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
            [sys.executable, "-c", "from coactor.cli import main; main()", "serve",
             "--store", url, "--port", "0", "--json", "--quiet", *more],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
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


def load(address, token, desk, worker, answered, stop):
    """Ask and tell until the server is gone; note what was answered."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        for turn in range(10_000):
            if stop.is_set():
                return
            try:
                body = {"problem": desk.problem(turn % 20)}
                made = client.post(PLACE, json=body, headers={"Idempotency-Key": f"{worker}/{turn}"})
                told = client.post(
                    f"{PLACE}/{made.json()['id']}/tell", json={"moves": [MOVE], "actor": worker}
                )
                if told.status_code == 200:
                    answered[told.json()["proposal"]] = told.json()["version"]
            except httpx.TransportError:
                return


def killed_under_load(url, token, desk, kills, clients=2, least=4):
    """Kill the server again and again in the middle of load; everything that was answered."""
    answered: dict[int, int] = {}
    for kill in range(kills):
        server, stop = Killed(url), threading.Event()
        already = len(answered)
        threads = [
            threading.Thread(target=load, args=(server.address, token, desk, f"w{kill}-{c}", answered, stop))
            for c in range(clients)
        ]
        for thread in threads:
            thread.start()
        while len(answered) < already + least and any(thread.is_alive() for thread in threads):
            threads[0].join(0.01)
        server.kill()
        stop.set()
        for thread in threads:
            thread.join()
    return answered


def check_nothing_lost(url, answered):
    with Store(url) as store:
        good = transfer.verify(store, "tours")  # chain, gaps, weights after every tell
        study = Study(store, "tours")
        kept = {row.proposal: row.version for row in study.effort()}
        assert answered.items() <= kept.items()
        still_open = [ticket.id for ticket in study.proposals("open", limit=10**6)]
        assert sorted([*kept, *still_open]) == list(range(1, study.ledger.model.asked + 1))
        return good


def test_a_server_killed_in_the_middle_of_load_loses_nothing(desk, tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    token = Accounts(desk.store).create("machine", "*", "lead")
    answered = killed_under_load(url, token, desk, kills=2)
    assert len(answered) >= 8
    check_nothing_lost(url, answered)


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

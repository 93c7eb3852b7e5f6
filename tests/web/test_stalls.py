"""What a viewer asks for stalls nobody else: few computations, each made once, and a health that answers."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx
import numpy as np
import pytest
from anyio import to_thread

from coactor.domains import Tour
from coactor.experts import SimulatedExpert
from coactor.studies import open_study, report
from coactor.studies.log.replay import LogReplay
from coactor.studies.log.transactions import Transaction
from coactor.web.app import create_app
from coactor.web.computations import Computations
from coactor.web.routes import moves, reports
from tests.web.conftest import PROPOSALS, ask

MOVES = f"{PROPOSALS}/1/moves"


@pytest.fixture
def viewer(server):
    ask(server.client("solver"), server)
    return server.client("viewer")


@pytest.fixture
def blocked(monkeypatch):
    """Block every call of a function until the test lets it go on; a semaphore counts what has begun."""
    go_on = threading.Event()

    def block(owner, name):
        begun, original = threading.Semaphore(0), getattr(owner, name)

        def waiting(*args):
            begun.release()
            assert go_on.wait(60)
            return original(*args)

        monkeypatch.setattr(owner, name, waiting)
        return begun, go_on

    yield block
    go_on.set()


@pytest.fixture
def counted(monkeypatch):
    """How often functions of modules were called, by their names."""
    counts = Counter()

    def count(owner, name):
        original = getattr(owner, name)

        def counting(*args, **options):
            counts[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(owner, name, counting)
        return counts

    return count


def test_report_of_several_people_replays_nothing_and_is_computed_once(server, counted):
    domain, rng = Tour(7, 2), np.random.default_rng(3)
    expert = SimulatedExpert(domain, np.array([0.1, 2.0]), 0.05)
    with open_study(server.store, "people", domain, "default", create=True) as study:
        for k, problem in enumerate(domain.sample(rng, 20)):
            proposal = study.ask(problem)
            study.tell(proposal, expert(problem, proposal.solution), actor=("ana", "bo")[k % 2])
        replays, weeks = counted(LogReplay, "load"), counted(report, "_headline")
        assert study.report().weeks
        assert (replays["load"], weeks["_headline"]) == (0, 1)
    viewer = server.client("viewer")
    first, second = (viewer.get("/api/studies/people/report").json() for _ in range(2))
    assert first["measures"] == second["measures"] != []
    assert weeks["_headline"] == 2  # once for the viewer


def test_reading_of_a_long_history_delays_no_tell(server, viewer, blocked):
    begun, go_on = blocked(Transaction, "finished")
    with ThreadPoolExecutor() as pool:
        report = pool.submit(viewer.get, "/api/studies/tours/report")
        assert begun.acquire(timeout=60)
        told = server.client("solver").post(f"{PROPOSALS}/1/tell", json={"moves": []})
        assert (told.status_code, report.done()) == (200, False)
        go_on.set()
        assert report.result().json()["proposals"] == 1
    assert viewer.get("/api/studies/tours/report").json()["proposals"] == 1


def test_search_of_moves_makes_each_text_once(viewer, counted):
    texts = counted(moves, "edit_text")
    pages = [viewer.get(f"{MOVES}?search=zzz").json() for _ in range(3)]
    assert pages == [{"total": 0, "moves": []}] * 3
    assert texts["edit_text"] == viewer.get(MOVES).json()["total"]


def test_second_search_of_a_study_waits_briefly_and_gets_429(server, viewer, blocked):
    begun, go_on = blocked(moves, "edit_text")
    server.app.state.studies.computations.patience = 0.01
    with ThreadPoolExecutor() as pool:
        first = pool.submit(viewer.get, f"{MOVES}?search=reverse")
        assert begun.acquire(timeout=60)
        second = server.client("viewer").get(f"{MOVES}?search=zzz")
        assert (second.status_code, second.headers["retry-after"]) == (429, "2")
        assert second.json()["detail"] == (
            "Other reports of this study are being computed; try again in a few seconds."
        )
        assert server.client("expert").post("/api/studies/tours/queue/next").status_code == 200
        go_on.set()
        assert first.result().json()["total"] > 0


def test_second_table_of_efforts_waits_briefly_and_gets_429(server, viewer, blocked):
    begun, go_on = blocked(reports, "as_csv")
    computations = server.app.state.studies.computations
    computations.patience = 0.01
    with ThreadPoolExecutor() as pool:
        first = pool.submit(viewer.get, "/api/studies/tours/effort.csv")
        assert begun.acquire(timeout=60)
        assert viewer.get("/api/studies/tours/effort.csv").status_code == 429
        go_on.set()
        assert first.result().text.startswith("seq,time,proposal")
    assert not computations._kept  # each would be some megabytes


def test_answer_that_another_request_has_computed_meanwhile_may_be_an_array(server, monkeypatch):
    computations, found = Computations(), [None, np.ones(3)]
    monkeypatch.setattr(computations, "_find", lambda key: found.pop(0))
    with open_study(server.store, "tours") as study:
        assert computations.answer(study, "weights", lambda: None).tolist() == [1.0, 1.0, 1.0]


def test_waiting_searches_leave_threads_to_the_others(server, viewer, blocked):
    begun, go_on = blocked(moves, "edit_text")
    server.app.state.studies.computations.patience = 60
    viewers = [server.client("viewer", name=f"viewer-{k}") for k in range(10)]
    with ThreadPoolExecutor(50) as pool:
        searches = [pool.submit(viewers[k % 10].get, f"{MOVES}?search={k}") for k in range(50)]
        assert begun.acquire(timeout=60)
        while sum(search.done() for search in searches) < 42:  # all but the one that computes and 7 that wait
            time.sleep(0.01)
        assert server.client("viewer").get(f"{PROPOSALS}/1").status_code == 200
        go_on.set()
        assert Counter(search.result().status_code for search in searches) == {200: 8, 429: 42}


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_health_answers_while_all_worker_threads_are_blocked(store, path):
    async def ask_while_blocked():
        workers = to_thread.current_default_thread_limiter()
        workers.total_tokens = 1
        transport = httpx.ASGITransport(create_app(store))
        async with workers, httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            with anyio.fail_after(30):
                return await client.get(path)

    with ThreadPoolExecutor() as pool:  # a browser of other tests may run a loop in this thread
        assert pool.submit(anyio.run, ask_while_blocked).result().status_code == 200

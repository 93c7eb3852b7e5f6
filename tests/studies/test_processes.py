"""Several processes on one store: no error, no gap, weights equal to a replay; and some are killed."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import pytest

from coactor.studies import Store, open_study
from coactor.studies.log.verification import verify
from tests.studies.stubs import Switches, flip
from tests.studies.support import worker as support

# Each process is forked from one that has imported everything and opened nothing.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([support.__name__, "psycopg", "sqlalchemy.dialects.postgresql.psycopg"])
PATIENCE = 120.0  # seconds until a process is given up


@dataclass
class Worker:
    """A process at work, and where its answers arrive."""

    process: BaseProcess
    answers: Connection

    def answered(self) -> list[int]:
        """The answers until the process ends."""
        numbers = []
        while True:
            assert self.answers.poll(PATIENCE)
            try:
                numbers.append(self.answers.recv())
            except EOFError:
                self.process.join(PATIENCE)
                return numbers


def start(url: str, number: int, tells: int) -> Worker:
    answers, sender = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=support.work, args=(url, "desk", number, tells, sender.send))
    process.start()
    sender.close()  # the process has the only one, so that the answers end with it
    return Worker(process, answers)


def test_processes_write_one_log_without_a_gap(url):
    processes, tells = 4, 15
    with Store(url):  # the tables are there before they start; making them at once is tested below
        workers = [start(url, w, tells) for w in range(processes)]
        for worker in workers:
            assert len(worker.answered()) == tells
            assert worker.process.exitcode == 0
    with open_study(url, "desk", Switches()) as study:
        good = verify(study.store, "desk")  # sequence, chain, weights after every tell
        assert good.facts == 1 + 2 * processes * tells
        assert good.version == processes * tells
        assert [row.version for row in study.effort()] == list(range(1, processes * tells + 1))


def test_killed_processes_lose_nothing_they_had_acknowledged(url):
    answered: set[int] = set()
    open_study(url, "desk", Switches(), "CSPER", create=True).close()
    for kill in range(3):
        worker = start(url, 10 + kill, 1000)
        answered |= {worker.answers.recv() for _ in range(3 + kill)}
        worker.process.kill()
        answered |= {*worker.answered()}
        assert worker.process.exitcode == -signal.SIGKILL
    with open_study(url, "desk", Switches()) as study:
        good = verify(study.store, "desk")
        assert answered <= {row.proposal for row in study.effort()}
        open_now = {t.id for t in study.proposals("open")}
        assert len(study.effort()) + len(open_now) == good.facts - 1 - len(study.effort())
        taken = set()
        for who in range(len(open_now) + 1):  # what was asked and not told waits for exactly one person
            draft = study.desk().next(f"p{who}")
            if draft is not None:
                taken.add(draft.id)
        assert taken == open_now


def together(calls):
    """Run calls at the same moment; their results, in order."""
    results: list = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(k, call):
        barrier.wait()
        try:
            results[k] = call()
        except Exception as error:  # the test looks at it
            results[k] = error

    threads = [threading.Thread(target=run, args=(k, call)) for k, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_ask_from_many_threads_with_one_key_is_one_proposal(url):
    with (
        open_study(url, "desk", Switches(), "CSPER", create=True) as a,
        open_study(url, "desk", Switches()) as b,
    ):
        calls = [lambda k=k: (a if k % 2 else b).ask([1.0, 2.0, 3.0], key="one").id for k in range(20)]
        assert together(calls) == [1] * 20
        assert len(a.proposals()) == 1


def test_tell_from_many_threads_is_one_tell(url):
    with (
        open_study(url, "desk", Switches(), "CSPER", create=True) as a,
        open_study(url, "desk", Switches()) as b,
    ):
        id = a.ask([1.0, 2.0, 3.0]).id
        answers = together(
            [lambda k=k: (a if k % 2 else b).tell(id, moves=flip(0), actor="ana") for k in range(8)]
        )
        assert all(answer == answers[0] for answer in answers), answers
        assert a.version == 1


def test_next_from_many_threads_gives_different_proposals(url):
    with (
        open_study(url, "desk", Switches(), "CSPER", create=True) as a,
        open_study(url, "desk", Switches()) as b,
    ):
        for k in range(5):
            a.ask([float(k), 1.0, 1.0])
        drafts = together([lambda k=k: (a if k % 2 else b).desk().next(f"p{k}") for k in range(8)])
        ids = [draft.id for draft in drafts if draft is not None]
        assert sorted(ids) == [1, 2, 3, 4, 5]


def test_open_study_from_many_threads_creates_one_study(url):
    def make():
        open_study(url, "desk", Switches(), "CSPER", create=True).close()

    assert together([make] * 6) == [None] * 6
    with open_study(url, "desk", Switches()) as study:
        assert study._ledger.refresh().seq == 1


@pytest.mark.parametrize("key", [None, "k"])
def test_a_slow_solver_does_not_block_others(sqlite_url, key):
    asked, solved = threading.Event(), threading.Event()

    def slow(x, w):
        asked.set()
        assert solved.wait(30)
        return [0, 0, 0]

    with (
        open_study(sqlite_url, "desk", Switches(), "CSPER", create=True) as quick,
        open_study(sqlite_url, "desk", Switches(), solver=slow) as study,
    ):
        thread = threading.Thread(target=lambda: study.ask([9.0, 9.0, 9.0], key=key))
        thread.start()
        assert asked.wait(30)
        p = quick.ask([1.0, 2.0, 3.0])  # would wait here if the solver ran inside the transaction
        quick.tell(p.id, moves=flip(0))
        assert study.weights().any()
        solved.set()
        thread.join()
        late = quick.proposals()[1]
        assert (late.id, late.basis.version) == (2, 0)  # asked with the weights it was really solved with

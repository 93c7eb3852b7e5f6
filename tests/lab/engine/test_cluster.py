"""A real Dask cluster: a scheduler and two worker processes, one of them killed half way."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import coactor
from coactor.lab.engine.cache import Cache
from coactor.lab.engine.parallel import run_all
from coactor.lab.paper.data.files import read_queries
from coactor.lab.paper.experiment import Settings, make_units
from coactor.lab.paper.runs import measure_unit

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

WAIT = 60  # seconds until a process that does not answer is a failure


def start(*words: str) -> tuple[subprocess.Popen[str], Iterator[str]]:
    """A process, and the lines it writes; a line that does not come within WAIT fails the test."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"},
    )
    lines: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        for line in process.stderr:
            lines.put(line)

    threading.Thread(target=listen, daemon=True).start()
    return process, iter(lambda: lines.get(timeout=WAIT), None)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Address of a scheduler with two worker processes of two threads, and the workers."""
    folder = str(tmp_path_factory.mktemp("workers"))
    scheduler, output = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    address = next(line.split()[-1] for line in output if "Scheduler at:" in line)
    workers = []
    try:
        for number in range(2):
            options = ("--no-nanny", "--no-dashboard", "--nthreads", "2", "--name", str(number))
            worker, output = start("worker", address, *options, "--local-directory", folder)
            workers.append(worker)
            next(line for line in output if "Registered to:" in line)
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
            process.stderr.close()


def test_data_files_are_sent_to_workers_that_cannot_see_them(cluster, tmp_path):
    address, _ = cluster
    path = Path(tmp_path / "train.txt")
    path.write_text("2 qid:1 1:0.5\n0 qid:1 2:1\n4 qid:1 1:0.9\n1 qid:2 1:0.1\n3 qid:2 2:0.7\n")
    settings = Settings(["rank-budget"], ["PER"], runs=2, examples=5, data=[str(path)])
    units = make_units(settings)
    data = {panel.data.digest: read_queries(panel.data) for panel in settings.make_panels()}
    path.unlink()
    here, there = (run_all(measure_unit, data, units, jobs=jobs) for jobs in (1, address))
    assert [one.costs.tolist() for one in there] == [one.costs.tolist() for one in here]


def test_reproduce_on_a_cluster_with_a_killed_worker_gives_the_same_files(cluster, tmp_path, monkeypatch):
    """The last test of this file: only one worker is left."""
    address, workers = cluster
    small = Settings(["path-clean", "mtsp-noise"], ["PER", "PA", "expert"], runs=6, examples=60)
    coactor.lab.reproduce(tmp_path / "here", small, jobs=1)

    real, finished = Cache.save, []

    def save_then_kill(self, task, result) -> None:
        real(self, task, result)
        finished.append(task)
        if len(finished) == 4:  # half way: both workers are busy
            workers[0].send_signal(signal.SIGKILL)
            workers[0].wait()

    monkeypatch.setattr(Cache, "save", save_then_kill)
    coactor.lab.reproduce(tmp_path / "there", small, jobs=address)
    assert len(finished) == 12
    assert workers[0].returncode == -signal.SIGKILL
    for name in ("runs.csv", "claims.json"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()

"""The same work on a real Dask cluster: a scheduler and two workers, one of them killed half way."""

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
from coactor.lab.engine import parallel as module
from coactor.lab.engine.contenders import parse_lines
from coactor.lab.engine.parallel import execute
from coactor.lab.paper.experiment import Experiment, use_data
from coactor.lab.paper.panels import find_panel

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

WAIT = 60  # seconds until a process that does not answer is a failure


def start(*words: str) -> tuple[subprocess.Popen[str], Iterator[str]]:
    """A process, and the lines it says; a line that does not come within WAIT fails the test."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "False"},
    )
    said: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        for line in process.stderr:
            said.put(line)

    threading.Thread(target=listen, daemon=True).start()
    return process, iter(lambda: said.get(timeout=WAIT), None)


@pytest.fixture
def cluster(tmp_path):
    """Address of a scheduler with two worker processes, and the workers."""
    scheduler, said = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    address = next(line.split()[-1] for line in said if "Scheduler at:" in line)
    workers = []
    try:
        for number in range(2):
            worker, heard = start(
                "worker",
                address,
                "--no-nanny",
                "--no-dashboard",
                "--nthreads",
                "2",
                "--name",
                str(number),
                "--local-directory",
                str(tmp_path),
            )
            workers.append(worker)
            next(line for line in heard if "Registered to:" in line)
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
            process.stderr.close()


def test_a_killed_worker_changes_no_byte(cluster, tmp_path, monkeypatch):
    address, workers = cluster
    small = {
        "panels": ["path-clean", "mtsp-noise"],
        "runs": 6,
        "examples": 150,
        "learners": ["PER", "PA", "expert"],
    }
    coactor.lab.reproduce(tmp_path / "here", **small, jobs=1)

    real, finished = module.cache.save, []

    def save_then_kill(folder: Path, unit, result) -> None:
        real(folder, unit, result)
        finished.append(unit)
        if len(finished) == 4:  # half way: both workers are busy
            workers[0].send_signal(signal.SIGKILL)
            workers[0].wait()

    monkeypatch.setattr(module.cache, "save", save_then_kill)
    coactor.lab.reproduce(tmp_path / "there", **small, cluster=address)
    assert len(finished) == 12
    assert workers[0].returncode == -signal.SIGKILL
    assert (tmp_path / "here" / "runs.csv").read_bytes() == (tmp_path / "there" / "runs.csv").read_bytes()
    assert (tmp_path / "here" / "claims.json").read_bytes() == (
        tmp_path / "there" / "claims.json"
    ).read_bytes()

    # Data travel to workers that cannot see the file.
    path = tmp_path / "train.txt"
    path.write_text("2 qid:1 1:0.5\n0 qid:1 2:1\n4 qid:1 1:0.9\n1 qid:2 1:0.1\n3 qid:2 2:0.7\n")
    panels = use_data([find_panel("rank-budget")], [path])
    units = Experiment(panels, parse_lines(["PER"]), runs=2, examples=5).units()
    here = [result.costs.tolist() for result in execute(units)]
    path.unlink()
    assert [result.costs.tolist() for result in execute(units, cluster=address)] == here

    # A worker with other code would make other numbers; it says so.
    monkeypatch.setattr(module.cache, "code_digest", lambda: "another")
    with pytest.raises(ValueError, match="another version of coactor"):
        execute(units, cluster=address)


def test_a_scheduler_that_does_not_answer():
    unit = Experiment((find_panel("path-clean"),), parse_lines(["PER"]), runs=1, examples=1).units()
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        execute(unit, cluster="tcp://127.0.0.1:1")

"""Tasks in this process, in processes, and on the threads of a Dask worker: the same results."""

from __future__ import annotations

import importlib
import os
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from coactor.lab.engine import parallel
from coactor.lab.engine.cache import Cache
from coactor.lab.engine.parallel import Interrupted, available_cores, run_all

TOGETHER = threading.Barrier(2, timeout=0.5)


def power(base: int, task: int) -> int:
    """A task."""
    return base**task


def called(shared: Any, task: int) -> Any:
    """Calls a function of the shared data."""
    return shared["f"](task)


def import_value(module: str, task: int) -> Any:
    """Imports a module of the user."""
    return importlib.import_module(module).value


def overlaps(shared: None, task: int) -> bool:
    """Whether another task runs at the same time in this process."""
    try:
        TOGETHER.wait()
    except threading.BrokenBarrierError:
        TOGETHER.reset()
        return False
    return True


def blas_threads(shared: None, task: int) -> int:
    """The largest number of threads a BLAS call would use."""
    np.ones((2, 2)) @ np.ones((2, 2))
    return max(pool["num_threads"] for pool in threadpool_info())


def cache(folder: Path) -> Cache[int, int]:
    return Cache(folder, lambda task: {"task": task}, lambda task, value: int(value))


def test_run_all_returns_results_in_the_order_of_the_tasks(threaded_worker: str) -> None:
    for place in (1, 2, threaded_worker):
        assert run_all(power, 2, [3, 1, 2], jobs=place) == [8, 2, 4]
        assert run_all(power, 2, [], jobs=place) == []


def test_tasks_on_the_threads_of_a_dask_worker_do_not_overlap(threaded_worker: str) -> None:
    assert run_all(overlaps, None, [0, 1], jobs=threaded_worker) == [False, False]


def test_tasks_use_one_blas_thread_everywhere(threaded_worker: str) -> None:
    for place in (1, 2, threaded_worker):
        assert run_all(blas_threads, None, [0, 1, 2], jobs=place) == [1, 1, 1]


def test_shared_data_may_contain_functions() -> None:
    assert run_all(called, {"f": lambda task: task + 1}, [1, 2], jobs=2) == [2, 3]


def test_reused_processes_find_modules_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_all(power, 2, [1, 2], jobs=2)  # starts the processes, in another folder
    (tmp_path / "found_in_folder.py").write_text("value = 7\n")
    monkeypatch.chdir(tmp_path)
    assert run_all(import_value, "found_in_folder", [0, 1], jobs=2) == [7, 7]


def test_cached_tasks_are_not_run_again(tmp_path: Path) -> None:
    assert run_all(power, 2, [1, 2], cache=cache(tmp_path), jobs=1) == [2, 4]
    assert run_all(power, 5, [1, 2, 3], cache=cache(tmp_path), jobs=1) == [2, 4, 125]


def test_ctrl_c_raises_interrupted_and_keeps_finished_tasks(tmp_path: Path) -> None:
    def stopped(base: int, task: int) -> int:
        if task == 3:
            raise KeyboardInterrupt
        return power(base, task)

    with pytest.raises(Interrupted, match="2 of 3 tasks are finished; they are saved") as stop:
        run_all(stopped, 2, [1, 2, 3], cache=cache(tmp_path), jobs=1)
    assert (stop.value.done, stop.value.total) == (2, 3)
    assert [cache(tmp_path).load(task) for task in (1, 2, 3)] == [2, 4, None]
    with pytest.raises(Interrupted, match="nothing was saved"):
        run_all(stopped, 2, [1, 2, 3], jobs=1)


def test_a_result_that_ctrl_c_keeps_from_being_saved_is_not_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(cache: Cache[int, int], task: int, result: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Cache, "save", save)
    with pytest.raises(Interrupted, match="0 of 2 tasks are finished"):
        run_all(power, 2, [1, 2], cache=cache(tmp_path), jobs=1)


def test_a_worker_with_other_code_is_refused(threaded_worker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = iter(["here", "there"])
    monkeypatch.setattr(parallel, "code_digest", lambda: next(digests, "there"))
    with pytest.raises(ValueError, match="another version of coactor, numpy or numba"):
        run_all(power, 2, [1], jobs=threaded_worker)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "localhost:99999", "x", "", "mail://x:25"])
def test_a_scheduler_that_does_not_answer_is_an_error(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    # A client without a scheduler prints a traceback when the interpreter exits, so none is made.
    monkeypatch.setattr(distributed, "Client", None)
    with pytest.raises(ValueError, match=re.escape(f"No Dask scheduler answers at {address!r}")):
        run_all(power, 2, [1], jobs=address)


def test_available_cores_respects_the_affinity_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3}, raising=False)
    assert available_cores() == 1

"""Run independent tasks in this process, in several processes, or on a Dask cluster.

The results are the same everywhere. A task runs alone in its process and with one BLAS thread, and a worker
of a cluster must run the same code. Finished tasks are cached as they arrive, so that a stopped experiment
resumes where it was.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from threadpoolctl import threadpool_limits

from coactor.lab.engine.cache import Cache, code_digest
from coactor.lab.engine.progress import progress

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")
Jobs: TypeAlias = int | str | None
"""Processes on this machine (None: one per available core), or the address of a Dask scheduler."""
Finished: TypeAlias = Generator[tuple[int, Result], None, None]
"""The index of a task and its result, in the order in which tasks finish."""

# BLAS with several threads may sum in another order, and two tasks in one process (the threads of a Dask
# worker) would reset each other's limit.
_ONE_TASK = threading.Lock()


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped the work. Finished tasks are in the cache, if there is one."""

    def __init__(self, done: int, total: int, cached: bool) -> None:
        rest = "they are saved, and the same command resumes from there" if cached else "nothing was saved"
        super().__init__(f"Stopped. {done} of {total} tasks are finished; {rest}.")
        self.done, self.total = done, total


def available_cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    work: Callable[[Shared, Task], Result],
    shared: Shared,
    tasks: Sequence[Task],
    *,
    cache: Cache[Task, Result] | None = None,
    jobs: Jobs = None,
    silent: bool = True,
) -> list[Result]:
    """Compute work(shared, task) for every task; results come in the order of the tasks.

    Parameters
    ----------
    work
        A function defined at the top level of a module.
    shared
        What every task needs. It is sent once to each process or worker.
    tasks
        Their `str` is shown as progress.
    cache
        Tasks found in it are not run again, and finished ones are saved to it.
    jobs
        Processes on this machine, by default one per available core; or the address of a Dask scheduler.
    silent
        Show no progress.

    Raises Interrupted on Ctrl-C, and ValueError if the cluster cannot be used.
    """
    stored = {} if cache is None else {i: cache.load(task) for i, task in enumerate(tasks)}
    results = {i: result for i, result in stored.items() if result is not None}
    todo = [i for i in range(len(tasks)) if i not in results]
    finished = _execute(work, shared, [tasks[i] for i in todo], available_cores() if jobs is None else jobs)
    try:
        with progress(len(tasks), len(results), silent=silent) as step:
            for k, result in finished:
                i = todo[k]
                if cache is not None:
                    cache.save(tasks[i], result)  # before it counts as finished: Ctrl-C may come in between
                results[i] = result
                step(str(tasks[i]))
    except KeyboardInterrupt:
        raise Interrupted(len(results), len(tasks), cache is not None) from None
    finally:
        finished.close()
    return [results[i] for i in range(len(tasks))]


def run_alone(work: Callable[[Shared, Task], Result], shared: Shared, task: Task) -> Result:
    """Compute work(shared, task) while no other task runs in this process, with one BLAS thread."""
    with _ONE_TASK, threadpool_limits(1):
        return work(shared, task)


def _execute(
    work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task], jobs: int | str
) -> Finished[Result]:
    if isinstance(jobs, str) and tasks:
        return _on_cluster(work, shared, tasks, jobs)
    if isinstance(jobs, str) or jobs == 1 or len(tasks) < 2:
        return ((k, run_alone(work, shared, task)) for k, task in enumerate(tasks))
    return _in_processes(work, shared, tasks, jobs)


# -- processes on this machine -----------------------------------------------------------------------------


def _in_processes(
    work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task], jobs: int
) -> Finished[Result]:
    import joblib
    from joblib.externals.loky import wrap_non_picklable_objects

    with tempfile.TemporaryDirectory(prefix="coactor-") as folder:
        path = Path(folder) / "shared"  # read once by each process; an argument is sent with every task
        # Models contain functions, which plain pickle cannot write.
        joblib.dump(wrap_non_picklable_objects(shared, keep_wrapper=False), path)
        modules = [os.getcwd(), *sys.path]  # a reused process may have been started in another folder
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            run = joblib.Parallel(min(jobs, len(tasks)), return_as="generator_unordered", batch_size=1)
            calls = (joblib.delayed(_in_worker)(work, path, k, task, modules) for k, task in enumerate(tasks))
            yield from run(calls)


def _in_worker(
    work: Callable[[Any, Task], Result], path: Path, k: int, task: Task, modules: list[str]
) -> tuple[int, Result]:
    # Ctrl-C reaches the whole process group. The parent handles it and ends the workers.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path += [folder for folder in modules if folder not in sys.path]
    return k, run_alone(work, _read_shared(path), task)


@lru_cache(maxsize=1)
def _read_shared(path: Path) -> Any:
    import joblib

    return joblib.load(path)


# -- a Dask cluster ------------------------------------------------------------------------------------------


def _on_cluster(
    work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task], address: str
) -> Finished[Result]:
    try:
        import distributed as untyped
    except ImportError as error:
        raise ValueError("A cluster needs Dask: pip install 'coactor[cluster]'.") from error
    dask: Any = untyped
    try:
        # A client that cannot connect complains again when the interpreter exits, so try the port first.
        socket.create_connection(dask.comm.get_address_host_port(address), timeout=5).close()
        client = dask.Client(address, timeout="5s", set_as_default=False)
    except (OSError, ValueError, OverflowError) as error:
        raise ValueError(
            f"No Dask scheduler answers at {address!r}. Give the address it prints, such as tcp://host:8786."
        ) from error
    with client:
        # Workers may run on machines that do not see our files: the data is sent, once to each worker.
        data = None if shared is None else client.scatter(shared, broadcast=True, hash=False)
        code = code_digest()
        index = {
            client.submit(_on_worker, work, data, task, code, pure=False): k for k, task in enumerate(tasks)
        }
        try:
            for future in dask.as_completed(list(index), loop=client.loop):
                yield index.pop(future), future.result()
        finally:
            client.cancel(list(index))


def _on_worker(work: Callable[[Shared, Task], Result], shared: Shared, task: Task, code: str) -> Result:
    if code_digest() != code:
        raise ValueError(
            "A worker of the cluster has another version of coactor, numpy or numba than this machine. "
            "Install the same versions on both."
        )
    return run_alone(work, shared, task)

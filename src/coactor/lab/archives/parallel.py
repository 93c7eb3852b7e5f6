"""Runs tasks where there is room: in this process, on every core, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from coactor.lab.engine.progress import Progress

Task = TypeVar("Task")
Result = TypeVar("Result")
Shared = TypeVar("Shared")


def run_all(
    work: Callable[[Shared, Task], Result],
    shared: Shared,
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """work(shared, task) for every task; results in the order of the tasks.

    Parameters
    ----------
    work
        A function of a module.
    shared
        What every task needs: it travels once to each process or worker.
    jobs
        Processes on this machine.
    cluster
        Address of a Dask scheduler; then `jobs` is not used.
    """
    results: dict[int, Result] = {}
    for k, result in _somewhere(work, shared, tasks, jobs, cluster):
        results[k] = result
        if progress is not None:
            progress.step(str(tasks[k]))
    return [results[k] for k in range(len(tasks))]


def _somewhere(
    work: Callable[[Shared, Task], Result],
    shared: Shared,
    tasks: Sequence[Task],
    jobs: int,
    cluster: str | None,
) -> Iterator[tuple[int, Result]]:
    if cluster is not None:
        with connected(cluster) as client:
            yield from _on_cluster(client, work, shared, tasks)
    elif jobs == 1 or len(tasks) < 2:
        for k, task in enumerate(tasks):
            yield _one(work, shared, k, task)
    else:
        import joblib

        parallel = joblib.Parallel(n_jobs=min(jobs, len(tasks)), return_as="generator_unordered")
        yield from parallel(joblib.delayed(_one)(work, shared, k, task) for k, task in enumerate(tasks))


def _one(work: Callable[[Shared, Task], Result], shared: Shared, k: int, task: Task) -> tuple[int, Result]:
    with threadpool_limits(1):  # several threads may add up in another order
        return k, work(shared, task)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the Dask scheduler at an address, or a sentence."""
    try:
        import distributed as untyped
    except ImportError as error:
        raise ValueError("--cluster needs Dask: pip install 'coactor[cluster]'.") from error
    dask: Any = untyped
    try:
        client = dask.Client(address, timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"no Dask scheduler answers at {address}; give the address it prints, like tcp://host:8786."
        ) from error
    with client:
        yield client


def _on_cluster(
    client: Any, work: Callable[[Shared, Task], Result], shared: Shared, tasks: Sequence[Task]
) -> Iterator[tuple[int, Result]]:
    import distributed as untyped

    dask: Any = untyped
    data = client.scatter(shared, broadcast=True, hash=False)
    futures = [client.submit(_one, work, data, k, task, pure=False) for k, task in enumerate(tasks)]
    try:
        for future in dask.as_completed(futures, loop=client.loop):
            yield future.result()
    finally:
        client.cancel(futures)

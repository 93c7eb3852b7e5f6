"""Runs units wherever there is room: in this process, on every core, or on a Dask cluster."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from coactor.domains import Query
from coactor.lab.engine import cache
from coactor.lab.engine.progress import Progress
from coactor.lab.paper.panels import DataFile
from coactor.lab.paper.runs import Unit, UnitResult, read_data, run_unit

Finished: TypeAlias = Generator[tuple[int, UnitResult], None, None]
"""The number of a unit and its result, in the order in which they come."""


class Interrupted(Exception):  # noqa: N818  (not an error: somebody pressed Ctrl-C)
    """The work was stopped; what was finished is kept."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"stopped with {done} of {total} units finished")
        self.done, self.total = done, total


def execute(
    units: Sequence[Unit],
    *,
    folder: Path | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    silent: bool = True,
) -> list[UnitResult]:
    """Run units, in any order and anywhere; results come back in the order of `units`.

    Parameters
    ----------
    folder
        Where finished units are kept and looked for; None keeps nothing.
    jobs
        Processes on this machine.
    cluster
        Address of a Dask scheduler; then `jobs` is not used.
    silent
        Show no progress.
    """
    results: dict[int, UnitResult] = {}
    if folder is not None:
        for i, unit in enumerate(units):
            kept = cache.load(folder, unit)
            if kept is not None:
                results[i] = kept
    todo = [i for i in range(len(units)) if i not in results]
    progress = Progress(len(units), len(results), silent=silent)
    if results and todo:
        progress.say(f"{len(results)} of {len(units)} units were finished before; going on with the rest")
    finished = _somewhere([units[i] for i in todo], jobs, cluster)
    try:
        for k, result in finished:
            i = todo[k]
            results[i] = result
            if folder is not None:
                cache.save(folder, units[i], result)
            progress.step(f"{units[i].panel.name}, run {units[i].run}")
    except KeyboardInterrupt:
        raise Interrupted(len(results), len(units)) from None
    finally:
        progress.close()
        finished.close()
    return [results[i] for i in range(len(units))]


def _somewhere(units: Sequence[Unit], jobs: int, cluster: str | None) -> Finished:
    if cluster is not None and units:
        return _on_cluster(units, cluster)
    if jobs == 1 or len(units) < 2:
        return ((k, run_unit(unit)) for k, unit in enumerate(units))
    return _on_cores(units, jobs)


def _worker(k: int, unit: Unit) -> tuple[int, UnitResult]:
    # Ctrl-C reaches the whole group of processes; the parent answers it, workers just end with it.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return k, run_unit(unit)


def _on_cores(units: Sequence[Unit], jobs: int) -> Finished:
    import joblib

    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(
            n_jobs=min(jobs, len(units)), return_as="generator_unordered", batch_size=1
        )
        yield from parallel(joblib.delayed(_worker)(k, unit) for k, unit in enumerate(units))


def _remote(unit: Unit, queries: Sequence[Query] | None, code: str) -> UnitResult:
    if cache.code_digest() != code:
        raise ValueError(
            "a worker of the cluster has another version of coactor than this machine; install the same one"
        )
    return run_unit(unit, queries)


def _on_cluster(units: Sequence[Unit], address: str) -> Finished:
    try:
        import distributed as untyped
    except ImportError as error:
        raise ValueError("--cluster needs Dask: pip install 'coactor[cluster]'") from error
    dask: Any = untyped
    try:
        client = dask.Client(address, timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"no Dask scheduler answers at {address}; give the address it prints, like tcp://host:8786"
        ) from error
    with client:
        # Workers may live on machines that do not see the file: the data travels once, by itself.
        shipped: dict[DataFile, Any] = {}
        for unit in units:
            if unit.panel.data is not None and unit.panel.data not in shipped:
                shipped[unit.panel.data] = client.scatter([read_data(unit.panel.data)], hash=False)[0]
        code = cache.code_digest()
        numbers = {}
        for k, unit in enumerate(units):
            data = shipped.get(unit.panel.data) if unit.panel.data is not None else None
            numbers[client.submit(_remote, unit, data, code, pure=False)] = k
        try:
            for future in dask.as_completed(list(numbers), loop=client.loop):
                yield numbers.pop(future), future.result()
        finally:
            client.cancel(list(numbers))

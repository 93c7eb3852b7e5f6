"""The long versions of two tests: many processes on one store, and a server that is killed again and again.

    python benchmarks/soak.py [--processes 8] [--tells 200] [--kills 50]

Every run ends with a full check of the log: no gap, every link, the weights after every tell.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.studies.stubs import Switches, tours  # noqa: E402
from tests.studies.support import postgres  # noqa: E402
from tests.web.test_failures import Load  # noqa: E402

from coactor.studies import Store, open_study  # noqa: E402
from coactor.studies.log.verification import verify  # noqa: E402


def many_processes(url: str, processes: int, tells: int) -> str:
    """Processes that ask and tell on one store at once."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "tests.studies.support.worker", url, "desk"]
    workers = [
        subprocess.Popen([*command, str(w), str(tells)], cwd=ROOT, stdout=subprocess.DEVNULL)
        for w in range(processes)
    ]
    failed = sum(worker.wait() != 0 for worker in workers)
    took = time.perf_counter() - began
    with open_study(url, "desk", Switches()) as study:
        good = verify(study.store, "desk")
        assert failed == 0, f"{failed} processes failed"
        assert good.facts == 1 + 2 * processes * tells, good
        assert [row.version for row in study.effort()] == list(range(1, processes * tells + 1))
    rate = processes * tells / took
    return f"{processes} x {tells} tells, {rate:.0f} a second: no error, no gap, replay equal"


class Problems:
    """What the load of the killed server needs to know."""

    def __init__(self) -> None:
        self.domain, self.problems = tours(20)

    def problem(self, number: int) -> object:
        return self.domain.encode_problem(self.problems[number])


def many_kills(url: str, kills: int) -> str:
    """kill -9 in the middle of load."""
    problems = Problems()
    with Store(url) as store:
        open_study(store, "tours", problems.domain, "CSPER", create=True).close()
    load = Load(url, problems)
    load.kill(kills, least=12)
    return f"{kills} kills, {load.check()}: nothing lost, nothing handed out twice, replay equal"


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--tells", type=int, default=200)
    options.add_argument("--kills", type=int, default=50)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak") as name:
        folder = Path(name)
        print(
            "SQLite:    ",
            many_processes(f"sqlite:///{folder}/many.db", given.processes, given.tells),
            flush=True,
        )
        print("SQLite:    ", many_kills(f"sqlite:///{folder}/killed.db", given.kills), flush=True)
    if postgres.binaries() is None:
        print("PostgreSQL is not installed here; its half is left out")
        return
    with tempfile.TemporaryDirectory(prefix="soak") as name, postgres.running(Path(name)) as server:
        print(
            "PostgreSQL:",
            many_processes(postgres.new_database(server, "many"), given.processes, given.tells),
            flush=True,
        )
        print("PostgreSQL:", many_kills(postgres.new_database(server, "killed"), given.kills), flush=True)


if __name__ == "__main__":
    main()

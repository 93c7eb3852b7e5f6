"""The service, measured beside Optuna and PyVRP in one run. Ratios travel between machines; seconds do not.

    python benchmarks/studies.py [--quick] [--json] [--only alone|http|grown|plans|sizes]

An ask of ours solves a 20-point tour with 10 features and stores the problem and the proposal; a tell learns.
Optuna's ask and tell store a trial without parameters: less work, so the comparison favours Optuna.
Both write to SQLite files in the same folder, turn by turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import asks
import httpx
import numpy as np
import optuna

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.web.test_failures import ServerProcess

from coactor.domains import Tour
from coactor.protocol import Basis
from coactor.rounds import learn
from coactor.studies import Store, Study, open_study
from coactor.studies.accounts import Accounts
from coactor.studies.log.chain import canonical, content_hash
from coactor.studies.log.projection import observation
from coactor.studies.log.vectors import digest
from coactor.studies.log.verification import verify

MOVES = [{"op": "reverse", "args": [3, 9]}, {"op": "reverse", "args": [5, 6]}]
DOMAIN = Tour(points=20, features=10)


def per_second(work: Any, count: int) -> float:
    began = time.perf_counter()
    for k in range(count):
        work(k)
    return count / (time.perf_counter() - began)


def alone(folder: Path, rounds: int, pairs: int, learner: str) -> dict[str, Any]:
    """One process: pairs of ask and tell per second, ours and Optuna's in turn."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    theirs = optuna.create_study(
        storage=f"sqlite:///{folder}/optuna.db", sampler=optuna.samplers.RandomSampler()
    )
    problems = list(DOMAIN.sample(np.random.default_rng(0), rounds * pairs + 50))
    with open_study(f"sqlite:///{folder}/ours-{learner}.db", "desk", DOMAIN, learner, create=True) as ours:

        def our_pair(k: int) -> None:
            ours.tell(ours.ask(problems.pop()).id, moves=MOVES)

        per_second(our_pair, 50)  # kernels are compiled, caches are warm
        per_second(lambda k: theirs.tell(theirs.ask(), 1.0), 5)
        rates = [
            (
                per_second(our_pair, pairs),
                per_second(lambda k: theirs.tell(theirs.ask(), 1.0), max(20, pairs // 6)),
            )
            for _ in range(rounds)
        ]
    mine, other = (statistics.median(r[i] for r in rates) for i in (0, 1))
    return {"rates": [("one process", mine, other, statistics.median(a / b for a, b in rates))]}


def clients(address: str, token: str, number: int, pairs: int) -> float:
    """Several clients over HTTP, each a thread with a connection: pairs of ask and tell per second."""
    problems = [DOMAIN.encode_problem(x) for x in DOMAIN.sample(np.random.default_rng(1), 20)]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    bodies = [json.dumps({"problem": problem}) for problem in problems]
    told = json.dumps({"moves": MOVES})

    def post(connection: HTTPConnection, path: str, body: str, status: int) -> Any:
        connection.request("POST", path, body, headers)
        with connection.getresponse() as answer:
            text = answer.read()
            assert answer.status == status, text
            return json.loads(text)

    def one(count: int) -> None:
        connection = HTTPConnection(address.removeprefix("http://"), timeout=60)
        for k in range(count):
            made = post(connection, "/api/studies/desk/proposals", bodies[k % 20], 201)
            post(connection, f"/api/studies/desk/proposals/{made['id']}/tell", told, 200)
        connection.close()

    one(5)
    with ThreadPoolExecutor(number) as pool:
        began = time.perf_counter()
        list(pool.map(one, [pairs] * number))
        return number * pairs / (time.perf_counter() - began)


async def edits(address: str, token: str, seconds: float, rate: float = 50.0) -> list[list[str]]:
    """Edits at a fixed rate: how long an answer takes, as a person feels it."""
    headers, took, floor = {"Authorization": f"Bearer {token}"}, [], []
    problem = DOMAIN.encode_problem(next(DOMAIN.sample(np.random.default_rng(2), 1)))
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
        ids = []
        for _ in range(10):
            made = await client.post("/api/studies/desk/proposals", json={"problem": problem})
            ids.append(made.json()["id"])
        revision = dict.fromkeys(ids, 0)

        async def edit(id: int) -> None:
            began = time.perf_counter()
            answer = await client.post(
                f"/api/studies/desk/proposals/{id}/edits",
                json={"moves": [MOVES[revision[id] % 2]]},
                headers={"If-Match": f'"{revision[id]}"'},
            )
            took.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.text
            revision[id] += 1
            began = time.perf_counter()
            await client.get("/api/me")  # the same way, without the work: what the machine itself takes
            floor.append(time.perf_counter() - began)

        began, running = time.perf_counter(), []
        for k in range(int(seconds * rate)):
            await asyncio.sleep(max(0.0, began + k / rate - time.perf_counter()))
            if len(running) >= len(ids):
                await running.pop(0)  # one edit at a time on each proposal
            running.append(asyncio.create_task(edit(ids[k % len(ids)])))
        await asyncio.gather(*running)
    names = ("an edit, 50 a second", took), ("an empty request in between", floor)
    return [[name, *(f"{1000 * q:.0f}" for q in np.quantile(times, [0.5, 0.99]))] for name, times in names]


def over_http(folder: Path, pairs: int, seconds: float, rounds: int = 3) -> dict[str, Any]:
    """Eight clients on one server, and on two that share a port; Optuna right before each; then edits."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    theirs = optuna.create_study(
        storage=f"sqlite:///{folder}/beside.db", sampler=optuna.samplers.RandomSampler()
    )
    url, rows = f"sqlite:///{folder}/http.db", []
    with Store(url) as store:
        open_study(store, "desk", DOMAIN, "CSPER", create=True).close()
        token = Accounts(store).create("machine", "*", "lead")
    servers = [ServerProcess(url, "--share-port")]
    address = servers[0].address
    try:
        for number in (1, 2):
            if number == 2:
                servers.append(ServerProcess(url, "--share-port", "--port", address.rpartition(":")[2]))
            for _ in range(rounds):  # the disk of a shared machine changes its mind: measure side by side
                other = per_second(lambda k: theirs.tell(theirs.ask(), 1.0), 20)
                rows.append((number, clients(address, token, 8, pairs), other))
        rates = []
        for number, name in ((1, "one server"), (2, "two servers")):
            mine = [row for row in rows if row[0] == number]
            middle = [statistics.median(row[i] for row in mine) for i in (1, 2)]
            ratio = statistics.median(row[1] / row[2] for row in mine)
            rates.append((f"HTTP, 8 clients, {name}", *middle, ratio))
        return {"rates": rates, "edits": asyncio.run(edits(address, token, seconds))}
    finally:
        for server in servers:
            server.kill()


def grown(folder: Path, sizes: list[int]) -> list[dict[str, float]]:
    """The same work on a log that grows: pairs per second; opening, report, queue and verification."""
    url, rows = f"sqlite:///{folder}/grown.db", []
    problems = list(DOMAIN.sample(np.random.default_rng(3), 20))
    with Store(url) as store:
        study = open_study(store, "desk", DOMAIN, "CSPER", create=True)
        for size in sizes:
            _fill(study, problems[0], size)
            rate = per_second(lambda k: study.tell(study.ask(problems[k % 20]).id, moves=MOVES), 60)
            rows.append({"facts": float(study.summary()["facts"]), "pairs_per_s": rate} | _reading(store))
    return rows


def _reading(store: Store) -> dict[str, float]:
    """The seconds of what only reads."""
    study = Study(store, "desk")
    works: dict[str, Any] = {
        "open_s": lambda k: Study(store, "desk"),
        "report_s": lambda k: (study.report(), study.calibration(), study.versions(limit=100)),
        "report_again_s": lambda k: (study.report(), study.calibration()),
        "queue_s": lambda k: study.queue(limit=50),
        "verify_s": lambda k: verify(store, "desk"),
    }
    return {name: 1 / per_second(work, 1) for name, work in works.items()}


def _fill(study: Study, problem: Any, size: int) -> None:
    """Fill a log with copies of one correction, a thousand facts a transaction; some proposals wait.

    Each copy refers to a problem of its own, of a few bytes.
    """
    study.tell(study.ask(problem), moves=MOVES)
    with study.store.reading() as sql:
        last = study.summary()["facts"]
        asked, told = (entry.fact for entry in sql.after(study._ledger.head.id, last - 2))
    while study.summary()["facts"] < size:
        with study._ledger.writing() as log:
            knowledge, version = log.projection.knowledge.copy(), log.projection.version
            for proposal in range(log.projection.asked + 1, log.projection.asked + 501):
                data = canonical([proposal])
                log.sql.add_problem(content_hash(data), data)
                basis = Basis(version)
                copy = replace(asked, proposal=proposal, problem=content_hash(data), basis=basis)
                log.add(copy, actor="ana")
                if proposal % 100:
                    learn(knowledge, observation(told))
                    version += 1
                    result = replace(told.round, proposal=proposal, basis=basis, version=version)
                    copy = replace(told, round=result, digest=digest(knowledge.learner.weights))
                    log.add(copy, actor="ana", knowledge=knowledge.copy())


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--quick", action="store_true", help="a smaller run")
    options.add_argument("--json", action="store_true")
    options.add_argument("--learner", default="CSPER")
    options.add_argument(
        "--only", choices=("alone", "http", "grown", "plans", "sizes"), help="a part of the run"
    )
    given = options.parse_args()
    quick = given.quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: dict[str, Any] = {
            "alone": lambda: alone(folder, 3 if quick else 5, 120 if quick else 300, given.learner),
            "http": lambda: over_http(folder, 15 if quick else 60, 4 if quick else 20),
            "grown": lambda: grown(folder, [100, 1000, 3000] if quick else [100, 1000, 10_000, 100_000]),
            "plans": lambda: asks.plans(2 if quick else 10),
            "sizes": lambda: asks.sizes(30),
        }
        results = {name: part() for name, part in parts.items() if given.only in (None, name)}
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for name in ("alone", "http"):
        if name in results:
            rows = results[name]["rates"]
            cells = [
                [what, f"{mine:.0f}", f"{other:.0f}", f"{ratio:.1f}"] for what, mine, other, ratio in rows
            ]
            show(["pairs of ask and tell a second", "coactor", "Optuna", "ratio"], cells)
    if edits := results.get("http", {}).get("edits"):
        show(["milliseconds of an answer", "median", "99 of 100 below"], edits)
    head = ["stops, vehicles", "solver", "ask, budget 1 s", "cost / PyVRP's", "days without a plan of PyVRP"]
    if plans := results.get("plans"):
        show(
            head,
            [
                [
                    f"{row['stops']}, {row['vehicles']}",
                    f"{row['solve_s']:.2f} s",
                    f"{row['ask_s']:.1f} s",
                    "" if row["cost_ratio"] is None else f"{row['cost_ratio']:.3f}",
                    f"{row['without']} of {row['days']}",
                ]
                for row in plans
            ],
        )
    if sizes := results.get("sizes"):
        cells = [[row["case"], f"{row['mean']:.0f}", f"{row['most']}", f"{row['goal']}"] for row in sizes]
        show(["bytes of a tell", "mean", "at most", "goal"], cells)
    if rows := results.get("grown"):
        names = ["open_s", "report_s", "report_again_s", "queue_s", "verify_s"]
        head = ["facts", "pairs a second", "open", "report", "report again", "queue", "verify"]
        show(
            head,
            [
                [f"{r['facts']:.0f}", f"{r['pairs_per_s']:.0f}", *(f"{r[name]:.2f} s" for name in names)]
                for r in rows
            ],
        )


def show(head: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown."""
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    print("".join(f"| {' | '.join(row)} |\n" for row in rows), flush=True)


if __name__ == "__main__":
    main()

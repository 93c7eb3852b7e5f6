"""Speed of the core, as ratios within one run: python benchmarks/core.py [--quick] [--only PART]

Seconds depend on the machine; the ratios are what is promised. Each section says what it compares. Times are
processor times, so that a busy machine does not disturb them much; for quiet numbers, run it alone.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import coactor
from coactor import domains, learners
from coactor.kernels import paths, rankings, tolerances


def seconds(work: Callable[[], Any], least: float = 0.2) -> float:
    """Seconds for one call: the best of three series, each long enough to measure."""
    work()
    times, calls = list[float](), 1
    while len(times) < 3:
        start = time.process_time()
        for _ in range(calls):
            work()
        spent = time.process_time() - start
        if spent < least:
            calls *= 2
        else:
            times.append(spent / calls)
    return min(times)


def plain_two_opt(cost: list[list[float]], tour: list[int], least: float) -> list[int]:
    """The loops of kernels.paths.two_opt on plain lists, which Python handles faster than arrays."""
    n = len(tour)
    while True:
        improved = False
        for i in range(1, n - 1):
            a, b = tour[i - 1], tour[i]
            for j in range(i + 1, n - 1 if i == 1 else n):
                c, d = tour[j], tour[(j + 1) % n]
                if (cost[a][b] + cost[c][d]) - (cost[a][c] + cost[b][d]) > least:
                    tour[i : j + 1] = tour[i : j + 1][::-1]
                    improved = True
                    break
            if improved:
                break
        if not improved:
            return tour


def two_opt(sizes: list[int]) -> list[dict[str, Any]]:
    """The 2-opt kernel against the same loops in plain Python: same random tours, same optima."""
    rows = []
    for n in sizes:
        rng = np.random.default_rng(n)
        cases = []
        for _ in range(20):
            cost = paths.cost_matrix(rng.random(n * (n - 1) // 2), n)
            cases.append((cost, cost.tolist(), rng.permutation(n)))

        def kernel(cases: Any = cases) -> list[list[int]]:
            out = []
            for cost, _, start in cases:
                order = np.append(start, start[0])
                paths.two_opt(cost, order, np.array([0, order.size]))
                out.append(order[:-1].tolist())
            return out

        def plain(cases: Any = cases) -> list[list[int]]:
            return [
                plain_two_opt(table, start.tolist(), tolerances.rounding(cost))
                for cost, table, start in cases
            ]

        if kernel() != plain():
            raise SystemExit("the kernel and plain Python end in different tours: nothing to compare.")
        fast, slow = seconds(kernel), seconds(plain)
        rows.append(
            {"points": n, "kernel_us": 1e6 * fast / 20, "plain_us": 1e6 * slow / 20, "ratio": slow / fast}
        )
        print(
            f"2-opt, {n} points: kernel {1e6 * fast / 20:8.1f} us, plain Python {1e6 * slow / 20:9.1f} us, "
            f"ratio {slow / fast:6.1f} (goal: at least 25)"
        )
    return rows


def tsp_round(examples: int) -> list[dict[str, Any]]:
    """A whole round at the paper's size, against generating its 190 x 100 edge features twice."""
    rows = []
    for name in ("PER", "CSPER", "PA", "CSPA"):
        rng = np.random.default_rng(1)
        domain = domains.Tour(points=20, features=100)
        expert = coactor.SimulatedExpert(domain, rng.random(100), kappa=0.1)
        session = coactor.Session(domain, learners.make(name, 100))
        spent = generated = 0.0
        for number in range(examples + 20):
            start = time.process_time()
            features = rng.random((190, 100))
            middle = time.process_time()
            x = domains.Graph(20, features, np.empty((190, 0)))
            again = time.process_time()
            proposal = session.ask(x)
            session.tell(proposal, expert(x, proposal.solution))
            end = time.process_time()
            if number >= 20:
                generated += middle - start
                spent += end - again
        ratio = spent / (2 * generated)
        one, draw = 1e6 * spent / examples, 1e6 * generated / examples
        rows.append({"learner": name, "round_us": one, "generate_us": draw, "ratio": ratio})
        print(
            f"TSP round, {name:5}: {one:6.1f} us, generating once {draw:6.1f} us, "
            f"round / 2 x generating = {ratio:.2f} (goal: at most 1)"
        )
    return rows


def random_query(rng: np.random.Generator) -> domains.Query:
    """24 documents, 700 features of which about 30 % are not 0."""
    used = rng.random((24, 700), dtype=np.float32) < 0.3
    flat = np.flatnonzero(used)
    indptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    rows = domains.SparseRows(indptr, flat % 700, rng.random(flat.size), (24, 700))
    return domains.Query(rows, rng.integers(0, 5, 24).astype(np.float64))


def ranking_pass(queries: int) -> dict[str, Any]:
    """An online pass over sparse queries, against the matrix-vector products it cannot do without.

    These are: the score of each document, and, where the expert edited, the features of the order they
    were shown and of the order they made.
    """
    rng = np.random.default_rng(2)
    domain = domains.Ranking(features=700)
    expert = coactor.SimulatedExpert(domain, domain.truth(), kappa=2.0)
    session = coactor.Session(domain, learners.PER(700))
    spent = products = 0.0
    done, block = -200, 200  # the first block warms up
    while done < queries:
        batch = [random_query(rng) for _ in range(block)]
        start = time.process_time()
        for x in batch:
            proposal = session.ask(x)
            session.tell(proposal, expert(x, proposal.solution))
        middle = time.process_time()
        w, share = session.learner.weights, rng.random(24)
        again = time.process_time()
        for x, effort in zip(batch, session.efforts[-block:], strict=True):
            rows = x.documents
            rankings.sparse_scores(rows.indptr, rows.indices, rows.values, w)
            if effort:
                rankings.sparse_sum(rows.indptr, rows.indices, rows.values, share, 700)
                rankings.sparse_sum(rows.indptr, rows.indices, rows.values, share, 700)
        end = time.process_time()
        if done >= 0:
            spent += middle - start
            products += end - again
        done += block
    edited = float(np.mean(np.array(session.efforts) > 0))
    result = {
        "queries": queries,
        "pass_s": spent,
        "products_s": products,
        "ratio": spent / products,
        "edited": edited,
    }
    print(
        f"ranking, {queries} queries x 24 x 700 at 30 %: pass {spent:.2f} s, products {products:.2f} s, "
        f"ratio {spent / products:.2f} (goal: at most 5); {100 * edited:.0f} % of the lists were edited"
    )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller problems, the same ratios")
    parser.add_argument("--json", metavar="FILE", help="also write the numbers there")
    parser.add_argument("--only", choices=("two_opt", "tsp_round", "ranking"), help="only this")
    args = parser.parse_args()
    parts: dict[str, Callable[[], Any]] = {
        "two_opt": lambda: two_opt([20, 40]),
        "tsp_round": lambda: tsp_round(200 if args.quick else 1000),
        "ranking": lambda: ranking_pass(1000 if args.quick else 20000),
    }
    results = {name: part() for name, part in parts.items() if args.only in (None, name)}
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()

"""The generated ranking set beside a real one: the shape of the data, and the effort of the paper's learners.

    python benchmarks/rankings.py --data rank.train

The real set is shown in random orders. The generated sets have its list lengths and its number of features;
each is generated anew. Last, the set of the reproduction: 700 features, 23.7 documents a query.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np

from coactor import Session, SimulatedExpert, loaders
from coactor.domains import Query, Ranking
from coactor.lab.engine.contenders import PAPER
from coactor.lab.engine.statistics import interval
from coactor.lab.paper.data.synthetic_ranking import SyntheticRanking
from coactor.learners import make

BUDGETS = {"without a limit": None, "budget 5 to 15": (5, 15)}
PAIRS = (("CSPER", "PER"), ("PA", "PER"), ("CSPA", "PER"), ("PA", "CSPER"), ("CSPA", "CSPER"))
Sample = Callable[[int], Sequence[Query]]


def shape(queries: Sequence[Query]) -> dict[str, float]:
    """What the generated set was fitted to."""
    rows = [query.rows() for query in queries]
    every = np.vstack(rows)
    centred = np.vstack([x - x.mean(axis=0) for x in rows])
    labels = np.concatenate([query.labels for query in queries])
    within = np.concatenate([query.labels - query.labels.mean() for query in queries])
    values, vectors = np.linalg.eigh(centred.T @ centred)
    shares = values[::-1] / values.sum()
    count = np.concatenate([(x != 0).sum(axis=1) - (x != 0).sum(axis=1).mean() for x in rows])
    apart = [np.subtract.outer(query.labels, query.labels) >= 2 for query in queries]
    spread = np.array([query.labels.std() for query in queries])
    count_apart = np.array([pairs.sum() for pairs in apart])
    better = [(p.sum(axis=1) - p.sum(axis=0)) @ x for p, x in zip(apart, rows, strict=True) if p.any()]
    units = np.array([d / np.linalg.norm(d) for d in better])
    cosines = (units @ units.T)[np.triu_indices(len(units), 1)]
    half = len(queries) // 2
    c, y = (np.concatenate(part[:half]) for part in ([x - x.mean(axis=0) for x in rows], _centred(queries)))
    w = np.linalg.solve(c.T @ c + 100 * np.eye(every.shape[1]), c.T @ y)
    return {
        "documents a query": float(np.mean([query.size for query in queries])),
        "pairs two labels apart, a query": float(count_apart.mean()),
        "queries without such a pair": float((count_apart == 0).mean()),
        "their correlation with the number of documents": float(
            np.corrcoef(count_apart, [query.size for query in queries])[0, 1]
        ),
        "deviation of the labels' spread between queries": float(spread.std()),
        "variance of labels within queries": float((within**2).sum() / ((labels - labels.mean()) ** 2).sum()),
        "features present": float((every != 0).mean()),
        "variance within queries / squared norm": float((centred**2).sum() / (every**2).sum()),
        "effective rank within queries": float(1 / (shares**2).sum()),
        "share of the first direction": float(shares[0]),
        "its correlation with the label": abs(_correlation(centred @ vectors[:, -1], within)),
        "correlation of features present with the label": _correlation(count, within),
        "cosine of good minus bad in two queries": float(cosines.mean()),
        "its deviation": float(cosines.std()),
        "pairs ordered by the sum of features": _accuracy(apart, [x.sum(axis=1) for x in rows]),
        "pairs ordered by a linear fit": _accuracy(apart[half:], [x @ w for x in rows[half:]]),
    }


def _centred(queries: Sequence[Query]) -> list[np.ndarray]:
    return [query.labels - query.labels.mean() for query in queries]


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def _accuracy(apart: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> float:
    right = [np.subtract.outer(s, s)[pairs] > 0 for pairs, s in zip(apart, scores, strict=True)]
    return float(np.concatenate(right).mean())


def efforts(queries: Sequence[Query], budget: tuple[int, int] | None, seed: int) -> dict[str, float]:
    """The total effort of each of the paper's learners."""
    domain = Ranking(queries[0].documents.shape[1])
    rng = np.random.default_rng(seed)
    expert = SimulatedExpert(domain, domain.truth(), kappa=2.0, budget=budget, rng=rng)
    sessions = {name: Session(domain, make(name, domain.dim)) for name in PAPER}
    for query in queries:
        for session in sessions.values():
            proposal = session.ask(query)
            session.tell(proposal, expert(query, proposal.solution))
    return {name: sum(session.efforts) for name, session in sessions.items()}


def compare(name: str, sample: Sample, count: int) -> None:
    """Print the rows of one data set."""
    totals: dict[str, list[dict[str, float]]] = {words: [] for words in BUDGETS}
    for k in range(count):
        queries = sample(k)
        for words, budget in BUDGETS.items():
            totals[words].append(efforts(queries, budget, k))
    for words, rows in totals.items():
        runs = {learner: np.array([row[learner] for row in rows]) for learner in PAPER}
        means = " | ".join(f"{runs[learner].mean():.0f}" for learner in PAPER)
        differences = " | ".join(f"{interval(runs[a] - runs[b]):.0f}" for a, b in PAIRS)
        print(f"| {name}, {words} | {count} | {means} | {differences} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True, help="a LETOR/SVMlight file")
    parser.add_argument("--orders", type=int, default=100, help="random orders of the real set")
    parser.add_argument("--sets", type=int, default=200, help="generated sets of its shape")
    parser.add_argument("--full", type=int, default=400, help="generated sets of 1000 queries")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    real = list(loaders.read_letor(args.data))
    features, lengths = real[0].documents.shape[1], [query.size for query in real]

    def reorder(k: int) -> list[Query]:
        rng = np.random.default_rng([args.seed, 0, k])
        return [real[i] for i in rng.permutation(len(real))]

    def alike(k: int) -> list[Query]:
        rng = np.random.default_rng([args.seed, 1, k])
        return list(SyntheticRanking(rng, features, lengths).sample(rng, len(real)))

    def full(k: int) -> list[Query]:
        rng = np.random.default_rng([args.seed, 2, k])
        return list(SyntheticRanking(rng).sample(rng, 1000))

    shapes = [shape(alike(k)) for k in range(20)]
    print("| | real | generated |\n|---|---|---|")
    for name, value in shape(real).items():
        print(f"| {name} | {value:.3g} | {np.mean([one[name] for one in shapes]):.3g} |")
    heads = " | ".join([*PAPER, *(f"{a} - {b}" for a, b in PAIRS)])
    print(f"\n| data | sets | {heads} |\n|{'---|' * (2 + len(PAPER) + len(PAIRS))}")
    compare("real", reorder, args.orders)
    compare("generated, same shape", alike, args.sets)
    compare("generated, 1000 queries", full, args.full)


if __name__ == "__main__":
    main()

"""The synthetic ranking data must be as hard as real data, and for the same reasons.

Real values, in comments, are those of 201 queries of Yahoo's set 1 (docs/results/rankings.md).
"""

from __future__ import annotations

import numpy as np
import pytest

from coactor.domains import Query
from coactor.lab.paper.data.synthetic_ranking import SyntheticRanking

LENGTHS = [9, 12, 15, 18, 22]  # 15 documents a query, as in the sample


def generate(
    seed: int, features: int = 300, n: int = 200, lengths: list[int] | None = LENGTHS
) -> list[Query]:
    rng = np.random.default_rng([seed, 11])
    return list(SyntheticRanking(rng, features, lengths).sample(rng, n))


@pytest.fixture(scope="module")
def sets() -> list[list[Query]]:
    return [generate(seed) for seed in range(4)]


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def centred(queries: list[Query], values) -> np.ndarray:
    return np.concatenate([values(query) - values(query).mean(axis=0) for query in queries])


def test_published_shape() -> None:
    queries = generate(0, features=700, n=400, lengths=None)
    sizes = np.array([query.size for query in queries])
    assert sizes.mean() == pytest.approx(23.7, abs=2.5)
    assert sizes.min() < 10 < 50 < sizes.max() <= 139
    used = np.unique(np.concatenate([query.documents.indices for query in queries])).size
    assert used == pytest.approx(519, abs=30)


def test_labels_and_density_are_like_real_data(sets) -> None:
    queries = [query for one in sets for query in one]
    labels = np.concatenate([query.labels for query in queries])
    shares = np.bincount(labels.astype(int), minlength=5) / labels.size
    assert shares == pytest.approx([0.21, 0.40, 0.29, 0.07, 0.02], abs=0.03)
    within = centred(queries, lambda query: query.labels)
    assert (within**2).sum() / ((labels - labels.mean()) ** 2).sum() == pytest.approx(0.66, abs=0.06)
    apart = [(np.subtract.outer(query.labels, query.labels) >= 2).sum() for query in queries]
    assert np.mean(apart) == pytest.approx(18.5, abs=3)
    assert np.mean([(query.rows() != 0).mean() for query in queries]) == pytest.approx(0.32, abs=0.05)
    values = np.concatenate([query.documents.values for query in queries])
    assert 0 < values.min() < values.max() < 1


def test_large_differences_between_documents_tell_good_from_bad(sets) -> None:
    """What makes the perceptrons better than the PA pair, on real data as well."""
    first, present, rank = [], [], []
    for queries in sets:
        rows, labels = (centred(queries, of) for of in (lambda q: q.rows(), lambda q: q.labels))
        values, vectors = np.linalg.eigh(rows.T @ rows)
        first.append(abs(correlation(rows @ vectors[:, -1], labels)))
        present.append(correlation(centred(queries, lambda q: (q.rows() != 0).sum(axis=1)), labels))
        rank.append(values.sum() ** 2 / (values**2).sum())
    assert np.mean(first) == pytest.approx(0.32, abs=0.1)
    assert np.mean(present) == pytest.approx(0.29, abs=0.1)
    assert np.mean(rank) == pytest.approx(17, abs=5)


def test_a_linear_model_explains_part_of_the_relevance(sets) -> None:
    right = []
    for queries in sets:
        half = len(queries) // 2
        rows, labels = (centred(queries[:half], of) for of in (lambda q: q.rows(), lambda q: q.labels))
        w = np.linalg.solve(rows.T @ rows + 100 * np.eye(rows.shape[1]), rows.T @ labels)
        for query in queries[half:]:
            apart = np.subtract.outer(query.labels, query.labels) >= 2
            right += (np.subtract.outer(query.scores(w), query.scores(w))[apart] > 0).tolist()
    assert np.mean(right) == pytest.approx(0.75, abs=0.07)


def test_queries_depend_on_the_random_numbers_alone() -> None:
    one, other = (generate(3, 60, 1)[0] for _ in range(2))
    assert np.array_equal(one.rows(), other.rows())
    assert np.array_equal(one.labels, other.labels)

"""The synthetic ranking data must be as hard as real data, and for the same reasons."""

from __future__ import annotations

import numpy as np
import pytest

from coactor.lab.paper.data.synthetic_ranking import SyntheticRanking


@pytest.fixture(scope="module")
def queries():
    rng = np.random.default_rng(5)
    return list(SyntheticRanking(rng, 700).sample(rng, 400))


def test_lists_labels_and_density_are_like_real_data(queries):
    sizes = np.array([query.size for query in queries])
    assert 18 < sizes.mean() < 30
    assert sizes.min() < 10 < 50 < sizes.max()
    shares = np.bincount(np.concatenate([q.labels for q in queries]).astype(int), minlength=5) / sizes.sum()
    assert shares == pytest.approx([0.21, 0.40, 0.29, 0.07, 0.025], abs=0.05)
    density = np.mean([len(q.documents.values) / (q.size * 700) for q in queries])
    assert 0.25 < density < 0.40
    assert all(
        q.documents.values.min() > 0 and q.documents.values.max() < 1
        for q in queries
        if len(q.documents.values)
    )


def test_a_linear_model_explains_part_of_the_relevance(queries):
    centred = np.vstack([q.rows() - q.rows().mean(axis=0) for q in queries[:200]])
    labels = np.concatenate([q.labels - q.labels.mean() for q in queries[:200]])
    w = np.linalg.solve(centred.T @ centred + 100 * np.eye(700), centred.T @ labels)
    right = wrong = 0
    for query in queries[200:]:
        scores = query.scores(w)
        apart = query.labels[:, None] - query.labels[None, :] >= 2
        ahead = scores[:, None] - scores[None, :]
        right += int((ahead[apart] > 0).sum())
        wrong += int((ahead[apart] < 0).sum())
    assert 0.68 < right / (right + wrong) < 0.86


def test_queries_depend_on_the_random_numbers_alone():
    queries = [
        next(SyntheticRanking(rng, 60).sample(rng, 1))
        for rng in (np.random.default_rng(3), np.random.default_rng(3))
    ]
    assert np.array_equal(queries[0].rows(), queries[1].rows())
    assert np.array_equal(queries[0].labels, queries[1].labels)

"""A synthetic learning-to-rank data set, for when no real one is given.

It has the properties that make such data hard. In brackets: the value on a public sample of the paper's set,
and the value here. Lists have different lengths and label shares; two thirds of the variance of labels lie
within a query [0.65, 0.65]. A third of the features is present in a document, in blocks: a block is active in
some queries [0.45, 0.44 of the features], and then in some types of documents [0.71, 0.74]. Documents of a
query are similar [variance within a query over squared norm 0.25, 0.26] and differ in few directions
[effective rank 17, 32], because many features are driven by few latent factors. Relevance is not linear in
the features, and judges make errors: a linear fit on 200 or 300 queries orders three quarters of the pairs
that are two labels apart [0.75 to 0.78, 0.73 to 0.81].
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coactor.domains import Query, SparseRows
from coactor.protocol import Indices, Matrix, Vector

FACTORS = 20  # latent factors behind the features; the first ones drive most features
BLOCKS = 60  # groups of features that are present or absent together
TYPES = 6  # of documents, by the blocks they have
QUANTILES = (0.215, 0.615, 0.90, 0.975)  # of judged relevance: the limits of labels 0, 1, 2 and 3
LENGTH = (3.0, 0.6, 1, 139)  # log-normal: mean and deviation of the logarithm, shortest, longest
ACTIVE, IN_TYPE = 0.45, 0.68  # share of blocks active in a query, and share of those in a type of document
# The logit of a feature's value: constant, and the deviations of its query, factor and random parts.
LEVEL, BY_QUERY, BY_FACTOR, BY_CHANCE = 0.9, 0.7, 1.1, 0.35
QUERY_SHIFT = 1.0  # deviation between queries: some have no good documents at all
JUDGE_ERROR = 1.0  # standard deviation of the judges' error, in deviations of relevance


class SyntheticRanking:
    """A random relevance function, and any number of queries with documents and labels.

    Parameters
    ----------
    rng
        Draws the relevance function.
    features
        The number of features of a document.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> query = next(SyntheticRanking(rng, features=50).sample(rng, 1))
    >>> query.documents.shape[1]
    50
    """

    def __init__(self, rng: np.random.Generator, features: int = 700) -> None:
        self.features = features
        popularity = np.arange(1, FACTORS + 1) ** -1.2
        self._factor = rng.choice(FACTORS, size=features, p=popularity / popularity.sum())
        self._loading = BY_FACTOR * np.where(rng.random(features) < 0.8, 1.0, -1.0)
        self._block = rng.integers(0, BLOCKS, size=features)
        self._types = rng.random((TYPES, BLOCKS)) < IN_TYPE
        self._rectified, self._saturating = rng.normal(size=(2, FACTORS)) * np.arange(1, FACTORS + 1) ** -0.4
        self._interactions = rng.normal(0.0, 0.7, (FACTORS, FACTORS)) * (
            rng.random((FACTORS, FACTORS)) < 0.03
        )
        sample = self._relevance(rng.normal(size=(4000, FACTORS)))
        self._mean, self._deviation = float(sample.mean()), float(sample.std())
        judged = (sample - self._mean) / self._deviation
        judged = judged + QUERY_SHIFT * rng.normal(size=4000) + JUDGE_ERROR * rng.normal(size=4000)
        self._limits = np.quantile(judged, QUANTILES)

    def _relevance(self, factors: Matrix) -> Vector:
        """Saturating, rectified and interaction terms; a linear model explains part of it."""
        separate = np.tanh(2.0 * factors) * self._saturating + np.maximum(factors, 0.0) * self._rectified
        interactions = ((factors @ self._interactions) * factors).sum(axis=1)
        relevance: Vector = separate.sum(axis=1) + interactions
        return relevance

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Query]:
        """n queries with their documents and labels."""
        mean, deviation, shortest, longest = LENGTH
        for _ in range(n):
            size = int(np.clip(np.rint(rng.lognormal(mean, deviation)), shortest, longest))
            factors = rng.normal(size=(size, FACTORS))
            relevance = (self._relevance(factors) - self._mean) / self._deviation
            judged = relevance + QUERY_SHIFT * rng.normal() + JUDGE_ERROR * rng.normal(size=size)
            labels = np.searchsorted(self._limits, judged).astype(np.float64)
            yield Query(self._documents(rng, factors), labels)

    def _documents(self, rng: np.random.Generator, factors: Matrix) -> SparseRows:
        size = len(factors)
        active = rng.random(BLOCKS) < ACTIVE
        blocks = self._types[rng.integers(0, TYPES, size=size)] & active
        rows, columns = np.nonzero(blocks[:, self._block])
        by_query: Vector = LEVEL + BY_QUERY * rng.normal(size=self.features)
        level = by_query[columns] + self._loading[columns] * factors[rows, self._factor[columns]]
        level += BY_CHANCE * rng.normal(size=len(columns))
        values = 1.0 / (1.0 + np.exp(-level))
        indptr: Indices = np.searchsorted(rows, np.arange(size + 1)).astype(np.int64)
        return SparseRows(indptr, columns, values, (size, self.features))

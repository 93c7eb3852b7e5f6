"""A synthetic learning-to-rank data set, for when no real one is given.

Its shape was fitted to a public sample of the paper's set: 201 queries of Yahoo's set 1, of which LightGBM
ships the first 300 features. Only statistics of the data were fitted. Among fits of similar quality one was
kept in which the paper's learners have the order that they have on the sample. In brackets: the sample, and
this set when given the sample's lengths and number of features.

- The directions in which the documents of a query differ [effective rank 17, 18; the share of the first one
  0.18, 0.22], and that the first one tells good from bad [correlation with the label 0.32, 0.37]: documents
  with more features present are better [0.29, 0.34].
- How well a linear fit on half of the queries orders pairs that are two labels apart [0.75, 0.78], and how
  well the plain sum of the features does [0.73, 0.77].
- Pairs two labels apart a query [18, 20], the share of the labels' variance within a query [0.66, 0.64], the
  share of features that are present [0.32, 0.32], the variance of documents within a query over their squared
  norm [0.24, 0.27].

The first item decides which learner is best. If the large differences between documents say nothing about
relevance, as in an earlier version of this set, the perceptrons are dominated by them and the PA pair, which
normalises, needs less effort. benchmarks/rankings.py compares the two sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from coactor.domains import Query, SparseRows
from coactor.protocol import Indices, Matrix, Vector

USED = 0.74  # share of the features that occur at all: 519 of 700 in set 1
FACTORS = 19  # latent factors behind relevance and features; the first ones drive most features
BLOCKS = 125  # groups of features that are present or absent together
POPULARITY = 2.1  # factor k drives a share of the blocks and features that falls as k^-2.1
QUANTILES = (0.215, 0.615, 0.90, 0.975)  # of judged relevance: the limits of labels 0, 1, 2 and 3
LENGTH = (2.97, 0.62, 1, 139)  # log-normal: mean and deviation of the logarithm, shortest, longest
# The logit of a block being present in a document: mean, deviation between blocks, slope in its factor.
PRESENT, BY_BLOCK, SLOPE = 2.5, 1.2, 3.6
ACTIVE = 0.6  # share of the blocks that occur in a query
POSITIVE = 0.95  # share of loadings that are positive
OWN = 0.2  # share of features driven by the factor of their block
# The logit of a feature's value: constant, and the deviations of its query, factor and random parts.
LEVEL, BY_QUERY, BY_FACTOR, BY_CHANCE = 0.8, 0.9, 0.4, 0.55
# Relevance: a linear part that falls as 3.2 k^-2.2, a bent part of each factor, and interactions.
GOOD, GOOD_DECAY, BENT, BENT_DECAY, INTERACTION = 3.2, 2.2, 0.9, 0.4, 0.9
QUERY_SHIFT = 1.1  # deviation between queries: some have no good documents at all
JUDGE_ERROR = 1.1  # standard deviation of the judges' error, in deviations of relevance


class SyntheticRanking:
    """A random relevance function, and any number of queries with documents and labels.

    Parameters
    ----------
    rng
        Draws the relevance function.
    features
        The number of features of a document.
    lengths
        The numbers of documents to draw from; by default those of Yahoo's set 1, 23.7 on average.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> query = next(SyntheticRanking(rng, features=50).sample(rng, 1))
    >>> query.documents.shape[1]
    50
    """

    def __init__(
        self, rng: np.random.Generator, features: int = 700, lengths: Sequence[int] | None = None
    ) -> None:
        self.features, self._lengths = features, lengths
        rank = np.arange(1.0, FACTORS + 1)
        popularity = rank**-POPULARITY / (rank**-POPULARITY).sum()
        self._block_factor = rng.choice(FACTORS, size=BLOCKS, p=popularity)
        self._slope = SLOPE * _signs(rng, BLOCKS)
        self._present = PRESENT + BY_BLOCK * rng.normal(size=BLOCKS)
        self._block = rng.integers(0, BLOCKS, size=features)
        own = rng.random(features) < OWN
        other = rng.choice(FACTORS, size=features, p=popularity)
        self._factor = np.where(own, self._block_factor[self._block], other)
        self._loading = BY_FACTOR * _signs(rng, features)
        self._used = np.flatnonzero(rng.random(features) < USED)
        self._good = GOOD * rank**-GOOD_DECAY
        self._rectified, self._saturating = BENT * rng.normal(size=(2, FACTORS)) * rank**-BENT_DECAY
        linked = rng.random((FACTORS, FACTORS)) < 0.03
        self._interactions = rng.normal(0.0, INTERACTION, (FACTORS, FACTORS)) * linked
        sample = self._relevance(rng.normal(size=(4000, FACTORS)))
        self._mean, self._deviation = float(sample.mean()), float(sample.std())
        judged = (sample - self._mean) / self._deviation
        judged = judged + QUERY_SHIFT * rng.normal(size=4000) + JUDGE_ERROR * rng.normal(size=4000)
        self._limits = np.quantile(judged, QUANTILES)

    def _relevance(self, factors: Matrix) -> Vector:
        """Linear, saturating, rectified and interaction terms; a linear model explains part of it."""
        bent = np.tanh(2.0 * factors) * self._saturating + np.maximum(factors, 0.0) * self._rectified
        interactions = ((factors @ self._interactions) * factors).sum(axis=1)
        relevance: Vector = factors @ self._good + bent.sum(axis=1) + interactions
        return relevance

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Query]:
        """n queries with their documents and labels."""
        mean, deviation, shortest, longest = LENGTH
        for _ in range(n):
            if self._lengths is None:
                size = int(np.clip(np.rint(rng.lognormal(mean, deviation)), shortest, longest))
            else:
                size = int(rng.choice(self._lengths))
            factors = rng.normal(size=(size, FACTORS))
            relevance = (self._relevance(factors) - self._mean) / self._deviation
            judged = relevance + QUERY_SHIFT * rng.normal() + JUDGE_ERROR * rng.normal(size=size)
            labels = np.searchsorted(self._limits, judged).astype(np.float64)
            yield Query(self._documents(rng, factors), labels)

    def _documents(self, rng: np.random.Generator, factors: Matrix) -> SparseRows:
        size = len(factors)
        active = rng.random(BLOCKS) < ACTIVE
        logit = self._present + self._slope * factors[:, self._block_factor]
        blocks = (rng.random((size, BLOCKS)) < _logistic(logit)) & active
        rows, places = np.nonzero(blocks[:, self._block[self._used]])
        columns = self._used[places]
        by_query: Vector = LEVEL + BY_QUERY * rng.normal(size=self.features)
        level = by_query[columns] + self._loading[columns] * factors[rows, self._factor[columns]]
        level += BY_CHANCE * rng.normal(size=len(columns))
        indptr: Indices = np.searchsorted(rows, np.arange(size + 1)).astype(np.int64)
        return SparseRows(indptr, columns, _logistic(level), (size, self.features))


def _signs(rng: np.random.Generator, count: int) -> Vector:
    return np.where(rng.random(count) < POSITIVE, 1.0, -1.0)


def _logistic(values: Matrix) -> Matrix:
    return 1.0 / (1.0 + np.exp(-values))

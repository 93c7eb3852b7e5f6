"""A synthetic learning-to-rank data set, for when no real one is given.

Its shape was fitted to a public sample of the paper's set: 201 queries of Yahoo's set 1, of which LightGBM
ships the first 300 features. In brackets: the sample, and this set when given the sample's lengths and number
of features.

- The directions in which the documents of a query differ [effective rank 17, 16; the share of the first one
  0.18, 0.21], and that the first one tells good from bad [correlation with the label 0.32, 0.34]: documents
  with more features present are better [0.29, 0.29].
- How well a linear fit on half of the queries orders pairs that are two labels apart [0.75, 0.75], and how
  well the plain sum of the features does [0.73, 0.73].
- Pairs two labels apart a query [18, 18], the share of the labels' variance within a query [0.66, 0.61], the
  share of features that are present [0.32, 0.33], the variance of documents within a query over their squared
  norm [0.24, 0.23].
- How much queries differ: the deviation of the labels' spread [0.27, 0.25], queries without a pair two labels
  apart [0.20, 0.21], the cosine of "good minus bad" in two queries [mean 0.17, 0.16; deviation 0.27, 0.23].

Two things decide which learner is best. If the large differences between documents say nothing about
relevance, the perceptrons are dominated by them, and the PA pair, which normalises, needs less effort. If all
queries are alike, weighting them by effort costs CSPER nothing, and it is level with PER. The last item was
fitted without the learners' efforts in view; the others had been fitted with the order of PER and PA in view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from coactor.domains import Query, SparseRows
from coactor.protocol import Indices, Matrix, Vector

USED = 0.74  # share of the features that occur at all: 519 of 700 in set 1
FACTORS = 19  # latent factors behind relevance and features; the first ones drive most features
BLOCKS = 40  # groups of features that are present or absent together
POPULARITY = 2.1  # factor k drives a share of the blocks and features that falls as k^-2.1
QUANTILES = (0.215, 0.615, 0.90, 0.975)  # of judged relevance: the limits of labels 0, 1, 2 and 3
LENGTH = (2.97, 0.62, 1, 139)  # log-normal: mean and deviation of the logarithm, shortest, longest
# The logit of a block being present in a document: mean, deviation between blocks, slope in its factor.
PRESENT, BY_BLOCK, SLOPE = 2.5, 1.2, 3.6
ACTIVE = 0.6  # share of the blocks that occur in a query
POSITIVE = 0.95  # share of loadings that are positive
OWN = 0.2  # share of features driven by the factor of their block
# The logit of a feature's value: constant, and the deviations of its query, factor and random parts.
LEVEL, BY_QUERY, BY_FACTOR, BY_CHANCE = 0.8, 0.9, 0.4, 0.4
# Relevance: a linear part that falls as 3.2 k^-2.2, a bent part of each factor, and interactions.
GOOD, GOOD_DECAY, BENT, BENT_DECAY, INTERACTION = 3.2, 2.2, 0.9, 0.4, 0.9
FACTOR_SPREAD = 0.5  # log-normal: in one query documents differ in other factors than in another
LABEL_SPREAD = 0.3  # log-normal: in some queries the documents are nearly alike
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
        sample = np.concatenate([self._relevance(_factors(rng, 20)) for _ in range(400)])
        self._mean, self._deviation = float(sample.mean()), float(sample.std())
        judged = np.concatenate([self._judge(rng, part) for part in sample.reshape(400, 20)])
        self._limits = np.quantile(judged, QUANTILES)

    def _judge(self, rng: np.random.Generator, relevance: Vector) -> Vector:
        """What the judges think of the documents of one query."""
        error = JUDGE_ERROR * rng.normal(size=relevance.size)
        spread = np.exp(LABEL_SPREAD * rng.normal() - LABEL_SPREAD**2)
        judged: Vector = ((relevance - self._mean) / self._deviation + error) * spread
        return judged + QUERY_SHIFT * rng.normal()

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
            factors = _factors(rng, size)
            judged = self._judge(rng, self._relevance(factors))
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


def _factors(rng: np.random.Generator, size: int) -> Matrix:
    """The latent factors of the documents of one query."""
    spread = np.exp(FACTOR_SPREAD * rng.normal(size=FACTORS) - FACTOR_SPREAD**2)
    factors: Matrix = rng.normal(size=(size, FACTORS)) * spread
    return factors


def _signs(rng: np.random.Generator, count: int) -> Vector:
    return np.where(rng.random(count) < POSITIVE, 1.0, -1.0)


def _logistic(values: Matrix) -> Matrix:
    return 1.0 / (1.0 + np.exp(-values))

"""A generated twin of a learning-to-rank data set, for when nobody gives a real one.

It copies what makes such data hard, measured on public samples of the paper's set:
labels 0 to 4 in uneven shares, lists of uneven length, about a third of the features present in a
document and skewed towards 1, many features that repeat few causes, relevance that is not linear in
them, and judges who disagree with themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coactor.domains import Query, SparseRows
from coactor.protocol import Indices, Matrix, Vector

FACTORS = 20  # causes behind the features
GRADES = (0.215, 0.615, 0.90, 0.975)  # where the shares of labels 0, 1, 2, 3 end
LENGTH = (3.0, 0.6, 1, 139)  # log-normal: mean and deviation of the logarithm, shortest, longest
LOADING = 0.75  # correlation of a feature with its cause
BY_QUERY, BY_DOCUMENT = 0.5, 0.62  # a feature is in play for half of the queries, then in most documents
QUERY_SHIFT = 0.85  # some queries have no good documents at all
JUDGES = 0.5  # standard deviation of the judges' noise, in units of relevance


class Twin:
    """One generated data set: a hidden notion of relevance, and as many queries as one asks for.

    Parameters
    ----------
    rng
        Draws the notion of relevance.
    features
        Features of a document.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> query = next(Twin(rng, features=50).sample(rng, 1))
    >>> query.documents.shape[1]
    50
    """

    def __init__(self, rng: np.random.Generator, features: int = 700) -> None:
        self.features = features
        self._cause = rng.integers(0, FACTORS, size=features)
        self._sign = np.where(rng.random(features) < 0.8, 1.0, -1.0)
        self._slope = rng.normal(0.0, 1.0, FACTORS)
        self._bend = rng.normal(0.0, 1.0, FACTORS)
        self._couples = rng.normal(0.0, 0.7, (FACTORS, FACTORS)) * (rng.random((FACTORS, FACTORS)) < 0.04)
        sample = self._relevance(rng.normal(size=(4000, FACTORS)))
        self._centre, self._spread = float(sample.mean()), float(sample.std())
        judged = (sample - self._centre) / self._spread
        judged = judged + QUERY_SHIFT * rng.normal(size=4000) + JUDGES * rng.normal(size=4000)
        self._cuts = np.quantile(judged, GRADES)

    def _relevance(self, causes: Matrix) -> Vector:
        """Linear, saturating and coupled parts; a linear model can follow some of it."""
        bent = np.tanh(2.0 * causes) * self._bend + np.maximum(causes, 0.0) * self._slope
        coupled = ((causes @ self._couples) * causes).sum(axis=1)
        relevance: Vector = bent.sum(axis=1) + coupled
        return relevance

    def sample(self, rng: np.random.Generator, n: int) -> Iterator[Query]:
        """n queries with their documents and labels."""
        mean, deviation, shortest, longest = LENGTH
        for _ in range(n):
            size = int(np.clip(np.rint(rng.lognormal(mean, deviation)), shortest, longest))
            causes = rng.normal(size=(size, FACTORS))
            relevance = (self._relevance(causes) - self._centre) / self._spread
            judged = relevance + QUERY_SHIFT * rng.normal() + JUDGES * rng.normal(size=size)
            labels = np.searchsorted(self._cuts, judged).astype(np.float64)
            yield Query(self._documents(rng, causes), labels)

    def _documents(self, rng: np.random.Generator, causes: Matrix) -> SparseRows:
        size = len(causes)
        in_play = np.flatnonzero(rng.random(self.features) < BY_QUERY)
        rows, places = np.nonzero(rng.random((size, len(in_play))) < BY_DOCUMENT)
        columns: Indices = in_play[places]
        own = np.sqrt(1.0 - LOADING**2) * rng.normal(size=len(columns))
        level = LOADING * self._sign[columns] * causes[rows, self._cause[columns]] + own
        values = 1.0 / (1.0 + np.exp(-0.9 - 1.2 * level))  # median 0.71, most between 0.3 and 0.95
        indptr = np.searchsorted(rows, np.arange(size + 1)).astype(np.int64)
        return SparseRows(indptr, columns, values, (size, self.features))

"""A generated twin of a learning-to-rank data set, for when nobody gives a real one.

It copies what makes such data hard. In brackets: measured on a public sample of the paper's set, and here.
Lists are of uneven length, labels of uneven shares; two thirds of the variance of labels lie within a query
[0.65, 0.65]. A third of the features is present in a document, in blocks: a block is in play for some
queries [0.45, 0.44 of the features], then in some kinds of documents [0.71, 0.74]. Documents of a query are
alike [variance within a query over squared norm 0.25, 0.26] and differ in few directions [effective rank 17,
32], because many features repeat few causes. Relevance is not linear in them, and judges err: a linear fit
on 200 or 300 queries orders three quarters of the pairs two labels apart [0.75 to 0.78, 0.73 to 0.81].
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coactor.domains import Query, SparseRows
from coactor.protocol import Indices, Matrix, Vector

CAUSES = 20  # behind the features; the first ones have most features
BLOCKS = 60  # features that are present or absent together
KINDS = 6  # of documents, by the blocks they have
GRADES = (0.215, 0.615, 0.90, 0.975)  # where the shares of labels 0, 1, 2, 3 end
LENGTH = (3.0, 0.6, 1, 139)  # log-normal: mean and deviation of the logarithm, shortest, longest
IN_PLAY, IN_KIND = 0.45, 0.68  # share of blocks in play for a query, and of those in a kind of document
LEVEL, BY_QUERY, BY_CAUSE, BY_CHANCE = (
    0.9,
    0.7,
    1.1,
    0.35,
)  # where a feature's value comes from, before squashing
QUERY_SHIFT = 1.0  # some queries have no good documents at all
JUDGES = 1.0  # standard deviation of the judges' error, in deviations of relevance


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
        popularity = np.arange(1, CAUSES + 1) ** -1.2
        self._cause = rng.choice(CAUSES, size=features, p=popularity / popularity.sum())
        self._pull = BY_CAUSE * np.where(rng.random(features) < 0.8, 1.0, -1.0)
        self._block = rng.integers(0, BLOCKS, size=features)
        self._kinds = rng.random((KINDS, BLOCKS)) < IN_KIND
        self._slope, self._bend = rng.normal(size=(2, CAUSES)) * np.arange(1, CAUSES + 1) ** -0.4
        self._couples = rng.normal(0.0, 0.7, (CAUSES, CAUSES)) * (rng.random((CAUSES, CAUSES)) < 0.03)
        sample = self._relevance(rng.normal(size=(4000, CAUSES)))
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
            causes = rng.normal(size=(size, CAUSES))
            relevance = (self._relevance(causes) - self._centre) / self._spread
            judged = relevance + QUERY_SHIFT * rng.normal() + JUDGES * rng.normal(size=size)
            labels = np.searchsorted(self._cuts, judged).astype(np.float64)
            yield Query(self._documents(rng, causes), labels)

    def _documents(self, rng: np.random.Generator, causes: Matrix) -> SparseRows:
        size = len(causes)
        in_play = rng.random(BLOCKS) < IN_PLAY
        blocks = self._kinds[rng.integers(0, KINDS, size=size)] & in_play
        rows, columns = np.nonzero(blocks[:, self._block])
        about: Vector = LEVEL + BY_QUERY * rng.normal(size=self.features)
        level = about[columns] + self._pull[columns] * causes[rows, self._cause[columns]]
        level += BY_CHANCE * rng.normal(size=len(columns))
        values = 1.0 / (1.0 + np.exp(-level))
        indptr: Indices = np.searchsorted(rows, np.arange(size + 1)).astype(np.int64)
        return SparseRows(indptr, columns, values, (size, self.features))

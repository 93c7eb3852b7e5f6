"""Ranked lists: sums of document features by position, and exchanges of neighbours.

Document rows are given as CSR arrays (`indptr`, `indices`, `values`) or as a dense matrix.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy, enlarged
from coactor.kernels.tolerances import rounding
from coactor.protocol import Indices, Matrix, Vector


@njit(cache=True, nogil=True)
def sparse_scores(indptr: Indices, indices: Indices, values: Vector, w: Vector) -> Vector:
    """w . f(document) for each document."""
    out = np.empty(indptr.size - 1)
    for row in range(out.size):
        total = 0.0
        for k in range(indptr[row], indptr[row + 1]):
            total += values[k] * w[indices[k]]
        out[row] = total
    return out


@njit(cache=True, nogil=True)
def sparse_sum(indptr: Indices, indices: Indices, values: Vector, share: Vector, dim: int) -> Vector:
    """The sum of all document rows, each times its share."""
    out = np.zeros(dim)
    for row in range(share.size):
        if share[row] != 0.0:
            for k in range(indptr[row], indptr[row + 1]):
                out[indices[k]] += share[row] * values[k]
    return out


@njit(cache=True, nogil=True)
def sparse_dense(indptr: Indices, indices: Indices, values: Vector, dim: int) -> Matrix:
    """The same rows as a dense matrix."""
    out = np.zeros((indptr.size - 1, dim))
    for row in range(out.shape[0]):
        for k in range(indptr[row], indptr[row + 1]):
            out[row, indices[k]] += values[k]
    return out


@njit(cache=True, nogil=True)
def descending(scores: Vector) -> Indices:
    """Documents by decreasing score; ties keep input order."""
    return np.argsort(-scores, kind="mergesort")


@njit(cache=True, nogil=True)
def climb(
    scores: Vector, labels: Vector, g: Vector, start: Indices, kappa: float, best: bool, limit: int
) -> tuple[Indices, Indices]:
    """Exchange neighbours until no exchange gains enough, or after `limit` exchanges (no limit if negative).

    Exchanging positions i and i + 1 gains (g[i] - g[i + 1]) times the difference in score, plus the
    difference in label. Returns all orders, the start first, and the position of each exchange.
    """
    n = start.size
    least = rounding(scores) + rounding(labels)
    path = np.empty((8, n), np.int64)
    moves = np.empty((8, 1), np.int64)
    copy(start, path[0])
    k = 0
    begin = 0  # no pair before it can gain: an exchange at i changes only the pairs i - 1, i and i + 1
    while k != limit:
        chosen = -1
        most = least
        for i in range(0 if best else begin, n - 1):
            one, two = path[k, i], path[k, i + 1]
            gain = (scores[two] - scores[one]) * (g[i] - g[i + 1]) + (labels[two] - labels[one])
            if gain >= kappa and gain > most:
                most = gain
                chosen = i
                if not best:
                    break
        if chosen < 0:
            break
        if k + 1 == path.shape[0]:
            path, moves = enlarged(path), enlarged(moves)
        moves[k, 0] = chosen
        copy(path[k], path[k + 1])
        path[k + 1, chosen], path[k + 1, chosen + 1] = path[k, chosen + 1], path[k, chosen]
        begin = max(0, chosen - 1)
        k += 1
    return path[: k + 1], moves[:k]

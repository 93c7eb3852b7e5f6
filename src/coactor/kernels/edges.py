"""Edges of a complete graph: their numbers and their costs."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.protocol import Matrix, Vector


@njit(cache=True)
def edge_number(a: int, b: int, n: int) -> int:
    """The row of edge {a, b} among the n (n - 1) / 2 pairs i < j in row order."""
    if a > b:
        a, b = b, a
    return a * n - a * (a + 1) // 2 + b - a - 1


@njit(cache=True)
def cost_matrix(costs: Vector, n: int) -> Matrix:
    """The symmetric n x n matrix of edge costs, with a zero diagonal."""
    matrix = np.zeros((n, n))
    row = 0
    for i in range(n):
        for j in range(i + 1, n):
            matrix[i, j] = costs[row]
            matrix[j, i] = costs[row]
            row += 1
    return matrix

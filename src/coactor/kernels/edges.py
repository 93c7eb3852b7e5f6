"""Edges of a complete graph: their numbers, and sums of their features along tours and paths."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.protocol import Indices, Matrix, Vector


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


@njit(cache=True)
def subtract_edges(total: Vector, edges: Matrix, order: Indices, first: int, last: int, n: int) -> None:
    """Subtract the features of the edges order[first]-order[first + 1]-...-order[last]."""
    for position in range(first, last):
        row = edge_number(order[position], order[position + 1], n)
        for f in range(edges.shape[1]):
            total[f] -= edges[row, f]


@njit(cache=True)
def exchange_edges(total: Vector, edges: Matrix, a: int, b: int, c: int, d: int, n: int) -> None:
    """The change in utility features when edges a-b and c-d are replaced by a-c and b-d."""
    ab, cd = edge_number(a, b, n), edge_number(c, d, n)
    ac, bd = edge_number(a, c, n), edge_number(b, d, n)
    for f in range(edges.shape[1]):
        total[f] = edges[ab, f] + edges[cd, f] - edges[ac, f] - edges[bd, f]

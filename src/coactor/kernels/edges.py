"""Sums of edge features along tours and paths."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.protocol import Indices, Matrix, Vector

NOISE = 1e-12  # a gain below this share of the largest cost is rounding: taking it could go round for ever


@njit(cache=True)
def rounding(costs: Vector) -> float:
    """The largest gain that may be nothing but rounding."""
    largest = 0.0
    for c in costs.ravel():
        largest = max(largest, abs(c))
    return NOISE * largest


@njit(cache=True)
def is_permutation(order: Indices, n: int) -> bool:
    """Whether every number from 0 to n - 1 stands in `order` exactly once."""
    if order.size != n:
        return False
    seen = np.zeros(n, np.bool_)
    for p in order:
        if p < 0 or p >= n or seen[p]:
            return False
        seen[p] = True
    return True


@njit(cache=True)
def edge_number(a: int, b: int, n: int) -> int:
    """The row of edge {a, b} among the n (n - 1) / 2 pairs i < j in row order."""
    if a > b:
        a, b = b, a
    return a * n - a * (a + 1) // 2 + b - a - 1


@njit(cache=True)
def cost_matrix(costs: Vector, n: int) -> Matrix:
    """The symmetric n x n matrix of what each edge costs, zero on the diagonal."""
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


@njit(cache=True)
def reverse(order: Indices, i: int, j: int) -> None:
    """Reverse order[i..j] in place, both ends included."""
    while i < j:
        order[i], order[j] = order[j], order[i]
        i += 1
        j -= 1


@njit(cache=True)
def enlarged(rows: Indices) -> Indices:
    """A copy with room for twice as many rows."""
    larger = np.empty((2 * rows.shape[0], rows.shape[1]), np.int64)
    for k in range(rows.shape[0]):
        copy(rows[k], larger[k])
    return larger


@njit(cache=True)
def copy(source: Indices, target: Indices) -> None:
    """target[:] = source, as a loop: what a slice assignment does besides takes seconds to compile."""
    for k in range(source.size):
        target[k] = source[k]

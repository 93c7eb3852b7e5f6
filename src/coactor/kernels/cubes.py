"""Paths through a hypercube: two-step lookahead, and re-ordering of three consecutive steps.

An edge is the number of its lower corner and the bit it sets; `edge_of[corner, bit]` is its row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.arrays import copy, enlarged
from coactor.kernels.tolerances import rounding
from coactor.protocol import Indices, Matrix, Vector

# the five other orders of three steps, in scan order
ORDERS = np.array([[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])


@njit(cache=True)
def number_edges(dimension: int) -> Indices:
    """The row of each edge, corner by corner, bit by bit; -1 if the corner has the bit set."""
    edge_of = np.full((1 << dimension, dimension), -1, np.int64)
    row = 0
    for corner in range(1 << dimension):
        for bit in range(dimension):
            if not corner >> bit & 1:
                edge_of[corner, bit] = row
                row += 1
    return edge_of


@njit(cache=True)
def solve(cost: Vector, edge_of: Indices) -> Indices:
    """Look two steps ahead, take the first, repeat."""
    dimension = edge_of.shape[1]
    bits = np.empty(dimension, np.int64)
    corner = 0
    for step in range(dimension):
        cheapest = np.inf
        for one in range(dimension):
            if corner >> one & 1:
                continue
            c = cost[edge_of[corner, one]]
            onward = corner | 1 << one
            if step + 1 < dimension:
                ahead = np.inf
                for two in range(dimension):
                    if not onward >> two & 1:
                        ahead = min(ahead, cost[edge_of[onward, two]])
                c += ahead
            if c < cheapest:
                cheapest = c
                bits[step] = one
        corner |= 1 << bits[step]
    return bits


@njit(cache=True)
def stretch(cost: Vector, edge_of: Indices, corner: int, a: int, b: int, c: int) -> float:
    """The cost of three steps from a corner."""
    second = corner | 1 << a
    total: float = cost[edge_of[corner, a]] + cost[edge_of[second, b]] + cost[edge_of[second | 1 << b, c]]
    return total


@njit(cache=True)
def gains(cost: Vector, edge_of: Indices, bits: Indices) -> Vector:
    """The gain of each re-ordering, in scan order."""
    out = np.empty(max(0, 5 * (bits.size - 2)))
    corner = 0
    for i in range(bits.size - 2):
        now = stretch(cost, edge_of, corner, bits[i], bits[i + 1], bits[i + 2])
        for k in range(5):
            o = ORDERS[k]
            out[5 * i + k] = now - stretch(
                cost, edge_of, corner, bits[i + o[0]], bits[i + o[1]], bits[i + o[2]]
            )
        corner |= 1 << bits[i]
    return out


@njit(cache=True)
def find_move(cost: Vector, edge_of: Indices, bits: Indices, kappa: float, least: float, best: bool) -> int:
    """The index of the first (or best) re-ordering that gains enough; -1 if there is none."""
    chosen = -1
    most = least
    corner = 0
    for i in range(bits.size - 2):
        now = stretch(cost, edge_of, corner, bits[i], bits[i + 1], bits[i + 2])
        for k in range(5):
            o = ORDERS[k]
            g = now - stretch(cost, edge_of, corner, bits[i + o[0]], bits[i + o[1]], bits[i + o[2]])
            if g >= kappa and g > most:
                if not best:
                    return 5 * i + k
                most = g
                chosen = 5 * i + k
        corner |= 1 << bits[i]
    return chosen


@njit(cache=True)
def climb(
    cost: Vector, edge_of: Indices, start: Indices, kappa: float, best: bool, limit: int
) -> tuple[Indices, Indices]:
    """Re-order until nothing gains enough, or after `limit` moves (no limit if negative).

    Returns all paths, the start first, and (position, p, q, r) of each move.
    """
    least = rounding(cost)
    path = np.empty((8, start.size), np.int64)
    moves = np.empty((8, 4), np.int64)
    copy(start, path[0])
    k = 0
    while k != limit:
        number = find_move(cost, edge_of, path[k], kappa, least, best)
        if number < 0:
            break
        if k + 1 == path.shape[0]:
            path, moves = enlarged(path), enlarged(moves)
        i = number // 5
        moves[k, 0] = i
        copy(path[k], path[k + 1])
        for t in range(3):
            moves[k, 1 + t] = ORDERS[number % 5, t]
            path[k + 1, i + t] = path[k, i + ORDERS[number % 5, t]]
        k += 1
    return path[: k + 1], moves[:k]


@njit(cache=True)
def features_along(edges: Matrix, edge_of: Indices, path: Indices) -> Matrix:
    """Minus the summed edge features of each path, one row each."""
    out = np.zeros((path.shape[0], edges.shape[1]))
    for k in range(path.shape[0]):
        corner = 0
        for bit in path[k]:
            row = edge_of[corner, bit]
            for f in range(edges.shape[1]):
                out[k, f] -= edges[row, f]
            corner |= 1 << bit
    return out


@njit(cache=True)
def move_features(edges: Matrix, edge_of: Indices, bits: Indices) -> Matrix:
    """The change in features of each re-ordering, in scan order, one row each."""
    out = np.empty((max(0, 5 * (bits.size - 2)), edges.shape[1]))
    corner = 0
    for i in range(bits.size - 2):
        for k in range(5):
            o = ORDERS[k]
            old = corner
            new = corner
            out[5 * i + k] = 0.0
            for t in range(3):
                leave, take = edge_of[old, bits[i + t]], edge_of[new, bits[i + o[t]]]
                for f in range(edges.shape[1]):
                    out[5 * i + k, f] += edges[leave, f] - edges[take, f]
                old |= 1 << bits[i + t]
                new |= 1 << bits[i + o[t]]
        corner |= 1 << bits[i]
    return out

"""Moves that lead from one plan to another: an upper bound on their edit distance."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.plans import MOVE, TAILS, Rules, apply, gains, list_moves
from coactor.protocol import Indices, Matrix


def towards(routes: Indices, sizes: Indices, goal: Indices, goal_sizes: Indices) -> Indices:
    """Moves that turn the routes (in place) into the goal, up to a permutation of the vehicles.

    Greedy: the move that makes the most arcs of the goal, as long as that sets a new record; otherwise the
    move that makes the first missing arc of the goal. Making the arcs in order ends after at most one move
    per stop, so the whole ends too.
    """
    n = int(sizes.sum())
    wanted = np.zeros((n + 1, n + 1))
    for first, second in _arcs(goal, goal_sizes):
        wanted[first, second] = -1.0
    rules = Rules(wanted, 0.0, np.zeros(n + 1), np.zeros(len(routes)), True)
    missing = -_count(wanted, goal, goal_sizes) + _count(wanted, routes, sizes)
    record = missing + 1
    moves: list[Indices] = []
    while missing > 0:
        gain = gains(rules, routes, sizes)
        best = int(gain.argmax()) if len(gain) else -1
        if best >= 0 and gain[best] > 0.5 and missing - gain[best] < record:
            move = list_moves(rules, routes, sizes)[best]
            record = missing - round(gain[best])
        else:
            move = join_first(wanted, routes, sizes, goal, goal_sizes)
            if move[0] < 0:  # every stop follows the right one: only ends of routes differ
                break
        apply(routes, sizes, move)
        missing = -_count(wanted, goal, goal_sizes) + _count(wanted, routes, sizes)
        moves.append(move)
    return np.array(moves, dtype=np.int64).reshape(-1, 5)


def _arcs(routes: Indices, sizes: Indices) -> list[tuple[int, int]]:
    """The arcs of all routes that are not empty."""
    return [
        (int(routes[r, k]), int(routes[r, k + 1]))
        for r in range(len(sizes))
        for k in range(sizes[r] + 1 if sizes[r] else 0)
    ]


def _count(wanted: Matrix, routes: Indices, sizes: Indices) -> int:
    """Minus the number of wanted arcs in the routes."""
    return int(sum(wanted[arc] for arc in _arcs(routes, sizes)))


@njit(cache=True)
def position(routes: Indices, sizes: Indices, stop: int) -> tuple[int, int]:
    """The route and the position of a stop."""
    for r in range(len(routes)):
        for k in range(1, sizes[r] + 1):
            if routes[r, k] == stop:
                return r, k
    return -1, -1


@njit(cache=True)
def join_first(
    wanted: Matrix, routes: Indices, sizes: Indices, goal: Indices, goal_sizes: Indices
) -> Indices:
    """The move that makes the first missing arc of the goal, keeping those before; -1 if none is missing."""
    move = np.full(5, -1)
    for route in range(len(goal)):
        for k in range(goal_sizes[route]):
            a, b = goal[route, k], goal[route, k + 1]
            r, i = position(routes, sizes, b)
            if routes[r, i - 1] == a:
                continue
            s, j = -1, 0
            if a > 0:
                s, j = position(routes, sizes, a)
            else:  # b takes the place of a stop that should not be the first of its route
                for t in range(len(routes)):
                    if wanted[0, routes[t, 1]] == 0.0 and (s < 0 or t != r):
                        s = t
            if s == r:
                move[0], move[1], move[2], move[3], move[4] = MOVE, r, i, s, j
            else:
                move[0], move[1], move[2], move[3], move[4] = TAILS, s, j, r, i - 1
            return move
    return move

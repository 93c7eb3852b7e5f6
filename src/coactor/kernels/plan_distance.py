"""Moves that lead from one plan to another: an upper bound on their edit distance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.kernels.plans import ALIKE, END, MOVE, NO_GAINS, TAILS, Rules, apply, ascend, state_of
from coactor.protocol import Indices, Matrix


def towards(rules: Rules, routes: Indices, sizes: Indices, goal: Indices, goal_sizes: Indices) -> Indices:
    """Moves that turn the routes (in place) into the goal, up to a permutation of vehicles that are alike.

    First what is left out. Then greedy: the move that makes the most arcs of the goal, as long as that sets a
    new record; otherwise the move that makes the first missing arc of the goal. Making the arcs in order ends
    after at most one move per stop, so the whole ends too. At last whole routes change their vehicles. The
    rules have no costs; those of the wanted arcs are filled in.
    """
    m = len(rules.fleet)
    moves = list[Indices]()
    if len(routes) > m:
        moves = _left_out(routes, sizes, goal, goal_sizes)
        routes, sizes, goal, goal_sizes = routes[:m], sizes[:m], goal[:m], goal_sizes[:m]
    wanted = rules.ways[0, :, :, 0]
    for arc in _arcs(rules, goal, goal_sizes):
        wanted[arc] = -1.0
    missing = -_count(rules, goal, goal_sizes) + _count(rules, routes, sizes)
    record = missing + 1
    while missing > 0:
        room = np.zeros((1, 5), np.int64)
        state = state_of(rules, routes.copy(), sizes.copy())
        made = ascend(rules, state, np.full((4, m, m, 3), -1.0), 0.0, True, NO_GAINS, room)
        left = -_count(rules, goal, goal_sizes) + _count(rules, state.routes, state.sizes)
        move = room[0]
        if made and left < min(missing, record):
            record = left
        else:
            move = join_first(wanted, routes, sizes, goal, goal_sizes)
            if move[0] < 0:  # every stop follows the right one: only ends of routes differ
                break
        apply(routes, sizes, move)
        missing = -_count(rules, goal, goal_sizes) + _count(rules, routes, sizes)
        moves.append(move)
    for r in range(m):  # unlike vehicles
        same = [
            s for s in range(r, m) if np.array_equal(_stops(routes, sizes, s), _stops(goal, goal_sizes, r))
        ]
        if same and rules.fleet[same[0], ALIKE] != rules.fleet[r, ALIKE]:
            moves.append(np.array([TAILS, r, 0, same[0], 0]))
            apply(routes, sizes, moves[-1])
        elif same and same[0] != r:
            routes[[r, same[0]], 1:], sizes[[r, same[0]]] = routes[[same[0], r], 1:], sizes[[same[0], r]]
    return np.array(moves, dtype=np.int64).reshape(-1, 5)


def _stops(routes: Indices, sizes: Indices, r: int) -> Indices:
    return routes[r, 1 : sizes[r] + 1]


def _left_out(routes: Indices, sizes: Indices, goal: Indices, goal_sizes: Indices) -> list[Indices]:
    """Moves after which the same stops are left out as in the goal, made in place."""
    moves, pool = list[Indices](), len(routes) - 1
    out = set(_stops(goal, goal_sizes, pool).tolist())
    for v in sorted(out ^ set(_stops(routes, sizes, pool).tolist())):
        r, i = position(routes, sizes, v)
        s, j = pool, 0
        if r == pool:
            t, k = position(goal, goal_sizes, v)
            s, j = position(routes, sizes, goal[t, k - 1]) if k > 1 else (t, 0)
            if s == pool:
                s, j = t, 0
        moves.append(np.array([MOVE, r, i, s, j]))
        apply(routes, sizes, moves[-1])
    return moves


def _arcs(rules: Rules, routes: Indices, sizes: Indices) -> list[tuple[int, int]]:
    """The arcs of all routes that are not empty."""
    arcs = list[tuple[int, int]]()
    for r in np.flatnonzero(sizes).tolist():
        path = [*routes[r, : sizes[r] + 1].tolist(), int(rules.fleet[r, END])]
        arcs += pairwise(path)
    return arcs


def _count(rules: Rules, routes: Indices, sizes: Indices) -> int:
    """Minus the number of wanted arcs in the routes."""
    wanted: NDArray[np.float64] = rules.ways[0, :, :, 0]
    return int(sum(wanted[arc] for arc in _arcs(rules, routes, sizes)))


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
            if k > 0:
                s, j = position(routes, sizes, a)
            else:  # b takes the place of a stop that should not be the first of its route
                for t in range(len(routes)):
                    wrong = sizes[t] == 0 or wanted[a, routes[t, 1]] == 0.0
                    if routes[t, 0] == a and wrong and (s < 0 or t != r):
                        s = t
            if s < 0:
                continue
            if s == r:
                move[0], move[1], move[2], move[3], move[4] = MOVE, r, i, s, j
            else:
                move[0], move[1], move[2], move[3], move[4] = TAILS, s, j, r, i - 1
            return move
    return move

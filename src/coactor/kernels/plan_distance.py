"""Moves that lead from one plan to another: an upper bound on their edit distance."""

from __future__ import annotations

import numpy as np
from numba import njit

from coactor.kernels.plans import MOVE, TAILS, apply, edits, gains
from coactor.protocol import Indices, Matrix


@njit(cache=True)
def _place(routes: Indices, sizes: Indices, stop: int) -> tuple[int, int]:
    for r in range(len(routes)):
        for k in range(1, sizes[r] + 1):
            if routes[r, k] == stop:
                return r, k
    return -1, -1


@njit(cache=True)
def _join(routes: Indices, sizes: Indices, wanted: Matrix, a: int, b: int, edit: Indices) -> None:
    """An edit after which b follows a (0: the depot), and which breaks no other wanted arc before b."""
    r, i = _place(routes, sizes, b)
    s, j = -1, 0
    if a > 0:
        s, j = _place(routes, sizes, a)
    else:  # some route begins with a stop that should not be first: b takes its place
        for k in range(len(routes)):
            if wanted[0, routes[k, 1]] == 0.0 and (s < 0 or k != r):
                s = k
    if s == r:
        edit[0], edit[1], edit[2], edit[3], edit[4] = MOVE, r, i, s, j
    else:
        edit[0], edit[1], edit[2], edit[3], edit[4] = TAILS, s, j, r, i - 1


@njit(cache=True)
def towards(routes: Indices, sizes: Indices, goal: Indices, goal_sizes: Indices) -> Indices:
    """Edits that turn the routes (in place) into the goal, whichever vehicle drives which route.

    Greedy: the edit that makes the most arcs of the goal, as long as that sets a new record; where none
    does, the first missing arc of the goal is joined. Joining arcs in order ends after one edit a stop at
    most, so the whole ends too. Few edits, but not always the fewest: an upper bound.
    """
    n = int(sizes.sum())
    wanted = np.zeros((n + 1, n + 1))
    missing = 0
    for r in range(len(goal)):
        for k in range(goal_sizes[r] + 1 if goal_sizes[r] else 0):
            wanted[goal[r, k], goal[r, k + 1]] = -1.0
            missing += 1
    for r in range(len(routes)):
        for k in range(sizes[r] + 1 if sizes[r] else 0):
            missing += int(wanted[routes[r, k], routes[r, k + 1]])
    record = missing + 1
    demand, capacity = np.zeros(n + 1), np.zeros(len(routes))
    made = np.empty((n * (n + 2) + 16, 5), np.int64)
    count = 0
    edit = np.empty(5, np.int64)
    while missing > 0:
        rows = edits(routes, sizes, demand, capacity, True)
        gain = gains(wanted, 0.0, routes, sizes, demand, capacity, rows)
        best = int(np.argmax(gain)) if len(rows) else -1
        if best >= 0 and gain[best] > 0.5 and missing - gain[best] < record:
            made[count] = rows[best]
            missing -= round(gain[best])
            record = missing
        else:
            joined = False
            for r in range(len(goal)):
                for k in range(goal_sizes[r]):
                    a, b = goal[r, k], goal[r, k + 1]
                    s, i = _place(routes, sizes, b)
                    if routes[s, i - 1] != a:
                        _join(routes, sizes, wanted, a, b, edit)
                        joined = True
                        break
                if joined:
                    break
            if not joined:  # every stop follows the right one: what is missing are ends, and they follow
                break
            made[count] = edit
            missing -= round(_gain(wanted, routes, sizes, edit))
        apply(routes, sizes, made[count])
        count += 1
    return made[:count]


@njit(cache=True)
def _gain(wanted: Matrix, routes: Indices, sizes: Indices, edit: Indices) -> float:
    """Arcs of the goal that an edit makes, counted afresh: `changed` does not know moves past a neighbour."""
    after, lengths = routes.copy(), sizes.copy()
    apply(after, lengths, edit)
    total = 0.0
    for r in range(len(routes)):
        for k in range(sizes[r] + 1 if sizes[r] else 0):
            total += wanted[routes[r, k], routes[r, k + 1]]
        for k in range(lengths[r] + 1 if lengths[r] else 0):
            total -= wanted[after[r, k], after[r, k + 1]]
    return total

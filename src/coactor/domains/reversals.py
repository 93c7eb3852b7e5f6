"""How many reversals lead from one order of points to another: the edit distance of tours and fleets."""

from __future__ import annotations

import numpy as np

from coactor.protocol import Indices


def count_reversals(order: Indices) -> int:
    """An upper bound on the reversals that sort a permutation of 0..n whose ends stay in place.

    Greedy: each step makes the reversal that restores the most adjacent pairs of the sorted order. A reversal
    restores at most two pairs, so half the missing pairs, rounded up, is a lower bound; the count is exact
    where it meets that bound.
    """
    order = np.array(order, np.int64)
    count = 0
    while len(breaks := _breakpoints(order)):
        i, j = _best_reversal(order, breaks)
        order[i : j + 1] = order[i : j + 1][::-1]
        count += 1
    return count


def _breakpoints(order: Indices) -> Indices:
    """The positions k at which order[k] and order[k + 1] are not adjacent in the sorted order."""
    return np.flatnonzero(np.abs(np.diff(order)) != 1)


def _best_reversal(order: Indices, breaks: Indices) -> tuple[int, int]:
    """The first and last position of the reversal that restores most pairs.

    Where no reversal restores a pair, the one that puts the first misplaced element into its place.
    """
    left, right = np.meshgrid(breaks, breaks, indexing="ij")
    near = np.abs(order[left] - order[right]) == 1
    far = np.abs(order[left + 1] - order[right + 1]) == 1
    restored = np.where(left < right, near.astype(int) + far, -1)
    best = int(restored.argmax())
    if restored.flat[best] > 0:
        return int(left.flat[best]) + 1, int(right.flat[best])
    first = int(np.flatnonzero(order != np.arange(len(order)))[0])
    return first, int(np.flatnonzero(order == first)[0])

"""Small operations on integer arrays that several kernels share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.protocol import Indices

# Without reference counts, which take longer than what many kernels compute: these must not allocate.
compiled = njit(cache=True, nogil=True, _nrt=False)
inlined = njit(cache=True, nogil=True, _nrt=False, forceinline=True)


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
def copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    """target[:] = source, as a loop: a slice assignment takes seconds to compile."""
    for k in range(source.size):
        target[k] = source[k]

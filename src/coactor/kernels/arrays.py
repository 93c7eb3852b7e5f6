"""Small operations on integer arrays that several kernels share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.protocol import Indices

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
_INLINED: dict[str, Any] = {"forceinline": True, "no_cpython_wrapper": True}


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel without reference counts, which may take longer than what it computes.

    It must not allocate.
    """
    kernel: Kernel = njit(**_OPTIONS)(function)
    return kernel


def inlined(function: Kernel) -> Kernel:
    """The same, and every call is replaced by the function's code; for calls by other kernels only."""
    kernel: Kernel = njit(**_OPTIONS, **_INLINED)(function)
    return kernel


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

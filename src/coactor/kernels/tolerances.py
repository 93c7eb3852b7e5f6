"""What counts as rounding error, in all local searches and comparisons of paths."""

from __future__ import annotations

from numba import njit

from coactor.protocol import Vector

GAIN = 1e-12  # relative to the largest cost: accepting a smaller gain could make a search cycle
PATH = 1e-11  # relative: two paths whose costs differ by less are equally good
LOAD = 1e-9  # absolute: a vehicle is not overloaded by less


@njit(cache=True)
def rounding(costs: Vector) -> float:
    """The largest gain that may be nothing but rounding error."""
    largest = 0.0
    for c in costs.ravel():
        largest = max(largest, abs(c))
    return GAIN * largest

"""The precision of the vectors that are learned from.

A correction has one path and many declined moves. So that a log can store them in few bytes and still be
replayed bit for bit, they are rounded before anything is learned from them, in memory as on disk: beyond
SMALL bytes to 12 bits, beyond MANY entries to 10, feature by feature, relative to the largest entry. Whole
numbers up to 2047 (511) survive. Rounding what was rounded changes nothing.
"""

from __future__ import annotations

import numpy as np

from coactor.protocol import Indices, Matrix
from coactor.validation import all_finite

SMALL = 2048  # bytes of declined moves as float64 up to which they are not rounded
MANY = 1 << 15  # entries of declined moves beyond which they are rounded more


def rounded(rows: Matrix) -> Matrix:
    """The declined moves as they are learned from: rounded if they are many, in C order."""
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    if rows.nbytes <= SMALL or not all_finite(rows):  # a learner rejects what is not finite
        return rows
    _, exponents, entries = split(rows)
    return joined(exponents, entries)


def split(rows: Matrix) -> tuple[int, Indices, Matrix]:
    """The bits of an entry, the exponent of each feature, and the entries as whole numbers."""
    bits = 12 if rows.size <= MANY else 10
    exponents = np.frexp(np.abs(rows).max(axis=0))[1] - (bits - 1)
    largest = (1 << (bits - 1)) - 1
    entries: Matrix = np.rint(np.ldexp(rows, -exponents)).clip(-largest, largest)
    return bits, exponents.astype(np.int64), entries


def joined(exponents: Indices, entries: Matrix) -> Matrix:
    """The rows that `split` rounded."""
    rows: Matrix = np.ldexp(entries + 0.0, exponents)  # + 0.0: no negative zero, as in whole numbers
    return rows

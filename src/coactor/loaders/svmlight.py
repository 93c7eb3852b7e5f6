"""Reads SVMlight rows from bytes: one pass, no strings, no objects."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from coactor.protocol import Indices, Vector

NO_QID = np.iinfo(np.int64).min
OK, BAD_PAIR, BAD_INDEX, NOT_INCREASING, BAD_QID = range(5)

# 10 ** 22 is the largest power of ten that a float represents exactly.
_POWERS = 10.0 ** np.arange(23)
# Whether a byte ends a number; whether it is blank.
_STOPS = np.isin(np.arange(256), (9, 10, 13, 32, 35, 58))
_BLANK = np.isin(np.arange(256), (9, 13, 32))
_LF, _HASH, _COLON, _ZERO, _NINE = 10, 35, 58, 48, 57


@njit(cache=True)
def _number(text: NDArray[np.uint8], i: int) -> tuple[float, int, bool]:
    """The number at i, the position after it, and whether it is exact.

    Up to 15 digits and a power of ten within 10 ** 22 give the correctly rounded float in one division
    (Clinger 1990). Anything else, valid or not, is left to Python's own float.
    """
    start = i
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    mantissa = 0
    digits = 0
    scale = 0
    while _ZERO <= text[i] <= _NINE and digits < 16:
        mantissa = mantissa * 10 + int(text[i]) - _ZERO
        digits += 1
        i += 1
    if text[i] == 46:
        i += 1
        while _ZERO <= text[i] <= _NINE and digits < 16:
            mantissa = mantissa * 10 + int(text[i]) - _ZERO
            digits += 1
            scale += 1
            i += 1
    if digits > 0 and digits < 16 and _STOPS[text[i]]:
        value = mantissa / _POWERS[scale]
        return (-value if negative else value), i, True
    i = start
    while not _STOPS[text[i]]:
        i += 1
    return 0.0, i, False


@njit(cache=True)
def _integer(text: NDArray[np.uint8], i: int) -> tuple[int, int]:
    """The digits at i as an integer, and the position after them; -1 if there are none or more than 18."""
    start = i
    value = 0
    while _ZERO <= text[i] <= _NINE and i - start < 19:
        value = value * 10 + int(text[i]) - _ZERO
        i += 1
    if i == start or i - start > 18:
        return -1, i
    return value, i


@njit(cache=True)
def _is_qid(text: NDArray[np.uint8], i: int) -> bool:
    # The text ends with a line feed, so the comparison fails before the end of the text.
    return bool(text[i] == 113 and text[i + 1] == 105 and text[i + 2] == 100 and text[i + 3] == _COLON)


@njit(cache=True)
def count(text: NDArray[np.uint8]) -> tuple[int, int]:
    """The number of lines and of colons: bounds on the rows and values that `parse` finds."""
    lines = 0
    colons = 0
    for c in text:
        lines += c == _LF
        colons += c == _COLON
    return lines, colons


@njit(cache=True)
def parse(
    text: NDArray[np.uint8],
    labels: Vector,
    qids: Indices,
    ends: Indices,
    indices: Indices,
    values: Vector,
    slow: Indices,
) -> tuple[int, int, int, int, int]:
    """Parse whole lines into the given arrays; the text ends with a line feed.

    `ends[r]` is the end of row r in `indices` and `values`. Numbers that need Python's float are listed in
    `slow` as (first byte, byte after the last, position in values or -1 - row for a label).
    Returns the number of rows, of values and of slow numbers, an error code or OK, and the byte of the error.
    """
    size = len(text)
    row = filled = slow_count = 0
    i = 0
    while i < size:
        c = text[i]
        if c == _LF or _BLANK[c]:
            i += 1
            continue
        if c == _HASH:
            while text[i] != _LF:
                i += 1
            continue
        start = i
        labels[row], i, exact = _number(text, i)
        if not exact:
            slow[slow_count, 0], slow[slow_count, 1], slow[slow_count, 2] = start, i, -1 - row
            slow_count += 1
        if text[i] == _COLON:
            return row, filled, slow_count, BAD_PAIR, start
        qids[row] = NO_QID
        last = -1
        first = True
        while True:
            c = text[i]
            if _BLANK[c]:
                i += 1
                continue
            if c == _HASH:
                while text[i] != _LF:
                    i += 1
                continue
            if c == _LF:
                i += 1
                break
            start = i
            if first and _is_qid(text, i):
                qid, i = _integer(text, i + 4)
                if qid < 0 or not _STOPS[text[i]] or text[i] == _COLON:
                    return row, filled, slow_count, BAD_QID, start
                qids[row] = qid
                first = False
                continue
            first = False
            index, i = _integer(text, i)
            if text[i] != _COLON or index < 0:
                while not _STOPS[text[i]]:
                    i += 1
                error = BAD_INDEX if text[i] == _COLON else BAD_PAIR
                return row, filled, slow_count, error, start
            if index <= last:
                return row, filled, slow_count, NOT_INCREASING, start
            last = index
            number = i + 1
            value, i, exact = _number(text, number)
            if i == number or text[i] == _COLON:
                return row, filled, slow_count, BAD_PAIR, start
            if not exact:
                slow[slow_count, 0], slow[slow_count, 1], slow[slow_count, 2] = number, i, filled
                slow_count += 1
            indices[filled] = index
            values[filled] = value
            filled += 1
        ends[row] = filled
        row += 1
    return row, filled, slow_count, OK, 0

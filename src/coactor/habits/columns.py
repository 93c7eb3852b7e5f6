"""Names as numbers, and the numbers of many cases as flat arrays, so that recalling takes few passes."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from coactor.protocol import Indices, Matrix


class Vocabulary:
    """Numbers for names and for parts. It only grows, so that copies of a memory can share it."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._given, self._choice = array("q"), array("q")  # of each part
        self._ids: dict[str, int] = {}
        self._parts: dict[tuple[int, int], int] = {}
        self._lock = threading.Lock()

    def ids(self, names: Sequence[str]) -> Indices:
        """The numbers of names; new names get new numbers."""
        with self._lock:
            return np.array([self._id(name) for name in names], np.int64)

    def parts(self, parts: Sequence[tuple[str, str]]) -> Indices:
        """The numbers of parts."""
        numbers = []
        with self._lock:
            for given, choice in parts:
                pair = self._id(given), self._id(choice)
                if pair not in self._parts:
                    self._parts[pair] = len(self._given)
                    self._given.append(pair[0])
                    self._choice.append(pair[1])
                numbers.append(self._parts[pair])
        return np.array(numbers, np.int64)

    def ends(self, parts: Indices) -> tuple[Indices, Indices]:
        """The numbers of the place and of the choice of each part."""
        return np.array(self._given, np.int64)[parts], np.array(self._choice, np.int64)[parts]

    def known(self, names: Iterable[str]) -> Indices:
        """The numbers of those names that have one."""
        numbers = [self._ids.get(name, -1) for name in dict.fromkeys(names)]
        return np.array([number for number in numbers if number >= 0], np.int64)

    def _id(self, name: str) -> int:
        number = self._ids.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number


class Column:
    """Numbers of each case, as one flat array; never changed in place, so that copies can share them."""

    __slots__ = ("counts", "numbers")

    def __init__(self, numbers: Indices | None = None, counts: Indices | None = None) -> None:
        self.numbers = np.empty(0, np.int64) if numbers is None else numbers
        self.counts = np.empty(0, np.int64) if counts is None else counts

    def add(self, cases: Sequence[Indices]) -> Column:
        counts = np.array([case.size for case in cases], np.int64)
        return Column(np.concatenate([self.numbers, *cases]), np.append(self.counts, counts))

    def without_first(self, cases: int) -> Column:
        return Column(self.numbers[self.counts[:cases].sum() :], self.counts[cases:])

    def count(self, wanted: NDArray[np.bool_]) -> Indices:
        """How many of the wanted numbers each case has."""
        sums = np.append(0, np.cumsum(wanted[self.numbers]))
        last = np.cumsum(self.counts)
        counts: Indices = sums[last] - sums[last - self.counts]
        return counts

    def rows(self) -> Indices:
        """The case of each number."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    def marks(self, wanted: Indices, size: int) -> Matrix:
        """Which case has which of the wanted numbers: 1 or 0, shape (cases, wanted)."""
        place = np.full(size, -1)
        place[wanted] = np.arange(wanted.size)
        at = place[self.numbers]
        marks = np.zeros((self.counts.size, wanted.size))
        marks[self.rows()[at >= 0], at[at >= 0]] = 1.0
        return marks

"""The units of features: how much moves change them. So a learner's settings suit every domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coactor.protocol import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Units:
    """The unit of each feature, and of a row.

    Attributes
    ----------
    features
        The root mean square of each feature in the rows in which it first varied; 0 until then.
    length
        The mean length of a row of the first round, in these units; 0 before it.
    """

    features: Vector
    length: float

    @classmethod
    def unknown(cls, dim: int) -> Units:
        """Before anything is measured."""
        return cls(np.zeros(dim), 0.0)

    @cached_property
    def scale(self) -> Vector:
        """The unit of each weight; the geometric mean of the others for a feature that has not varied."""
        measured = self.features > 0.0
        usual = float(np.exp(np.log(self.features[measured]).mean())) if measured.any() else 1.0
        scale: Vector = np.where(measured, self.features, usual) * (self.length or 1.0)
        return scale

    def completed(self, other: Units) -> Units:
        """With the units of `other` for what is not measured here."""
        features = np.where(self.features > 0.0, self.features, other.features)
        return Units(features, self.length or other.length)

    def factors(self, to: Units) -> Vector:
        """What converts weights in these units to others; 1 where there is no unit yet."""
        own = self.features
        factors: Vector = np.where(own > 0.0, to.features / np.where(own > 0.0, own, 1.0), 1.0)
        return factors * (to.length / self.length) if self.length > 0.0 else factors

    def measure(self, differences: Matrix, common: bool) -> Units:
        """Units that include the features which vary for the first time, and the length of a row.

        With `common`, all features have the unit 1.
        """
        units, length = self.features, self.length
        fresh = (units == 0.0) & differences.any(axis=0)
        if length and not fresh.any():
            return self
        if fresh.any():
            units, varying = units.copy(), differences[:, fresh]
            sizes = row_lengths(varying.T) / np.sqrt(np.count_nonzero(varying, axis=0))
            units[fresh] = 1.0 if common else sizes
        if length == 0.0:
            rows = differences / np.where(units == 0.0, 1.0, units)
            length = float(row_lengths(row_lengths(rows)[None])[0] / np.sqrt(len(rows)))
        return Units(units, length)


def row_lengths(rows: Matrix) -> Vector:
    """The length of each row, without squares of very small or large numbers, which are 0 or infinite."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(largest == 0.0, 1.0, largest)
    lengths: Vector = largest * np.sqrt(((rows / unit[:, None]) ** 2).sum(axis=1))
    return lengths


def root_mean_square(values: Vector) -> float:
    """0 if there are no values."""
    return float(row_lengths(values[None])[0] / np.sqrt(values.size)) if values.size else 0.0


def direction(start: Sequence[float] | Vector, dim: int) -> Vector:
    """The proportions of a start, with a root mean square of 1. Raises ValueError if there are none."""
    array = np.array(start, dtype=np.float64)
    if array.shape != (dim,) or not np.isfinite(array).all() or not array.any():
        raise ValueError(f"The start has shape {array.shape}; expected {dim} finite numbers, not all 0.")
    return array / root_mean_square(array)

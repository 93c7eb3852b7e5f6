"""What each person has shown, and what it says: with full matrices or with independent coordinates.

See population.py for the model and the formulas.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from coactor.learners.choice import ChoiceLearner, Observed
from coactor.learners.gaussians import Diagonal, Precision
from coactor.protocol import Matrix, Vector


class Site(NamedTuple):
    """What one person has shown: L = B diag(l) B', e = B u."""

    basis: Matrix
    size: Vector
    shift: Vector


class Joint:
    """The algebra of sites with full matrices."""

    def identity(self, size: int) -> Matrix:
        return np.eye(size)

    def scaled(self, basis: Matrix, values: Vector) -> Matrix:
        """B diag(values) B'."""
        product: Matrix = (basis * values) @ basis.T
        return product

    def times(self, matrix: Matrix, vector: Vector) -> Vector:
        return matrix @ vector

    def inverse(self, matrix: Matrix) -> Matrix:
        inverse = np.linalg.inv(matrix)
        return 0.5 * (inverse + inverse.T)

    def variances(self, matrix: Matrix) -> Vector:
        """The variance of each coordinate, from the precision."""
        return np.diagonal(np.linalg.inv(matrix)).copy()

    def spread(self, matrix: Matrix, rows: Matrix) -> Vector:
        """The variance of rows @ theta, from the precision."""
        spread: Vector = np.einsum("ij,ji->i", rows, np.linalg.solve(matrix, rows.T))
        return spread

    def means(self, precisions: Matrix, shifts: Matrix) -> Matrix:
        """Q^-1 q of several Q and q."""
        means = np.linalg.solve(precisions, shifts[:, :, None])[:, :, 0]
        return means.astype(np.float64, copy=False)

    def drawn(self, site: Site, ts: Vector, mus: Matrix) -> Matrix:
        """E[theta_k | mu] of several t and mu: B'^-1 (t u + B' mu) / (1 + t l)."""
        drawn = (np.outer(ts, site.shift) + mus @ site.basis) / (1.0 + np.outer(ts, site.size))
        return np.linalg.solve(site.basis.T, drawn.T).T.astype(np.float64, copy=False)

    def deviation(self, away: Vector, own: Matrix, prior: Matrix, covariance: Matrix) -> Matrix:
        """E[(theta_k - mu)(theta_k - mu)']; `away` is its mean, `own` the covariance of theta_k given mu."""
        pull = own @ prior - np.eye(len(own))  # how theta_k - mu depends on mu
        expected: Matrix = np.outer(away, away) + own + pull @ covariance @ pull.T
        return expected

    def mean_size(self, matrix: Matrix) -> float:
        return float(np.trace(matrix)) / len(matrix)

    def roots(self, matrix: Matrix) -> tuple[Matrix, Matrix]:
        """The square root, and its inverse."""
        sizes, vectors = np.linalg.eigh(matrix)
        half = np.sqrt(sizes)
        return (vectors * half) @ vectors.T, (vectors / half) @ vectors.T

    def site(self, precision: Matrix, shift: Vector, root: Matrix, inverse_root: Matrix) -> Site:
        sizes, vectors = np.linalg.eigh(root @ (0.5 * (precision + precision.T)) @ root)
        return Site(inverse_root @ vectors, np.maximum(sizes, 0.0), vectors.T @ (root @ shift))

    def learn(self, precision: Matrix, mean: Vector, observed: Observed) -> tuple[Matrix, Vector]:
        """The Laplace step from this precision and mean."""
        gaussian = Precision.of(mean, precision)
        gaussian.learn(observed.rows, observed.labels, observed.worth, observed.offset)
        return gaussian.matrix, gaussian.mean


class Independent:
    """The same with independent coordinates: matrices are vectors, and B is 1."""

    def identity(self, size: int) -> Vector:
        return np.ones(size)

    def scaled(self, basis: Vector, values: Vector) -> Vector:
        return basis**2 * values

    def times(self, matrix: Vector, vector: Vector) -> Vector:
        return matrix * vector

    def inverse(self, matrix: Vector) -> Vector:
        return 1.0 / matrix

    def variances(self, matrix: Vector) -> Vector:
        return 1.0 / matrix

    def spread(self, matrix: Vector, rows: Matrix) -> Vector:
        spread: Vector = rows**2 @ (1.0 / matrix)
        return spread

    def means(self, precisions: Matrix, shifts: Matrix) -> Matrix:
        return shifts / precisions

    def drawn(self, site: Site, ts: Vector, mus: Matrix) -> Matrix:
        drawn = (np.outer(ts, site.shift) + mus * site.basis) / (1.0 + np.outer(ts, site.size))
        return drawn / site.basis

    def deviation(self, away: Vector, own: Vector, prior: Vector, covariance: Vector) -> Vector:
        return away**2 + own + (own * prior - 1.0) ** 2 * covariance

    def mean_size(self, matrix: Vector) -> float:
        return float(matrix.mean())

    def roots(self, matrix: Vector) -> tuple[Vector, Vector]:
        half = np.sqrt(matrix)
        return half, 1.0 / half

    def site(self, precision: Vector, shift: Vector, root: Vector, inverse_root: Vector) -> Site:
        return Site(inverse_root, np.maximum(root**2 * precision, 0.0), root * shift)

    def learn(self, precision: Vector, mean: Vector, observed: Observed) -> tuple[Vector, Vector]:
        gaussian = Diagonal(mean, 1.0 / precision)
        gaussian.learn(observed.rows, observed.labels, observed.worth, observed.offset)
        return 1.0 / gaussian.variance, gaussian.mean


class Person:
    """One person's weights and threshold, or the population's: a view, good until the next update.

    Parameters
    ----------
    single
        The learner that has the units.
    algebra, mean, precision
        The posterior of (w, b) in these units.
    """

    def __init__(
        self, single: ChoiceLearner, algebra: Joint | Independent, mean: Vector, precision: Matrix
    ) -> None:
        self._single, self._algebra, self._mean, self._precision = single, algebra, mean, precision

    @property
    def weights(self) -> Vector:
        """The posterior mean of w_k."""
        weights: Vector = self._mean[:-1] / self._single.scale
        return weights

    @property
    def threshold(self) -> float:
        """The posterior mean of b_k; infinite before anything was learned."""
        return float(self._mean[-1]) if self._single.measured else math.inf

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight."""
        deviations: Vector = np.sqrt(self._algebra.variances(self._precision)[:-1]) / self._single.scale
        return deviations

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""
        return self._single.prior_deviations()

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight."""
        return 1.0 - np.minimum(1.0, self.deviations() / self.prior_deviations())

    def chances(self, differences: Matrix) -> Vector:
        """The probability that this person makes each move, given its feature difference."""
        rows = self._single.rows(differences)
        blur = np.sqrt(1.0 + np.pi / 8.0 * self._algebra.spread(self._precision, rows))
        chances: Vector = 0.5 * (1.0 + np.tanh(0.5 * (rows @ self._mean) / blur))
        return chances

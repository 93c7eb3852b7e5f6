"""What people have shown, and what it says about their mean: with full matrices or independent coordinates.

See population.py for the model and the formulas.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np

from coactor.learners.choice import ChoiceLearner, Observed
from coactor.learners.gaussians import Diagonal, Gaussian, Precision, sigmoid
from coactor.learners.people.differences import GRID
from coactor.protocol import Matrix, Vector


class Site(NamedTuple):
    """What one person has shown: L = B diag(l) B', e = B u."""

    basis: Matrix  # B
    eigenvalues: Vector  # l
    shift: Vector  # u

    def converted(self, factors: Vector) -> Site:
        """The site of factors * theta: in other units."""
        return self._replace(basis=(self.basis.T / factors).T)


class Joint:
    """The algebra of sites with full matrices."""

    def diagonal(self, values: Vector) -> Matrix:
        """The matrix with this diagonal."""
        return np.diag(values)

    def prior_people(self, features: int) -> float:
        """How many people the target counts as to which the covariance of differences is shrunk."""
        return 0.5 * features

    def precision(self, gaussian: Gaussian) -> Matrix:
        """The precision of a posterior of a single learner."""
        precision = gaussian.precision()
        return precision if precision.ndim == 2 else np.diag(precision)

    def scaled(self, basis: Matrix, values: Vector) -> Matrix:
        """B diag(values) B'."""
        product: Matrix = (basis * values) @ basis.T
        return product

    def message(self, site: Site, t: float) -> tuple[Matrix, Vector]:
        """M(t) and h(t): what one person says about mu."""
        share = 1.0 + t * site.eigenvalues
        return self.scaled(site.basis, site.eigenvalues / share), site.basis @ (site.shift / share)

    def times(self, matrix: Matrix, vector: Vector) -> Vector:
        return matrix @ vector

    def likelihood(self, site: Site, mu: Vector) -> float:
        """The log-likelihood of a site at mu: -1/2 mu' L mu + e' mu."""
        along = site.basis.T @ mu
        return float(site.shift @ along - 0.5 * site.eigenvalues @ along**2)

    def gradient(self, site: Site, mu: Vector) -> Vector:
        """Its gradient: e - L mu."""
        return site.basis @ (site.shift - site.eigenvalues * (site.basis.T @ mu))

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
        drawn = (np.outer(ts, site.shift) + mus @ site.basis) / (1.0 + np.outer(ts, site.eigenvalues))
        return np.linalg.solve(site.basis.T, drawn.T).T.astype(np.float64, copy=False)

    def deviation(self, away: Vector, own: Matrix, prior: Matrix, covariance: Matrix) -> Matrix:
        """E[(theta_k - mu)(theta_k - mu)']; `away` is its mean, `own` the covariance of theta_k given mu."""
        pull = own @ prior - np.eye(len(own))  # how theta_k - mu depends on mu
        expected: Matrix = np.outer(away, away) + own + pull @ covariance @ pull.T
        return expected

    def mean_diagonal(self, matrix: Matrix) -> float:
        return float(np.trace(matrix)) / len(matrix)

    def roots(self, matrix: Matrix) -> tuple[Matrix, Matrix]:
        """The square root, and its inverse."""
        values, vectors = np.linalg.eigh(matrix)
        half = np.sqrt(values)
        return (vectors * half) @ vectors.T, (vectors / half) @ vectors.T

    def site(self, precision: Matrix, shift: Vector, root: Matrix, inverse_root: Matrix) -> Site:
        values, vectors = np.linalg.eigh(root @ (0.5 * (precision + precision.T)) @ root)
        return Site(inverse_root @ vectors, np.maximum(values, 0.0), vectors.T @ (root @ shift))

    def learn(self, precision: Matrix, mean: Vector, observed: Observed) -> tuple[Matrix, Vector]:
        """The Laplace step from this precision and mean."""
        gaussian = Precision.of(mean, precision)
        gaussian.learn(observed.rows, observed.labels, observed.worth, observed.offset)
        return gaussian.matrix, gaussian.mean


class Independent:
    """The same with independent coordinates: matrices are vectors, and B = A^(-1/2)."""

    def diagonal(self, values: Vector) -> Vector:
        return values

    def prior_people(self, features: int) -> float:
        return 10.0

    def precision(self, gaussian: Gaussian) -> Vector:
        return 1.0 / gaussian.variances()

    def scaled(self, basis: Vector, values: Vector) -> Vector:
        return basis**2 * values

    def message(self, site: Site, t: float) -> tuple[Vector, Vector]:
        share = 1.0 + t * site.eigenvalues
        return self.scaled(site.basis, site.eigenvalues / share), site.basis * (site.shift / share)

    def times(self, matrix: Vector, vector: Vector) -> Vector:
        return matrix * vector

    def likelihood(self, site: Site, mu: Vector) -> float:
        along = site.basis * mu
        return float(site.shift @ along - 0.5 * site.eigenvalues @ along**2)

    def gradient(self, site: Site, mu: Vector) -> Vector:
        return site.basis * (site.shift - site.eigenvalues * (site.basis * mu))

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
        drawn = (np.outer(ts, site.shift) + mus * site.basis) / (1.0 + np.outer(ts, site.eigenvalues))
        return drawn / site.basis

    def deviation(self, away: Vector, own: Vector, prior: Vector, covariance: Vector) -> Vector:
        return away**2 + own + (own * prior - 1.0) ** 2 * covariance

    def mean_diagonal(self, matrix: Vector) -> float:
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


Algebra: TypeAlias = Joint | Independent


class Sums(NamedTuple):
    """What some people say about mu, for every t of the grid: the prior plus the sums of M(t) and h(t)."""

    precisions: Matrix  # Q(t)
    shifts: Matrix  # q(t)

    @classmethod
    def prior(cls, algebra: Algebra, precisions: Sequence[Matrix], mean: Vector) -> Sums:
        """Those of nobody, from the prior precision of each t."""
        return cls(np.array(precisions), np.array([algebra.times(each, mean) for each in precisions]))

    @classmethod
    def of(cls, algebra: Algebra, sites: Sequence[Site]) -> Sums:
        """The sums of these people, without the prior."""
        columns = [zip(*(algebra.message(site, float(t)) for site in sites), strict=True) for t in GRID]
        sums = [[reduce(np.add, column) for column in pair] for pair in columns]
        return cls(np.array([pair[0] for pair in sums]), np.array([pair[1] for pair in sums]))

    def plus(self, other: Sums) -> Sums:
        return Sums(self.precisions + other.precisions, self.shifts + other.shifts)

    def minus(self, other: Sums) -> Sums:
        return Sums(self.precisions - other.precisions, self.shifts - other.shifts)

    def at(self, best: int) -> Sums:
        """Those of one t."""
        return Sums(self.precisions[best : best + 1], self.shifts[best : best + 1])

    def mean(self, algebra: Algebra, best: int, without: Site | None = None) -> tuple[Vector, Matrix]:
        """The mean and the covariance of mu for one t, leaving out one person."""
        precision, shift = self.precisions[best], self.shifts[best]
        if without is not None:
            own = algebra.message(without, float(GRID[best]))
            precision, shift = precision - own[0], shift - own[1]
        covariance = algebra.inverse(precision)
        return algebra.times(covariance, shift), covariance

    def predict(self, algebra: Algebra, observed: Observed, site: Site | None) -> Vector:
        """The log probability of a case under the posterior mean of each t: of one of these people, or of a
        newcomer, who has no site."""
        mus = algebra.means(*self)
        thetas = mus if site is None else algebra.drawn(site, GRID, mus)
        against = (thetas @ observed.rows.T) * (1.0 - 2.0 * observed.labels)  # log-odds
        scores: Vector = -np.logaddexp(0.0, against).sum(axis=1)
        return scores


class Everybody(NamedTuple):
    """What all people have shown: the site of each, the sums of all people, and the prior."""

    sites: Mapping[str, Site]
    sums: Sums
    prior: Sums

    def put(self, algebra: Algebra, name: str, site: Site | None) -> Everybody:
        """With another site of a person; None removes the person."""
        sums, old = self.sums, self.sites.get(name)
        if old is not None:
            sums = sums.minus(Sums.of(algebra, [old]))
        if site is None:
            return Everybody({key: one for key, one in self.sites.items() if key != name}, sums, self.prior)
        return Everybody({**self.sites, name: site}, sums.plus(Sums.of(algebra, [site])), self.prior)

    def with_prior(self, prior: Sums) -> Everybody:
        """The same people with another prior."""
        return Everybody(self.sites, self.sums.plus(prior.minus(self.prior)), prior)


class PersonBelief(NamedTuple):
    """A person's posterior, the prior that everybody else gives them, and t A."""

    prior_precision: Matrix
    prior_mean: Vector
    precision: Matrix
    mean: Vector
    differences: Matrix


class AsNewcomer(ABC):
    """A learner of several people, itself seen as a newcomer: the population's mean weights."""

    @abstractmethod
    def person(self, name: str) -> Person | ChoiceLearner:
        """The weights of a person; those of the population for a newcomer, and without a name."""

    @property
    def weights(self) -> Vector:
        """The population's mean weights."""
        return self.person("").weights

    @property
    def threshold(self) -> float:
        """The population's mean threshold."""
        return self.person("").threshold

    def deviations(self) -> Vector:
        """How uncertain the weights of a newcomer are."""
        return self.person("").deviations()

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight."""
        return self.person("").known()

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights, for a newcomer."""
        return self.person("").variances(rows, around_others)

    def chances(self, differences: Matrix) -> Vector:
        """The probability that a newcomer makes each move."""
        return self.person("").chances(differences)


class Person:
    """One person's weights and threshold, or the population's: a view, good until the next update.

    Parameters
    ----------
    single
        The learner that has the units.
    algebra, belief
        The posterior of (w, b) in these units.
    """

    def __init__(self, single: ChoiceLearner, algebra: Algebra, belief: PersonBelief) -> None:
        self._single, self._algebra, self._belief = single, algebra, belief
        self._mean, self._precision = belief.mean, belief.precision

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

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights; `around_others`: given mu, as people are compared."""
        precision = self._precision
        if around_others:
            shown = precision - self._belief.prior_precision
            precision = self._algebra.inverse(self._belief.differences) + shown
        return self._algebra.spread(precision, self._single.without_threshold(rows))

    def chances(self, differences: Matrix) -> Vector:
        """The probability that this person makes each move, given its feature difference."""
        rows = self._single.rows(differences)
        blur = np.sqrt(1.0 + np.pi / 8.0 * self._algebra.spread(self._precision, rows))
        return sigmoid(rows @ self._mean / blur)

"""In which directions people differ: the matrix A in population.py.

A is a running mean of the expected outer products of theta_k - mu (an EM step each time a person is learned
from). A few people say little about it, so it is shrunk: towards differences in proportion to the weights of
the population. What matters much to people is also what they differ about, in units of features.
"""

from __future__ import annotations

from typing import NamedTuple

from coactor.learners.people.differences import GRID
from coactor.learners.people.sites import Algebra, Site, Sums
from coactor.protocol import Matrix, Vector

WINDOW = 10  # rounds in the running mean, at least; more if there are more people


class Directions(NamedTuple):
    """A, and what it is computed from. Replaced, never modified."""

    matrix: Matrix  # A
    roots: tuple[Matrix, Matrix]  # A^(1/2) and A^(-1/2)
    moment: Matrix  # running mean of E[(theta_k - mu)(theta_k - mu)'] / t
    rounds: int  # so far

    @classmethod
    def of(cls, algebra: Algebra, matrix: Matrix, moment: Matrix, rounds: int = 0) -> Directions:
        """With these values."""
        return cls(matrix, algebra.roots(matrix), moment, rounds)

    def observe(self, algebra: Algebra, sums: Sums, best: int, site: Site, people: int) -> Directions:
        """The running mean after a round: one EM step with the person who was learned from."""
        t = float(GRID[best])
        mu, covariance = sums.mean(algebra, best)
        prior = algebra.inverse(t * self.matrix)
        own = algebra.inverse(prior + algebra.scaled(site.basis, site.eigenvalues))
        shift = algebra.times(prior, mu) + algebra.times(site.basis, site.shift)
        expected = algebra.deviation(algebra.times(own, shift) - mu, own, prior, covariance) / t
        rounds = self.rounds + 1
        moment = self.moment + (expected - self.moment) / min(rounds, max(WINDOW, people))
        return self._replace(moment=moment, rounds=rounds)

    def shrunk(self, algebra: Algebra, mu: Vector, people: int, variance: float) -> Directions:
        """A as the running mean says, shrunk, with mean diagonal `variance`."""
        target = mu**2
        target[-1] = target[:-1].mean()  # a threshold differs like the mean weight
        target = algebra.diagonal(target * (algebra.mean_diagonal(self.moment) / (target.mean() or 1.0)))
        prior_people = algebra.prior_people(len(mu) - 1)
        matrix = (people * self.moment + prior_people * target) / (people + prior_people)
        matrix = matrix * (variance / algebra.mean_diagonal(matrix))
        return Directions.of(algebra, matrix, self.moment, self.rounds)

"""Two groups of people: who goes with whom, and whether two groups predict people better than one.

The model is that of population.py with two means: a person is drawn around the mean of their group. People
are divided by what they have shown. The log-likelihood of the site of person k at a mean mu is

    l_k(mu) = -1/2 mu' L mu + e' mu

and everybody goes with the group at whose mean it is larger, which is k-means with this distance. It begins
with the first principal axis of the gradients e - L mu at the common mean. After each case the person who was
learned from is looked at again; the mean of their own group is then taken without them, so that nobody stays
in a group because of themselves.

Two groups are used once they are clearly ahead in predicting cases, and until they are behind. A case is
predicted before it is learned from: by one mean, and by the mixture of both groups with the odds of l_k,
which are limited, because a person may be in the wrong group. The comparison forgets: groups become better
while people become known.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coactor.learners.choice import Observed
from coactor.learners.people.differences import GRID, likeliest
from coactor.learners.people.sites import Algebra, Everybody, Sums
from coactor.learners.serialization import count, flag, number, pack, unpack
from coactor.protocol import Matrix, State, Vector

MEMORY = 50.0  # cases, the time constant of the comparison
CLEAR = 5.0  # nats by which two groups must be ahead before they are used
MOST = 2.0  # nats that one case counts: a mixture fails less than one mean on cases that neither explains
SURE = 4.6  # the largest log-odds of a group: at least 1 % for the other one
SWEEPS = 5  # of k-means, at most
FEWEST = 3  # people


class Groups:
    """A division of people into two groups.

    Attributes
    ----------
    second
        The people of the second group; all others are in the first. Empty if there is no division.
    sums
        What the people of the second group say.
    scores, best
        The log probabilities of recent cases for every t, and the index of the t in use.
    ahead
        By how much two groups predicted recent cases better than one, in nats.
    used
        Whether weights are those of two groups.
    """

    def __init__(self, algebra: Algebra, prior: Sums) -> None:
        self.algebra = algebra
        self.second: frozenset[str] = frozenset()
        self.sums = prior
        self._forget()

    def _forget(self) -> None:
        self.scores: Vector = np.zeros(len(GRID))
        self.best, self.ahead, self.used = 0, 0.0, False

    def sums_of(self, everybody: Everybody, second: bool) -> Sums:
        """What the people of one group say."""
        return self._sums_of(everybody, self.sums, second)

    @staticmethod
    def _sums_of(everybody: Everybody, sums: Sums, second: bool) -> Sums:
        return sums if second else everybody.sums.minus(sums).plus(everybody.prior)

    def compare(self, everybody: Everybody, name: str, observed: Observed, one: float) -> None:
        """Predict a case of a person who is known, and compare with its log probability under one mean."""
        odds, site = self.odds(everybody, name), everybody.sites[name]
        first, second = (
            self.sums_of(everybody, group).predict(self.algebra, observed, site) for group in (False, True)
        )
        mixture = np.logaddexp(first, second + odds) - np.logaddexp(0.0, odds)
        keep = 1.0 - 1.0 / MEMORY
        self.ahead = keep * self.ahead + float(np.clip(mixture[self.best] - one, -MOST, MOST))
        self.scores = keep * self.scores + mixture
        self.best = likeliest(self.scores)
        self.used = self.ahead > (0.0 if self.used else CLEAR)

    def odds(self, everybody: Everybody, name: str) -> float:
        """The log-odds that a person goes with the second group: l_k at both means, without k."""
        site = everybody.sites[name]
        own, fits = self.algebra.message(site, float(GRID[self.best])), []
        at_best = Everybody(everybody.sites, everybody.sums.at(self.best), everybody.prior.at(self.best))
        for group in (False, True):
            precisions, shifts = self._sums_of(at_best, self.sums.at(self.best), group)
            if (name in self.second) == group:
                precisions, shifts = precisions - own[0], shifts - own[1]
            fits.append(self.algebra.likelihood(site, self.algebra.means(precisions, shifts)[0]))
        return float(np.clip(fits[1] - fits[0], -SURE, SURE))

    def put(self, everybody: Everybody, new: Everybody, name: str) -> None:
        """Follow a change of what one person has shown."""
        if not self.second:
            return
        if name in self.second:
            self.sums = self.sums.plus(new.sums.minus(everybody.sums))
            self.second = self.second & new.sites.keys()
        self._dissolve_if_one_is_empty(new)

    def reassign(self, everybody: Everybody, name: str) -> None:
        """Move a person to the group that they go with."""
        if not self.second or (self.odds(everybody, name) > 0.0) == (name in self.second):
            return
        own = Sums.of(self.algebra, [everybody.sites[name]])
        self.sums = self.sums.minus(own) if name in self.second else self.sums.plus(own)
        self.second = self.second ^ {name}
        self._dissolve_if_one_is_empty(everybody)

    def _dissolve_if_one_is_empty(self, everybody: Everybody) -> None:
        if not 0 < len(self.second) < len(everybody.sites):
            self.second, self.sums = frozenset(), everybody.prior
            self._forget()

    def divide(self, everybody: Everybody, mu: Vector, root: Matrix) -> None:
        """Divide all people anew, if that fits better; mu is their common mean and root that of A."""
        names = list(everybody.sites)
        if len(names) < FEWEST:
            return
        candidates = [self._first_guess(everybody, mu, root)]
        if self.second:
            candidates.insert(0, np.array([name in self.second for name in names]))
        fits = [self._k_means(everybody, candidate) for candidate in candidates]
        second, _ = max(fits, key=lambda fit: fit[1])  # the present one of equals
        new = frozenset(name for name, one in zip(names, second, strict=True) if one)
        if new and new not in (self.second, frozenset(names) - self.second):  # which is first means nothing
            self.second = new
            own = [site for name, site in everybody.sites.items() if name in new]  # not in the order of names
            self.sums = everybody.prior.plus(Sums.of(self.algebra, own))
            self._forget()

    def _first_guess(self, everybody: Everybody, mu: Vector, root: Matrix) -> np.ndarray[Any, Any]:
        """Who is on which side of the common mean, along the axis on which people differ most."""
        algebra = self.algebra
        sites = everybody.sites.values()
        gradients = np.array([algebra.times(root, algebra.gradient(site, mu)) for site in sites])
        lengths = np.linalg.norm(gradients, axis=1)[:, None]
        gradients /= np.where(lengths == 0.0, 1.0, lengths)
        axis = np.linalg.svd(gradients, full_matrices=False)[2][0]
        side: np.ndarray[Any, Any] = gradients @ axis > 0.0
        return side

    def _k_means(
        self, everybody: Everybody, second: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], float]:
        """The division after some sweeps, and its log-likelihood; all are in the first group if it fails."""
        algebra, t, sites = self.algebra, float(GRID[self.best]), list(everybody.sites.values())
        messages = [algebra.message(site, t) for site in sites]
        prior = everybody.prior.precisions[self.best], everybody.prior.shifts[self.best]
        total = -np.inf
        for _ in range(SWEEPS):
            if second.all() or not second.any():
                return np.zeros(len(sites), bool), -np.inf
            fits = []
            for group in (False, True):
                parts = [prior, *(part for part, one in zip(messages, second, strict=True) if one == group)]
                precision, shift = (sum(column) for column in zip(*parts, strict=True))
                mu = algebra.times(algebra.inverse(precision), shift)
                fits.append([algebra.likelihood(site, mu) for site in sites])
            first, other = np.array(fits)
            total = float(np.maximum(first, other).sum())
            new = other > first
            if (new == second).all():
                break
            second = new
        return second, total

    # -- to and from JSON ---------------------------------------------------------------------------------

    def state(self, name: str) -> State:
        """Everything but names, as JSON-able data."""
        return {
            "learner": name,
            "precisions": pack(self.sums.precisions.reshape(len(GRID), -1)),
            "shifts": pack(self.sums.shifts),
            "scores": pack(self.scores),
            "best": self.best,
            "ahead": self.ahead,
            "used": self.used,
        }

    def restore(self, state: State, name: str, second: frozenset[str]) -> None:
        """Return to an earlier state with these people in the second group. Raises ValueError if invalid."""
        shape = self.sums.precisions.shape
        flat = unpack(state, "precisions", name, (shape[0], math.prod(shape[1:])))
        self.sums = Sums(flat.reshape(shape), unpack(state, "shifts", name, self.sums.shifts.shape))
        self.scores = unpack(state, "scores", name, self.scores.shape)
        self.second, self.best = second, min(count(state, "best", name), len(GRID) - 1)
        self.ahead, self.used = number(state, "ahead", name), flag(state, "used", name, False)

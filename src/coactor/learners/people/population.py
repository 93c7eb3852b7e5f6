"""Bayesian choice for several people: one model each, drawn around a population that is learned.

Model. Person k makes a move with feature difference D with probability sigma(w_k . D - b_k), as in
choice.py. With theta_k = (w_k, b_k):

    mu ~ N(m0, S0 - t V)     N(m0, S0) is the prior of the single learner; V = v I for the weights, 0 for b
    theta_k ~ N(mu, t A)     t: how much people differ, from 0 to 1; A: in which directions (mean diagonal v)

v is the prior variance that weights do not share. So the weights of a person alone have the prior of the
single learner, whatever t: people with t = 0 are one person, and with t = 1 as many single learners. What
everybody shares even then is the threshold, of which the prior says little.

What person k has shown is a Gaussian site exp(-1/2 theta' L theta + e' theta). It grows by the same online
Laplace steps as the single learner: new site = posterior minus the prior it was given. A site is stored as

    L = B diag(l) B',   e = B u,   with B = A^(-1/2) U from the eigenvectors U of A^(1/2) L A^(1/2)

so that everything it says about mu is cheap for every t:

    precision   M(t) = B diag(l / (1 + t l)) B'
    shift       h(t) = B (u / (1 + t l))
    posterior   E[theta_k | mu] = B'^-1 (t u + B' mu) / (1 + t l)

Sums over people are kept for a grid of t, with S = S0 - t V: Q(t) = S^-1 + sum M(t),
q(t) = S^-1 m0 + sum h(t), so that mu ~ N(Q^-1 q, Q^-1) for every t.

t is chosen by its predictions. Before a case is learned from, the posterior mean that each t gives to this
person predicts it. The log probabilities are added up, and t has the largest sum with the log prior of t
(differences.py). The first cases of all people together count NEWCOMERS nats at most, which cancels the prior
between its centre and t = 1: they say less about how people differ than about how sure mu is. The marginal
likelihood of the sites would take it for differences between people that rows of a case depend on each other.

The prior of person k in a round is what all others say about mu, (Q - M, q - h), plus t A. A is learned too
(directions.py); a site keeps the A of its last update. If people form two groups (groups.py), "all others"
are those of the same group, which has a t of its own.

While there is one person, this is the single learner, bit for bit. Features have the same units for all.
With many features the coordinates of theta are independent: matrices are vectors, and B = A^(-1/2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from typing import Any

import numpy as np

from coactor.learners.choice import FEW, ChoiceLearner, Observed
from coactor.learners.people.differences import GRID, UNSCORED, likeliest_of
from coactor.learners.people.directions import Directions
from coactor.learners.people.groups import Groups
from coactor.learners.people.sites import (
    Algebra,
    AsNewcomer,
    Everybody,
    Independent,
    Joint,
    Person,
    PersonBelief,
    Site,
    Sums,
)
from coactor.learners.serialization import count, inner_state, pack, people_in, unpack
from coactor.learners.units import Units
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

EVERY = 10  # rounds between two values of A


class Population(AsNewcomer):
    """Bayesian choice for several people: what one shows informs the others as far as people agree.

    Parameters
    ----------
    dim
        d.
    prior, prior_mean, prior_sd, shared_variance, forgetting, start, trust
        As for `ChoiceLearner`: the prior of the population, and the forgetting of what each person has shown.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.protocol import Feedback
    >>> learner = Population(2)
    >>> path, declined = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[-1.0, 0.5], [0.0, -1.0]])
    >>> for person in ("ana", "ben"):
    ...     learner.update(Feedback(path, 1.0, declined, person=person))
    >>> learner.people
    ('ana', 'ben')
    >>> bool(learner.person("cleo").weights[0] > 0)  # a newcomer starts from the population
    True
    """

    name = "population"
    reads: Reads = "declined"

    def __init__(
        self,
        dim: int,
        prior: Sequence[float] | Vector | None = None,
        prior_mean: float | None = None,
        prior_sd: float | None = None,
        shared_variance: float = 4.0,
        forgetting: float | None = None,
        start: Sequence[float] | Vector | None = None,
        trust: float | None = None,
    ) -> None:
        settings = prior, prior_mean, prior_sd, shared_variance, forgetting
        self._begin(ChoiceLearner(dim, *settings, start=start, trust=trust))

    @classmethod
    def of(cls, single: ChoiceLearner) -> Population:
        """A population whose prior, units and forgetting are those of a single learner that knows nothing."""
        population = cls.__new__(cls)
        population._begin(single)
        return population

    def _begin(self, single: ChoiceLearner) -> None:
        self.single = single  # the learner while there is one person; afterwards it has only the units
        self.dim, self.start = single.dim, single.start
        self.algebra: Algebra = Joint() if single.dim <= FEW else Independent()
        self._first: str | None = None
        prior = self._prior_sums()
        self._everybody = Everybody({}, prior, prior)
        self._groups = Groups(self.algebra, prior)
        self._scores: Mapping[str, Matrix] = {}  # log probabilities of a person's first case, of later ones
        same = self.algebra.diagonal(np.full(self.dim + 1, single.prior_sd**2))
        self._directions = Directions.of(self.algebra, same, same)
        self.rounds = 0
        self._beliefs: dict[str | None, PersonBelief] = {}

    # -- what has been learned ----------------------------------------------------------------------------

    @property
    def people(self) -> tuple[str, ...]:
        """The people it has learned from."""
        if self._sites:
            return tuple(self._sites)
        return () if self._first is None else (self._first,)

    @property
    def _sites(self) -> Mapping[str, Site]:
        return self._everybody.sites

    @property
    def _best(self) -> int:
        """The index of t."""
        return likeliest_of(self._scores.values())

    @property
    def difference(self) -> float:
        """sqrt(t): by how much people differ, in prior standard deviations; 0 while there is one person."""
        return math.sqrt(GRID[self._best]) if self._sites else 0.0

    def person(self, name: str) -> Person | ChoiceLearner:
        """The weights of a person; those of the population for a newcomer, and without a name."""
        if not self._sites:
            return self.single
        return Person(self.single, self.algebra, self._belief(name if name in self._sites and name else None))

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""
        return self.single.prior_deviations()

    @property
    def prior(self) -> Vector:
        """The direction of the prior mean."""
        return self.single.prior

    def __repr__(self) -> str:
        rounds = self.rounds + self.single.rounds
        return f"{type(self).__name__}(dim={self.dim}) after {rounds} rounds with {len(self.people)} people"

    def _belief(self, name: str | None) -> PersonBelief:
        """The prior by everybody else, and the posterior. Cached until the next update."""
        if name in self._beliefs:
            return self._beliefs[name]
        algebra = self.algebra
        site = self._sites.get(name) if name is not None else None
        sums, best = self._drawn_with(name)
        mean, covariance = sums.mean(algebra, best, site)
        differences = GRID[best] * self._directions.matrix
        prior = algebra.inverse(covariance + differences)
        belief = PersonBelief(prior, mean, prior, mean, differences)
        if site is not None:
            precision = prior + algebra.scaled(site.basis, site.eigenvalues)
            shift = algebra.times(prior, mean) + algebra.times(site.basis, site.shift)
            own = algebra.times(algebra.inverse(precision), shift)
            belief = PersonBelief(prior, mean, precision, own, differences)
        self._beliefs[name] = belief
        return belief

    def _drawn_with(self, name: str | None) -> tuple[Sums, int]:
        """The people around whose mean a person is drawn, and the index of t."""
        groups = self._groups
        if groups.used and name in self._sites:
            return groups.sums_of(self._everybody, name in groups.second), groups.best
        return self._everybody.sums, self._best

    # -- learning -----------------------------------------------------------------------------------------

    def update(self, feedback: Feedback) -> None:
        """Learn from the steps made and the moves left alone by `feedback.person`."""
        name = feedback.person
        if not self._sites and self._first in (None, name):
            self.single.update(feedback)
            self._first = name
            return
        observed = self.single.observe(feedback)
        if observed is not None:
            other = deepcopy(self)
            other._learn(name, observed)
            self.__dict__.update(other.__dict__)  # if learning raises, nothing has changed

    def _learn(self, name: str, observed: Observed) -> None:
        """Learn from one of several people."""
        self._measure(observed.units)
        old = self._sites.get(name)
        log_probabilities = self._everybody.sums.predict(self.algebra, observed, old)
        if old is not None and self._groups.second:
            one = float(log_probabilities[self._best])
            self._groups.compare(self._everybody, name, observed, one)
        site = self._next_site(name, observed)
        self._put(name, site)
        self.rounds += 1
        nothing = np.zeros_like(log_probabilities)
        case = [log_probabilities, nothing] if old is None else [nothing, log_probabilities]
        self._scores = {**self._scores, name: self._scores.get(name, UNSCORED) + np.array(case)}
        self._learn_structure(name, site)
        self._beliefs = {}

    def _next_site(self, name: str, observed: Observed) -> Site:
        """What a person has shown after another case: the posterior without the prior it was given."""
        algebra, belief, old = self.algebra, self._belief(name), self._sites.get(name)
        precision, mean = belief.prior_precision, belief.prior_mean
        shift = algebra.times(precision, mean)
        if old is not None:
            keep = self.single.forgetting  # forget a little, then learn
            precision = precision + algebra.scaled(old.basis, keep * old.eigenvalues)
            own = algebra.times(old.basis, keep * old.shift)
            mean = algebra.times(algebra.inverse(precision), shift + own)
        precision, mean = algebra.learn(precision, mean, observed)
        own = algebra.times(precision, mean) - shift
        return algebra.site(precision - belief.prior_precision, own, *self._directions.roots)

    def _learn_structure(self, name: str, site: Site) -> None:
        """In which directions people differ, and who goes together: after a person was learned from."""
        people, directions = len(self._sites), self._directions
        sums, best = self._drawn_with(name)
        directions = directions.observe(self.algebra, sums, best, site, people)
        if self.rounds % EVERY == 0:
            mu, _ = sums.mean(self.algebra, best)
            directions = directions.shrunk(self.algebra, mu, people, self.single.prior_sd**2)
        self._directions = directions
        self._groups.reassign(self._everybody, name)
        if not self._groups.used and self.rounds % max(EVERY, people) == 0:
            mu, _ = self._everybody.sums.mean(self.algebra, self._best)
            self._groups.divide(self._everybody, mu, directions.roots[0])

    def set_back(self, name: str, earlier: Population) -> None:
        """Set what one person has shown back to an earlier state of this learner; the others' stays."""
        if set(self.people) | set(earlier.people) <= {name}:
            self.restore(earlier.state())
            return
        self._measure(self.single.units.completed(earlier.single.units))
        site = earlier._sites.get(name) if earlier._sites else earlier._first_site(name)
        factors = earlier.single.units.factors(self.single.units, self.single.use_lengths)
        self._put(name, None if site is None else site.converted(np.append(factors, 1.0)))
        if not self._sites:  # nothing is left of what anybody has shown
            self._begin(self.single.unlearned())
            return
        self._scores = {**self._scores, name: earlier._scores.get(name, UNSCORED)}
        self._beliefs = {}

    def _measure(self, units: Units) -> None:
        """Adopt units, as one of several people."""
        before = self.single.prior
        self.single.measure(units)
        if not self._sites:
            self._split()
        elif self.single.prior is not before:
            self._adopt_prior()

    def _split(self) -> None:
        """A second person: what the first one has shown becomes a site."""
        self._adopt_prior()
        if self._first is not None:
            self._put(self._first, self._first_site(self._first))
            self.rounds, self.single, self._first = self.single.rounds, self.single.unlearned(True), None
            self._beliefs = {}

    def _first_site(self, name: str) -> Site | None:
        """What the only person has shown; None if that is another person."""
        if name != self._first:
            return None
        posterior, prior = self.single.posterior, self.single.initial()
        own, before = self.algebra.precision(posterior), self.algebra.precision(prior)
        shift = self.algebra.times(own, posterior.mean) - self.algebra.times(before, prior.mean)
        return self.algebra.site(own - before, shift, *self._directions.roots)

    def _adopt_prior(self) -> None:
        """Take over the prior of the single learner: that of a start depends on the units."""
        if self.single.start is None:
            return
        old, new = self._everybody.prior, self._prior_sums()
        self._everybody, self._beliefs = self._everybody.with_prior(new), {}
        self._groups.sums = self._groups.sums.plus(new.minus(old))

    def _prior_sums(self) -> Sums:
        """N(m0, S0 - t V) for every t."""
        priors = [self.single.initial(1.0 - float(t)) for t in GRID]
        return Sums.prior(self.algebra, [self.algebra.precision(each) for each in priors], priors[0].mean)

    def _put(self, name: str, site: Site | None) -> None:
        """Replace what a person has shown; None removes the person. Arrays are replaced, not modified."""
        old, self._everybody = self._everybody, self._everybody.put(self.algebra, name, site)
        self._groups.put(old, self._everybody, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Population:
        """A copy that shares the arrays, because they are replaced and never modified."""
        other = copy(self)
        other.single, other._groups = deepcopy(self.single, memo), copy(self._groups)
        other._beliefs = {}
        return other

    # -- to and from JSON ---------------------------------------------------------------------------------

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        people: list[State] = [{"person": name} for name in self.people]
        for entry, site in zip(people, self._sites.values(), strict=False):  # one person alone has no site
            scores = self._scores.get(entry["person"], UNSCORED)
            entry |= {"learner": self.name, "scores": pack(scores)}
            entry |= {"second": True} if entry["person"] in self._groups.second else {}
            entry |= {key: pack(array) for key, array in site._asdict().items()}
        state: State = {
            "learner": self.name,
            "weights": pack(self.weights),
            "single": self.single.state(),
            "people": people,
        }
        if self._sites:
            state |= {key: pack(array) for key, array in self._arrays().items()}
            state |= {"rounds": self.rounds, "moments": self._directions.rounds}
            state |= {"groups": self._groups.state(self.name)} if self._groups.second else {}
        return state

    def _arrays(self) -> dict[str, Vector]:
        return {
            "precisions": self._everybody.sums.precisions.reshape(len(GRID), -1),
            "shifts": self._everybody.sums.shifts,
            "directions": self._directions.matrix,
            "moment": self._directions.moment,
        }

    def restore(self, state: State) -> None:
        """Return to an earlier state. Raises ValueError, and changes nothing, if it is invalid."""
        single = ChoiceLearner(self.dim)
        single.restore(inner_state(state, self.name, "single"))
        other, people = Population.of(single.unlearned()), people_in(state, self.name, bool(single.rounds))
        other.single = single
        shape, several = other._directions.matrix.shape, "precisions" in state or len(people) > 1
        other._first = people[0]["person"] if people and not several else None
        sites: dict[str, Site] = {}
        for entry in people if several else ():
            shapes = zip(Site._fields, (shape, shape[:1], shape[:1]), strict=True)
            name = entry["person"]
            sites[name] = Site(*(unpack(entry, key, self.name, each) for key, each in shapes))
            other._scores = {**other._scores, name: unpack(entry, "scores", self.name, UNSCORED.shape)}
        if several:
            other._adopt_prior()
            arrays = {k: unpack(state, k, self.name, a.shape) for k, a in other._arrays().items()}
            sums = Sums(arrays["precisions"].reshape(len(GRID), *shape), arrays["shifts"])
            other._everybody = other._everybody._replace(sites=sites, sums=sums)
            if "groups" in state:
                second = frozenset(each["person"] for each in people if each.get("second") is True)
                other._groups.restore(inner_state(state, self.name, "groups"), self.name, second)
            other.rounds, moments = (count(state, k, self.name) for k in ("rounds", "moments"))
            other._directions = Directions.of(other.algebra, arrays["directions"], arrays["moment"], moments)
        self.__dict__.update(other.__dict__)

"""The default learner for several people: one model each, drawn around a mean that is learned.

Model. Person k makes a move with feature difference D with probability sigma(w_k . D - b_k), as in
choice.py. With theta_k = (w_k, b_k):

    mu ~ N(m0, S0 - t V)     N(m0, S0) is the prior of the single learner; V = v I for the weights, 0 for b
    theta_k ~ N(mu, t A)     t: how much people differ, from 0 to 1; A: in which directions (mean diagonal v)

v is the prior variance that weights do not share: people with t = 0 are one person, with t = 1 as many single
learners. What person k has shown is a Gaussian site exp(-1/2 theta' L theta + e' theta): the posterior after
each Laplace step, divided by the prior it was given. About mu it says, for every t of a grid,

    precision M(t) = (1 + t L A)^-1 L,    shift h(t) = (1 + t L A)^-1 e

The prior of person k is what all others say about mu, plus t A.

t is the one that predicts cases best before they are learned from, with a log-normal prior.

A is a running mean of the expected outer products of theta_k - mu (an EM step each time a person is learned
from), shrunk towards differences in proportion to the weights of all people; a site keeps the A of its last
update.

Two groups. People are divided by 2-means with the log-likelihood of their sites, -1/2 mu' L mu + e' mu, from
the present groups and from the first principal axis of the gradients e - L mu. Once two means are clearly
ahead in predicting cases, and until they are behind, "all others" are those of the same group.

While there is one person, this is the single learner, bit for bit. Features have the same units for all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coactor.learners.choice import FORGETTING, ChoiceLearner, Observed, Units
from coactor.learners.gaussians import Precision
from coactor.learners.serialization import count, flag, inner_state, number, pack, people_in, unpack
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

GRID: Vector = np.append(10.0 ** np.arange(-5.5, -0.4, 0.5), [0.6, 0.9])  # values of t
LOG_PRIOR: Vector = -0.5 * np.log10(100.0 * GRID) ** 2  # log-normal around 0.01, standard deviation a decade
EVERY = 10  # rounds between two values of A and between two divisions, at least; more with many people
AHEAD = 5.0  # nats by which two groups must be ahead before they are used: odds of 150 to 1


class Site(NamedTuple):
    """What one person has shown."""

    precision: Matrix  # L
    shift: Vector  # e
    differences: Matrix  # A

    def inner(self, ts: Vector) -> Matrix:
        """1 + t L A for some t."""
        return np.eye(len(self.shift)) + ts[:, None, None] * (self.precision @ self.differences)

    def message(self, ts: Vector = GRID) -> Message:
        """M(t) and h(t): what the person says about mu."""
        sides = np.column_stack([self.precision, self.shift])[None]
        both: Matrix = _solve(self.inner(ts), sides)
        matrices = both[..., :-1]
        return Message(0.5 * (matrices + matrices.transpose(0, 2, 1)), both[..., -1])

    def drawn(self, mus: Matrix) -> Matrix:
        """The posterior mean of theta_k for every t and the mu of that t."""
        ahead = mus + np.outer(GRID, self.differences @ self.shift)
        means: Matrix = _solve(self.inner(GRID).transpose(0, 2, 1), ahead[:, :, None])[:, :, 0]
        return means

    def converted(self, factors: Vector) -> Site:
        """The site of factors * theta: in other units."""
        return Site(self.precision / np.outer(factors, factors), self.shift / factors, self.differences)


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """What some people say about mu, with or without the prior: a Gaussian for every t."""

    precision: Matrix
    shift: Matrix

    def __add__(self, other: Message) -> Message:
        return Message(self.precision + other.precision, self.shift + other.shift)

    def __sub__(self, other: Message) -> Message:
        return Message(self.precision - other.precision, self.shift - other.shift)

    def means(self) -> Matrix:
        """The mean of mu for every t."""
        means: Matrix = _solve(self.precision, self.shift[:, :, None])[:, :, 0]
        return means

    def at(self, best: int) -> tuple[Matrix, Vector]:
        """The covariance and the mean of mu for one t."""
        covariance = _inverse(self.precision[best])
        return covariance, covariance @ self.shift[best]


class Population:
    """Bayesian choice for several people: what one shows informs the others as far as people agree.

    Parameters
    ----------
    dim, start, trust, forgetting
        As for `ChoiceLearner`: the prior of all people, and the forgetting of what each has shown.

    Examples
    --------
    >>> import numpy as np
    >>> from coactor.protocol import Feedback
    >>> learner = Population(2)
    >>> path, declined = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[-1.0, 0.5], [0.0, -1.0]])
    >>> for person in ("ana", "ben"):
    ...     learner.update(Feedback(path, 1.0, declined, learned_for=person))
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
        start: Sequence[float] | Vector | None = None,
        trust: float | None = None,
        forgetting: float = FORGETTING,
    ) -> None:
        self._begin(ChoiceLearner(dim, start, trust, forgetting))

    def _begin(self, single: ChoiceLearner) -> None:
        self.single = single  # the learner while there is one person; afterwards it has only the units
        self.dim, self.start = single.dim, single.start
        self._first: str | None = None
        self._sites: Mapping[str, Site] = {}
        self._scores: Mapping[str, Vector] = {}  # log probabilities of a person's cases, for every t
        self._differences = np.eye(self.dim + 1) * single.prior_sd**2  # A
        self._moment = self._differences  # running mean of E[(theta_k - mu)(theta_k - mu)'] / t
        self.rounds = 0  # with several people
        self._prior = self._prior_message()
        self._said = self._second_said = _said_by_none(self.dim + 1)  # sums over people, without the prior
        self._views: dict[str, ChoiceLearner] = {}  # until the next update
        self._second: frozenset[str] = frozenset()  # the people of the second group
        self._forget_groups()

    def _forget_groups(self) -> None:
        self._group_scores, self._ahead, self._grouped = np.zeros(len(GRID)), 0.0, False

    # -- what has been learned ----------------------------------------------------------------------------

    @property
    def people(self) -> tuple[str, ...]:
        """The people it has learned from."""
        return tuple(self._sites) or (() if self._first is None else (self._first,))

    @property
    def difference(self) -> float:
        """sqrt(t): by how much people differ, in prior standard deviations; 0 while there is one person."""
        return math.sqrt(GRID[self._best]) if self._sites else 0.0

    @property
    def _best(self) -> int:
        """The index of t."""
        return _likeliest(sum(self._scores.values(), start=np.zeros(len(GRID))))

    def person(self, name: str) -> ChoiceLearner:
        """The weights of a person, until the next update; for a newcomer and without a name, those of all."""
        if not self._sites:
            return self.single
        if name not in self._sites:
            name = ""
        if name not in self._views:
            self._views[name] = self._view(name)
        return self._views[name]

    def _view(self, name: str) -> ChoiceLearner:
        prior, mean = self._prior_of(name)
        site, apart = self._sites.get(name), _inverse(GRID[self._best] * self._differences)
        if site is None:
            return self.single.with_posterior(Precision(mean, prior), Precision(mean, apart))
        precision = prior + site.precision
        own = _solve(precision, prior @ mean + site.shift)
        return self.single.with_posterior(Precision(own, precision), Precision(own, apart + site.precision))

    def _prior_of(self, name: str) -> tuple[Matrix, Vector]:
        """The precision and the mean that all others give a person."""
        others, best = self._drawn_around(name)
        if name in self._sites:
            others = Message(others.precision[[best]], others.shift[[best]])
            others, best = others - self._sites[name].message(GRID[[self._t_of(name)]]), 0
        covariance, mean = others.at(best)
        return _inverse(covariance + GRID[self._t_of(name)] * self._differences), mean

    def _t_of(self, name: str) -> int:
        """The index of t for a person."""
        return _likeliest(self._group_scores) if self._grouped and name in self._sites else self._best

    def _drawn_around(self, name: str) -> tuple[Message, int]:
        """What the people say around whose mean a person is drawn, and the index of t."""
        if self._grouped and name in self._sites:
            return self._group_of(name), self._t_of(name)
        return self._everyone, self._best

    @property
    def _everyone(self) -> Message:
        """What all people say, with the prior."""
        return self._prior + self._said

    def _group_of(self, name: str) -> Message:
        """What the people of a person's group say, with the prior."""
        own = self._second_said if name in self._second else self._said - self._second_said
        return self._prior + own

    # A population itself is seen as a newcomer.

    @property
    def weights(self) -> Vector:
        """The mean weights of all people."""
        return self.person("").weights

    @property
    def threshold(self) -> float:
        """The mean threshold of all people."""
        return self.person("").threshold

    def deviations(self) -> Vector:
        """How uncertain the weights of a newcomer are."""
        return self.person("").deviations()

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""
        return self.single.prior_deviations()

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight."""
        return self.person("").known()

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights, for a newcomer."""
        return self.person("").variances(rows, around_others)

    def __repr__(self) -> str:
        rounds = self.rounds or self.single.rounds
        return f"Population(dim={self.dim}) after {rounds} rounds with {len(self.people)} people"

    # -- learning -----------------------------------------------------------------------------------------

    def update(self, feedback: Feedback) -> None:
        """Learn from the steps made and the moves declined by `feedback.learned_for`."""
        name = feedback.learned_for
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
        case = _predict(self._everyone, observed, old)
        if old is not None and self._second:
            self._compare_groups(_predict(self._group_of(name), observed, old), float(case[self._best]))
        site = self._next_site(name, observed)
        self._put(name, site)
        self.rounds += 1
        self._scores = {**self._scores, name: self._scores.get(name, 0.0) + case}
        self._learn_differences(name, site)
        if len(self._sites) > 2 and self.rounds % max(EVERY, len(self._sites) // 4) == 0:
            self._divide()

    def _next_site(self, name: str, observed: Observed) -> Site:
        """What a person has shown after another case: the posterior without the prior it was given."""
        old, (prior, mean) = self._sites.get(name), self._prior_of(name)
        precision, shift = prior, prior @ mean
        if old is not None:  # forget a little, then learn
            keep = self.single.forgetting
            precision = prior + keep * old.precision
            mean = _solve(precision, shift + keep * old.shift)
        own = Precision(mean, precision)
        own.learn(observed.rows, observed.labels, observed.worth, observed.offset)
        return Site(own.matrix - prior, own.matrix @ own.mean - shift, self._differences)

    def _learn_differences(self, name: str, site: Site) -> None:
        """An EM step of A with the person who was learned from; now and then A is replaced."""
        around, best = self._drawn_around(name)
        t, people = float(GRID[best]), len(self._sites)
        covariance, mu = around.at(best)
        prior = _inverse(t * self._differences)
        own = _inverse(prior + site.precision)
        away, pull = own @ (prior @ mu + site.shift) - mu, own @ prior - np.eye(self.dim + 1)
        expected = (np.outer(away, away) + own + pull @ covariance @ pull.T) / t
        window = min(self.rounds, max(EVERY, people))
        self._moment = self._moment + (expected - self._moment) / window
        if self.rounds % EVERY == 0:
            target = mu**2
            target[-1] = target[:-1].mean()  # a threshold differs like the mean weight
            target *= np.trace(self._moment) / (target.sum() or 1.0)
            weight = 0.5 * self.dim  # people that the target counts as: a person is worth two features
            matrix = (people * self._moment + weight * np.diag(target)) / (people + weight)
            self._differences = matrix * (self.single.prior_sd**2 * len(mu) / np.trace(matrix))

    def _put(self, name: str, site: Site | None) -> None:
        """Replace what a person has shown; None removes the person. Arrays are replaced, not modified."""
        before = self._said
        if name in self._sites:
            self._said = self._said - self._sites[name].message()
        if site is not None:
            self._said = self._said + site.message()
            self._sites = {**self._sites, name: site}
        else:
            self._sites = {key: one for key, one in self._sites.items() if key != name}
        if name in self._second:
            self._second_said = self._second_said + (self._said - before)
            self._second = self._second & self._sites.keys()
        if not 0 < len(self._second) < len(self._sites):
            self._second, self._second_said = frozenset(), _said_by_none(self.dim + 1)
            self._forget_groups()
        self._views = {}

    def set_back(self, name: str, earlier: Population) -> None:
        """Set what one person has shown back to an earlier state of this learner; the others' stays."""
        if set(self.people) | set(earlier.people) <= {name}:
            self.restore(earlier.state())
            return
        self._measure(self.single.units.completed(earlier.single.units))
        site = earlier._sites.get(name) if earlier._sites else earlier._first_site(name)
        factors = np.append(earlier.single.units.factors(self.single.units), 1.0)
        self._put(name, None if site is None else site.converted(factors))
        scores = {key: own for key, own in self._scores.items() if key != name}
        self._scores = scores | {key: own for key, own in earlier._scores.items() if key == name}
        if not self._sites:  # nothing is left of what anyone has shown
            self._begin(self.single.unlearned())

    def _measure(self, units: Units) -> None:
        """Adopt units, as one of several people. The prior of a start depends on them."""
        if units is not self.single.units:
            self.single.measure(units)
            self._prior = self._prior_message()
        if not self._sites and self._first is not None:  # a second person: the first one becomes a site
            self._put(self._first, self._first_site(self._first))
            self.single, self._first = self.single.unlearned(units=True), None

    def _first_site(self, name: str) -> Site | None:
        """What the only person has shown; None if that is another person."""
        own, prior = self.single.posterior, self.single.initial()
        if name != self._first or not isinstance(own, Precision) or not isinstance(prior, Precision):
            return None
        shift = own.matrix @ own.mean - prior.matrix @ prior.mean
        return Site(own.matrix - prior.matrix, shift, self._differences)

    def _prior_message(self) -> Message:
        """N(m0, S0 - t V) for every t."""
        priors = [self.single.initial(1.0 - float(t)).arrays() for t in GRID]
        shifts = [prior["matrix"] @ prior["mean"] for prior in priors]
        return Message(np.array([prior["matrix"] for prior in priors]), np.array(shifts))

    # -- two groups ---------------------------------------------------------------------------------------

    def _compare_groups(self, case: Vector, one: float) -> None:
        """Compare the log probability of a case under the mean of the person's group with that of all."""
        self._ahead += float(case[_likeliest(self._group_scores)]) - one
        self._group_scores = self._group_scores + case
        self._grouped = self._ahead > (0.0 if self._grouped else AHEAD)

    def _divide(self) -> None:
        """Divide people anew, if that fits better than the present groups."""
        names, sites = list(self._sites), list(self._sites.values())
        starts = []
        if self._second:
            starts.append(np.array([name in self._second for name in names]))
        if not self._grouped:
            mu = self._everyone.at(self._best)[1]
            gradients = np.array([site.shift - site.precision @ mu for site in sites])
            gradients = gradients @ np.linalg.cholesky(self._differences)
            lengths = np.linalg.norm(gradients, axis=1)[:, None]
            gradients /= np.where(lengths == 0.0, 1.0, lengths)
            starts.append(gradients @ np.linalg.svd(gradients, full_matrices=False)[2][0] > 0.0)
        best = _likeliest(self._group_scores)
        prior = Message(self._prior.precision[[best]], self._prior.shift[[best]])
        divisions = [_two_means(sites, start, prior, GRID[[best]]) for start in starts]
        fit, second = max(divisions, key=lambda division: division[0])
        new = frozenset(name for name, one in zip(names, second, strict=True) if one)
        if fit == -np.inf or new in (self._second, frozenset(names) - self._second):
            return  # which group is the second means nothing
        self._second, self._views = new, {}
        messages = (site.message() for name, site in self._sites.items() if name in new)
        self._second_said = sum(messages, start=_said_by_none(self.dim + 1))
        if not self._grouped:
            self._forget_groups()

    # -- copies and states --------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> Population:
        """A copy that shares the arrays, because they are replaced and never modified."""
        other = copy(self)
        other.single, other._views = deepcopy(self.single, memo), {}
        return other

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        people: list[State] = [{"person": name} for name in self.people]
        for entry, (name, site) in zip(people, self._sites.items(), strict=False):
            entry |= {"learner": self.name, "second": name in self._second}
            entry |= {"scores": pack(self._scores.get(name, np.zeros(len(GRID))))}
            entry |= {key: pack(array) for key, array in site._asdict().items()}
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "single": self.single.state(),
            "rounds": self.rounds,
            "differences": pack(self._differences),
            "moment": pack(self._moment),
            "group_scores": pack(self._group_scores),
            "ahead": self._ahead,
            "grouped": self._grouped,
            **{key: pack(array) for key, array in self._sums().items()},
            "people": people,
        }

    def _sums(self) -> dict[str, Matrix]:
        """Sums, which in floating point depend on the order in which people were learned from."""
        return {
            "said_precision": self._said.precision,
            "said_shift": self._said.shift,
            "second_precision": self._second_said.precision,
            "second_shift": self._second_said.shift,
        }

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from. Raises ValueError, changing nothing, if invalid."""
        single = deepcopy(self.single)
        single.restore(inner_state(state, self.name, "single"))
        other, people, n = copy(self), people_in(state, self.name), self.dim + 1
        other._begin(single)
        other.rounds = count(state, "rounds", self.name)
        other._differences = unpack(state, "differences", self.name, (n, n))
        other._moment = unpack(state, "moment", self.name, (n, n))
        if other.rounds:
            shapes = {"precision": (n, n), "shift": (n,), "differences": (n, n)}
            for entry in people:
                own = {key: unpack(entry, key, self.name, shape) for key, shape in shapes.items()}
                other._sites = {**other._sites, entry["person"]: Site(**own)}
                scores = unpack(entry, "scores", self.name, (len(GRID),))
                other._scores = {**other._scores, entry["person"]: scores}
            other._second = frozenset(row["person"] for row in people if flag(row, "second", self.name))
            sums = [unpack(state, key, self.name, old.shape) for key, old in other._sums().items()]
            other._said, other._second_said = Message(*sums[:2]), Message(*sums[2:])
            other._group_scores = unpack(state, "group_scores", self.name, (len(GRID),))
            other._ahead = number(state, "ahead", self.name)
            other._grouped = flag(state, "grouped", self.name)
        elif people:
            other._first = people[0]["person"]
        self.__dict__.update(other.__dict__)


def _said_by_none(n: int) -> Message:
    return Message(np.zeros((len(GRID), n, n)), np.zeros((len(GRID), n)))


def _solve(matrix: Matrix, sides: Matrix) -> Matrix:
    return np.linalg.solve(matrix, sides).astype(np.float64, copy=False)


def _inverse(matrix: Matrix) -> Matrix:
    inverse = np.linalg.inv(matrix)
    return 0.5 * (inverse + inverse.T)


def _likeliest(scores: Vector) -> int:
    """The index of the t with the largest sum of log probability and log prior."""
    return int(np.argmax(scores + LOG_PRIOR))


def _predict(around: Message, observed: Observed, site: Site | None) -> Vector:
    """The log probability of a case of a person under the posterior mean of each t."""
    thetas = around.means() if site is None else site.drawn(around.means())
    against = (thetas @ observed.rows.T) * (1.0 - 2.0 * observed.labels)  # log-odds
    scores: Vector = -np.logaddexp(0.0, against).sum(axis=1)
    return scores


def _two_means(
    sites: Sequence[Site], second: NDArray[np.bool_], prior: Message, t: Vector
) -> tuple[float, NDArray[np.bool_]]:
    """A sweep of 2-means: the log-likelihood of the new division, and who is in its second group.

    -inf if a group is empty before or after it.
    """
    precisions, shifts = np.array([s.precision for s in sites]), np.array([s.shift for s in sites])
    messages, fits = [site.message(t) for site in sites], []
    for group in (False, True):
        own = (message for message, one in zip(messages, second, strict=True) if one == group)
        mu = sum(own, start=prior).means()[0]
        fits.append(shifts @ mu - 0.5 * np.einsum("i,kij,j->k", mu, precisions, mu))
    second = fits[1] > fits[0]
    if second.all() or not second.any():
        return -np.inf, second
    return float(np.maximum(*fits).sum()), second

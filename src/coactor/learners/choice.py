"""The default learner: a Bayesian model of which moves the expert makes and which he leaves alone.

Model. The expert makes a move whose feature difference is D with probability

    P(made) = sigma(w . D - b)

b is his threshold, kappa in units of his own decisiveness. theta = (w, b) has a Gaussian belief.

Observations, each round: every step of his path, label "made"; every move from his final solution, label
"left alone". An accepted proposal says as much as a corrected one: none of its moves is worth making.
After a budget cut the end says nothing; then, and when nobody looked, only the steps count, as plain
preferences (without b).

Update. Online Laplace (gaussians.py): the mode of belief x this round's likelihood, and the curvature there.
Memory and time do not grow with the number of rounds.

Units. Each feature is measured by its own root mean square when it is first seen to vary, and rows by
their mean length in the first round. So the same settings serve every domain and unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from coactor.learners.gaussians import Diagonal, Gaussian, Precision
from coactor.learners.states import check_feedback, count, number, pack, positive_dim, positive_number, unpack
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

JOINT_UP_TO = 250  # features; beyond, coordinates are taken as independent
DOUBT_JOINT, DOUBT_INDEPENDENT = 10.0, 1.0  # prior deviation of a weight: of the log-odds of a typical move
BORROWED = 5.0  # a feature's unit borrows this many rows from the other features'


class ChoiceLearner:
    """Bayesian choice: learns from every step and from every move left alone.

    Parameters
    ----------
    dim
        d.
    prior
        What the weights are likely to be like before anything is seen: one number per feature, of which
        only the proportions matter. All alike by default. Give +1 and -1 to say which features are likely
        good or bad.
    confidence
        How far the prior mean lies from 0, in units of `doubt`. Small: it only decides while nothing is
        known.
    doubt
        The prior standard deviation of a weight; by default 10, or 1 where coordinates are independent.
    kinship
        How much the weights are believed to have in common, as a share of `doubt`^2.
    keep
        How much the past counts after each round: below 1 the learner follows a taste that drifts.

    Examples
    --------
    >>> import numpy as np
    >>> import coactor
    >>> rng = np.random.default_rng(0)
    >>> domain = coactor.domains.Tour(points=10, features=5)
    >>> expert = coactor.SimulatedExpert(domain, weights=[1.0, 0.0, 0.5, 0.0, 0.0])
    >>> session = coactor.Session(domain, ChoiceLearner(5))
    >>> for x in domain.sample(rng, n=40):
    ...     proposal = session.ask(x)
    ...     _ = session.tell(proposal, expert(x, proposal.solution))
    >>> int(session.learner.weights.argmax())
    0
    """

    name = "choice"
    reads: Reads = "declined"

    def __init__(
        self,
        dim: int,
        prior: Sequence[float] | Vector | None = None,
        confidence: float = 0.01,
        doubt: float | None = None,
        kinship: float = 4.0,
        keep: float = 0.995,
    ) -> None:
        self.dim = positive_dim(dim)
        self.confidence = positive_number(confidence, "confidence")
        self._joint = self.dim <= JOINT_UP_TO
        usual = DOUBT_JOINT if self._joint else DOUBT_INDEPENDENT
        self.doubt = usual if doubt is None else positive_number(doubt, "doubt")
        self.kinship = positive_number(kinship, "kinship")
        self.keep = positive_number(keep, "keep")
        if self.keep > 1.0:
            raise ValueError(f"keep is {keep!r}; the past cannot count more than once: give at most 1.")
        self.prior = _direction(prior, self.dim)
        self.rounds = 0
        self._units: Vector = np.zeros(self.dim)  # root mean square of each feature; 0 until it varies
        self._length = 0.0  # mean length of a row, in these units; 0 until the first is seen
        self._belief = self._start()

    # -- what it believes ---------------------------------------------------------------------------------

    @property
    def weights(self) -> Vector:
        """The mean of w, in the problem's units: w . D - b is the log-odds that a move is made."""
        return self._belief.mean[:-1] / self._scale()

    @property
    def threshold(self) -> float:
        """The mean of b; infinite before anything was seen, for then no unit is known to measure gains in."""
        return float(self._belief.mean[-1]) if self._length else math.inf

    def deviations(self) -> Vector:
        """The standard deviation of each weight."""
        deviations: Vector = np.sqrt(self._belief.variances()[:-1]) / self._scale()
        return deviations

    def known(self) -> Vector:
        """How much of the doubt about each weight is gone: 0 nothing, 1 all of it."""
        left: Vector = np.sqrt(self._belief.variances()[:-1] / self._prior_variance())
        return 1.0 - np.minimum(1.0, left)

    def chances(self, differences: Matrix) -> Vector:
        """The probability that the expert makes each move, given its feature difference.

        Doubt about the weights draws the probabilities towards one half.
        """
        rows = np.hstack([differences / self._scale(), np.full((len(differences), 1), -1.0)])
        logit = rows @ self._belief.mean
        blur = np.sqrt(1.0 + np.pi / 8.0 * self._belief.spread(rows))
        chances: Vector = 0.5 * (1.0 + np.tanh(0.5 * logit / blur))
        return chances

    # -- learning -----------------------------------------------------------------------------------------

    def update(self, feedback: Feedback) -> None:
        """Learn from the steps made and the moves left alone."""
        check_feedback(feedback, self.dim)
        differences, labels, threshold = self._observations(feedback)
        if not differences.any():
            return
        self._measure(differences)
        rows = np.hstack([differences / self._scale(), np.full((len(labels), 1), -1.0 if threshold else 0.0)])
        if self.keep < 1.0:
            self._belief.forget(self.keep)
        self._belief.learn(rows, labels)
        self.rounds += 1

    @staticmethod
    def _observations(feedback: Feedback) -> tuple[Matrix, Vector, bool]:
        """Differences, labels (1 made, 0 left alone), and whether the threshold shows in them."""
        made = np.diff(feedback.path, axis=0)
        if feedback.declined is None or feedback.cut:
            return made, np.ones(len(made)), False
        labels = np.zeros(len(made) + len(feedback.declined))
        labels[: len(made)] = 1.0
        return np.vstack([made, feedback.declined]), labels, True

    def _measure(self, differences: Matrix) -> None:
        """Give units to the features that vary for the first time, and once to the length of rows.

        A feature seen in a few rows only borrows from the others: its unit is a geometric mean of its own
        root mean square and theirs, by the number of rows.
        """
        fresh = (self._units == 0.0) & differences.any(axis=0)
        if fresh.any():
            seen = differences[:, fresh]
            count = np.count_nonzero(seen, axis=0)
            own = 0.5 * np.log((seen**2).sum(axis=0) / count)
            units = self._units.copy()
            if self._joint:
                others = np.append(own, np.log(units[units > 0.0])).mean()
                units[fresh] = np.exp((count * own + BORROWED * others) / (count + BORROWED))
            else:
                units[fresh] = 1.0
            self._units = units
        if self._length == 0.0:
            rows = differences / np.where(self._units == 0.0, 1.0, self._units)
            self._length = float(np.sqrt((rows**2).sum(axis=1).mean()))

    def _scale(self) -> Vector:
        return np.where(self._units == 0.0, 1.0, self._units) * (self._length or 1.0)

    def _start(self) -> Gaussian:
        mean = np.append(self.confidence * self.doubt * self.prior, 0.0)
        variance = self.doubt**2
        if not self._joint:
            return Diagonal(mean, np.full(self.dim + 1, variance))
        covariance = variance * np.eye(self.dim + 1)
        covariance[:-1, :-1] += variance * self.kinship * np.outer(self.prior, self.prior)
        return Precision(mean, covariance)

    def _prior_variance(self) -> Vector:
        return self.doubt**2 * (1.0 + (self.kinship * self.prior**2 if self._joint else np.zeros(self.dim)))

    # -- to and from JSON ---------------------------------------------------------------------------------

    def state(self) -> State:
        """Everything it knows, as JSON-able data."""
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "prior": pack(self.prior),
            "confidence": self.confidence,
            "doubt": self.doubt,
            "kinship": self.kinship,
            "keep": self.keep,
            "rounds": self.rounds,
            "units": pack(self._units),
            "length": self._length,
            **{f"belief_{key}": pack(array) for key, array in self._belief.arrays().items()},
        }

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        prior = unpack(state, "prior", self.name, (self.dim,))
        settings = {key: number(state, key, self.name) for key in ("confidence", "doubt", "kinship", "keep")}
        other = ChoiceLearner(self.dim, prior, **settings)
        other.prior = prior
        other._belief = other._start()
        for key, array in other._belief.arrays().items():
            setattr(other._belief, key, unpack(state, f"belief_{key}", self.name, array.shape))
        other._units = unpack(state, "units", self.name, (self.dim,))
        other._length = number(state, "length", self.name)
        if other._length < 0 or (other._units < 0).any():
            raise ValueError(
                f"'length' or 'units' in the state of {self.name!r} are negative; sizes are 0 or more."
            )
        other.rounds = count(state, "rounds", self.name)
        self.__dict__.update(other.__dict__)


def _direction(prior: Sequence[float] | Vector | None, dim: int) -> Vector:
    """The prior's proportions, with a root mean square of 1."""
    if prior is None:
        return np.ones(dim)
    array = np.array(prior, dtype=np.float64)
    if array.shape != (dim,) or not np.isfinite(array).all() or not array.any():
        raise ValueError(f"prior has shape {array.shape}; expected {dim} finite numbers, not all 0.")
    return array / float(np.sqrt((array**2).mean()))

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

Many features. Beyond 250, a round says little about each. Then all features share one unit, a row counts
by its direction alone (the lengths of moves may differ by orders of magnitude, as those of exchanges at the
top and at the end of a long list do), weights are believed to be smaller, and the past is kept longer.
committee.py joins two such learners.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coactor.learners.gaussians import Covariance, Diagonal, Gaussian, Precision
from coactor.learners.serialization import (
    check_feedback,
    count,
    flag,
    number,
    pack,
    positive_dim,
    positive_number,
    unpack,
)
from coactor.protocol import Feedback, Matrix, Reads, State, Vector

FEW = 250  # features; beyond, they are many
JOINT = 1000  # features; beyond, weights are taken as independent of each other


class Usual(NamedTuple):
    """What is believed before anything is seen, in log-odds of a typical move."""

    doubt: float  # prior deviation of a weight
    indecision: float  # prior deviation of the threshold
    confidence: float


WITH_FEW = Usual(doubt=10.0, indecision=10.0, confidence=0.01)
WITH_MANY = Usual(doubt=1.0, indecision=2.0, confidence=0.1)
MEMORY = 200, 2  # rounds after which the past has faded to a third: at least, and for each feature
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
        known. By default 0.01, with many features 0.1.
    doubt
        The prior standard deviation of a weight; by default 10, with many features 1.
    kinship
        How much the weights are believed to have in common, as a share of `doubt`^2; with many features
        nothing.
    keep
        How much the past counts after each round: below 1 the learner follows a taste that drifts. By default
        0.995, with more than 100 features closer to 1: there is more to learn before it is forgotten.
    lengths
        Whether the length of a row counts, or its direction alone. By default it counts, with many features
        not.
    independent
        Whether weights are believed about one by one, which is cheaper, and understands less of features that
        go together. By default beyond 1000 features.

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
        confidence: float | None = None,
        doubt: float | None = None,
        kinship: float = 4.0,
        keep: float | None = None,
        lengths: bool | None = None,
        independent: bool | None = None,
    ) -> None:
        self.dim = positive_dim(dim)
        self._many = self.dim > FEW
        self._usual = WITH_MANY if self._many else WITH_FEW
        self.confidence = positive_number(
            self._usual.confidence if confidence is None else confidence, "confidence"
        )
        self.doubt = positive_number(self._usual.doubt if doubt is None else doubt, "doubt")
        self.kinship = positive_number(kinship, "kinship")
        least, each = MEMORY
        self.keep = positive_number(1.0 - 1.0 / max(least, each * self.dim) if keep is None else keep, "keep")
        if self.keep > 1.0:
            raise ValueError(f"keep is {keep!r}; the past cannot count more than once: give at most 1.")
        self.lengths = not self._many if lengths is None else bool(lengths)
        self.independent = self.dim > JOINT if independent is None else bool(independent)
        self._kin = not (self._many or self.independent)
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

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""
        deviations: Vector = np.sqrt(self._prior_variance()) / self._scale()
        return deviations

    def known(self) -> Vector:
        """How much of the doubt about each weight is gone: 0 nothing, 1 all of it."""
        left: Vector = np.sqrt(self._belief.variances()[:-1] / self._prior_variance())
        return 1.0 - np.minimum(1.0, left)

    def chances(self, differences: Matrix) -> Vector:
        """The probability that the expert makes each move, given its feature difference.

        Doubt about the weights draws the probabilities towards one half.
        """
        rows = self._rows(differences, True)
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
        rows = self._rows(differences, threshold)
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

    def _rows(self, differences: Matrix, threshold: bool) -> Matrix:
        """What is multiplied with theta: differences in the learner's units, and -1 for the threshold."""
        rows = differences / self._scale()
        if not self.lengths:
            lengths = row_lengths(rows)[:, None]
            rows = rows / np.where(lengths == 0.0, 1.0, lengths)
        return np.hstack([rows, np.full((len(rows), 1), -1.0 if threshold else 0.0)])

    def _measure(self, differences: Matrix) -> None:
        """Give units to the features that vary for the first time, and once to the length of rows.

        A feature seen in a few rows only borrows from the others: its unit is a geometric mean of its own
        root mean square and theirs, by the number of rows.
        """
        fresh = (self._units == 0.0) & differences.any(axis=0)
        if fresh.any():
            units = self._units.copy()
            if self._many:
                units[fresh] = 1.0
            else:
                seen = differences[:, fresh]
                count = np.count_nonzero(seen, axis=0)
                own = np.log(row_lengths(seen.T)) - 0.5 * np.log(count)
                others = np.append(own, np.log(units[units > 0.0])).mean()
                units[fresh] = np.exp((count * own + BORROWED * others) / (count + BORROWED))
            self._units = units
        if self._length == 0.0:
            rows = differences / np.where(self._units == 0.0, 1.0, self._units)
            self._length = float(row_lengths(row_lengths(rows)[None])[0] / np.sqrt(len(rows)))

    def _scale(self) -> Vector:
        return np.where(self._units == 0.0, 1.0, self._units) * (self._length or 1.0)

    def _start(self) -> Gaussian:
        mean = np.append(self.confidence * self.doubt * self.prior, 0.0)
        variances = np.append(np.full(self.dim, self.doubt**2), self._usual.indecision**2)
        if self.independent:
            return Diagonal(mean, variances)
        if self._many:
            return Covariance(mean, np.diag(variances))
        covariance = np.diag(variances)
        covariance[:-1, :-1] += self.doubt**2 * self.kinship * np.outer(self.prior, self.prior)
        return Precision(mean, covariance)

    def _prior_variance(self) -> Vector:
        return self.doubt**2 * (1.0 + (self.kinship * self.prior**2 if self._kin else np.zeros(self.dim)))

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
            **self._manner(),
        }

    def _manner(self) -> dict[str, bool]:
        """How rows are taken, where it is not as in the paper's domains."""
        plain = self.lengths and not self.independent
        return {} if plain else {"lengths": self.lengths, "independent": self.independent}

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from."""
        prior = unpack(state, "prior", self.name, (self.dim,))
        settings = {key: number(state, key, self.name) for key in ("confidence", "doubt", "kinship", "keep")}
        lengths, independent = (
            flag(state, "lengths", self.name, True),
            flag(state, "independent", self.name, False),
        )
        other = ChoiceLearner(self.dim, prior, **settings, lengths=lengths, independent=independent)
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


def row_lengths(rows: Matrix) -> Vector:
    """Of each row; the squares of very small or large numbers would be 0 or infinite, so none are taken."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(largest == 0.0, 1.0, largest)
    lengths: Vector = largest * np.sqrt(((rows / unit[:, None]) ** 2).sum(axis=1))
    return lengths

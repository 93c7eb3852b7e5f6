"""The default learner: a Bayesian model of which moves the expert makes and which they decline.

Model. The expert makes a move whose feature difference is D with probability

    P(made) = sigma(w . D - b)

b is the expert's threshold: kappa, in units of how decisive they are. (w, b) has a Gaussian posterior.

Observations, each round: every step of the expert's path, label "made"; every move from the final solution
(in a ranking, exchanges of far documents too), label "declined". An accepted proposal is as informative as a
corrected one: none of its moves is worth making. If the expert ran out of time, declined moves are not
evidence; then, and if none were recorded, only the steps count, as plain preferences (without b). If only the
final solution is known, the steps to it were not observed: then the correction is one observation, its D that
of the mean edit. If one move leads to any solution, the expert chose among listed alternatives: then the
evidence is the chosen one against each other one, without b, and there are no steps.

The n declined rows of one case are not independent: they exchange the same few parts. Together they count as
sqrt(n) observations, so that one case does not outweigh a good start. Steps are what the expert did, so each
counts in full; the log-odds allow for steps being over-represented, so that probabilities stay right.

Update. Online Laplace (gaussians.py): the mode of posterior x this round's likelihood, and the curvature.

Units. Each feature is measured by its root mean square when it first varies, and rows by their mean length in
the first round (units.py). So the same settings suit every domain and unit.

Start. Weights in use are a prior about proportions: the variance along their direction is larger than across
it, in units of what moves change. So their length is free, a few cases confirm their proportions, and cases
that contradict them replace them. Features to which it gives 0, such as habits, vary with the others.

Many features: committee.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from coactor.learners.gaussians import Diagonal, Gaussian, Precision, with_prior
from coactor.learners.serialization import count, number, pack, setting, unpack
from coactor.protocol import Feedback, Matrix, Reads, State, Vector
from coactor.validation import above_zero, check_feedback, positive

SHARED = 2.0  # the length of all weights is twice as uncertain as each; unseen weights follow it by 4/5
FORGETTING = 0.995  # a memory of 200 rounds costs nothing without drift; 1.0 costs 14 % with it


class Form(NamedTuple):
    """The prior, in log-odds of a typical move, and how rows are used."""

    prior_sd: float  # standard deviation of a weight
    threshold_sd: float  # standard deviation of the threshold
    prior_mean: float  # mean of a weight, in units of prior_sd: it decides before anything is learned
    joint: bool = True  # a joint posterior, features in their own units, steps in full
    lengths: bool = True  # whether the length of a row counts, or its direction alone


FEW_FEATURES = Form(prior_sd=10.0, threshold_sd=10.0, prior_mean=0.01)


class Observed(NamedTuple):
    """One correction: rows, labels (1 made, 0 declined), how many independent observations each row is worth,
    by how much that raises the log-odds of a step, and the units, which include those of new features."""

    rows: Matrix
    labels: Vector
    worth: Vector
    offset: float
    units: Units


class ChoiceLearner:
    """Bayesian choice: learns from every step and every declined move.

    Parameters
    ----------
    dim
        d.
    start
        The weights in use today, in the problem's units; it proposes with them until it learns. Only their
        proportions matter. By default all features are alike.
    trust
        How far to trust the start: the size of a typical weight over the standard deviation of its error. 1
        expects errors as large as the weights themselves, 10 of a tenth of that. By default the start decides
        only what is proposed before anything is learned.
    forgetting
        The factor by which the precision of the past shrinks each round; below 1 the learner follows
        preferences that drift.
    form
        The prior; by default that for up to 250 features.

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
        start: Sequence[float] | Vector | None = None,
        trust: float | None = None,
        forgetting: float = FORGETTING,
        form: Form = FEW_FEATURES,
    ) -> None:
        self.dim, self.form = positive(dim, 1, "dim"), form
        self.start = None if start is None else direction(start, self.dim)
        if trust is not None and start is None:
            raise ValueError("A trust needs a start: give the weights in use today.")
        self.trust = form.prior_mean if trust is None else above_zero(trust, "trust")
        self.forgetting = above_zero(forgetting, "forgetting")
        if self.forgetting > 1.0:
            raise ValueError(f"The forgetting factor is {forgetting!r}; expected at most 1.")
        self.rounds = 0
        self.units = Units.unknown(self.dim)
        self._length = 1.0  # of the start, in the units of the first round
        self._posterior = self.initial()
        self._alone: Gaussian | None = None  # see `with_posterior`

    # -- what it has learned ------------------------------------------------------------------------------

    @property
    def weights(self) -> Vector:
        """The mean of w, in the problem's units: w . D - b is the log-odds that a move is made."""
        return self._posterior.mean[:-1] / self.units.scale

    @property
    def threshold(self) -> float:
        """The mean of b; infinite before the first round, when no unit of gains is known."""
        return float(self._posterior.mean[-1]) if self.units.length > 0.0 else math.inf

    @property
    def posterior(self) -> Gaussian:
        """The distribution of (w, b) in the learner's units."""
        return self._posterior

    def deviations(self) -> Vector:
        """The posterior standard deviation of each weight."""
        return np.sqrt(self._posterior.variances()[:-1]) / self.units.scale

    def prior_deviations(self) -> Vector:
        """The prior standard deviation of each weight."""
        return np.sqrt(self._prior_variance()) / self.units.scale

    def known(self) -> Vector:
        """1 - posterior / prior standard deviation of each weight: 0 nothing learned, 1 certain."""
        known = 1.0 - np.minimum(1.0, self.deviations() / self.prior_deviations())
        return np.where(self.units.features > 0.0, known, 0.0)  # nothing of what no move has changed

    def variances(self, rows: Matrix, around_others: bool = False) -> Vector:
        """The posterior variance of rows @ weights; `around_others`: without what is unknown of all."""
        gaussian = self._alone if around_others and self._alone is not None else self._posterior
        return gaussian.spread(np.hstack([rows / self.units.scale, np.zeros((len(rows), 1))]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dim={self.dim}) after {self.rounds} rounds"

    # -- learning -----------------------------------------------------------------------------------------

    def update(self, feedback: Feedback) -> None:
        """Learn from the steps made and the moves declined. If it raises, nothing has changed."""
        observed = self.observe(feedback)
        if observed is None:
            return
        other = copy(self)
        other.measure(observed.units)
        posterior = other._posterior.copy()
        posterior.forget(self.forgetting)
        posterior.learn(observed.rows, observed.labels, observed.worth, observed.offset)
        other._posterior, other.rounds = posterior, self.rounds + 1
        self.__dict__.update(other.__dict__)

    def observe(self, feedback: Feedback) -> Observed | None:
        """Rows and labels of a correction, and the units they are in; None if nothing varies."""
        check_feedback(feedback, self.dim)
        differences, labels, threshold = _observations(feedback)
        if not differences.any():
            return None
        units = self.units.measure(differences, common=not self.form.joint)
        declined = 1.0 / math.sqrt(len(labels))
        step = 1.0 if self.form.joint else declined
        worth = np.where(labels == 1.0, step, declined) * (0.5 if feedback.unsure else 1.0)
        rows = self._rows(differences, threshold, units.scale)
        return Observed(rows, labels, worth, math.log(step / declined) if threshold else 0.0, units)

    def measure(self, units: Units) -> None:
        """Adopt units, and convert the start to them."""
        if self.start is None or units is self.units:
            self.units = units
            return
        old, known = self.initial(), self.units.length > 0.0
        self.units = units
        if not known:
            values = self.start * units.scale
            self._length = root_mean_square(values[units.features > 0.0]) or root_mean_square(values)
        self._posterior = with_prior(self._posterior, old, self.initial())

    def _rows(self, differences: Matrix, threshold: bool, scale: Vector) -> Matrix:
        """What is multiplied with theta: differences in the learner's units, and -1 for the threshold."""
        rows = differences / scale
        if not self.form.lengths:
            lengths = row_lengths(rows)[:, None]
            rows = rows / np.where(lengths == 0.0, 1.0, lengths)
        return np.hstack([rows, np.full((len(rows), 1), -1.0 if threshold else 0.0)])

    # -- the prior ----------------------------------------------------------------------------------------

    @property
    def prior(self) -> Vector:
        """The direction of the prior mean, in the learner's units."""
        return np.ones(self.dim) if self.start is None else self.start * self.units.scale / self._length

    @property
    def prior_sd(self) -> float:
        """Weights may grow up to that of the form; a trusted start leaves less room for errors."""
        return self.form.prior_sd / max(1.0, self.trust)

    def initial(self, own: float = 1.0) -> Gaussian:
        """The prior, in the units known so far; `own` scales the variance that weights do not share."""
        mean = np.append(self.trust * self.prior_sd * self.prior, 0.0)
        variances = np.append(np.full(self.dim, own * self.prior_sd**2), self.form.threshold_sd**2)
        if not self.form.joint:
            return Diagonal(mean, variances)
        covariance = np.diag(variances)
        covariance[:-1, :-1] += np.outer(self._shared_sd, self._shared_sd)
        return Precision(mean, np.linalg.inv(covariance).astype(np.float64, copy=False))

    @property
    def _shared_sd(self) -> Vector:
        """The deviations of what weights share. A start that is hardly trusted says little of its zeros."""
        prior = self.prior if self.trust >= 1.0 else np.where(self.prior == 0.0, 0.5, self.prior)
        return SHARED * self.prior_sd * prior

    def _prior_variance(self) -> Vector:
        return self.prior_sd**2 + (self._shared_sd**2 if self.form.joint else np.zeros(self.dim))

    # -- several people -----------------------------------------------------------------------------------

    def unlearned(self, units: bool = False) -> Self:
        """A learner with the same prior and settings that has learned nothing, or only the units."""
        other, other.rounds = copy(self), 0
        if not units:
            other.units, other._length = Units.unknown(self.dim), 1.0
        other._posterior = other.initial()
        return other

    def with_posterior(self, posterior: Gaussian, alone: Gaussian) -> Self:
        """The same model with another posterior: one person's; `alone` is it without what all share."""
        other = copy(self)
        other._posterior, other._alone = posterior, alone
        return other

    # -- to and from JSON ---------------------------------------------------------------------------------

    def state(self) -> State:
        """Everything it has learned, as JSON-able data."""
        return {
            "learner": self.name,
            "weights": pack(self.weights),
            "start": None if self.start is None else pack(self.start),
            "length_of_start": self._length,
            "trust": self.trust,
            "forgetting": self.forgetting,
            "rounds": self.rounds,
            "units": pack(self.units.features),
            "length": self.units.length,
            **{key: pack(array) for key, array in self._posterior.arrays().items()},
        }

    def restore(self, state: State) -> None:
        """Become the learner that `state` was taken from. Raises ValueError, changing nothing, if invalid."""
        other, shape = copy(self), (self.dim,)
        features, length = unpack(state, "units", self.name, shape), number(state, "length", self.name)
        if length < 0 or (features < 0).any():
            raise ValueError(f"'length' or 'units' in the state of {self.name!r} is negative.")
        other.units = Units(features, length)
        other.start = None if state.get("start") is None else unpack(state, "start", self.name, shape)
        other._length = setting(state, "length_of_start", self.name)
        other.trust, other.forgetting = (setting(state, key, self.name) for key in ("trust", "forgetting"))
        other.rounds = count(state, "rounds", self.name)
        other._posterior = other.initial()
        for key, array in other._posterior.arrays().items():
            setattr(other._posterior, key, unpack(state, key, self.name, array.shape))
        self.__dict__.update(other.__dict__)


def _observations(feedback: Feedback) -> tuple[Matrix, Vector, bool]:
    """Differences, labels (1 made, 0 declined), and whether they depend on the threshold."""
    made, declined = np.diff(feedback.path, axis=0), feedback.declined
    if declined is not None and not feedback.cut:
        if feedback.chosen:  # among all solutions
            return declined, np.zeros(len(declined)), False
        made = _mean_edit(made, feedback)
        return np.vstack([made, declined]), np.repeat([1.0, 0.0], [len(made), len(declined)]), True
    return _mean_edit(made, feedback), np.ones(len(made)), False


def _mean_edit(made: Matrix, feedback: Feedback) -> Matrix:
    """The steps; if they were not observed, the mean edit of all that leads to the final solution."""
    return made * (len(made) / feedback.cost) if feedback.estimated and feedback.cost else made


# -- units of features: how much moves change them, so that the settings suit every domain ------------------


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
